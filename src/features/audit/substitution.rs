//! The amount of ICMS-ST: its base by its rate, less the ICMS of the operation itself.

use rust_decimal::Decimal;

use super::differences::{Differences, agree, only_a_field, operation, share};
use super::finding::{AuditLine, Certainty, Explanation};
use crate::base::value::{Date, with_comma};
use crate::law::nfe::{ItemDaNota, NotaFiscal, Tag};

/// The rates of an operation between States, in percent points (Resoluções SF 22/1989 and 13/2012).
pub(super) const INTERSTATE: [i64; 3] = [4, 7, 12];

/// The same on a day, in percent points: from 2029 to 2032 they are reduced by a tenth more each year (ADCT, art. 128).
pub(super) fn interstate_rates(day: Option<Date>) -> [Decimal; 3] {
    let year = day.map_or(0, Date::year).min(2032);
    let kept = Decimal::new(10 - i64::from(year.saturating_sub(2028)), 1);
    INTERSTATE.map(|rate| Decimal::from(rate) * kept)
}

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
        ("10" | "70", own) => {
            let text = "vBCST × pICMSST − vICMS ≠ vICMSST";
            let own = own.unwrap_or_default();
            let may_be_less = may_deduct_less(nota, item) && amount >= less(own).unwrap_or_default();
            if reductions_differ(item) {
                return differences.skip("icms_st", "reducoes_diferentes", REDUCTIONS_DIFFER);
            }
            let found = if may_be_less || deducts_what_is_not_shown(nota, item) {
                let [own_reduced, internal_reduced] = reduced_deductions(item, own, rate).map(|own| less(own?));
                let for_use = Some(whole).filter(|_| is_for_use(nota));
                let expected = [less(own), for_use, own_reduced, internal_reduced];
                differences.check_if_unsure("icms_st", "base_vezes_aliquota", amount, &expected, text)
            } else {
                differences.check("icms_st", "base_vezes_aliquota", amount, &[less(own)], text)
            };
            if let Some(line) = found {
                explain(nota, item, amount.saturating_add(own), line);
            }
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

/// Why the amount of a substitution is not added up.
const REDUCTIONS_DIFFER: &str = "a conta de vICMSST não é conferida: pRedBC e pRedBCST diferem, e o documento não mostra o imposto próprio que se abate";

/// Whether a lawful document may deduct less than its own ICMS: some States reduce the deduction as they reduce the base,
/// and in a sale for the use of a taxpayer `pICMSST` may be the difference of the rates (Convênio ICMS 142/2018, cláusula
/// décima quarta, parágrafo único).
fn may_deduct_less(nota: &NotaFiscal, item: &ItemDaNota) -> bool {
    is_for_use(nota) || !item.figures.or_zero(Tag::StReducao).is_zero()
}

/// What is deducted where a State reduces the deduction as the base of the substitution: the own ICMS, or that of an
/// operation within it. `None` without such a reduction.
fn reduced_deductions(item: &ItemDaNota, own: Decimal, rate: Decimal) -> [Option<Decimal>; 2] {
    let reduction = item.figures.get(Tag::StReducao).filter(|points| !points.is_zero());
    let reduced = |whole: Decimal| share(whole, Decimal::ONE_HUNDRED.saturating_sub(reduction?));
    [reduced(own), reduced(operation(item)).and_then(|base| share(base, rate))]
}

/// Whether the reduction of the own base is another one than that of the base of ST: the document does not show what is
/// deducted.
fn reductions_differ(item: &ItemDaNota) -> bool {
    let own = item.figures.or_zero(Tag::IcmsReducao);
    item.cst_icms == "70" && !own.is_zero() && own != item.figures.or_zero(Tag::StReducao)
}

/// Whether the own ICMS that is deducted may be another one than that of the document: in a return it is that of the sale,
/// and a base below the value of the operation has a benefit that CST 10 does not name.
fn deducts_what_is_not_shown(nota: &NotaFiscal, item: &ItemDaNota) -> bool {
    let has_benefit = item.cst_icms == "10"
        && item
            .figures
            .get(Tag::IcmsBase)
            .is_some_and(|base| !base.is_zero() && base < operation(item).saturating_sub(Decimal::ONE));
    nota.finalidade == 4 || has_benefit
}

/// Explains a difference by the one figure of the document that makes it: `whole` is the amount with the own ICMS.
fn explain(nota: &NotaFiscal, item: &ItemDaNota, whole: Decimal, line: &mut AuditLine) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(base), Some(rate), Some(amount)) = (get(Tag::StBase), get(Tag::StAliquota), get(Tag::StValor)) else {
        return;
    };
    let is = |whole: Decimal, rate: Decimal| share(base, rate).is_some_and(|share| agree(share, whole));
    // The whole rate, or half a point of it, of which the amount is.
    let charged = whole.checked_mul(Decimal::ONE_HUNDRED).and_then(|points| points.checked_div(base));
    let charged =
        charged.map(|points| (points * Decimal::TWO).round() / Decimal::TWO).filter(|points| is(whole, *points));
    let field = |what: &str| {
        let shown = with_comma(charged.unwrap_or_default().normalize());
        let detail =
            format!("pICMSST traz {what} ({}%), e o valor é o da alíquota de {shown}%", with_comma(rate.normalize()));
        ("aliquota_trocada", detail, "o valor é o de outra alíquota, que não está escrita")
    };
    let with_fcp = charged.map(|charged| charged.saturating_sub(rate)).filter(|more| {
        let points = [1, 2, 3, 4].map(Decimal::from);
        let before_its_field =
            nota.day.is_some_and(|day| day.ordinal() < FIELD_OF_FCP) && get(Tag::StFcpValor).is_none();
        before_its_field && points.contains(more)
    });
    if let Some(more) = with_fcp {
        let detalhe = format!(
            "o valor contém o FCP de {}%, que o leiaute não tinha em campo próprio",
            with_comma(more.normalize())
        );
        line.certeza = Some(Certainty::Conferir);
        line.explicacao = Some(Explanation { codigo: "fcp_no_valor", detalhe });
    } else if is(amount, rate) {
        let detalhe = "o documento não abate o ICMS da operação própria (LC 87/1996, art. 8º, § 5º)".to_owned();
        line.explicacao = Some(Explanation { codigo: "sem_abater_o_proprio", detalhe });
    } else if charged.is_some() && get(Tag::StMargem) == Some(rate) {
        only_a_field(line, field("a margem"));
    } else if charged.is_some() && get(Tag::IcmsAliquota) == Some(rate) {
        only_a_field(line, field("a alíquota da operação própria"));
    }
}

/// The layout 3.10, without a field for the FCP, was accepted until the day before (NT 2016.002).
const FIELD_OF_FCP: u32 = 20_180_802;

/// A sale to another State for the use of a taxpayer.
fn is_for_use(nota: &NotaFiscal) -> bool {
    nota.destino == 2 && nota.consumidor_final && nota.contribuinte
}

/// What the operation itself would owe: by the rate of the State, by one of those between States, or by `pICMS`, which may be
/// less within a State; on its value, or on a base that is reduced as that of the substitution.
fn deemed(nota: &NotaFiscal, item: &ItemDaNota, rate: Decimal) -> Vec<Option<Decimal>> {
    let value = operation(item);
    let kept = Decimal::ONE_HUNDRED.saturating_sub(item.figures.or_zero(Tag::StReducao));
    let mut rates = if nota.uf_origem == nota.uf_destino { vec![rate] } else { interstate_rates(nota.day).to_vec() };
    rates.extend(item.figures.get(Tag::IcmsAliquota).filter(|own| !own.is_zero()));
    let both = |rate: Decimal| [share(value, rate), share(value, kept).and_then(|reduced| share(reduced, rate))];
    rates.into_iter().flat_map(both).collect()
}
