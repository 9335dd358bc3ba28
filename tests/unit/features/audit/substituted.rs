//! The sums of ST: fields that are wrong beside right amounts, and what a document does not show.

use super::audited;
use super::documents::{ICMS, Item, Note, sale};
use super::lawful::{SURE, UNSURE, certainty, on};
use taxd::features::audit::Certainty;

/// A finding of ST: certainty, difference and code of the explanation; `None` if there is none.
fn of_st(note: &Note, code: &str) -> Option<(Option<Certainty>, bool, &'static str)> {
    let lines = audited(&note.xml());
    let line = lines.into_iter().find(|line| line.tributo == "icms_st" && line.codigo == Some(code))?;
    Some((line.certeza, line.diferenca.is_some(), line.explicacao.map(|found| found.codigo).unwrap_or_default()))
}

/// A sale of R$ 1.000,00 with ST, under a CST.
fn substituted(cst: &str, own: &str, margin: &str, st: &str) -> Item {
    let group = format!(
        "<ICMS><ICMS{cst}><orig>0</orig><CST>{cst}</CST>{own}<modBCST>4</modBCST>{margin}{st}</ICMS{cst}></ICMS>"
    );
    sale().taxed(ICMS, &group)
}

const OWN: &str = "<vBC>1000.00</vBC><pICMS>12.00</pICMS><vICMS>120.00</vICMS>";

/// The base of ST is right, and a field that says how it is made is not: no amount differs.
#[test]
fn a_wrong_field_beside_a_right_base_of_substitution_has_no_amount() {
    let found = |margin: &str, base: &str| {
        let st = format!("<vBCST>{base}</vBCST><pICMSST>18.00</pICMSST>");
        of_st(&on("2026-03-10T10:00:00-03:00", substituted("10", OWN, margin, &st)), "base_pela_margem")
    };
    let field = |code| Some((SURE, false, code));
    assert_eq!(found("<pMVAST>50.00</pMVAST>", "1500.00"), None);
    let reduced = |points: &str| format!("<pMVAST>50.00</pMVAST><pRedBCST>{points}</pRedBCST>");
    assert_eq!(found(&reduced("48.8900"), "733.35"), field("reducao_pelo_que_resta"));
    assert_eq!(found(&reduced("100.00"), "1500.00"), field("reducao_pelo_que_resta"));
    assert_eq!(found(&reduced("20.00"), "1500.00"), field("reducao_sem_efeito"));
    assert_eq!(found("<pMVAST>0.5000</pMVAST>", "1500.00"), field("margem_em_fracao"));
    assert_eq!(found("<pMVAST>0.00</pMVAST>", "1500.00"), field("margem_nao_escrita"));
    assert_eq!(found("<pMVAST>50.00</pMVAST>", "1600.00"), Some((SURE, true, "")));
}

/// R$ 1.500,00 by 18 % less 120.00 are 150.00.
#[test]
fn what_makes_another_amount_of_substitution_is_said() {
    let margin = "<pMVAST>50.00</pMVAST>";
    let found = |data: &'static str, fin: u8, rate: &str, amount: &str| {
        let st = format!("<vBCST>1500.00</vBCST><pICMSST>{rate}</pICMSST><vICMSST>{amount}</vICMSST>");
        of_st(&Note { fin, ..on(data, substituted("10", OWN, margin, &st)) }, "base_vezes_aliquota")
    };
    let (old, new) = ("2017-01-10T10:00:00-03:00", "2026-03-10T10:00:00-03:00");
    assert_eq!(found(new, 1, "18.00", "150.00"), None);
    // 20 %, of which 2 are the FCP, which had no field before the layout 4.00.
    assert_eq!(found(old, 1, "18.00", "180.00"), Some((UNSURE, true, "fcp_no_valor")));
    assert_eq!(found(new, 1, "18.00", "180.00"), Some((SURE, true, "")));
    assert_eq!(found(new, 1, "18.00", "270.00"), Some((SURE, true, "sem_abater_o_proprio")));
    assert_eq!(found(new, 1, "50.00", "150.00"), Some((SURE, false, "aliquota_trocada")));
    assert_eq!(found(new, 1, "12.00", "150.00"), Some((SURE, false, "aliquota_trocada")));
    // A return gives back the ST of the sale, whose own ICMS it does not charge.
    assert_eq!(found(new, 4, "18.00", "99.00"), Some((UNSURE, true, "")));
    // Two reductions that differ: the document does not show what is deducted, and nothing is compared.
    let reduced = |own: &str| {
        let st = "<vBCST>1500.00</vBCST><pICMSST>18.00</pICMSST><vICMSST>151.00</vICMSST>";
        let own = format!("<pRedBC>{own}</pRedBC>{OWN}");
        let margin = format!("{margin}<pRedBCST>0.00</pRedBCST>");
        of_st(&on(new, substituted("70", &own, &margin, st)), "base_vezes_aliquota").map(|(certainty, ..)| certainty)
    };
    assert_eq!([reduced("30.00"), reduced("0.00")], [None, Some(SURE)]);
}

/// Five cents of the base of ST are one cent of tax.
#[test]
fn a_base_of_substitution_that_gives_the_tax_to_the_cent_is_right() {
    let found = |base: &str, amount: &str| {
        let group = format!(
            "<ICMS><ICMS10><orig>0</orig><CST>10</CST><vBC>306.04</vBC><pICMS>20.00</pICMS><vICMS>61.21</vICMS>\
             <modBCST>4</modBCST><pMVAST>35.8700</pMVAST><vBCST>{base}</vBCST><pICMSST>20.0000</pICMSST>\
             <vICMSST>{amount}</vICMSST></ICMS10></ICMS>"
        );
        let item = sale().with("vProd", "306.04").taxed(ICMS, &group);
        certainty(&on("2026-03-10T10:00:00-03:00", item).xml(), "icms_st", "base_pela_margem")
    };
    assert_eq!([found("415.87", "21.96"), found("416.82", "22.15")], [None, SURE]);
}

/// Sugar from SP to MG, whose base is reduced by 61,11 %: R$ 28,78 with 15 % are 12.87, of which 18 % are 2.32, less 2.01 of
/// the own operation, reduced in the same way.
#[test]
fn a_deduction_that_is_reduced_as_the_base_is_right() {
    let found = |amount: &str| {
        let group = format!(
            "<ICMS><ICMS10><orig>0</orig><CST>10</CST><vBC>28.78</vBC><pICMS>12.00</pICMS><vICMS>3.45</vICMS><modBCST>4</modBCST>\
             <pMVAST>15.00</pMVAST><pRedBCST>61.11</pRedBCST><vBCST>12.87</vBCST><pICMSST>18.00</pICMSST><vICMSST>{amount}</vICMSST></ICMS10></ICMS>"
        );
        let item = sale().with("vProd", "28.78").taxed(ICMS, &group);
        certainty(&on("2018-08-17T10:00:00-03:00", item).xml(), "icms_st", "base_vezes_aliquota")
    };
    assert_eq!([found("0.31"), found("0.98"), found("0.50")], [None, None, UNSURE]);
}
