//! The amounts of an item by the rules of the technical note.

use rust_decimal::Decimal;

use super::{FIRST, FUELS, LATER, NoteRule, THIRD, hint, rule};
use crate::base::value::{Date, Exact};
use crate::features::audit::differences::{Differences, operation, part_of_tax, product, share};
use crate::features::audit::finding::{Certainty, Explanation};
use crate::law::nfe::{Grupo, ItemDaNota, NotaFiscal, Tag, Tags};

/// What an amount is made of.
enum Formula {
    /// A percentage of a base.
    Share(Tag, Tag),
    /// A quantity by an amount per unit.
    Product(Tag, Tag),
    Sum(&'static [Tag]),
}
use Formula::{Product, Share, Sum};

/// Rule, tax, the amount that the document declares as a sum of its figures, and its formula.
type Amount = (NoteRule, &'static str, &'static [Tag], Formula);

const AMOUNTS: &[Amount] = &[
    (hint("I11c-20", FUELS), "documento", &[Tag::ProdutoLiquido], Product(Tag::Quantidade, Tag::UnitarioLiquido)),
    (hint("UB11-10", FIRST), "documento", &[Tag::SeletivoValor], Share(Tag::SeletivoBase, Tag::SeletivoAliquota)),
    (rule("UB66e-10", THIRD), "cbs", &[Tag::CbsIncentivadaValor], Share(Tag::ReformaBase, Tag::CbsIncentivadaAliquota)),
    (rule("UB72-10", FIRST), "ibs", &[Tag::IbsUfRegularValor], Share(Tag::ReformaBase, Tag::IbsUfRegularAliquota)),
    (rule("UB72b-10", FIRST), "ibs", &[Tag::IbsMunRegularValor], Share(Tag::ReformaBase, Tag::IbsMunRegularAliquota)),
    (rule("UB72d-10", FIRST), "cbs", &[Tag::CbsRegularValor], Share(Tag::ReformaBase, Tag::CbsRegularAliquota)),
    (
        rule("UB82a-20", FIRST),
        "cbs",
        &[Tag::GovernoIbsUf, Tag::GovernoIbsMun, Tag::GovernoCbs],
        Sum(&[Tag::IbsUfValor, Tag::IbsMunValor, Tag::CbsValor]),
    ),
    // Petrol with ethanol has a branch of its own, of which no text was read.
    (hint("UB86c-10", FUELS), "ibs", &[Tag::IbsMonoUnidadeValor], Product(Tag::IbsMonoUnidades, Tag::IbsMonoUnidade)),
    (
        rule("UB87c-10", FUELS),
        "ibs",
        &[Tag::IbsMonoRetencaoUnidadeValor],
        Product(Tag::IbsMonoRetencaoUnidades, Tag::IbsMonoRetencaoUnidade),
    ),
    (rule("UB91c-10", FUELS), "ibs", &[Tag::IbsUfMonoValor], Share(Tag::IbsMonoBase, Tag::IbsUfMonoPercentual)),
    (rule("UB91e-10", FUELS), "ibs", &[Tag::IbsMunMonoValor], Share(Tag::IbsMonoBase, Tag::IbsMunMonoPercentual)),
    (rule("UB91f-10", FUELS), "ibs", &[Tag::IbsMonoPercentualValor], Sum(&[Tag::IbsUfMonoValor, Tag::IbsMunMonoValor])),
    (
        rule("UB92c-10", FUELS),
        "ibs",
        &[Tag::IbsMonoRetencaoPercentualValor],
        Share(Tag::IbsMonoRetencaoBase, Tag::IbsMonoRetencaoPercentual),
    ),
    (rule("UB96c-10", FUELS), "cbs", &[Tag::CbsMonoUnidadeValor], Product(Tag::CbsMonoUnidades, Tag::CbsMonoUnidade)),
    (
        rule("UB97c-10", FUELS),
        "cbs",
        &[Tag::CbsMonoRetencaoUnidadeValor],
        Product(Tag::CbsMonoRetencaoUnidades, Tag::CbsMonoRetencaoUnidade),
    ),
    (rule("UB101c-10", FUELS), "cbs", &[Tag::CbsMonoPercentualValor], Share(Tag::CbsMonoBase, Tag::CbsMonoPercentual)),
    (
        rule("UB102c-10", FUELS),
        "cbs",
        &[Tag::CbsMonoRetencaoPercentualValor],
        Share(Tag::CbsMonoRetencaoBase, Tag::CbsMonoRetencaoPercentual),
    ),
];

/// The composition of a government purchase adds three rounded amounts to three others.
const COMPOSITION_CENTS: i64 = 4;

/// A part of CBS and IBS: its rules for deferral, effective rate, amount and return; rate, reduction, effective rate, share
/// that is deferred, what is deferred, returned, amount.
type Part = (&'static str, [NoteRule; 3], [Tag; 7]);

const PARTS: [Part; 3] = [
    (
        "ibs",
        [rule("UB23-10", FIRST), rule("UB28-10", FIRST), rule("UB35-10", FIRST)],
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
        [rule("UB42-10", FIRST), rule("UB47-10", FIRST), rule("UB54-10", FIRST)],
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
        [rule("UB61-10", FIRST), rule("UB66-10", FIRST), rule("UB67-10", FIRST)],
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

/// The CST of a suspension.
const SUSPENDED: &str = "550";

/// From this day on the effective rate of a government purchase has a part that the formula does not show (LC 214/2025,
/// art. 473).
const REDISTRIBUTED_SINCE: u32 = 20_270_101;

pub(in crate::features::audit) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    for amount in AMOUNTS {
        check(amount, nota, item, differences);
    }
    for part in &PARTS {
        of_part(part, nota, item, differences);
    }
    rates_of_the_year(nota, item, differences);
    returned(nota, item, differences);
    whole(nota, item, differences);
    item_total(nota, item, differences);
}

/// The names of figures that are added.
fn names(tags: &[Tag]) -> String {
    tags.iter().map(|tag| tag.name()).collect::<Vec<_>>().join(" + ")
}

fn check(
    (rule, tributo, parts, formula): &Amount,
    nota: &NotaFiscal,
    item: &ItemDaNota,
    differences: &mut Differences<'_>,
) {
    let get = |tag: Tag| item.figures.get(tag);
    if parts.iter().all(|tag| get(*tag).is_none()) {
        return;
    }
    let declared = item.figures.sum(parts);
    let (codigo, text, expected) = match formula {
        Share(base, rate) => {
            let text = format!("{} × {}", base.name(), rate.name());
            ("base_vezes_aliquota", text, get(*base).zip(get(*rate)).and_then(|(base, rate)| share(base, rate)))
        }
        Product(quantity, unit) => {
            let text = format!("{} × {}", quantity.name(), unit.name());
            let both = get(*quantity).zip(get(*unit));
            ("quantidade_vezes_unidade", text, both.and_then(|(quantity, unit)| product(quantity, unit)))
        }
        Sum(tags) => ("soma", names(tags), Some(item.figures.sum(tags))),
    };
    let distance = expected.map(|expected| declared.saturating_sub(expected).abs());
    let is_near = parts.len() > 1 && distance.is_some_and(|distance| distance <= Decimal::new(COMPOSITION_CENTS, 2));
    // A duty of so much per unit beside the percentage is part of the amount.
    let is_mixed = parts.contains(&Tag::SeletivoValor) && get(Tag::SeletivoUnidade).is_some();
    if !is_near && !is_mixed {
        let text = format!("{text} ≠ {} ({rule})", names(parts));
        differences.check_as(rule.certainty(nota.day), tributo, codigo, declared, &[expected], text);
    }
}

/// The rate after a reduction of `points` percent.
fn reduced(rate: Decimal, points: Decimal) -> Option<Decimal> {
    let kept = Decimal::ONE_HUNDRED.saturating_sub(points);
    (Exact::from(rate) * Exact::from(kept).percent()).round(4).ok()
}

/// What an effective rate is instead of the reduced one.
fn unreduced(declared: Decimal, rate: Decimal, points: Decimal) -> Option<Explanation> {
    let left = reduced(rate, Decimal::ONE_HUNDRED.saturating_sub(points));
    let detalhe = if declared.is_zero() {
        "pAliqEfet está em zero, e a redução não é inteira"
    } else if declared == rate {
        "pAliqEfet repete a alíquota, sem a redução"
    } else if left.is_some_and(|left| left == declared) {
        "pAliqEfet traz a parte que a redução tira, e não a que resta"
    } else {
        return None;
    };
    Some(Explanation { codigo: "aliquota_sem_reducao", detalhe: detalhe.to_owned() })
}

/// The rates that the amount of a part may be of, as its document states them: the effective one, or the full one. A sale
/// to the public administration reduces the rate once more, in the effective rate or after it.
fn rates(nota: &NotaFiscal, applied: Decimal) -> [Option<Decimal>; 2] {
    [Some(applied), nota.government_reduction.and_then(|points| reduced(applied, points))]
}

/// Effective rate, what is deferred, amount.
fn of_part(
    (tributo, [of_deferral, of_rate, of_amount], tags): &Part,
    nota: &NotaFiscal,
    item: &ItemDaNota,
    differences: &mut Differences<'_>,
) {
    let get = |tag: Tag| item.figures.get(tag);
    let [rate, reduction, effective, points_deferred, deferred, returned, amount] = *tags;
    let (Some(base), Some(rate_is)) = (get(Tag::ReformaBase), get(rate)) else { return };
    if let (Some(points), Some(declared)) = (get(reduction), get(effective)) {
        let text = format!("{} com a redução de pRedAliq ≠ pAliqEfet ({of_rate})", rate.name());
        let expected = reduced(rate_is, points).map_or([None; 2], |once| rates(nota, once));
        let redistributed = nota.reforma.governo && nota.day.is_some_and(|day| day.ordinal() >= REDISTRIBUTED_SINCE);
        let certainty = if redistributed { Certainty::Conferir } else { of_rate.certainty(nota.day) };
        let as_rate = (certainty, "aliquota_efetiva");
        if let Some(line) = differences.check_rate(as_rate, tributo, declared, &expected, &text) {
            line.explicacao = unreduced(declared, rate_is, points);
        }
    }
    let rates = rates(nota, get(effective).unwrap_or(rate_is));
    if let (Some(points), Some(declared)) = (get(points_deferred), get(deferred)) {
        let text = format!("vBC × {} × pDif ≠ vDif ({of_deferral})", rate.name());
        let expected = rates.map(|rate| part_of_tax(base, rate?, points));
        differences.check_as(of_deferral.certainty(nota.day), tributo, "diferimento", declared, &expected, text);
    }
    let Some(declared) = get(amount) else { return };
    let less = item.figures.sum(&[deferred, returned]);
    let expected = rates.map(|rate| Some(share(base, rate?)?.saturating_sub(less)));
    let text = format!("vBC × {}, menos vDif e vDevTrib, ≠ {} ({of_amount})", rate.name(), amount.name());
    // Under suspension nothing is charged; some documents keep the rates that would be.
    let is_suspended = item.cst_reforma == SUSPENDED && declared.is_zero();
    let certainty = if is_suspended { Certainty::Conferir } else { of_amount.certainty(nota.day) };
    differences.check_as(certainty, tributo, "base_vezes_aliquota", declared, &expected, text);
}

/// The rates of the year, of documents that the law layer does not compare: those of the Simples, and credit and debit notes.
/// From 2027 on the CBS has the rate that is published for it.
fn rates_of_the_year(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    const TENTH: Decimal = Decimal::from_parts(1, 0, 0, false, 1);
    const HALF_TENTH: Decimal = Decimal::from_parts(5, 0, 0, false, 2);
    const NINE_TENTHS: Decimal = Decimal::from_parts(9, 0, 0, false, 1);
    let year = nota.day.map_or(0, Date::year);
    let [uf, mun, cbs] = match year {
        2026 => [Some(TENTH), Some(Decimal::ZERO), Some(NINE_TENTHS)],
        2027 | 2028 => [Some(HALF_TENTH), Some(HALF_TENTH), None],
        _ => return,
    };
    let is_compared = !nota.simples() && !matches!(nota.finalidade, 5 | 6);
    let is_of_the_origin = nota.finalidade == 4 || matches!(nota.reforma.tipo_credito.as_str(), "03" | "04" | "06");
    if is_compared || is_of_the_origin || nota.reforma.governo || item.reforma.has(Grupo::Regular) {
        return;
    }
    let rules = [
        (rule("UB18-10", LATER), "ibs", Tag::IbsUfAliquota, uf),
        (rule("UB37-10", LATER), "ibs", Tag::IbsMunAliquota, mun),
        (rule("UB56-10", LATER), "cbs", Tag::CbsAliquota, cbs),
    ];
    for (rule, tributo, tag, lawful) in rules {
        let Some(declared) = item.figures.get(tag) else { continue };
        // Within the Zona Franca de Manaus and the areas of free trade the CBS is zero.
        let is_free = tag == Tag::CbsAliquota && declared.is_zero();
        if !is_free && rule.certainty(nota.day) == Certainty::ErroDoDocumento {
            let text = format!("{} não é a alíquota do ano ({rule})", tag.name());
            differences.check_rate((Certainty::ErroDoDocumento, "aliquota"), tributo, declared, &[lawful], text);
        }
    }
}

/// The part of the CBS that is given back.
fn returned(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    const RULE: NoteRule = rule("UB63-10", THIRD);
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(base), Some(points), Some(declared)) =
        (get(Tag::ReformaBase), get(Tag::CbsDevolucao), get(Tag::CbsDevolvido))
    else {
        return;
    };
    let applied = get(Tag::CbsEfetiva).or(get(Tag::CbsAliquota));
    let expected = applied.map_or([None; 2], |applied| rates(nota, applied));
    let expected = expected.map(|rate| part_of_tax(base, rate?, points));
    let text = format!("vBC × pCBS × pDevTrib ≠ vDevTrib ({RULE})");
    differences.check_as(RULE.certainty(nota.day), "cbs", "base_vezes_aliquota", declared, &expected, text);
}

/// The codes of presumed credits that the document deducts from its IBS (`indDeduzCredPres` of the table of cCredPres).
const DEDUCTED: [&str; 2] = ["4", "7"];

/// The IBS as the sum of its two parts, less a presumed credit that is deducted. Of a code that a later edition of the table
/// may deduct, either sum is accepted.
fn whole(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    const RULE: NoteRule = rule("UB54a-10", FIRST);
    let Some(declared) = item.figures.get(Tag::IbsValor) else { return };
    let parts = item.figures.sum(&[Tag::IbsUfValor, Tag::IbsMunValor]);
    let net = parts.saturating_sub(item.figures.or_zero(Tag::IbsCreditoPresumido));
    let code = item.reforma.credito_presumido.trim_start_matches('0');
    let is_deducted = DEDUCTED.contains(&code);
    let expected = if is_deducted { [Some(net), None] } else { [Some(parts), Some(net)] };
    let text = if is_deducted { "vIBSUF + vIBSMun − vCredPres" } else { "vIBSUF + vIBSMun" };
    let text = format!("{text} ≠ vIBS ({RULE})");
    differences.check_as(RULE.certainty(nota.day), "ibs", "soma", declared, &expected, text);
}

/// The total of an item, which the note has announced and not put into production. CBS, IBS and IS are in the price from 2027
/// on (NT 2026.008), so they are not added.
fn item_total(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    const RULE: NoteRule = hint("VB01-10 e VB01-20", FIRST);
    let Some(declared) = item.figures.get(Tag::ValorDoItem) else { return };
    if !item.in_total || item.servico || item.reforma.has(Grupo::Importacao) {
        return;
    }
    let get = |tag: Tag| item.figures.or_zero(tag);
    let exempted = if item.deduz_desonerado == Some(true) { get(Tag::IcmsDesonerado) } else { Decimal::ZERO };
    let without_st = operation(item).saturating_add(get(Tag::IpiValor)).saturating_sub(exempted);
    let charged = [Tag::StValor, Tag::StFcpValor, Tag::MonoRetencaoValor, Tag::IpiDevolvido];
    let total = without_st.saturating_add(item.figures.sum(&charged)).saturating_add(item.contributions_in_total());
    let text = format!("as parcelas do item ≠ vItem ({RULE})");
    differences.check_as(
        RULE.certainty(nota.day),
        "documento",
        "soma",
        declared,
        &[Some(total), Some(without_st)],
        text,
    );
}
