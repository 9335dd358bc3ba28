//! What every part of a treatment has, and the part of the IPI.

use std::sync::Arc;

use super::perguntas::{Pergunta, ask};
use super::situacao::{SituacaoTratada, refused};
use crate::base::document::{Node, Sometimes};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Figura, Rate, RegraCitada};
use crate::operation::Ask;
use crate::rule::{Condicao, Regra};
use crate::tax::{ConteudoIpi, SituacaoTipi, TaxAnswer};

taxd_base::components! {
    /// A sentence of an answer.
    pub struct AvisoTratado {
        texto: String, "A frase";
        condicao: Option<Condicao>, "De que a frase depende" + "; nulo se a regra não diz";
    }
}

/// Declares parts: those fields between the situation, and the rule, the sentences and the refusal that every part has.
/// `found` is a part with what every one has, and none of its own fields.
macro_rules! partes {
    ($($vis:vis struct $name:ident { $( $field:ident: $ty:ty, $label:literal $(+ $rest:literal)?; )* })*) => {
        taxd_base::components! { $(
            $vis struct $name {
                situacao: $crate::tratamento::SituacaoTratada, "Como o tributo trata o produto";
                $( $field: $ty, $label $(+ $rest)?; )*
                regra: $crate::base::document::Sometimes<$crate::base::value::RegraCitada>, "A regra que o diz" + "; ausente se nenhuma respondeu nem recusou";
                avisos: $crate::base::document::Sometimes<Vec<$crate::tratamento::AvisoTratado>>, "O que conferir";
                recusa: $crate::base::document::Sometimes<std::sync::Arc<$crate::base::problem::Problem>>, "Por que o tributo não responde" + ": a recusa dele, como em `POST /v1/calculate`";
            }
        )* }

        $( impl $name {
            fn found(
                situacao: $crate::tratamento::SituacaoTratada,
                $crate::tratamento::partes::Comum { regra, avisos, recusa }: $crate::tratamento::partes::Comum,
            ) -> $name {
                $name { situacao, $( $field: <$ty>::default(), )* regra, avisos, recusa }
            }
        } )*
    };
}
pub(super) use partes;

partes! {
    pub struct ParteIpi {
        aliquota: Sometimes<Option<Rate>>, "Alíquota" + "; nulo se a regra não a estabelece";
        percentual_varejo: Sometimes<Rate>, "Percentual do preço de venda no varejo que é a base";
        tabela_versao: Sometimes<String>, "Edição da TIPI";
    }
}

/// What an answer or a refusal has for every part; nothing of one that was not asked.
#[derive(Default)]
pub(super) struct Comum {
    pub(super) regra: Sometimes<RegraCitada>,
    pub(super) avisos: Sometimes<Vec<AvisoTratado>>,
    pub(super) recusa: Sometimes<Arc<Problem>>,
}

impl Comum {
    pub(super) fn of(answer: &TaxAnswer) -> Comum {
        let avisos: Vec<_> = answer
            .avisos()
            .map(|note| AvisoTratado { texto: note.texto.as_str().to_owned(), condicao: note.condicao })
            .collect();
        let avisos = Sometimes(Some(avisos).filter(|list| !list.is_empty()));
        Comum { regra: Sometimes(Some(answer.regra())), avisos, recusa: Sometimes(None) }
    }

    pub(super) fn refused(problem: Problem) -> Comum {
        Comum {
            regra: Sometimes(problem.regra.clone()),
            recusa: Sometimes(Some(Arc::new(problem))),
            ..Comum::default()
        }
    }
}

/// The rule that answered. Fails if the answer comes from another process, which the engine never gives.
pub(super) fn rule_of(answer: &TaxAnswer) -> Result<&Regra, Box<Problem>> {
    answer.used().next().ok_or_else(|| {
        let cause = format_args!("the answer of {} has no rule of this process", answer.tributo);
        Box::new(Problem::failure("O tratamento não pôde ser lido; avise o operador.", cause))
    })
}

/// The IPI. Cigarettes ask for the retail price and for the option of the manufacturer, which no rate depends on.
pub(super) fn ipi(asked: &Pergunta, with: Ask<'_>) -> Result<ParteIpi, Box<Problem>> {
    let mut members: Vec<(&str, Node<'static>)> = vec![("valor_produto", "100.00".into())];
    members.extend(asked.ex_member());
    let mut answer = ask(with, &asked.payload("ipi", &members))?;
    let lacks = |answer: &Result<TaxAnswer, Problem>| {
        answer.as_ref().is_err_and(|problem| {
            problem.codigo == ErrorCode::RegimeEspecialAusente || problem.campo.as_deref() == Some("preco_venda_varejo")
        })
    };
    if lacks(&answer) {
        members.extend([("preco_venda_varejo", "100.00".into()), ("regime_especial", Node::Bool(false))]);
        answer = ask(with, &asked.payload("ipi", &members))?;
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => return Ok(ParteIpi::found(refused(&problem), Comum::refused(problem))),
    };
    let conteudo = rule_of(&answer)?.conteudo::<ConteudoIpi>()?;
    let situacao = match conteudo.situacao {
        SituacaoTipi::Tributado => SituacaoTratada::Tributado,
        SituacaoTipi::NaoTributado => SituacaoTratada::NaoTributado,
        SituacaoTipi::AliquotaZero => SituacaoTratada::AliquotaZero,
    };
    Ok(ParteIpi {
        aliquota: Sometimes(match situacao {
            SituacaoTratada::AliquotaZero => Some(Some(Rate::ZERO)),
            SituacaoTratada::Tributado => conteudo.aliquota.map(Figura::established),
            _ => None,
        }),
        percentual_varejo: Sometimes(conteudo.percentual_varejo.and_then(Figura::established)),
        tabela_versao: Sometimes(Some(conteudo.tabela_versao.as_str().to_owned())),
        ..ParteIpi::found(situacao, Comum::of(&answer))
    })
}
