//! What the rules say of a product for any seller: which taxes treat it in a way of their own, by which rule, and what is
//! not known. No regime of the seller and no amount is asked.
//!
//! The taxes are asked as a caller would ask them, each with a payload of this module, so that a treatment and a
//! calculation cannot disagree. The rule of an answer is then read for what no amount shows: the rates of a manufacturer,
//! the margin, the reduction. A tax that refuses says why, in its own refusal.
//!
//! | part | asked as |
//! |---|---|
//! | `pis`, `cofins` | a resale, under each regime |
//! | `ipi` | a sale; of cigarettes, without the special regime |
//! | `icms_interno` | a sale to a taxpayer inside the destination |
//! | `icms_interestadual` | the same between the two UFs, of national and of imported goods |
//! | `icms_st` | the same, of an amount above any price list |
//! | `cbs`, `ibs` | a sale by the law of the day, in general and with each tax classification that the lists give |
//!
//! The nature of revenue and the goods of the Imposto Seletivo come from official tables.

mod contribuicoes;
mod icms;
mod partes;
mod perguntas;
mod reforma;
mod situacao;

pub use contribuicoes::{Contribuicao, NoRegime, PorCompradorTratado};
pub use icms::{ParteIcms, ParteSt, UnidadeTratada};
pub use partes::{AvisoTratado, ParteIpi};
pub use perguntas::Pergunta;
pub use reforma::{HipoteseTratada, Natureza, ParteReforma, ParteSeletivo};
pub use situacao::{RecusaSt, SituacaoTratada};

use crate::base::document::{Document as _, Faults, Object, Path, Placed, Sometimes, names, refuse_unknown};
use crate::base::problem::Problem;
use crate::base::value::Date;
use crate::codes::texto_do_ex;
use crate::operation::Ask;

taxd_base::components! {
    /// The treatment of a product on a day.
    pub struct TratamentoProduto {
        ncm: String, "NCM do produto";
        data: Date, "Dia a que o tratamento se refere";
        ex: Sometimes<String>, "Ex declarado" + ", canônico";
        ex_descricao: Sometimes<&'static str>, "Texto do Ex na TIPI" + "; termina em reticências se foi lido só o começo";
        cest: Sometimes<String>, "CEST declarado";
        uf_origem: Sometimes<String>, "UF de origem" + "; a de destino, se só ela foi informada";
        uf_destino: Sometimes<String>, "UF de destino" + "; a de origem, se só ela foi informada";
        pis: Contribuicao, "PIS/Pasep";
        cofins: Contribuicao, "COFINS";
        naturezas_da_receita: Vec<Natureza>, "Códigos de natureza da receita do produto na EFD-Contribuições" + ", das tabelas 4.3.10 a 4.3.17";
        ipi: ParteIpi, "IPI";
        icms_interno: ParteIcms, "ICMS da operação dentro da UF de destino";
        icms_interestadual: Sometimes<ParteIcms>, "ICMS entre as duas UFs, de mercadoria nacional" + "; ausente se são a mesma";
        icms_interestadual_importada: Sometimes<ParteIcms>, "O mesmo, de mercadoria importada";
        icms_st: ParteSt, "ICMS por substituição tributária";
        cbs: ParteReforma, "CBS";
        ibs: ParteReforma, "IBS";
        imposto_seletivo: ParteSeletivo, "Imposto Seletivo";
    }
}

/// Reads the question. Fails with every fault at once.
pub fn read(given: &Object<'_>) -> Result<Pergunta, Box<Problem>> {
    let mut faults = Faults::default();
    match read_with(given, &mut faults) {
        Some(asked) if faults.is_empty() => Ok(asked.with_both_ufs()),
        _ => Err(Box::new(Problem::from_faults(faults))),
    }
}

/// Every fault of a question.
pub fn faults(given: &Object<'_>) -> Faults {
    let mut faults = Faults::default();
    read_with(given, &mut faults);
    faults
}

fn read_with(given: &Object<'_>, faults: &mut Faults) -> Option<Pergunta> {
    let (placed, at) = (Placed::of(given, Pergunta::FIELDS, &[]), Path::ROOT);
    if placed.may_repeat {
        given.refuse_repeated(&at, faults);
    }
    refuse_unknown(&placed, &names(Pergunta::FIELDS), &at, faults);
    Pergunta::read_placed(&placed, &at, faults)
}

/// The treatment of the product. Fails if the question is at fault, and if `ask` fails for another reason than a refusal.
pub fn treat(given: &Object<'_>, ask: Ask<'_>) -> Result<TratamentoProduto, Box<Problem>> {
    let asked = read(given)?;
    let pis = contribuicoes::contribuicao("pis", &asked, ask)?;
    let between_ufs = |imported| icms::interestadual(&asked, imported, ask);
    Ok(TratamentoProduto {
        ncm: asked.ncm.to_string(),
        data: asked.data,
        ex: Sometimes(asked.ex.0.map(|ex| ex.to_string())),
        ex_descricao: Sometimes(asked.ex.0.and_then(|ex| texto_do_ex(&asked.ncm, ex))),
        cest: Sometimes(asked.cest.map(|cest| cest.to_string())),
        uf_origem: Sometimes(asked.uf_origem.map(|uf| uf.to_string())),
        uf_destino: Sometimes(asked.uf_destino.map(|uf| uf.to_string())),
        naturezas_da_receita: reforma::naturezas(&asked, pis.situacao),
        pis,
        cofins: contribuicoes::contribuicao("cofins", &asked, ask)?,
        ipi: partes::ipi(&asked, ask)?,
        icms_interno: icms::interno(&asked, ask)?,
        icms_interestadual: Sometimes(between_ufs(false)?),
        icms_interestadual_importada: Sometimes(between_ufs(true)?),
        icms_st: icms::substituicao(&asked, ask)?,
        cbs: reforma::parte("cbs", &asked, ask)?,
        ibs: reforma::parte("ibs", &asked, ask)?,
        imposto_seletivo: reforma::seletivo(&asked),
    })
}
