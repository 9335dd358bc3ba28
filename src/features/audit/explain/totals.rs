//! The one change that explains a total of a document that is not the sum of its items, or the total of the note.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::point::misplaced;
use super::sums::{PARTS, Trial, empty, the_one, the_same};
use crate::base::value::{Exact, amount_in_brl};
use crate::features::audit::differences::{CENT, product};
use crate::features::audit::finding::{AuditLine, Certainty, Explanation};
use crate::law::nfe::{Figures, NotaFiscal, Tag, Tags, TotalTag};

/// Items that are left out or counted twice one by one; of more, many sums are alike.
const FEW_ITEMS: usize = 200;
/// The tax whose total may be calculated once: amount, base, rate.
const ROUNDED_ONCE: [(Tag, Tag, Tag); 5] = [
    (Tag::IcmsValor, Tag::IcmsBase, Tag::IcmsAliquota),
    (Tag::IpiValor, Tag::IpiBase, Tag::IpiAliquota),
    (Tag::PisValor, Tag::PisBase, Tag::PisAliquota),
    (Tag::CofinsValor, Tag::CofinsBase, Tag::CofinsAliquota),
    (Tag::CbsValor, Tag::ReformaBase, Tag::CbsAliquota),
];
/// Totals, one of which may be in the field of another.
const OTHERS: [TotalTag; 14] = [
    TotalTag::BaseIcms,
    TotalTag::Icms,
    TotalTag::IcmsDesonerado,
    TotalTag::Fcp,
    TotalTag::BaseSt,
    TotalTag::St,
    TotalTag::Produtos,
    TotalTag::Frete,
    TotalTag::Desconto,
    TotalTag::Ipi,
    TotalTag::Pis,
    TotalTag::Cofins,
    TotalTag::Outras,
    TotalTag::Nota,
];
/// What the total of a note is made of, and what some issuers add to it, or take from it.
const PARTS_OF_NOTE: [(TotalTag, &str); 17] = [
    (TotalTag::Desconto, "o desconto"),
    (TotalTag::Frete, "o frete"),
    (TotalTag::Seguro, "o seguro"),
    (TotalTag::Outras, "as outras despesas"),
    (TotalTag::Ipi, "o IPI"),
    (TotalTag::IpiDevolvido, "o IPI devolvido"),
    (TotalTag::St, "o ICMS-ST"),
    (TotalTag::FcpSt, "o FCP da substituição"),
    (TotalTag::MonoRetencao, "o ICMS monofásico retido"),
    (TotalTag::Importacao, "o imposto de importação"),
    (TotalTag::IcmsDesonerado, "o ICMS desonerado"),
    (TotalTag::Icms, "o ICMS, que já está no preço"),
    (TotalTag::IcmsDestino, "o DIFAL"),
    (TotalTag::Pis, "o PIS"),
    (TotalTag::Cofins, "a COFINS"),
    (TotalTag::Seletivo, "o Imposto Seletivo"),
    (TotalTag::Produtos, "o valor dos produtos"),
];

/// A total that is not the sum of the items, and the place of its line.
pub(in crate::features::audit) type WrongSum = (TotalTag, usize);

/// A total that is not the sum of some figures of the items.
pub(in crate::features::audit) fn of_sum(nota: &NotaFiscal, total: TotalTag, tags: &[Tag], line: &mut AuditLine) {
    let (Some(declared), Some(sum)) = (line.declarado, line.calculado) else { return };
    line.explicacao = empty(declared, total.name())
        .or_else(|| in_no_item(sum, total))
        .or_else(|| the_one(declared, of_items(nota, tags, sum)))
        .or_else(|| the_same(declared, of_fields(&nota.totals, total)))
        .or_else(|| misplaced(declared, sum));
    // The items are rounded each by itself.
    if within_rounding(nota, declared, sum) {
        line.certeza = Some(Certainty::Conferir);
        let detalhe = "a diferença cabe no arredondamento de cada item".to_owned();
        line.explicacao.get_or_insert(Explanation { codigo: "arredondamento_dos_itens", detalhe });
    }
}

/// Totals that all exceed the sums of the items: the file lacks some. Fewer may exceed them by chance.
const EXCEEDING_TOGETHER: usize = 3;

/// Explains what is left of the totals by items that the file lacks, if several exceed the sums of the items together, that
/// of the products among them, and none falls short.
pub(in crate::features::audit) fn of_all(mut sums: Vec<WrongSum>, found: &mut [AuditLine]) {
    let line = |place: usize| found.get(place).filter(|line| line.calculado.is_some_and(|sum| !sum.is_zero()));
    sums.retain(|(_, place)| line(*place).is_some());
    let exceeds = |(_, place): &WrongSum| line(*place).is_some_and(|line| line.declarado > line.calculado);
    let together = sums.len();
    let with_products = sums.iter().any(|(total, _)| *total == TotalTag::Produtos);
    if together < EXCEEDING_TOGETHER || !with_products || !sums.iter().all(exceeds) {
        return;
    }
    let detalhe = format!(
        "{together} totais passam juntos da soma dos itens, o dos produtos também: parece faltar item no arquivo"
    );
    let missing = Explanation { codigo: "faltam_itens", detalhe };
    for (_, place) in sums {
        if let Some(line) = found.get_mut(place) {
            line.explicacao.get_or_insert_with(|| missing.clone());
        }
    }
}

