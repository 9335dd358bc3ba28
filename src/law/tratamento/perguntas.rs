//! The question about a product, and the payloads that ask the taxes.

use crate::base::document::{Node, Object};
use crate::base::problem::Problem;
use crate::base::value::{Cest, Date, ExDeclarado, Ncm, Uf};
use crate::operation::Ask;
use crate::tax::TaxAnswer;

taxd_base::document! {
    /// A product on a day, and between which UFs it goes.
    pub struct Pergunta {
        ncm: Ncm, "NCM do produto" + ", 8 dígitos";
        data: Date, "Data da operação";
        ex: ExDeclarado, "Exceção tarifária (Ex)" + "; 00 é nenhuma";
        cest: Option<Cest>, "CEST" + ", para a substituição tributária";
        uf_origem: Option<Uf>, "UF de origem" + "; sem ela, a de destino";
        uf_destino: Option<Uf>, "UF de destino" + "; sem ela, a de origem; sem as duas, nada se diz do ICMS";
    }
}

impl Pergunta {
    /// The same question with one UF on both sides if only one was given: an operation inside it.
    pub(super) fn with_both_ufs(self) -> Pergunta {
        let (uf_origem, uf_destino) = (self.uf_origem.or(self.uf_destino), self.uf_destino.or(self.uf_origem));
        Pergunta { uf_origem, uf_destino, ..self }
    }

    /// The payload of a tax with the product, the day and these members. The day has the name that the taxes of an
    /// operation give it.
    pub(super) fn payload(&self, tributo: &'static str, members: &[(&'static str, Node<'static>)]) -> Object<'static> {
        let mut payload = Object::default();
        payload.set("tributo", tributo);
        payload.set("ncm", self.ncm.to_string());
        payload.set("data_operacao", self.data.to_string());
        for (name, value) in members {
            payload.set(*name, value.clone());
        }
        payload
    }

    /// The tariff exception as a member, if one was declared.
    pub(super) fn ex_member(&self) -> Option<(&'static str, Node<'static>)> {
        self.ex.0.map(|ex| ("ex", ex.to_string().into()))
    }
}

/// What a tax answered, or its refusal. Fails if the service did.
pub(super) fn ask(ask: Ask<'_>, payload: &Object<'_>) -> Result<Result<TaxAnswer, Problem>, Box<Problem>> {
    match ask(payload) {
        Ok(answer) => Ok(Ok(answer)),
        Err(problem) if problem.codigo.status() >= 500 => Err(problem),
        Err(problem) => Ok(Err(*problem)),
    }
}
