//! The arithmetic inside an item, and inside an NFS-e: base by rate, reductions, differences. No rule is needed.
//!
//! Every check allows a cent, as the validation of the tax authorities does (MOC, rules of rejection 528 and following).

use rust_decimal::Decimal;

use super::differences::{DIFAL, Differences, product, share};
use super::finding::AuditLine;
use super::icms_arithmetic;
use super::single_phase;
use super::substitution::INTERSTATE;
use crate::base::value::Exact;
use crate::law::nfe::{ItemDaNota, NotaDeServico, NotaFiscal, Tag, Tags, TributoDoServico};

/// The rate after a reduction of `points` percent.
fn reduced(rate: Decimal, points: Decimal) -> Option<Decimal> {
    let kept = Decimal::ONE_HUNDRED.saturating_sub(points);
    (Exact::from(rate) * Exact::from(kept).percent()).round(4).ok()
}

/// A base, a rate and their amount: tax, tags.
const PRODUCTS: [(&str, Tag, Tag, Tag); 12] = [
    ("icms", Tag::FcpBase, Tag::FcpAliquota, Tag::FcpValor),
    ("ipi", Tag::IpiBase, Tag::IpiAliquota, Tag::IpiValor),
    ("pis", Tag::PisBase, Tag::PisAliquota, Tag::PisValor),
    ("cofins", Tag::CofinsBase, Tag::CofinsAliquota, Tag::CofinsValor),
    ("pis", Tag::PisStBase, Tag::PisStAliquota, Tag::PisStValor),
    ("cofins", Tag::CofinsStBase, Tag::CofinsStAliquota, Tag::CofinsStValor),
    (DIFAL, Tag::DestinoFcpBase, Tag::DestinoFcpAliquota, Tag::DestinoFcpValor),
    ("iss", Tag::IssBase, Tag::IssAliquota, Tag::IssValor),
    ("icms", Tag::IcmsBase, Tag::IcmsAliquota, Tag::IcmsValor),
    ("ibs", Tag::IbsMonoBase, Tag::IbsUfMonoPercentual, Tag::IbsUfMonoValor),
    ("ibs", Tag::IbsMonoBase, Tag::IbsMunMonoPercentual, Tag::IbsMunMonoValor),
    ("cbs", Tag::CbsMonoBase, Tag::CbsMonoPercentual, Tag::CbsMonoPercentualValor),
];

/// A quantity, an amount per unit and their product.
const UNITS: [(&str, Tag, Tag, Tag); 10] = [
    ("documento", Tag::Quantidade, Tag::ValorUnitario, Tag::Produto),
    ("ipi", Tag::IpiQuantidade, Tag::IpiUnidade, Tag::IpiValor),
    ("pis", Tag::PisQuantidade, Tag::PisUnidade, Tag::PisValor),
    ("cofins", Tag::CofinsQuantidade, Tag::CofinsUnidade, Tag::CofinsValor),
    ("pis", Tag::PisStQuantidade, Tag::PisStUnidade, Tag::PisStValor),
    ("cofins", Tag::CofinsStQuantidade, Tag::CofinsStUnidade, Tag::CofinsStValor),
    ("ibs", Tag::ReformaMonoQuantidade, Tag::IbsMonoAliquota, Tag::IbsMonoValor),
    ("cbs", Tag::ReformaMonoQuantidade, Tag::CbsMonoAliquota, Tag::CbsMonoValor),
    ("ibs", Tag::ReformaMonoRetencaoQuantidade, Tag::IbsMonoRetencaoAliquota, Tag::IbsMonoRetencaoValor),
    ("cbs", Tag::ReformaMonoRetencaoQuantidade, Tag::CbsMonoRetencaoAliquota, Tag::CbsMonoRetencaoValor),
];

/// Rate, reduction, effective rate, share that is deferred, what is deferred, returned, amount.
const REFORMA: [(&str, [Tag; 7]); 3] = [
    (
        "ibs",
        [
            Tag::IbsUfAliquota,
            Tag::IbsUfReducao,
            Tag::IbsUfEfetiva,
            Tag::IbsUfDiferimento,
            Tag::IbsUfDiferido,
            Tag::IbsUfDevolvido,
            Tag::IbsUfValor,
        ],
    ),
    (
        "ibs",
        [
            Tag::IbsMunAliquota,
            Tag::IbsMunReducao,
            Tag::IbsMunEfetiva,
            Tag::IbsMunDiferimento,
            Tag::IbsMunDiferido,
            Tag::IbsMunDevolvido,
            Tag::IbsMunValor,
        ],
    ),
    (
        "cbs",
        [
            Tag::CbsAliquota,
            Tag::CbsReducao,
            Tag::CbsEfetiva,
            Tag::CbsDiferimento,
            Tag::CbsDiferido,
            Tag::CbsDevolvido,
            Tag::CbsValor,
        ],
    ),
];

