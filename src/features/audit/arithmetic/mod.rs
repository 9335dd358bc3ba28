//! The arithmetic inside an item, and inside an NFS-e: base by rate, reductions, differences. No rule is needed.
//!
//! Every check allows a cent, as the validation of the tax authorities does (MOC, rules of rejection 528 and following).

mod icms;
mod single_phase;
pub(super) mod totals;

use rust_decimal::Decimal;

use super::differences::{CENT, DIFAL, Differences, product, share};
use super::explain::sums;
use super::finding::{AuditLine, Certainty};
use super::reform;
use super::substitution::interstate_rates;
use super::technical_note::amounts;
use crate::base::value::{Exact, with_comma};
use crate::law::nfe::{ItemDaNota, NotaDeServico, NotaFiscal, Tag, Tags};

/// A base, a rate and their amount: tax, tags.
const PRODUCTS: [(&str, Tag, Tag, Tag); 9] = [
    ("icms", Tag::FcpBase, Tag::FcpAliquota, Tag::FcpValor),
    ("ipi", Tag::IpiBase, Tag::IpiAliquota, Tag::IpiValor),
    ("pis", Tag::PisBase, Tag::PisAliquota, Tag::PisValor),
    ("cofins", Tag::CofinsBase, Tag::CofinsAliquota, Tag::CofinsValor),
    ("pis", Tag::PisStBase, Tag::PisStAliquota, Tag::PisStValor),
    ("cofins", Tag::CofinsStBase, Tag::CofinsStAliquota, Tag::CofinsStValor),
    (DIFAL, Tag::DestinoFcpBase, Tag::DestinoFcpAliquota, Tag::DestinoFcpValor),
    ("iss", Tag::IssBase, Tag::IssAliquota, Tag::IssValor),
    ("icms", Tag::IcmsBase, Tag::IcmsAliquota, Tag::IcmsValor),
];

/// A quantity, an amount per unit and their product. Of CBS and IBS, the groups of the layout before November 2026.
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

/// The differences inside an item.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, line: &AuditLine) -> Vec<AuditLine> {
    let get = |tag: Tag| item.figures.get(tag);
    let mut differences = Differences::of(line);
    for (tributo, base, rate, amount) in PRODUCTS {
        // Under CST 51 the rate gives what the operation owes, of which a part is deferred.
        let deferred = amount == Tag::IcmsValor && (get(Tag::IcmsOperacao).is_some() || item.cst_icms == "51");
        let deferred = deferred || brings_a_difference(nota, [get(base), get(rate)]);
        if let (Some(base_is), Some(rate_is), Some(amount_is), false) = (get(base), get(rate), get(amount), deferred) {
            let text = format_args!("{} × {} ≠ {}", base.name(), rate.name(), amount.name());
            let expected = [share(base_is, rate_is)];
            if let Some(line) = differences.check(tributo, "base_vezes_aliquota", amount_is, &expected, text) {
                line.explicacao = sums::of_product(nota, item, [base, rate, amount]);
            }
        }
    }
    for (tributo, quantity, price, amount) in UNITS {
        if let (Some(quantity_is), Some(price_is), Some(amount_is)) = (get(quantity), get(price), get(amount))
            && !brings_a_difference(nota, [get(quantity), get(price)])
        {
            let text = format_args!("{} × {} ≠ {}", quantity.name(), price.name(), amount.name());
            let expected = [product(quantity_is, price_is)];
            if let Some(line) = differences.check(tributo, "quantidade_vezes_unidade", amount_is, &expected, text) {
                line.explicacao = sums::of_units(item, [quantity, price, amount]);
            }
        }
    }
    icms::of_item(nota, item, &mut differences);
    single_phase::of_item(item, &mut differences);
    destination(nota, item, &mut differences);
    amounts::of_item(nota, item, &mut differences);
    unsure_if_by_unit(item, &mut differences.found);
    sums::of_rest(item, &mut differences.found);
    differences.found
}

/// Some makers round the tax of one unit to four digits, so the amount of many differs by cents.
fn unsure_if_by_unit(item: &ItemDaNota, found: &mut [AuditLine]) {
    let within = item.figures.or_zero(Tag::Quantidade).saturating_mul(Decimal::new(5, 5)).saturating_add(CENT);
    let products = found.iter_mut().filter(|line| line.codigo == Some("base_vezes_aliquota"));
    for line in products.filter(|line| line.diferenca.is_some_and(|difference| difference.abs() <= within)) {
        line.certeza = Some(Certainty::Conferir);
    }
}

