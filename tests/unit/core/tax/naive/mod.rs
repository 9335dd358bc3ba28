//! A second implementation of the taxes, as naive as can be: fractions of big
//! integers, read straight from the rule's and the payload's JSON, written from the design's
//! formulas and `rulesets/README.md`. Random rules and payloads must give the same to the cent.

mod brackets;
mod cbs_ibs;
pub mod expect;
mod generate;
mod icms;
mod icms_consumidor_final;
mod icms_st;
mod ipi;
mod iptu;
mod ipva;
mod iss;
mod itbi;
mod itcmd;
mod number;
mod pis_cofins;
mod retencoes;
mod simples_nacional;
mod transicao;

pub use number::{Q, power, q, scaled, written};