/// The differences inside an item.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, line: &AuditLine) -> Vec<AuditLine> {
    let get = |tag: Tag| item.figures.get(tag);
    let mut differences = Differences::of(line);
    for (tributo, base, rate, amount) in PRODUCTS {
        // Under CST 51 the rate gives `vICMSOp`; under the single-phase regime the amount has no base.
        let deferred = amount == Tag::IcmsValor && get(Tag::IcmsOperacao).is_some();
        if let (Some(base_is), Some(rate_is), Some(amount_is), false) = (get(base), get(rate), get(amount), deferred) {
            let text = format_args!("{} × {} ≠ {}", base.name(), rate.name(), amount.name());
            differences.check(tributo, "base_vezes_aliquota", amount_is, &[share(base_is, rate_is)], text);
        }
    }
    for (tributo, quantity, price, amount) in UNITS {
        if let (Some(quantity_is), Some(price_is), Some(amount_is)) = (get(quantity), get(price), get(amount)) {
            let text = format_args!("{} × {} ≠ {}", quantity.name(), price.name(), amount.name());
            differences.check(tributo, "quantidade_vezes_unidade", amount_is, &[product(quantity_is, price_is)], text);
        }
    }
    icms_arithmetic::of_item(nota, item, &mut differences);
    single_phase::of_item(item, &mut differences);
    destination(nota, item, &mut differences);
    reform(nota, item, &mut differences);
    differences.found
}

/// The year from which on the whole difference is due to the destination (ADCT, art. 99, V).
const WHOLE_SINCE: u32 = 2019;
/// The share of the destination before, by year.
const SHARES: [(u32, i64); 3] = [(2016, 40), (2017, 60), (2018, 80)];

/// The share of the difference that is due to the destination in a year, in percent points; `None` before 2016, when the
/// document had no such group.
fn share_of_destination(year: u32) -> Option<Decimal> {
    let earlier = SHARES.iter().find(|(of, _)| *of == year).map(|(_, points)| Decimal::from(*points));
    earlier.or((year >= WHOLE_SINCE).then_some(Decimal::ONE_HUNDRED))
}

/// The difference due to the destination, on a single or on a double base, and until 2018 the part of the origin.
fn destination(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(base), Some(internal), Some(interstate), Some(amount)) =
        (get(Tag::DestinoBase), get(Tag::DestinoAliquota), get(Tag::DestinoInterestadual), get(Tag::DestinoValor))
    else {
        return;
    };
    let rates = INTERSTATE.map(|rate| Some(Decimal::from(rate)));
    // The own ICMS of the item has the same rate; without one, each of the three may be right.
    let own_rate = [get(Tag::IcmsAliquota)];
    let rates = if rates.contains(&own_rate[0]) { &own_rate } else { &rates[..] };
    let text = "pICMSInter não é a alíquota interestadual do item";
    differences.check_rate(DIFAL, "aliquota_interestadual", interstate, rates, text);
    let lawful = nota.day.and_then(|day| share_of_destination(day.year()));
    let part = get(Tag::DestinoPartilha).or(lawful).unwrap_or(Decimal::ONE_HUNDRED);
    if let Some(lawful) = lawful {
        differences.check_rate(
            DIFAL,
            "partilha",
            part,
            &[Some(lawful)],
            "pICMSInterPart não é a parte do destino no ano (ADCT, art. 99)",
        );
    }
    let single = Exact::from(base) * Exact::from(internal.saturating_sub(interstate)).percent();
    let own = Exact::from(item.figures.or_zero(Tag::IcmsValor));
    let double = Exact::from(base) * Exact::from(internal).percent() - own;
    let of = |whole: Exact, points: Decimal| (whole * Exact::from(points).percent()).round(2).ok();
    let text = "vBCUFDest × (pICMSUFDest − pICMSInter) × pICMSInterPart ≠ vICMSUFDest";
    differences.check(DIFAL, "base_vezes_aliquota", amount, &[of(single, part), of(double, part)], text);
    if let Some(amount) = get(Tag::RemetenteValor) {
        let rest = Decimal::ONE_HUNDRED.saturating_sub(part);
        let text = "a parte da origem na diferença ≠ vICMSUFRemet";
        differences.check(DIFAL, "parte_da_origem", amount, &[of(single, rest), of(double, rest)], text);
    }
}

