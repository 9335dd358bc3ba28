//! The arithmetic inside a document: base by rate, reductions, sums. No rule is needed.
//!
//! Every check allows a cent, as the validation of the tax authorities does (MOC, rules of rejection 528 and following).

use rust_decimal::Decimal;

use super::finding::{AuditLine, Certainty, Layer, written};
use crate::nfe::{Figures, ItemDaNota, NotaDeServico, NotaFiscal, Tag, Tags, TotalTag};
use crate::value::Exact;

/// What rounding may cost.
pub(super) const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Whether two amounts are the same but for rounding.
pub(super) fn agree(one: Decimal, other: Decimal) -> bool {
    one.saturating_sub(other).abs() <= CENT
}

/// A percentage of an amount, rounded to the cent; `None` if it has more digits than a document can write.
fn share(base: Decimal, points: Decimal) -> Option<Decimal> {
    (Exact::from(base) * Exact::from(points).percent()).round(2).ok()
}

/// A product, rounded to the cent.
fn product(quantity: Decimal, price: Decimal) -> Option<Decimal> {
    (Exact::from(quantity) * Exact::from(price)).round(2).ok()
}

/// The rate after a reduction of `points` percent.
fn reduced(rate: Decimal, points: Decimal) -> Option<Decimal> {
    let kept = Decimal::ONE_HUNDRED.saturating_sub(points);
    (Exact::from(rate) * Exact::from(kept).percent()).round(4).ok()
}

/// Collects the differences of a line.
struct Sums<'l> {
    line: &'l AuditLine,
    found: Vec<AuditLine>,
}

impl Sums<'_> {
    /// Adds a difference if the declared amount is none of the expected ones.
    fn check(
        &mut self,
        tributo: &'static str,
        codigo: &str,
        declared: Decimal,
        expected: &[Option<Decimal>],
        text: &str,
    ) {
        let mut expected = expected.iter().flatten();
        let Some(first) = expected.next() else { return };
        if agree(declared, *first) || expected.any(|other| agree(declared, *other)) {
            return;
        }
        let detail = format!("{text}: o documento traz {}, e a conta dá {}", written(declared), written(*first));
        let line = self.line.clone().in_layer(Layer::Aritmetica, tributo).with_amounts(declared, *first);
        self.found.push(line.differing(Certainty::ErroDoDocumento, codigo, detail));
    }
}

/// A base, a rate and their amount: tax, tags.
const PRODUCTS: [(&str, Tag, Tag, Tag); 7] = [
    ("icms", Tag::FcpBase, Tag::FcpAliquota, Tag::FcpValor),
    ("ipi", Tag::IpiBase, Tag::IpiAliquota, Tag::IpiValor),
    ("pis", Tag::PisBase, Tag::PisAliquota, Tag::PisValor),
    ("cofins", Tag::CofinsBase, Tag::CofinsAliquota, Tag::CofinsValor),
    ("icms_consumidor_final", Tag::DestinoFcpBase, Tag::DestinoFcpAliquota, Tag::DestinoFcpValor),
    ("iss", Tag::IssBase, Tag::IssAliquota, Tag::IssValor),
    ("icms", Tag::IcmsBase, Tag::IcmsAliquota, Tag::IcmsValor),
];

/// A quantity, an amount per unit and their product.
const UNITS: [(&str, Tag, Tag, Tag); 4] = [
    ("documento", Tag::Quantidade, Tag::ValorUnitario, Tag::Produto),
    ("ipi", Tag::IpiQuantidade, Tag::IpiUnidade, Tag::IpiValor),
    ("pis", Tag::PisQuantidade, Tag::PisUnidade, Tag::PisValor),
    ("cofins", Tag::CofinsQuantidade, Tag::CofinsUnidade, Tag::CofinsValor),
];

/// Rate, reduction, effective rate, deferred, returned, amount.
const REFORMA: [(&str, [Tag; 6]); 3] = [
    (
        "ibs",
        [
            Tag::IbsUfAliquota,
            Tag::IbsUfReducao,
            Tag::IbsUfEfetiva,
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
            Tag::IbsMunDiferido,
            Tag::IbsMunDevolvido,
            Tag::IbsMunValor,
        ],
    ),
    ("cbs", [Tag::CbsAliquota, Tag::CbsReducao, Tag::CbsEfetiva, Tag::CbsDiferido, Tag::CbsDevolvido, Tag::CbsValor]),
];

