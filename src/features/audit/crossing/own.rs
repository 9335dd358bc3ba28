//! What the declarant issued: the amounts and the groups of the books against those of its note.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::entry::{BookEntry, Child, CrossedLines, differs};
use super::record::{CrossedItem, CrossedNote};
use super::totals::{is_entry, is_own, valid};
use crate::base::value::{Date, format_rate};
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::efd::icms_ipi::{c100, c190};

const LAW: &str = "Guia Prático da EFD ICMS/IPI, registros C100 e C190";
/// From this day on the total of a note may contain CBS and IBS, which `VL_OPR` does not.
const WITH_REFORM: Date = Date::first_of(2027);
/// Notes of sales that a coupon has already: some books have their ICMS, some have none.
const OF_COUPON: [&str; 2] = ["5929", "6929"];
/// CSTs of the single-phase ICMS, whose amounts have other fields.
const SINGLE_PHASE: [&str; 4] = ["02", "15", "53", "61"];

/// A regular sale that the declarant issued, of a company whose documents charge the ICMS themselves.
pub(super) fn sale<'e>(entry: &BookEntry<'e>) -> Option<&'e CrossedNote<'e>> {
    let note = valid(entry).filter(|_| is_own(entry) && !is_entry(entry))?;
    let is_plain =
        |item: &CrossedItem<'_>| item.cst.len() == 3 && !SINGLE_PHASE.contains(&item.cst.get(1..).unwrap_or_default());
    let is_regular = matches!(entry.situation(), "00" | "01") && !note.entrada;
    (is_regular && !matches!(note.crt, 1 | 4) && note.items.iter().all(is_plain)).then_some(note)
}

/// How sure a difference of the note is.
pub(super) fn certainty(note: &CrossedNote<'_>) -> Certainty {
    let of_coupon = note.items.iter().any(|item| OF_COUPON.contains(&item.cfop));
    if of_coupon || note.finalidade != 1 { Certainty::Conferir } else { Certainty::ErroDoDocumento }
}

/// Whether the amount is the note's without its FCP: what States want differs.
fn leaves_fcp_out(declared: Decimal, whole: Decimal, fcp: Decimal) -> bool {
    !fcp.is_zero() && !differs(declared, whole.saturating_sub(fcp))
}

/// Checks 15, 16, 25 and 28: base and amount of ICMS and ST, and IPI, of the document as a whole, or else by group.
pub(super) fn amounts(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(note) = sale(entry) else { return };
    let totals = &note.totals;
    let icms = (totals.base, totals.icms, totals.fcp);
    let st = (totals.base_st, totals.st, totals.fcp_st);
    let ipi = (Decimal::ZERO, totals.ipi, Decimal::ZERO);
    let of_goods = note.modelo == "55";
    let parts = [
        (true, "icms", Some(c100::VL_BC_ICMS), c100::VL_ICMS, icms),
        (of_goods, "icms_st", Some(c100::VL_BC_ICMS_ST), c100::VL_ICMS_ST, st),
        (of_goods, "ipi", None, c100::VL_IPI, ipi),
    ];
    let before = findings.len();
    for (_, tributo, base_at, at, (base, amount, fcp)) in parts.into_iter().filter(|(is_booked, ..)| *is_booked) {
        let declared = entry.own.amount(at);
        let declared_base = base_at.map(|at| entry.own.amount(at));
        let base_differs = declared_base.is_some_and(|declared| differs(declared, base));
        if !differs(declared, amount) && !base_differs {
            continue;
        }
        let sure = if leaves_fcp_out(declared, amount, fcp) { Certainty::Conferir } else { certainty(note) };
        let line = if differs(declared, amount) {
            let line = entry.line(tributo).differing(sure, "imposto_na_efd", "o imposto do C100 não é o da nota");
            line.with_amounts(declared, amount)
        } else {
            entry.line(tributo).differing(sure, "base_na_efd", "a base do C100 não é a da nota")
        };
        let base_calculada = base_at.map(|_| base);
        findings.push(AuditLine { base_declarada: declared_base, base_calculada, ..line }.by_law(LAW));
    }
    // What the document as a whole has wrong is not repeated.
    if findings.len() == before {
        by_group(entry, note, findings);
    }
}

/// CST, CFOP and rate of a group.
type OwnKey<'k> = (&'k str, &'k str, Decimal);

/// The amounts of a group: its tax, its name in C190, and its place.
const FIGURES: [(&str, &str, usize); 6] = [
    ("icms", "VL_BC_ICMS", c190::VL_BC_ICMS),
    ("icms", "VL_ICMS", c190::VL_ICMS),
    ("icms_st", "VL_BC_ICMS_ST", c190::VL_BC_ICMS_ST),
    ("icms_st", "VL_ICMS_ST", c190::VL_ICMS_ST),
    ("ipi", "VL_IPI", c190::VL_IPI),
    ("documento", "VL_OPR", c190::VL_OPR),
];