/// Whether the document is a complement or an adjustment (`finNFe` 2 or 3) that leaves a factor at zero: it brings an amount
/// alone (MOC, rejections 528 and 629).
fn brings_a_difference(nota: &NotaFiscal, factors: [Option<Decimal>; 2]) -> bool {
    matches!(nota.finalidade, 2 | 3) && factors.into_iter().flatten().any(|factor| factor.is_zero())
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
    let rates = interstate_rates(nota.day).map(Some);
    // The own ICMS of the item has the same rate; without one, each of the three may be right.
    let own_rate = [get(Tag::IcmsAliquota)];
    let rates = if rates.contains(&own_rate[0]) { &own_rate } else { &rates[..] };
    let known: Vec<String> = rates.iter().flatten().map(|rate| with_comma(rate.normalize())).collect();
    let text = format!("pICMSInter não é a alíquota interestadual do item ({}%)", known.join("%, "));
    let sure = |codigo| (Certainty::ErroDoDocumento, codigo);
    differences.check_rate(sure("aliquota_interestadual"), DIFAL, interstate, rates, text);
    let lawful = nota.day.and_then(|day| share_of_destination(day.year()));
    let part = get(Tag::DestinoPartilha).or(lawful).unwrap_or(Decimal::ONE_HUNDRED);
    if let Some(lawful) = lawful {
        differences.check_rate(
            sure("partilha"),
            DIFAL,
            part,
            &[Some(lawful)],
            "pICMSInterPart não é a parte do destino no ano (ADCT, art. 99)",
        );
    }
    let single = Exact::from(base) * Exact::from(internal.saturating_sub(interstate)).percent();
    let own = Exact::from(item.figures.or_zero(Tag::IcmsValor));
    let double = Exact::from(base) * Exact::from(internal).percent() - own;
    // Where the rate of the destination is the smaller one, nothing is due.
    let of = |whole: Exact, points: Decimal| {
        (whole * Exact::from(points).percent()).round(2).ok().map(|part| part.max(Decimal::ZERO))
    };
    let text = "vBCUFDest × (pICMSUFDest − pICMSInter) × pICMSInterPart ≠ vICMSUFDest";
    let expected = [of(single, part), of(double, part)];
    if let Some(line) = differences.check(DIFAL, "base_vezes_aliquota", amount, &expected, text) {
        line.explicacao = sums::of_difference(item, part);
    }
    if let Some(amount) = get(Tag::RemetenteValor) {
        let rest = Decimal::ONE_HUNDRED.saturating_sub(part);
        let text = "a parte da origem na diferença ≠ vICMSUFRemet";
        differences.check(DIFAL, "parte_da_origem", amount, &[of(single, rest), of(double, rest)], text);
    }
}

/// The differences inside an NFS-e.
pub(super) fn of_service(nota: &NotaDeServico, line: &AuditLine) -> Vec<AuditLine> {
    let mut differences = Differences::of(line);
    // The ISS of a company of the Simples is in its DAS: the rate is printed, and nothing charged (LC 123/2006, arts. 13,
    // VIII, and 21, § 4º). So it is where none is due, or the town charges it by a figure of its own.
    let by_town = nota.beneficio || nota.por_profissional || nota.por_outra_conta;
    let excused = nota.simples || nota.exigivel == Some(false) || by_town;
    let in_das = excused && nota.valor.is_some_and(|valor| valor.is_zero());
    if let (Some(base), Some(rate), Some(amount), false) = (nota.base, nota.aliquota, nota.valor, in_das) {
        let expected = share(base, rate);
        // A rate with more digits than the layout writes, as that of a company of the Simples, is cut.
        let cut = (rate * Decimal::TEN).normalize().scale() != 0;
        let within = share(base, Decimal::new(1, 2)).filter(|_| cut).unwrap_or_default().saturating_add(CENT);
        if expected.is_none_or(|expected| expected.saturating_sub(amount).abs() > within) {
            let text = "base × alíquota ≠ ISS";
            // The document may charge a part of the tax.
            let found = if nota.por_outra_conta && nota.exigivel.is_none() {
                differences.check_if_unsure("iss", "base_vezes_aliquota", amount, &[expected], text)
            } else {
                differences.check("iss", "base_vezes_aliquota", amount, &[expected], text)
            };
            if let Some(line) = found {
                line.explicacao = sums::of_iss(nota);
            }
        }
    }
    if let Some(group) = &nota.contribuicoes {
        for ((tributo, rate), amount) in ["pis", "cofins"].into_iter().zip(group.aliquotas).zip(group.valores) {
            if let (Some(base), Some(rate), Some(amount)) = (group.base, rate, amount) {
                let text = "vBCPisCofins × alíquota ≠ valor";
                differences.check(tributo, "base_vezes_aliquota", amount, &[share(base, rate)], text);
            }
        }
    }
    if let Some(group) = &nota.reforma {
        reform::arithmetic(group, &mut differences);
    }
    differences.found
}
