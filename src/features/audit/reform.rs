//! CBS and IBS of a document of one service: an NFS-e, or a CT-e.

use rust_decimal::Decimal;

use super::compare::Declared;
use super::differences::{Differences, share};
use crate::law::nfe::{ReformaDoServico, TributoDoServico};

/// The differences inside the group. Those of a sale to the public administration depend on a factor that no rule has.
pub(super) fn arithmetic(reforma: &ReformaDoServico, differences: &mut Differences<'_>) {
    if reforma.government_purchase {
        return;
    }
    for (tributo, part) in [("cbs", reforma.cbs), ("ibs", reforma.ibs_uf), ("ibs", reforma.ibs_mun)] {
        let TributoDoServico { aliquota, reducao, efetiva, diferido, valor } = part;
        if let (Some(base), Some(rate), Some(amount)) = (reforma.base, efetiva.or(aliquota), valor) {
            let of = |rate: Decimal| Some(share(base, rate)?.saturating_sub(diferido.unwrap_or_default()));
            // Some towns write an effective rate of zero where the rate has no reduction.
            let is_unreduced = rate.is_zero() && reducao.is_none_or(|points| points.is_zero());
            let full = aliquota.filter(|_| is_unreduced);
            // The national NFS-e does not take off what is deferred; the CT-e does.
            let expected = [of(rate), full.and_then(of), share(base, rate).filter(|_| diferido.is_some())];
            differences.check(tributo, "base_vezes_aliquota", amount, &expected, "vBC × alíquota efetiva ≠ valor");
        }
    }
    if let Some(total) = reforma.ibs {
        let parts = [reforma.ibs_uf.valor, reforma.ibs_mun.valor].into_iter().flatten();
        let parts = parts.fold(Decimal::ZERO, Decimal::saturating_add);
        differences.check("ibs", "soma", total, &[Some(parts)], "IBS da UF + IBS do município ≠ total do IBS");
    }
}

/// What the group declares of a tax of one part (CBS) or two (IBS), its reductions, and why a difference may be right.
pub(super) fn declared(
    group: &ReformaDoServico,
    parts: &[TributoDoServico],
) -> (Declared, [Option<Decimal>; 2], Option<String>) {
    let sum = |of: fn(&TributoDoServico) -> Option<Decimal>| {
        parts.iter().filter_map(of).fold(Decimal::ZERO, Decimal::saturating_add)
    };
    let deferred = sum(|part| part.diferido);
    let declared = Declared {
        valor: sum(|part| part.valor).saturating_add(deferred),
        aliquota: Some(sum(|part| part.aliquota)).filter(|_| parts.iter().any(|part| part.aliquota.is_some())),
        base: group.base,
        adiado: deferred,
    };
    let doubt = (deferred > Decimal::ZERO).then(|| "o documento difere ou devolve uma parte".to_owned());
    let reduction = |place: usize| parts.get(place).and_then(|part| part.reducao);
    (declared, [reduction(0), reduction(1)], doubt)
}