/// The differences inside an item.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, line: &AuditLine) -> Vec<AuditLine> {
    let get = |tag: Tag| item.figures.get(tag);
    let mut sums = Sums { line, found: Vec::new() };
    for (tributo, base, rate, amount) in PRODUCTS {
        // Under CST 51 the rate gives `vICMSOp`; under the single-phase regime the amount has no base.
        let deferred = amount == Tag::IcmsValor && get(Tag::IcmsOperacao).is_some();
        if let (Some(base_is), Some(rate_is), Some(amount_is), false) = (get(base), get(rate), get(amount), deferred) {
            let text = format!("{} × {} ≠ {}", base.name(), rate.name(), amount.name());
            sums.check(tributo, "base_vezes_aliquota", amount_is, &[share(base_is, rate_is)], &text);
        }
    }
    for (tributo, quantity, price, amount) in UNITS {
        if let (Some(quantity_is), Some(price_is), Some(amount_is)) = (get(quantity), get(price), get(amount)) {
            let text = format!("{} × {} ≠ {}", quantity.name(), price.name(), amount.name());
            sums.check(tributo, "quantidade_vezes_unidade", amount_is, &[product(quantity_is, price_is)], &text);
        }
    }
    deferral(item, &mut sums);
    reduction(nota, item, &mut sums);
    substitution(item, &mut sums);
    destination(item, &mut sums);
    reform(item, &mut sums);
    sums.found
}

/// CST 51: the rate gives the ICMS of the operation, of which a part is deferred.
fn deferral(item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let Some(operation) = get(Tag::IcmsOperacao) else { return };
    if let (Some(base), Some(rate)) = (get(Tag::IcmsBase), get(Tag::IcmsAliquota)) {
        sums.check("icms", "base_vezes_aliquota", operation, &[share(base, rate)], "vBC × pICMS ≠ vICMSOp");
    }
    if let (Some(amount), Some(deferred)) = (get(Tag::IcmsValor), get(Tag::IcmsDiferido)) {
        let rest = operation.saturating_sub(deferred);
        sums.check("icms", "diferimento", amount, &[Some(rest)], "vICMSOp − vICMSDif ≠ vICMS");
    }
}

/// `pRedBC` of the value of the operation, with or without the IPI, gives `vBC`.
fn reduction(nota: &NotaFiscal, item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(points), Some(base)) = (get(Tag::IcmsReducao), get(Tag::IcmsBase)) else { return };
    if base.is_zero() || !matches!(item.cst_icms.as_str(), "20" | "70") {
        return;
    }
    let value = item
        .figures
        .sum(&[Tag::Produto, Tag::Frete, Tag::Seguro, Tag::Outras])
        .saturating_sub(item.figures.or_zero(Tag::Desconto));
    let with_ipi = value.saturating_add(item.figures.or_zero(Tag::IpiValor));
    let kept = Decimal::ONE_HUNDRED.saturating_sub(points);
    let (one, other) = if nota.consumidor_final { (with_ipi, value) } else { (value, with_ipi) };
    sums.check("icms", "reducao_da_base", base, &[share(one, kept), share(other, kept)], "pRedBC não leva a vBC");
}

/// `vBCST` by its rate, less the own ICMS.
fn substitution(item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    // Under the Simples the own ICMS that is deducted is not on the document.
    if !matches!(item.cst_icms.as_str(), "10" | "70") {
        return;
    }
    if let (Some(base), Some(rate), Some(amount)) = (get(Tag::StBase), get(Tag::StAliquota), get(Tag::StValor)) {
        let rest = share(base, rate)
            .map(|total| total.saturating_sub(item.figures.or_zero(Tag::IcmsValor)).max(Decimal::ZERO));
        sums.check("icms_st", "base_vezes_aliquota", amount, &[rest], "vBCST × pICMSST − vICMS ≠ vICMSST");
    }
}

/// The difference due to the destination, on a single or on a double base.
fn destination(item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(base), Some(internal), Some(interstate), Some(amount)) =
        (get(Tag::DestinoBase), get(Tag::DestinoAliquota), get(Tag::DestinoInterestadual), get(Tag::DestinoValor))
    else {
        return;
    };
    let single = share(base, internal.saturating_sub(interstate));
    let own = item.figures.or_zero(Tag::IcmsValor);
    let double = share(base, internal).map(|total| total.saturating_sub(own));
    let text = "vBCUFDest × (pICMSUFDest − pICMSInter) ≠ vICMSUFDest";
    sums.check("icms_consumidor_final", "base_vezes_aliquota", amount, &[single, double], text);
}

/// CBS and IBS: effective rate, amount, and the IBS as the sum of its two parts.
fn reform(item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    for (tributo, [rate, reduction, effective, deferred, returned, amount]) in REFORMA {
        let (Some(base), Some(rate_is)) = (get(Tag::ReformaBase), get(rate)) else { continue };
        if let (Some(points), Some(declared)) = (get(reduction), get(effective)) {
            let text = format!("{} com a redução de pRedAliq ≠ pAliqEfet", rate.name());
            sums.check(tributo, "aliquota_efetiva", declared, &[reduced(rate_is, points)], &text);
        }
        let Some(declared) = get(amount) else { continue };
        let less = item.figures.sum(&[deferred, returned]);
        let expected = share(base, get(effective).unwrap_or(rate_is)).map(|total| total.saturating_sub(less));
        let text = format!("vBC × {} ≠ {}", rate.name(), amount.name());
        sums.check(tributo, "base_vezes_aliquota", declared, &[expected], &text);
    }
    if let Some(total) = get(Tag::IbsValor) {
        let parts = item.figures.sum(&[Tag::IbsUfValor, Tag::IbsMunValor]);
        sums.check("ibs", "soma", total, &[Some(parts)], "vIBSUF + vIBSMun ≠ vIBS");
    }
}