/// An amount that the total alone has.
fn in_no_item(sum: Decimal, total: TotalTag) -> Option<Explanation> {
    let detalhe = format!("nenhum item traz o valor, que está só no total {}", total.name());
    sum.is_zero().then_some(Explanation { codigo: "so_no_total", detalhe })
}

/// Half a cent of each item.
fn within_rounding(nota: &NotaFiscal, declared: Decimal, sum: Decimal) -> bool {
    let items = Decimal::from(nota.items.len());
    declared.saturating_sub(sum).abs() <= (CENT / Decimal::TWO).saturating_mul(items)
}

/// One item left out or counted twice, a part of the price, or the tax of the sum of the bases.
fn of_items(nota: &NotaFiscal, tags: &[Tag], sum: Decimal) -> Vec<Trial> {
    let (mut trials, mut seen) = (Vec::new(), HashSet::new());
    for item in nota.items.iter().take(FEW_ITEMS) {
        let (number, amount) = (item.number, item.figures.sum(tags));
        // Of items with one amount the first is named.
        if amount.is_zero() || !seen.insert(amount) {
            continue;
        }
        let shown = amount_in_brl(amount);
        let out = format!("o total deixa fora o item {number} ({shown})");
        trials.push((Some(sum.saturating_sub(amount)), "item_fora_do_total", out));
        let twice = if item.in_total { "conta duas vezes" } else { "conta, sem que indTot o mande," };
        let twice = format!("o total {twice} o item {number} ({shown})");
        trials.push((Some(sum.saturating_add(amount)), "item_a_mais_no_total", twice));
    }
    for (tag, name) in PARTS.into_iter().filter(|(tag, _)| !tags.contains(tag)) {
        let part = nota.sum(|item| item.figures.or_zero(tag));
        if part.is_zero() {
            continue;
        }
        let shown = amount_in_brl(part);
        trials.push((Some(sum.saturating_add(part)), "parte_no_total", format!("o total contém {name} ({shown})")));
        trials.push((Some(sum.saturating_sub(part)), "parte_no_total", format!("o total já é sem {name} ({shown})")));
    }
    if tags == [Tag::Produto] {
        let all = nota.sum(|item| {
            product(item.figures.or_zero(Tag::Quantidade), item.figures.or_zero(Tag::ValorUnitario)).unwrap_or_default()
        });
        trials.push((Some(all), "quantidade_pelo_preco", "o total é o de qCom × vUnCom, e não o de vProd".to_owned()));
    }
    let of_tax = ROUNDED_ONCE.into_iter().filter(|(amount, ..)| tags == [*amount]);
    trials.extend(of_tax.map(|(_, base, rate)| {
        let exact = nota.items.iter().fold(Exact::ZERO, |sum, item| {
            sum + Exact::from(item.figures.or_zero(base)) * Exact::from(item.figures.or_zero(rate)).percent()
        });
        (
            exact.round(2).ok(),
            "arredondado_no_total",
            "o total é o das bases pela alíquota, arredondado uma só vez".to_owned(),
        )
    }));
    trials
}

/// The total that another field has.
fn of_fields(totals: &Figures<TotalTag>, total: TotalTag) -> Vec<Trial> {
    let others = OTHERS.into_iter().filter(|other| *other != total && !totals.or_zero(*other).is_zero());
    let one = |other: TotalTag| {
        (totals.get(other), "total_de_outro_campo", format!("{} traz o total de {}", total.name(), other.name()))
    };
    others.map(one).collect()
}

/// The total of a note: one part of it more, or less.
pub(in crate::features::audit) fn of_note(nota: &NotaFiscal, line: &mut AuditLine) {
    let (Some(declared), Some(total)) = (line.declarado, line.calculado) else { return };
    let mut trials: Vec<Trial> = Vec::new();
    for (tag, name) in PARTS_OF_NOTE {
        let part = nota.totals.or_zero(tag);
        if part.is_zero() {
            continue;
        }
        let shown = amount_in_brl(part);
        let (more, less) = if tag == TotalTag::Desconto {
            (format!("o total não abate {name} ({shown})"), format!("o total abate {name} duas vezes ({shown})"))
        } else {
            (format!("o total soma {name} ({shown})"), format!("o total não soma {name} ({shown})"))
        };
        trials.push((Some(total.saturating_add(part)), "parte_no_total", more));
        trials.push((Some(total.saturating_sub(part)), "parte_no_total", less));
    }
    let both = [TotalTag::Pis, TotalTag::Cofins].map(|tag| nota.totals.or_zero(tag));
    if both.iter().all(|part| !part.is_zero()) {
        let [pis, cofins] = both;
        let sentence = format!("o total soma o PIS e a COFINS ({})", amount_in_brl(pis.saturating_add(cofins)));
        trials.push((Some(total.saturating_add(pis).saturating_add(cofins)), "parte_no_total", sentence));
    }
    line.explicacao = empty(declared, TotalTag::Nota.name())
        .or_else(|| the_one(declared, trials))
        .or_else(|| the_same(declared, of_fields(&nota.totals, TotalTag::Nota)))
        .or_else(|| misplaced(declared, total));
}
