//! The arithmetic of the group of ICMS: deferral, reduction, FCP, margin, credit of the Simples.

use rust_decimal::Decimal;

use crate::base::value::{Exact, Uf, with_comma};
use crate::features::audit::differences::{
    DIFAL, Differences, FieldAtFault, HUNDREDTH, is_share, only_a_field, operation, part_of_tax, share,
};
use crate::features::audit::substitution;
use crate::law::nfe::{ItemDaNota, NotaFiscal, Tag};

pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    deferral(item, differences);
    reduction(nota, item, differences);
    fcp(item, differences);
    substitution::of_item(nota, item, differences);
    margin(nota, item, differences);
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
        differences.check_if_unsure("icms", "base_vezes_aliquota", amount, &[share(base, rate)], text);
        return;
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
    let tax = |base: Option<Decimal>| share(base?, get(Tag::IcmsAliquota)?);
    let agrees = |value: Decimal, kept: Decimal| {
        is_share(base, value, kept, HUNDREDTH)
            || tax(share(value, kept)).is_some_and(|expected| tax(Some(base)) == Some(expected))
    };
    if values.into_iter().any(|value| agrees(value, kept)) {
        return;
    }
    let expected = values.map(|value| share(value, kept));
    let text = "pRedBC não leva a vBC";
    // A percentage with one digit may be one with two of them: 33,3 for 33,33.
    let is_cut = points.normalize().scale() == 1 && values.into_iter().any(|value| is_share(base, value, kept, TENTH));
    // A discount that depends on a condition stays in the base (LC 87/1996, art. 13, § 1º, II, a).
    let discount = item.figures.or_zero(Tag::Desconto);
    let may_be_right = is_cut || values.into_iter().any(|value| agrees(value.saturating_add(discount), kept));
    // The exempted tax may be in the discount, and a price that the State lists is not on the document.
    let found = if item.figures.or_zero(Tag::IcmsDesonerado).is_zero() && !item.preco_do_estado && !may_be_right {
        differences.check("icms", "reducao_da_base", base, &expected, text)
    } else {
        differences.check_if_unsure("icms", "reducao_da_base", base, &expected, text)
    };
    let Some(line) = found else { return };
    if values.into_iter().any(|value| agrees(value, points)) {
        only_a_field(line, left_in_field("pRedBC", points));
    } else if points.is_zero() && base < bare {
        let detail = "pRedBC diz 0%, e a base é menor que o valor da operação".to_owned();
        only_a_field(line, ("reducao_nao_escrita", detail, "a base foi reduzida"));
    }
}

const TENTH: Decimal = Decimal::from_parts(1, 0, 0, false, 1);

/// A field that has what is left of a base, and not its reduction.
fn left_in_field(field: &str, points: Decimal) -> FieldAtFault {
    let (left, kept) = (with_comma(points), with_comma(Decimal::ONE_HUNDRED.saturating_sub(points)));
    let detail = format!("{field} traz o que resta da base ({left}%), e não a redução ({kept}%)");
    ("reducao_pelo_que_resta", detail, "a base é a do percentual que resta")
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
                differences.check_if_unsure("icms_st", "base_vezes_aliquota", amount, &[whole, deemed], text)
            }
            own => differences.check("icms_st", "base_vezes_aliquota", amount, &[whole, own.and_then(less)], text),
        };
    }
}

/// `modBCST` of a base by a margin.
const BY_MARGIN: &str = "4";
const OF_WHOLESALERS: &str =
    "o preço com pMVAST ≠ vBCST (o atacadista do RJ pode ter base própria: Decreto RJ 44.498/2013)";

/// `vBCST` from the price with IPI and charges, the margin and the reduction (Convênio ICMS 142/2018, cláusula décima
/// primeira). It is not compared if the document does not show how: a discount that a State may count or not, an import,
/// an exemption, or reductions of the two bases that differ.
fn margin(nota: &NotaFiscal, item: &ItemDaNota, differences: &mut Differences<'_>) {
    let get = |tag: Tag| item.figures.get(tag);
    let (Some(margin), Some(declared)) = (get(Tag::StMargem), get(Tag::StBase)) else { return };
    let unclear = [Tag::Desconto, Tag::ImpostoImportacao, Tag::IcmsDesonerado];
    let own_alone = get(Tag::IcmsReducao).is_some() && get(Tag::StReducao).is_none();
    let reductions = get(Tag::IcmsReducao).zip(get(Tag::StReducao));
    let unclear_reductions = own_alone || reductions.is_some_and(|(own, of_st)| own != of_st);
    let unclear = unclear_reductions || !item.figures.sum(&unclear).is_zero();
    if item.modalidade_st != BY_MARGIN || declared.is_zero() || unclear {
        return;
    }
    let price = Exact::from(operation(item).saturating_add(item.figures.or_zero(Tag::IpiValor)));
    let reduction = item.figures.or_zero(Tag::StReducao);
    let kept = Decimal::ONE_HUNDRED.saturating_sub(reduction);
    let base = |margin: Decimal, kept: Decimal| {
        let added = Exact::from(Decimal::ONE_HUNDRED.saturating_add(margin));
        (price * added.percent() * Exact::from(kept).percent()).round(2).ok()
    };
    // The parts of a price are rounded each by itself: a base may differ by cents that are worth a cent of tax.
    let same_tax = |base: Option<Decimal>| {
        let more = declared.saturating_sub(base?).abs().checked_mul(get(Tag::StAliquota)?)?;
        Some(more <= Decimal::ONE)
    };
    let agrees = |margin: Decimal, kept: Decimal| {
        // An adjusted margin has more digits than the document writes.
        let rounding = HUNDREDTH / Decimal::TWO;
        let [lowest, highest] =
            [margin.saturating_sub(rounding), margin.saturating_add(rounding)].map(|margin| base(margin, kept));
        let between = lowest.zip(highest).is_some_and(|(lowest, highest)| lowest <= declared && declared <= highest);
        between || same_tax(base(margin, kept)) == Some(true)
    };
    if agrees(margin, kept) {
        return;
    }
    let expected = [base(margin, kept)];
    let found = if nota.uf_origem == Some(Uf::RJ) {
        differences.check_if_unsure("icms_st", "base_pela_margem", declared, &expected, OF_WHOLESALERS)
    } else {
        differences.check("icms_st", "base_pela_margem", declared, &expected, "o preço com pMVAST ≠ vBCST")
    };
    let Some(line) = found else { return };
    let hundredfold = margin.saturating_mul(Decimal::ONE_HUNDRED);
    if !reduction.is_zero() && agrees(margin, reduction) {
        only_a_field(line, left_in_field("pRedBCST", reduction));
    } else if !reduction.is_zero() && agrees(margin, Decimal::ONE_HUNDRED) {
        let detail = format!("pRedBCST diz {}%, e a base não é reduzida", with_comma(reduction));
        only_a_field(line, ("reducao_sem_efeito", detail, "a base é o preço com a margem, inteiro"));
    } else if margin < Decimal::TEN && !margin.is_zero() && agrees(hundredfold, kept) {
        let detail = format!("pMVAST traz a margem como fração ({}), e não em percentual", with_comma(margin));
        only_a_field(line, ("margem_em_fracao", detail, "a base é a dessa margem em percentual"));
    } else if margin.is_zero() && base(margin, kept).is_some_and(|price| declared > price) {
        let detail = "pMVAST diz 0%, e a base tem uma margem".to_owned();
        only_a_field(line, ("margem_nao_escrita", detail, "a base é o preço com uma margem que não está escrita"));
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
