//! The taxes, the contract's twelve, `icms_consumidor_final`, `simples_nacional` and the withholdings on services: payload, lookup of the rule, and calculation.
//!
//! Pure: no I/O, no clock, no state. One file for each tax (pis/cofins, cbs/ibs and the federal withholdings share theirs), with its payload,
//! the order of its lookup, the content of its rules, the components of its answer and the calculation, by the
//! formulas of the law. Rules come through
//! [`Regras`](crate::rule::Regras). A new tax is one file here, its `mod` line, and
//! one line in the registry.

/// Example payloads of taxes that share one body: a constant for each, the same members after its own `tributo`.
macro_rules! examples {
    ($($name:ident = $tributo:literal),+ => $members:literal) => {
        $( pub(super) const $name: &str = concat!("{\n  \"tributo\": \"", $tributo, "\",\n", $members); )+
    };
}

mod answer;
mod calculation;
mod cbs_ibs;
mod desconto;
mod entry;
mod faixas;
mod figures;
mod formula;
mod icms;
mod icms_consumidor_final;
mod icms_st;
mod inss_retido;
mod ipi;
mod iptu;
mod ipva;
mod isencao;
mod iss;
mod iss_retido;
mod itbi;
mod itcmd;
mod limites;
mod monofasico;
mod ncm_do_dia;
mod not_given;
mod pis_cofins;
pub mod reforma;
mod registry;
mod retencao;
mod retencao_federal;
mod simples_nacional;
mod suposicao;
mod transicao;

pub use answer::TaxAnswer;
pub use answer::end_of;
pub use calculation::{Calculated, Calculation, Note, NoteCode, Notes};
pub use cbs_ibs::Conteudo as ConteudoCbsIbs;
pub use entry::{AskedField, Condition, Entry, FieldValue, LaterLaw, Tax};
pub use figures::{Money, Percent};
pub use icms::{ConferenciaProduto, Conteudo as ConteudoIcms, OrigemMercadoria};
pub use icms_st::{Conteudo as ConteudoIcmsSt, Criterio as CriterioSt};
pub use inss_retido::{FormaContratacao, Material, ServicoCedido};
pub use ipi::{Conteudo as ConteudoIpi, SituacaoTipi};
pub use iss::Regime;
pub use monofasico::Papel;
pub use pis_cofins::{Conteudo as ConteudoPisCofins, RegimeApuracao, Tipo as TipoPisCofins, VendaA};
pub use registry::{NAMES, REGISTRY, find, is_imposto_seletivo, parse};
pub use retencao::{RegimePrestador, Tomador};
pub use retencao_federal::NaturezaServico;
pub use suposicao::{FiguraSuposta, SUPONDO, Suposicao, figures_of, sentence as sentence_of_suposicoes};
