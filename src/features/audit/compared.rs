//! Which figures of an answer are compared, tax by tax.

use super::compare::Members;
use crate::base::document::Role;

/// The amount of the answer, its first base and its first rate: also of IPI, PIS, COFINS and ISS.
pub(super) const ICMS: Members = Members {
    valores: &[|a| Some(a.valor.decimal())],
    aliquota: |a| a.figures(Role::Aliquota).next(),
    base: |a| a.figures(Role::Base).next(),
    with_difference: false,
    with_fcp: false,
};
pub(super) const INTERNA: Members = Members {
    valores: &[|a| a.figure("valor_icms"), |a| a.figure("valor_fcp")],
    aliquota: |a| a.figure("aliquota_interna"),
    with_fcp: true,
    ..ICMS
};
pub(super) const DESTINO: Members = Members {
    valores: &[|a| a.figure("valor_difal"), |a| a.figure("valor_fcp")],
    aliquota: |a| a.figure("aliquota_interna"),
    base: |a| a.figure("base_calculo_difal"),
    with_difference: true,
    with_fcp: true,
};
/// The same of a document that charges no FCP, and those of the own ICMS.
pub(super) const ICMS_WITHOUT_FCP: Members = Members { valores: &[|a| a.figure("valor_icms")], ..ICMS };
pub(super) const INTERNA_WITHOUT_FCP: Members =
    Members { valores: &[|a| a.figure("valor_icms")], with_fcp: false, ..INTERNA };
pub(super) const DESTINO_WITHOUT_FCP: Members =
    Members { valores: &[|a| a.figure("valor_difal")], with_fcp: false, ..DESTINO };
pub(super) const ST: Members = Members { aliquota: |a| a.figure("mva_aplicada"), ..ICMS };
pub(super) const REFORMA: Members = Members { valores: &[|a| a.figure("valor_destaque")], ..ICMS };
