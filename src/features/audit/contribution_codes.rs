//! The CST of PIS and COFINS against what the document charges under it (IN RFB 1.009/2010, tables II and III).

use rust_decimal::Decimal;

use super::finding::{Certainty, Incoherence};
use super::service_federal::OWN_AMOUNTS_SINCE;
use super::situation::without_revenue;
use crate::law::nfe::{ItemDaNota, NotaDeServico, NotaFiscal, Tag};

/// What a document says of PIS or COFINS.
struct Contribution<'d> {
    tributo: &'static str,
    cst: &'d str,
    valor: Decimal,
    aliquota: Decimal,
    /// Whether an amount or a quantity is stated on which it would be charged.
    with_base: bool,
}

/// The incoherences of an item.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota) -> Vec<Incoherence> {
    let get = |tag: Tag| item.figures.or_zero(tag);
    let rate = |percent: Tag, unit: Tag| get(percent).saturating_add(get(unit));
    let both = [
        Contribution {
            tributo: "pis",
            cst: &item.cst_pis,
            valor: get(Tag::PisValor),
            aliquota: rate(Tag::PisAliquota, Tag::PisUnidade),
            with_base: !rate(Tag::PisBase, Tag::PisQuantidade).is_zero(),
        },
        Contribution {
            tributo: "cofins",
            cst: &item.cst_cofins,
            valor: get(Tag::CofinsValor),
            aliquota: rate(Tag::CofinsAliquota, Tag::CofinsUnidade),
            with_base: !rate(Tag::CofinsBase, Tag::CofinsQuantidade).is_zero(),
        },
    ];
    // A return often repeats the CST of the purchase.
    let certainty = if nota.finalidade == 1 { Certainty::ErroDoDocumento } else { Certainty::Conferir };
    let input = |of: &Contribution<'_>| input(of, certainty).filter(|_| !nota.entrada);
    // Who pays by the Simples writes zeros under any code.
    let is_charged = !nota.simples() && !nota.entrada && nota.finalidade == 1 && without_revenue(item).is_none();
    let uncharged = |of: &Contribution<'_>| uncharged(of).filter(|_| is_charged);
    both.iter().flat_map(|of| [charged(of), uncharged(of), input(of)]).flatten().collect()
}

pub(super) fn of_service(nota: &NotaDeServico) -> Vec<Incoherence> {
    let Some(group) = &nota.contribuicoes else { return Vec::new() };
    let declared = group.valores.into_iter().zip(group.aliquotas);
    let both = ["pis", "cofins"].into_iter().zip(declared).map(|(tributo, (valor, aliquota))| Contribution {
        tributo,
        cst: &group.cst,
        valor: valor.unwrap_or_default(),
        aliquota: aliquota.unwrap_or_default(),
        with_base: group.base.is_some_and(|base| !base.is_zero()),
    });
    // Before that day the amounts may be what the buyer withholds.
    let of_provider = nota.day.is_some_and(|day| day.ordinal() >= OWN_AMOUNTS_SINCE);
    let own = both.zip(group.retidas).map(|(of, withheld)| (of, of_provider || !withheld));
    own.flat_map(|(of, own)| [charged(&of).filter(|_| own), input(&of, Certainty::ErroDoDocumento)]).flatten().collect()
}

/// Under these codes nothing is charged, so the document has neither rate nor amount.
fn charged(of: &Contribution<'_>) -> Option<Incoherence> {
    let meaning = match of.cst {
        "04" => "revenda de produto monofásico a alíquota zero",
        "06" => "alíquota zero",
        "07" => "isenta",
        "08" => "sem incidência",
        "09" => "suspensão",
        _ => return None,
    };
    let charges = !of.valor.is_zero() || !of.aliquota.is_zero();
    charges.then(|| {
        let detail = format!("CST {} ({meaning}) com alíquota ou valor diferente de zero", of.cst);
        (of.tributo, Certainty::ErroDoDocumento, "cst_e_valor", detail)
    })
}

/// Under 01 the basic rate is charged, which is never zero: 06 is the code of a rate of zero.
fn uncharged(of: &Contribution<'_>) -> Option<Incoherence> {
    (of.cst == "01" && of.with_base && of.valor.is_zero() && of.aliquota.is_zero()).then(|| {
        let detail = "CST 01 (alíquota básica) com a alíquota zero, que é do CST 06".to_owned();
        (of.tributo, Certainty::ErroDoDocumento, "cst_e_valor", detail)
    })
}

/// Codes 50 to 98 are of purchases and entries.
fn input(of: &Contribution<'_>, certainty: Certainty) -> Option<Incoherence> {
    let is_input = of.cst.len() == 2 && of.cst.parse::<u8>().is_ok_and(|cst| (50..=98).contains(&cst));
    is_input.then(|| {
        let detail = format!("CST {} é de entrada (crédito ou aquisição), e o documento é de saída", of.cst);
        (of.tributo, certainty, "cst_de_entrada", detail)
    })
}