/// Each total, and what it is the sum of.
const TOTALS: [(&str, TotalTag, Tag); 24] = [
    ("icms", TotalTag::BaseIcms, Tag::IcmsBase),
    ("icms", TotalTag::Icms, Tag::IcmsValor),
    ("icms", TotalTag::IcmsDesonerado, Tag::IcmsDesonerado),
    ("icms_consumidor_final", TotalTag::FcpDestino, Tag::DestinoFcpValor),
    ("icms_consumidor_final", TotalTag::IcmsDestino, Tag::DestinoValor),
    ("icms", TotalTag::Fcp, Tag::FcpValor),
    ("icms_st", TotalTag::BaseSt, Tag::StBase),
    ("icms_st", TotalTag::St, Tag::StValor),
    ("icms_st", TotalTag::FcpSt, Tag::StFcpValor),
    ("documento", TotalTag::Produtos, Tag::Produto),
    ("documento", TotalTag::Frete, Tag::Frete),
    ("documento", TotalTag::Seguro, Tag::Seguro),
    ("documento", TotalTag::Desconto, Tag::Desconto),
    ("documento", TotalTag::Importacao, Tag::ImpostoImportacao),
    ("ipi", TotalTag::Ipi, Tag::IpiValor),
    ("ipi", TotalTag::IpiDevolvido, Tag::IpiDevolvido),
    ("pis", TotalTag::Pis, Tag::PisValor),
    ("cofins", TotalTag::Cofins, Tag::CofinsValor),
    ("documento", TotalTag::Outras, Tag::Outras),
    ("cbs", TotalTag::BaseReforma, Tag::ReformaBase),
    ("ibs", TotalTag::IbsUf, Tag::IbsUfValor),
    ("ibs", TotalTag::IbsMun, Tag::IbsMunValor),
    ("ibs", TotalTag::Ibs, Tag::IbsValor),
    ("cbs", TotalTag::Cbs, Tag::CbsValor),
];

/// The differences between the items and the totals.
pub(super) fn of_totals(nota: &NotaFiscal, line: &AuditLine) -> Vec<AuditLine> {
    let mut sums = Sums { line, found: Vec::new() };
    // Services have totals of their own, and a figure that is not readable makes every sum wrong.
    let unfit = |item: &ItemDaNota| item.servico || !item.unreadable.is_empty();
    if nota.items.is_empty() || nota.items.iter().any(unfit) {
        return Vec::new();
    }
    for (tributo, total, tag) in TOTALS {
        let Some(declared) = nota.totals.get(total) else { continue };
        let counted = nota.items.iter().filter(|item| tag != Tag::Produto || item.in_total);
        let sum = counted.fold(Decimal::ZERO, |sum, item| sum.saturating_add(item.figures.or_zero(tag)));
        let text = format!("a soma dos itens ≠ o total {}", total.name());
        sums.check(tributo, "total", declared, &[Some(sum)], &text);
    }
    // Under CST 15 the total also has the single-phase ICMS that is withheld, which is not read.
    // An import adds taxes to the total that an ordinary note does not.
    if !nota.items.iter().any(|item| item.cst_icms == "15" || item.cfop.starts_with('3')) {
        of_note(&nota.totals, &mut sums);
    }
    sums.found
}

/// The total of the note, with or without the exempted ICMS, which some documents deduct, and from 2027 on with CBS and
/// IBS, which are charged on top.
fn of_note(totals: &Figures<TotalTag>, sums: &mut Sums<'_>) {
    let Some(declared) = totals.get(TotalTag::Nota) else { return };
    let added = [
        TotalTag::Produtos,
        TotalTag::St,
        TotalTag::FcpSt,
        TotalTag::Frete,
        TotalTag::Seguro,
        TotalTag::Outras,
        TotalTag::Importacao,
        TotalTag::Ipi,
        TotalTag::IpiDevolvido,
    ];
    let total = totals.sum(&added).saturating_sub(totals.or_zero(TotalTag::Desconto));
    let without = total.saturating_sub(totals.or_zero(TotalTag::IcmsDesonerado));
    let reform = totals.sum(&[TotalTag::Ibs, TotalTag::Cbs]);
    let forms = [Some(total), Some(without), Some(total.saturating_add(reform)), Some(without.saturating_add(reform))];
    sums.check("documento", "total", declared, &forms, "as parcelas ≠ o total vNF");
}

/// The difference inside an NFS-e.
pub(super) fn of_service(nota: &NotaDeServico, line: &AuditLine) -> Vec<AuditLine> {
    let mut sums = Sums { line, found: Vec::new() };
    if let (Some(base), Some(rate), Some(amount)) = (nota.base, nota.aliquota, nota.valor) {
        sums.check("iss", "base_vezes_aliquota", amount, &[share(base, rate)], "base × alíquota ≠ ISS");
    }
    sums.found
}
