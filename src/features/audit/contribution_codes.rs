//! The CST of PIS and COFINS against what the document charges under it (IN RFB 1.009/2010, tables II and III).

use rust_decimal::Decimal;

use super::finding::{Certainty, Incoherence};
use crate::law::nfe::{ItemDaNota, NotaDeServico, NotaFiscal, Tag};

/// What a document says of PIS or COFINS.
struct Contribution<'d> {
    tributo: &'static str,
    cst: &'d str,
    valor: Decimal,
    aliquota: Decimal,
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
        },
        Contribution {
            tributo: "cofins",
            cst: &item.cst_cofins,
            valor: get(Tag::CofinsValor),
            aliquota: rate(Tag::CofinsAliquota, Tag::CofinsUnidade),
        },
    ];
    // A return often repeats the CST of the purchase.
    let certainty = if nota.finalidade == 1 { Certainty::ErroDoDocumento } else { Certainty::Conferir };
    let input = |of: &Contribution<'_>| input(of, certainty).filter(|_| !nota.entrada);
    both.iter().flat_map(|of| [charged(of), input(of)]).flatten().collect()
}

pub(super) fn of_service(nota: &NotaDeServico) -> Vec<Incoherence> {
    let Some(group) = &nota.contribuicoes else { return Vec::new() };
    let declared = group.valores.into_iter().zip(group.aliquotas);
    let both = ["pis", "cofins"].into_iter().zip(declared).map(|(tributo, (valor, aliquota))| Contribution {
        tributo,
        cst: &group.cst,
        valor: valor.unwrap_or_default(),
        aliquota: aliquota.unwrap_or_default(),
    });
    both.flat_map(|of| [charged(&of), input(&of, Certainty::ErroDoDocumento)]).flatten().collect()
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

/// Codes 50 to 98 are of purchases and entries.
fn input(of: &Contribution<'_>, certainty: Certainty) -> Option<Incoherence> {
    let is_input = of.cst.len() == 2 && of.cst.parse::<u8>().is_ok_and(|cst| (50..=98).contains(&cst));
    is_input.then(|| {
        let detail = format!("CST {} é de entrada (crédito ou aquisição), e o documento é de saída", of.cst);
        (of.tributo, certainty, "cst_de_entrada", detail)
    })
}
