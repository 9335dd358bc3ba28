//! The arithmetic of the group of ICMS: deferral, reduction, FCP, margin, credit of the Simples.

use rust_decimal::Decimal;

use super::differences::{DIFAL, Differences, agree, operation, part_of_tax, share};
use super::finding::Explanation;
use super::substitution;
use crate::base::value::{Exact, with_comma};
use crate::law::nfe::{ItemDaNota, NotaFiscal, Tag};

pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    deferral(item, differences);
    reduction(nota, item, differences);
    fcp(item, differences);
    substitution::of_item(nota, item, differences);
    margin(item, differences);
    credit(item, differences);
}

/// CST 51: the rate gives the ICMS of the operation, of which a part is deferred, as of its FCP (NT 2020.005).
fn deferral(item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    if let (Some(whole), Some(deferred)) = (get(Tag::FcpValor), get(Tag::FcpDiferido)) {
        if let Some(points) = get(Tag::FcpDiferimento) {
            differences.check("icms", "diferimento", deferred, &[share(whole, points)], "vFCP × pFCPDif ≠ vFCPDif");
        }
        if let Some(left) = get(Tag::FcpEfetivo) {
            let rest = whole.saturating_sub(deferred);
            differences.check("icms", "diferimento", left, &[Some(rest)], "vFCP − vFCPDif ≠ vFCPEfet");
        }
    }
    let Some(operation) = get(Tag::IcmsOperacao) else { return without_operation(item, differences) };
    if let (Some(base), Some(rate)) = (get(Tag::IcmsBase), get(Tag::IcmsAliquota)) {
        differences.check("icms", "base_vezes_aliquota", operation, &[share(base, rate)], "vBC × pICMS ≠ vICMSOp");
    }
    if let (Some(points), Some(deferred)) = (get(Tag::IcmsDiferimento), get(Tag::IcmsDiferido)) {
        differences.check("icms", "diferimento", deferred, &[share(operation, points)], "vICMSOp × pDif ≠ vICMSDif");
    }
    if let (Some(amount), Some(deferred)) = (get(Tag::IcmsValor), get(Tag::IcmsDiferido)) {
        let rest = operation.saturating_sub(deferred);
        differences.check("icms", "diferimento", amount, &[Some(rest)], "vICMSOp − vICMSDif ≠ vICMS");
    }
}

/// The layout lets CST 51 leave out what the operation owes and what is deferred: the amount is then what is left, and
/// without the share nothing says how much that is.
fn without_operation(item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(base), Some(rate), Some(amount)) = (get(Tag::IcmsBase), get(Tag::IcmsAliquota), get(Tag::IcmsValor))
    else {
        return;
    };
    if item.cst_icms != "51" {
        return;
    }
    let Some(points) = get(Tag::IcmsDiferimento) else {
        let text = "vBC × pICMS ≠ vICMS";
        return differences.check_if_unsure("icms", "base_vezes_aliquota", amount, &[share(base, rate)], text);
    };
    let expected = part_of_tax(base, rate, Decimal::ONE_HUNDRED.saturating_sub(points));
    differences.check("icms", "diferimento", amount, &[expected], "vBC × pICMS, menos a parte de pDif, ≠ vICMS");
}

/// `pRedBC` of the value of the operation, with or without the IPI, gives `vBC`.
fn reduction(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(points), Some(base)) = (get(Tag::IcmsReducao), get(Tag::IcmsBase)) else { return };
    if base.is_zero() || !matches!(item.cst_icms.as_str(), "20" | "51" | "70") {
        return;
    }
    // Freight that another has carried is in the base or not.
    let freight = if nota.frete_de_outro { item.figures.or_zero(Tag::Frete) } else { Decimal::ZERO };
    let (value, ipi) = (operation(item), item.figures.or_zero(Tag::IpiValor));
    let [with_ipi, bare] = [value.saturating_add(ipi), value.saturating_sub(freight)];
    let (one, other) = if nota.consumidor_final { (with_ipi, value) } else { (value, with_ipi) };
    let values = [one, other, bare, bare.saturating_add(ipi)];
    let kept = Decimal::ONE_HUNDRED.saturating_sub(points);
    // The law's reduction may have more digits than the document writes.
    let unit = Decimal::new(1, points.scale());
    let tax = |base: Option<Decimal>| share(base?, get(Tag::IcmsAliquota)?);
    let agrees = |value: Decimal| {
        let [lowest, highest] = [kept.saturating_sub(unit), kept.saturating_add(unit)].map(|kept| share(value, kept));
        let between = lowest.zip(highest).is_some_and(|(lowest, highest)| lowest <= base && base <= highest);
        between || tax(share(value, kept)).is_some_and(|expected| tax(Some(base)) == Some(expected))
    };
    if values.into_iter().any(agrees) {
        return;
    }
    let expected = values.map(|value| share(value, kept));
    let before = differences.found.len();
    let text = "pRedBC não leva a vBC";
    if item.figures.or_zero(Tag::IcmsDesonerado).is_zero() {
        differences.check("icms", "reducao_da_base", base, &expected, text);
    } else {
        // The exempted tax may be in the discount.
        differences.check_if_unsure("icms", "reducao_da_base", base, &expected, text);
    }
    let left = values.into_iter().any(|value| share(value, points).is_some_and(|left| agree(left, base)));
    if let Some(line) = differences.found.get_mut(before).filter(|_| left) {
        // The base is right, and the field that says how it is made is not: no amount differs.
        let (points, kept) = (with_comma(points), with_comma(kept));
        line.detalhe = format!("pRedBC traz o que resta da base ({points}%), e não a redução ({kept}%)");
        (line.declarado, line.calculado, line.diferenca) = (None, None, None);
        let detalhe = "a base é a do percentual que resta".to_owned();
        line.explicacao = Some(Explanation { codigo: "reducao_pelo_que_resta", detalhe });
    }
}