/// CBS and IBS: effective rate, what is deferred, amount, and the IBS as the sum of its two parts.
fn reform(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    // A sale to the public administration reduces the rate once more, in the effective rate or after it.
    let government = |rate: Option<Decimal>| rate.and_then(|rate| reduced(rate, nota.government_reduction?));
    for (tributo, [rate, reduction, effective, points_deferred, deferred, returned, amount]) in REFORMA {
        let (Some(base), Some(rate_is)) = (get(Tag::ReformaBase), get(rate)) else { continue };
        if let (Some(points), Some(declared)) = (get(reduction), get(effective)) {
            let text = format!("{} com a redução de pRedAliq ≠ pAliqEfet", rate.name());
            let once = reduced(rate_is, points);
            differences.check_rate(tributo, "aliquota_efetiva", declared, &[once, government(once)], &text);
        }
        let applied = get(effective).unwrap_or(rate_is);
        let gross = [Some(applied), government(Some(applied))].map(|rate| rate.and_then(|rate| share(base, rate)));
        if let (Some(points), Some(declared)) = (get(points_deferred), get(deferred)) {
            let expected = gross.map(|gross| gross.and_then(|gross| share(gross, points)));
            differences.check(tributo, "diferimento", declared, &expected, "a parte de pDif ≠ vDif");
        }
        let Some(declared) = get(amount) else { continue };
        let less = item.figures.sum(&[deferred, returned]);
        let expected = gross.map(|gross| gross.map(|gross| gross.saturating_sub(less)));
        let text = format!("vBC × {} ≠ {}", rate.name(), amount.name());
        differences.check(tributo, "base_vezes_aliquota", declared, &expected, &text);
    }
    if let Some(total) = get(Tag::IbsValor) {
        let parts = item.figures.sum(&[Tag::IbsUfValor, Tag::IbsMunValor]);
        // Some presumed credits are deducted in the document (NT 2025.002, UB54a).
        let net = parts.saturating_sub(item.figures.or_zero(Tag::IbsCreditoPresumido));
        differences.check("ibs", "soma", total, &[Some(parts), Some(net)], "vIBSUF + vIBSMun ≠ vIBS");
    }
}

/// The differences inside an NFS-e.
pub(super) fn of_service(nota: &NotaDeServico, line: &AuditLine) -> Vec<AuditLine> {
    let mut differences = Differences::of(line);
    // The ISS of a company of the Simples is in its DAS: the rate is printed, and nothing charged (LC 123/2006, arts. 13,
    // VIII, and 21, § 4º).
    let in_das = nota.simples && nota.valor.is_some_and(|valor| valor.is_zero());
    if let (Some(base), Some(rate), Some(amount), false) = (nota.base, nota.aliquota, nota.valor, in_das) {
        differences.check("iss", "base_vezes_aliquota", amount, &[share(base, rate)], "base × alíquota ≠ ISS");
    }
    if let Some(group) = &nota.contribuicoes {
        for ((tributo, rate), amount) in ["pis", "cofins"].into_iter().zip(group.aliquotas).zip(group.valores) {
            if let (Some(base), Some(rate), Some(amount)) = (group.base, rate, amount) {
                let text = "vBCPisCofins × alíquota ≠ valor";
                differences.check(tributo, "base_vezes_aliquota", amount, &[share(base, rate)], text);
            }
        }
    }
    let Some(reforma) = nota.reforma.as_ref().filter(|reforma| !reforma.government_purchase) else {
        return differences.found;
    };
    for (tributo, part) in [("cbs", reforma.cbs), ("ibs", reforma.ibs_uf), ("ibs", reforma.ibs_mun)] {
        let TributoDoServico { aliquota, efetiva, diferido, valor, .. } = part;
        if let (Some(base), Some(rate), Some(amount)) = (reforma.base, efetiva.or(aliquota), valor) {
            let expected = share(base, rate).map(|gross| gross.saturating_sub(diferido.unwrap_or_default()));
            differences.check(tributo, "base_vezes_aliquota", amount, &[expected], "vBC × alíquota efetiva ≠ valor");
        }
    }
    if let Some(total) = reforma.ibs {
        let parts = [reforma.ibs_uf.valor, reforma.ibs_mun.valor].into_iter().flatten();
        let parts = parts.fold(Decimal::ZERO, Decimal::saturating_add);
        differences.check("ibs", "soma", total, &[Some(parts)], "vIBSUF + vIBSMun ≠ vIBSTot");
    }
    differences.found
}
