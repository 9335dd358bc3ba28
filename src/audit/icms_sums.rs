//! The arithmetic of the group of ICMS: deferral, reduction, FCP, substitution, credit of the Simples.

use rust_decimal::Decimal;

use super::sums::{Sums, share};
use crate::nfe::{ItemDaNota, NotaFiscal, Tag};
use crate::value::Exact;

/// The sums of the group.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, sums: &mut Sums<'_>) {
    deferral(item, sums);
    reduction(nota, item, sums);
    fcp(item, sums);
    substitution(item, sums);
    margin(item, sums);
    credit(item, sums);
}

/// Price with freight and charges, less the discount.
fn operation(item: &ItemDaNota) -> Decimal {
    item.figures
        .sum(&[Tag::Produto, Tag::Frete, Tag::Seguro, Tag::Outras])
        .saturating_sub(item.figures.or_zero(Tag::Desconto))
}

/// CST 51: the rate gives the ICMS of the operation, of which a part is deferred.
fn deferral(item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let Some(operation) = get(Tag::IcmsOperacao) else { return };
    if let (Some(base), Some(rate)) = (get(Tag::IcmsBase), get(Tag::IcmsAliquota)) {
        sums.check("icms", "base_vezes_aliquota", operation, &[share(base, rate)], "vBC × pICMS ≠ vICMSOp");
    }
    if let (Some(points), Some(deferred)) = (get(Tag::IcmsDiferimento), get(Tag::IcmsDiferido)) {
        sums.check("icms", "diferimento", deferred, &[share(operation, points)], "vICMSOp × pDif ≠ vICMSDif");
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
    let value = operation(item);
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

/// The FCP of CST 00, whose group has no base but that of the ICMS, and that of ST, from which some issuers deduct the own
/// FCP.
fn fcp(item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    if let (None, Some(base), Some(rate), Some(amount)) =
        (get(Tag::FcpBase), get(Tag::IcmsBase), get(Tag::FcpAliquota), get(Tag::FcpValor))
        && item.cst_icms == "00"
    {
        sums.check("icms", "base_vezes_aliquota", amount, &[share(base, rate)], "vBC × pFCP ≠ vFCP");
    }
    if let (Some(base), Some(rate), Some(amount)) = (get(Tag::StFcpBase), get(Tag::StFcpAliquota), get(Tag::StFcpValor))
    {
        let whole = share(base, rate);
        let less = get(Tag::FcpValor).and_then(|own| Some(whole?.saturating_sub(own).max(Decimal::ZERO)));
        sums.check("icms_st", "base_vezes_aliquota", amount, &[whole, less], "vBCFCPST × pFCPST ≠ vFCPST");
    }
}

/// `modBCST` of a base by a margin.
const BY_MARGIN: &str = "4";

/// `vBCST` from the price with IPI and charges, the margin and the reduction (Convênio ICMS 142/2018, cláusula décima
/// primeira). It is not compared if the document does not show how: a discount that a State may count or not, an import,
/// an exemption, or a reduction of the own base alone.
fn margin(item: &ItemDaNota, sums: &mut Sums<'_>) {
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
    if !between {
        sums.check("icms_st", "base_pela_margem", declared, &[base(margin)], "o preço com pMVAST ≠ vBCST");
    }
}

/// The credit that a buyer takes from a seller of the Simples (LC 123/2006, art. 23, §§ 1º and 2º). Its base is not on
/// the document: it is the price with or without charges or IPI, or the base that the group has.
fn credit(item: &ItemDaNota, sums: &mut Sums<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(rate), Some(amount)) = (get(Tag::CreditoAliquota), get(Tag::CreditoValor)) else { return };
    let whole = operation(item);
    let price = item.figures.or_zero(Tag::Produto);
    let net = price.saturating_sub(item.figures.or_zero(Tag::Desconto));
    let with_ipi = whole.saturating_add(item.figures.or_zero(Tag::IpiValor));
    let bases = [Some(whole), Some(net), Some(price), Some(with_ipi), get(Tag::IcmsBase)];
    let expected = bases.map(|base| share(base?, rate));
    sums.check("icms", "credito_do_simples", amount, &expected, "a operação × pCredSN ≠ vCredICMSSN");
}