/// The FCP of CST 00, whose group has no base but that of the ICMS, that of the other groups, on the base of their tax, and
/// that of ST, from which some issuers deduct the own FCP.
fn fcp(item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    if let (None, Some(base), Some(rate), Some(amount)) =
        (get(Tag::FcpBase), get(Tag::IcmsBase), get(Tag::FcpAliquota), get(Tag::FcpValor))
        && item.cst_icms == "00"
    {
        differences.check("icms", "base_vezes_aliquota", amount, &[share(base, rate)], "vBC × pFCP ≠ vFCP");
    }
    for (tributo, base, fcp_base, fcp) in [
        ("icms", Tag::IcmsBase, Tag::FcpBase, Tag::FcpValor),
        ("icms_st", Tag::StBase, Tag::StFcpBase, Tag::StFcpValor),
        (DIFAL, Tag::DestinoBase, Tag::DestinoFcpBase, Tag::DestinoFcpValor),
    ] {
        // Where no FCP is charged its base may be zero, too.
        let none = item.figures.sum(&[fcp_base, fcp]).is_zero();
        if let (Some(base), Some(declared), false) = (get(base), get(fcp_base), none) {
            let text = "a base do FCP não é a do imposto que ele acompanha";
            differences.check_if_unsure(tributo, "base_do_fcp", declared, &[Some(base)], text);
        }
    }
    if let (Some(base), Some(rate), Some(amount)) = (get(Tag::StFcpBase), get(Tag::StFcpAliquota), get(Tag::StFcpValor))
    {
        let whole = share(base, rate);
        let less = |own: Decimal| Some(whole?.saturating_sub(own).max(Decimal::ZERO));
        let text = "vBCFCPST × pFCPST ≠ vFCPST";
        match get(Tag::FcpValor) {
            // The own FCP that a company of the Simples deducts is not on the document, as its ICMS is not.
            None if !item.csosn.is_empty() => {
                let deemed = share(operation(item), rate).and_then(less);
                differences.check_if_unsure("icms_st", "base_vezes_aliquota", amount, &[whole, deemed], text);
            }
            own => differences.check("icms_st", "base_vezes_aliquota", amount, &[whole, own.and_then(less)], text),
        }
    }
}

/// `modBCST` of a base by a margin.
const BY_MARGIN: &str = "4";

/// `vBCST` from the price with IPI and charges, the margin and the reduction (Convênio ICMS 142/2018, cláusula décima
/// primeira). It is not compared if the document does not show how: a discount that a State may count or not, an import,
/// an exemption, or a reduction of the own base alone.
fn margin(item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(margin), Some(declared)) = (get(Tag::StMargem), get(Tag::StBase)) else { return };
    let unclear = [Tag::Desconto, Tag::ImpostoImportacao, Tag::IcmsDesonerado];
    let own_alone = get(Tag::IcmsReducao).is_some() && get(Tag::StReducao).is_none();
    if item.modalidade_st != BY_MARGIN || declared.is_zero() || own_alone || !item.figures.sum(&unclear).is_zero() {
        return;
    }
    let price = Exact::from(operation(item).saturating_add(item.figures.or_zero(Tag::IpiValor)));
    let kept = Exact::from(Decimal::ONE_HUNDRED.saturating_sub(item.figures.or_zero(Tag::StReducao)));
    let base = |margin: Decimal| {
        let added = Exact::from(Decimal::ONE_HUNDRED.saturating_add(margin));
        (price * added.percent() * kept.percent()).round(2).ok()
    };
    // An adjusted margin has more digits than the document writes.
    let rounding = Decimal::new(5, margin.scale().saturating_add(1));
    let lowest = base(margin.saturating_sub(rounding));
    let highest = base(margin.saturating_add(rounding));
    let between = lowest.zip(highest).is_some_and(|(lowest, highest)| lowest <= declared && declared <= highest);
    // The parts of a price are rounded each by itself: a base some cents away may give the same tax.
    let tax = |base: Option<Decimal>| share(base?, get(Tag::StAliquota)?);
    let same_tax = tax(base(margin)).is_some_and(|expected| tax(Some(declared)) == Some(expected));
    if between || same_tax {
        return;
    }
    let text = "o preço com pMVAST ≠ vBCST";
    let reductions = get(Tag::IcmsReducao).zip(get(Tag::StReducao));
    if reductions.is_some_and(|(own, of_st)| own != of_st) {
        // The document does not show what each reduction is of.
        differences.check_if_unsure("icms_st", "base_pela_margem", declared, &[base(margin)], text);
    } else {
        differences.check("icms_st", "base_pela_margem", declared, &[base(margin)], text);
    }
}

/// The credit that a buyer takes from a seller of the Simples (LC 123/2006, art. 23, §§ 1º and 2º). Its base is not on
/// the document: it is the price with or without charges or IPI, or the base that the group has.
fn credit(item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(rate), Some(amount)) = (get(Tag::CreditoAliquota), get(Tag::CreditoValor)) else { return };
    let whole = operation(item);
    let price = item.figures.or_zero(Tag::Produto);
    let net = price.saturating_sub(item.figures.or_zero(Tag::Desconto));
    let with_ipi = whole.saturating_add(item.figures.or_zero(Tag::IpiValor));
    let bases = [Some(whole), Some(net), Some(price), Some(with_ipi), get(Tag::IcmsBase)];
    let expected = bases.map(|base| share(base?, rate));
    differences.check("icms", "credito_do_simples", amount, &expected, "a operação × pCredSN ≠ vCredICMSSN");
}
