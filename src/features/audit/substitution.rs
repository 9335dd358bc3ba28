//! The amount of ICMS-ST: its base by its rate, less the ICMS of the operation itself.

use rust_decimal::Decimal;

use super::differences::{Differences, operation, share};
use crate::law::nfe::{ItemDaNota, NotaFiscal, Tag};

/// The rates of an operation between States, in percent points (Resoluções SF 22/1989 and 13/2012).
pub(super) const INTERSTATE: [i64; 3] = [4, 7, 12];

/// The sum of `vICMSST`. A document of a taxpayer that charges no ICMS of its own (Simples, exempt goods) still deducts
/// what its own operation would owe (Resolução CGSN 140/2018, art. 28, § 2º; Convênio ICMS 142/2018, cláusula décima
/// primeira). That amount is not on the document, so a difference is one to be checked.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(base), Some(rate), Some(amount)) = (get(Tag::StBase), get(Tag::StAliquota), get(Tag::StValor)) else {
        return;
    };
    let Some(whole) = share(base, rate) else { return };
    let less = |own: Decimal| Some(whole.saturating_sub(own).max(Decimal::ZERO));
    let code = if item.csosn.is_empty() { &item.cst_icms } else { &item.csosn };
    match (code.as_str(), get(Tag::IcmsValor)) {
        ("10" | "70", Some(own)) if may_deduct_less(nota, item) && amount >= less(own).unwrap_or_default() => {
            let text = "vBCST × pICMSST − vICMS ≠ vICMSST";
            let expected = [less(own), Some(whole).filter(|_| is_for_use(nota))];
            differences.check_if_unsure("icms_st", "base_vezes_aliquota", amount, &expected, text);
        }
        ("10" | "70", own) => {
            let text = "vBCST × pICMSST − vICMS ≠ vICMSST";
            differences.check("icms_st", "base_vezes_aliquota", amount, &[less(own.unwrap_or_default())], text);
        }
        ("90" | "900", Some(own)) if !own.is_zero() => {
            let text = "vBCST × pICMSST − vICMS ≠ vICMSST";
            differences.check("icms_st", "base_vezes_aliquota", amount, &[less(own)], text);
        }
        ("30" | "90" | "201" | "202" | "203" | "900", _) => {
            let mut expected: Vec<Option<Decimal>> =
                deemed(nota, item, rate).into_iter().map(|own| less(own?)).collect();
            if matches!(code.as_str(), "30" | "90") {
                expected.extend([Some(whole), get(Tag::IcmsDesonerado).and_then(less)]);
            }
            let text = "vBCST × pICMSST, menos o imposto que a operação própria teria, ≠ vICMSST";
            differences.check_if_unsure("icms_st", "base_vezes_aliquota", amount, &expected, text);
        }
        _ => {}
    }
}

/// Whether a lawful document may deduct less than its own ICMS: some States reduce the deduction as they reduce the base,
/// and in a sale for the use of a taxpayer `pICMSST` may be the difference of the rates (Convênio ICMS 142/2018, cláusula
/// décima quarta, parágrafo único).
fn may_deduct_less(nota: &NotaFiscal, item: &ItemDaNota) -> bool {
    is_for_use(nota) || !item.figures.or_zero(Tag::StReducao).is_zero()
}

/// A sale to another State for the use of a taxpayer.
fn is_for_use(nota: &NotaFiscal) -> bool {
    nota.destino == 2 && nota.consumidor_final && nota.contribuinte
}

/// What the operation itself would owe: by the rate of the State, or by one of those between States; on its value, or on
/// a base that is reduced as that of the substitution.
fn deemed(nota: &NotaFiscal, item: &ItemDaNota, rate: Decimal) -> Vec<Option<Decimal>> {
    let value = operation(item);
    let kept = Decimal::ONE_HUNDRED.saturating_sub(item.figures.or_zero(Tag::StReducao));
    let rates = if nota.uf_origem == nota.uf_destino { vec![rate] } else { INTERSTATE.map(Decimal::from).to_vec() };
    let both = |rate: Decimal| [share(value, rate), share(value, kept).and_then(|reduced| share(reduced, rate))];
    rates.into_iter().flat_map(both).collect()
}
