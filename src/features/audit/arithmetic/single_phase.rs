//! The arithmetic of single-phase ICMS on fuels: quantity by amount per unit (LC 192/2022; NT 2023.001).

use rust_decimal::Decimal;

use crate::features::audit::differences::{Differences, product, share};
use crate::law::nfe::{ItemDaNota, Tag, Tags};

/// The sums of CST 02, 15, 53 and 61.
pub(super) fn of_item(item: &ItemDaNota, differences: &mut Differences<'_>) {
    // Of CST 53 the product is the ICMS of the operation, of which a part is deferred.
    let own = if item.cst_icms == "53" { Tag::MonoOperacao } else { Tag::MonoValor };
    for (quantity, rate, amount) in [
        (Tag::MonoQuantidade, Tag::MonoAliquota, own),
        (Tag::MonoRetencaoQuantidade, Tag::MonoRetencaoAliquota, Tag::MonoRetencaoValor),
        (Tag::MonoRetidoQuantidade, Tag::MonoRetidoAliquota, Tag::MonoRetidoValor),
    ] {
        by_quantity(item, [quantity, rate, amount], differences);
    }
    deferral(item, differences);
}

/// The product, and the same with `pRedAdRem`, which the document writes beside a rate that it may have reduced already.
fn by_quantity(item: &ItemDaNota, [quantity, rate, amount]: [Tag; 3], differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(quantity_is), Some(rate_is), Some(declared)) = (get(quantity), get(rate), get(amount)) else { return };
    let whole = product(quantity_is, rate_is);
    let kept = get(Tag::MonoReducao).map(|points| Decimal::ONE_HUNDRED.saturating_sub(points));
    let reduced = kept.and_then(|kept| share(whole?, kept));
    let text = format!("{} × {} ≠ {}", quantity.name(), rate.name(), amount.name());
    differences.check("icms", "quantidade_vezes_unidade", declared, &[whole, reduced], &text);
}

/// CST 53: the part of `vICMSMonoOp` that is deferred, and what is left.
fn deferral(item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(operation), Some(deferred)) = (get(Tag::MonoOperacao), get(Tag::MonoDiferido)) else { return };
    if let Some(points) = get(Tag::IcmsDiferimento) {
        let text = "vICMSMonoOp × pDif ≠ vICMSMonoDif";
        differences.check("icms", "diferimento", deferred, &[share(operation, points)], text);
    }
    if let Some(amount) = get(Tag::MonoValor) {
        let rest = operation.saturating_sub(deferred);
        differences.check("icms", "diferimento", amount, &[Some(rest)], "vICMSMonoOp − vICMSMonoDif ≠ vICMSMono");
    }
}