/// A deferral has its rate or none.
fn rate(cst: &str, points: Decimal) -> Decimal {
    if cst.ends_with("51") { Decimal::ZERO } else { points }
}

/// The items of a note in groups, with or without the rate of the FCP in the rate; and how many items each has.
fn groups<'n>(note: &'n CrossedNote<'_>, with_fcp: bool) -> BTreeMap<OwnKey<'n>, ([Decimal; 6], u32)> {
    let mut groups: BTreeMap<OwnKey<'_>, ([Decimal; 6], u32)> = BTreeMap::new();
    for item in &note.items {
        let fcp = if with_fcp { item.aliquota_fcp } else { Decimal::ZERO };
        let key = (&*item.cst, item.cfop, rate(&item.cst, item.aliquota.saturating_add(fcp)));
        let (sums, items) = groups.entry(key).or_default();
        let figures = [item.base, item.icms, item.base_st, item.st, item.ipi, item.valor];
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum = sum.saturating_add(figure);
        }
        *items += 1;
    }
    groups
}

fn key_of<'e>(child: &Child<'e>) -> OwnKey<'e> {
    let (cst, cfop) = (child.record.text(c190::CST_ICMS), child.record.text(c190::CFOP));
    (cst, cfop, rate(cst, child.record.amount(c190::ALIQ_ICMS)))
}

fn in_words((cst, cfop, rate): &OwnKey<'_>) -> String {
    format!("CST {cst}, CFOP {cfop} e alíquota {}%", format_rate(*rate))
}

/// Check 16: the groups of the document are those of the items of its note.
fn by_group(entry: &BookEntry<'_>, note: &CrossedNote<'_>, findings: &mut CrossedLines) {
    let children: Vec<&Child<'_>> = entry.all("C190").collect();
    if children.is_empty() {
        return;
    }
    let matching =
        |groups: &BTreeMap<OwnKey<'_>, _>| children.iter().filter(|child| groups.contains_key(&key_of(child))).count();
    let mut left = groups(note, false);
    if note.items.iter().any(|item| !item.aliquota_fcp.is_zero()) {
        let with_fcp = groups(note, true);
        left = if matching(&with_fcp) > matching(&left) { with_fcp } else { left };
    }
    let sure = certainty(note);
    let mut further = Vec::new();
    for child in children {
        match left.remove(&key_of(child)) {
            Some((sums, items)) => findings.extend(figures(entry, child, sums, items, note, sure)),
            None => further.push(child),
        }
    }
    if let ([child], 1) = (further.as_slice(), left.len())
        && let Some((key, _)) = left.pop_first()
    {
        let booked = key_of(child);
        let codigo = match (booked.0 == key.0, booked.1 == key.1, booked.2 == key.2) {
            (false, true, true) => "cst_na_efd",
            (true, false, true) => "cfop_na_efd",
            (true, true, false) => "aliquota_na_efd",
            _ => "grupo_na_efd",
        };
        let detail = format!("o C190 tem {}; os itens da nota têm {}", in_words(&booked), in_words(&key));
        return findings.push(entry.line_of(child, "icms").differing(sure, codigo, detail).by_law(LAW));
    }
    for child in further {
        let detail = format!("a nota não tem itens com {}", in_words(&key_of(child)));
        findings.push(entry.line_of(child, "icms").differing(sure, "grupo_na_efd", detail).by_law(LAW));
    }
    for key in left.keys() {
        let detail = format!("falta o C190 dos itens com {}", in_words(key));
        findings.push(entry.line("icms").differing(sure, "grupo_na_efd", detail).by_law(LAW));
    }
}

/// The first amount of a group that is not that of its items.
fn figures(
    entry: &BookEntry<'_>,
    child: &Child<'_>,
    sums: [Decimal; 6],
    items: u32,
    note: &CrossedNote<'_>,
    sure: Certainty,
) -> Option<AuditLine> {
    let tolerance = CENT.saturating_mul(Decimal::from(items.max(1)));
    let whole = note.sum(|item| item.valor);
    // The amount of the operation is known only of a note whose parts give its total.
    let has_total = note.day.is_some_and(|day| day < WITH_REFORM) && !differs(whole, note.totals.nota);
    let is_booked = |name: &str| match name {
        "VL_OPR" => has_total,
        "VL_BC_ICMS" | "VL_ICMS" => true,
        _ => note.modelo == "55",
    };
    let wrong = FIGURES.into_iter().zip(sums).find(|((_, name, at), sum)| {
        is_booked(name) && child.record.amount(*at).saturating_sub(*sum).abs() > tolerance
    });
    let ((tributo, name, at), sum) = wrong?;
    let detail = format!("{name} do C190 não é a soma dos itens da nota com o mesmo CST, CFOP e alíquota");
    let line = entry.line_of(child, tributo).differing(sure, "valor_do_grupo", detail);
    Some(line.with_amounts(child.record.amount(at), sum).by_law(LAW))
}
