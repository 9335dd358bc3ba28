//! A decimal point that is elsewhere.

use rust_decimal::Decimal;

use crate::features::audit::finding::Explanation;

/// Most places that a point is moved by.
const MOST_PLACES: u32 = 4;

/// An amount that is a power of ten of the other: its decimal point is elsewhere.
pub(super) fn misplaced(declared: Decimal, calculated: Decimal) -> Option<Explanation> {
    let (few, many) = (declared.min(calculated), declared.max(calculated));
    let is_it = |places: &u32| few.checked_mul(Decimal::from(10_u32.pow(*places))) == Some(many);
    let places = (1..=MOST_PLACES).find(is_it).filter(|_| few > Decimal::ZERO)?;
    let (times, side) = (10_u32.pow(places), if declared > calculated { "maior" } else { "menor" });
    let detalhe =
        format!("o valor é {times} vezes {side} que o da conta: a vírgula está fora do lugar em um dos campos");
    Some(Explanation { codigo: "virgula_fora_do_lugar", detalhe })
}
