//! The totals of CBS, IBS and IS by the rules of the technical note: each is the sum of the items.

use super::{FIRST, FUELS, NoteRule, SECOND, hint, rule};
use crate::features::audit::differences::Differences;
use crate::features::audit::explain;
use crate::features::audit::explain::totals::WrongSum;
use crate::law::nfe::{NotaFiscal, Tag, Tags, TotalTag};

/// Rule, tax, total, and the figures of each item that it adds.
type Total = (NoteRule, &'static str, TotalTag, &'static [Tag]);

const TOTALS: &[Total] = &[
    (hint("W01a-20", FUELS), "documento", TotalTag::ProdutosLiquidos, &[Tag::ProdutoLiquido]),
    (hint("W33-10", FIRST), "documento", TotalTag::Seletivo, &[Tag::SeletivoValor]),
    (rule("W35-10", FIRST), "cbs", TotalTag::BaseReforma, &[Tag::ReformaBase]),
    (rule("W38-10", FIRST), "ibs", TotalTag::IbsUfDiferido, &[Tag::IbsUfDiferido]),
    (rule("W39-10", FIRST), "ibs", TotalTag::IbsUfDevolvido, &[Tag::IbsUfDevolvido]),
    (rule("W41-10", FIRST), "ibs", TotalTag::IbsUf, &[Tag::IbsUfValor]),
    (rule("W43-10", FIRST), "ibs", TotalTag::IbsMunDiferido, &[Tag::IbsMunDiferido]),
    (rule("W44-10", FIRST), "ibs", TotalTag::IbsMunDevolvido, &[Tag::IbsMunDevolvido]),
    (rule("W46-10", FIRST), "ibs", TotalTag::IbsMun, &[Tag::IbsMunValor]),
    (rule("W47-10", FIRST), "ibs", TotalTag::Ibs, &[Tag::IbsValor]),
    (rule("W48-10", FIRST), "ibs", TotalTag::IbsCreditoPresumido, &[Tag::IbsCreditoPresumido]),
    (rule("W53-10", FIRST), "cbs", TotalTag::CbsDiferido, &[Tag::CbsDiferido]),
    (rule("W54-10", FIRST), "cbs", TotalTag::CbsDevolvido, &[Tag::CbsDevolvido]),
    (rule("W56-10", FIRST), "cbs", TotalTag::Cbs, &[Tag::CbsValor]),
    (rule("W56a-10", FIRST), "cbs", TotalTag::CbsCreditoPresumido, &[Tag::CbsCreditoPresumido]),
    (
        rule("W58-10", FIRST),
        "ibs",
        TotalTag::IbsMono,
        &[Tag::IbsMonoValor, Tag::IbsMonoUnidadeValor, Tag::IbsMonoPercentualValor],
    ),
    (
        rule("W59-10", FIRST),
        "cbs",
        TotalTag::CbsMono,
        &[Tag::CbsMonoValor, Tag::CbsMonoUnidadeValor, Tag::CbsMonoPercentualValor],
    ),
    (
        rule("W59a-10", FIRST),
        "ibs",
        TotalTag::IbsMonoRetencao,
        &[Tag::IbsMonoRetencaoValor, Tag::IbsMonoRetencaoUnidadeValor, Tag::IbsMonoRetencaoPercentualValor],
    ),
    (
        rule("W59b-10", FIRST),
        "cbs",
        TotalTag::CbsMonoRetencao,
        &[Tag::CbsMonoRetencaoValor, Tag::CbsMonoRetencaoUnidadeValor, Tag::CbsMonoRetencaoPercentualValor],
    ),
    (
        rule("W59c-10", FIRST),
        "ibs",
        TotalTag::IbsMonoRetido,
        &[Tag::IbsMonoRetidoValor, Tag::IbsMonoRetidoUnidadeValor, Tag::IbsMonoRetidoPercentualValor],
    ),
    (
        rule("W59d-10", FIRST),
        "cbs",
        TotalTag::CbsMonoRetido,
        &[Tag::CbsMonoRetidoValor, Tag::CbsMonoRetidoUnidadeValor, Tag::CbsMonoRetidoPercentualValor],
    ),
    (rule("W59f-10", SECOND), "ibs", TotalTag::IbsEstornado, &[Tag::IbsEstornado]),
    (rule("W59g-10", SECOND), "cbs", TotalTag::CbsEstornado, &[Tag::CbsEstornado]),
];

/// The differences between the items and the totals. Services are counted: these taxes are theirs too.
pub(in crate::features::audit) fn of_totals(nota: &NotaFiscal, differences: &mut Differences<'_>) -> Vec<WrongSum> {
    const RULE: NoteRule = hint("W60-10", FIRST);
    let mut sums = Vec::new();
    for (rule, tributo, total, tags) in TOTALS {
        let Some(declared) = nota.totals.get(*total) else { continue };
        let sum = nota.sum(|item| item.figures.sum(tags));
        let text = format!("a soma dos itens ≠ o total {} ({rule})", total.name());
        let (place, certainty) = (differences.found.len(), rule.certainty(nota.day));
        if let Some(line) = differences.check_as(certainty, tributo, "total", declared, &[Some(sum)], text) {
            explain::totals::of_sum(nota, *total, tags, line);
            sums.push((*total, place));
        }
    }
    // The note is not in production, and some issuers fill its totals of items and document apart.
    let has_all = nota.items.iter().all(|item| item.figures.get(Tag::ValorDoItem).is_some());
    if let (Some(declared), true) = (nota.totals.get(TotalTag::NotaComReforma), has_all) {
        let sum = nota.sum(|item| item.figures.or_zero(Tag::ValorDoItem));
        let text = format!("a soma de vItem ≠ o total vNFTot ({RULE})");
        differences.check_as(RULE.certainty(nota.day), "documento", "total", declared, &[Some(sum)], text);
    }
    sums
}
