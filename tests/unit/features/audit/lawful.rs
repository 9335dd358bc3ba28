//! Documents that other programs wrote, lawful and once accused with certainty. Beside each is one whose fault stays certain.

use super::audited;
use super::documents::{IBSCBS, ICMS, Item, Note, sale};
use taxd::features::audit::{AuditLine, Certainty};

/// How sure the finding of that code is; `None` if there is none.
#[track_caller]
pub fn certainty(xml: &str, tributo: &str, codigo: &str) -> Option<Certainty> {
    let lines = audited(xml);
    let of = |line: &&AuditLine| line.tributo == tributo && line.codigo == Some(codigo);
    lines.iter().find(of).map(|line| line.certeza.expect("a finding has a certainty"))
}

pub const SURE: Option<Certainty> = Some(Certainty::ErroDoDocumento);
pub const UNSURE: Option<Certainty> = Some(Certainty::Conferir);

/// The sale without CBS and IBS, on a day.
pub fn on(data: &'static str, item: Item) -> Note {
    let imposto = item.imposto.replace(IBSCBS, "");
    Note { data, items: vec![Item { imposto, ..item }], total: String::new(), ..Note::default() }
}

/// Convênio ICMS 60/2017: makers and importers from July 2017, wholesale from October, all others from April 2018.
#[test]
fn a_cest_is_asked_for_from_the_day_on_which_it_must_be_stated() {
    let withheld = "<ICMS><ICMS60><orig>0</orig><CST>60</CST></ICMS60></ICMS>";
    let found = |data: &'static str, cest: &str| {
        let item = sale().with("CFOP", "5405").with("CEST", cest).taxed(ICMS, withheld);
        certainty(&on(data, item).xml(), "icms_st", "cest")
    };
    for (data, wanted) in [
        ("2013-06-11T10:00:00-03:00", None),
        ("2017-06-30T10:00:00-03:00", None),
        ("2017-07-01T10:00:00-03:00", UNSURE),
        ("2018-03-31T10:00:00-03:00", UNSURE),
        ("2018-04-01T10:00:00-03:00", SURE),
    ] {
        assert_eq!(found(data, ""), wanted, "{data}");
        assert_eq!(found(data, "0000000"), SURE, "{data}");
    }
}

/// Resolução SF 13/2012 since 2013; to a buyer outside of the ICMS the rate of the origin until 2015 (EC 87/2015); never to
/// imported natural gas. A return repeats the rate of the purchase.
#[test]
fn four_percent_of_imported_goods_is_asked_for_where_it_is_law() {
    let item = |ncm: &str, cfop: &str| sale().with("NCM", ncm).with("CFOP", cfop).taxed("<orig>0", "<orig>1");
    let found = |data: &'static str, ind_ie_dest: u8, fin: u8, item: Item| {
        let note = Note { id_dest: 2, uf_destino: "RJ", ind_ie_dest, fin, ..on(data, item) };
        certainty(&note.xml(), "icms", "origem_e_aliquota")
    };
    let goods = || item("39269090", "6102");
    for (data, to_taxpayer, to_other) in [
        ("2012-12-31T10:00:00-03:00", None, None),
        ("2013-01-01T10:00:00-03:00", SURE, None),
        ("2015-12-31T10:00:00-03:00", SURE, None),
        ("2016-01-01T10:00:00-03:00", SURE, SURE),
    ] {
        assert_eq!([found(data, 1, 1, goods()), found(data, 9, 1, goods())], [to_taxpayer, to_other], "{data}");
    }
    let today = "2026-03-10T10:00:00-03:00";
    assert_eq!(found(today, 1, 1, item("27112100", "6102")), None);
    assert_eq!(found(today, 1, 4, item("39269090", "6202")), None);
}

/// STF, Tema 1266: in 2022 the difference is not due from those who disputed it in court.
#[test]
fn the_difference_of_2022_is_to_be_checked_and_of_2023_is_due() {
    for (data, wanted) in [
        ("2022-04-04T10:00:00-03:00", None),
        ("2022-06-10T10:00:00-03:00", UNSURE),
        ("2022-12-31T10:00:00-03:00", UNSURE),
        ("2023-01-01T10:00:00-03:00", SURE),
    ] {
        let note = on(data, sale().with("CFOP", "6108"));
        let note = Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, ..note };
        assert_eq!(certainty(&note.xml(), "icms_consumidor_final", "sem_icmsufdest"), wanted, "{data}");
    }
}

/// MOC, groups N10a and N10b: `ICMSPart` and `ICMSST` have a CST under any regime.
#[test]
fn a_seller_of_the_simples_has_a_cst_in_the_groups_without_csosn() {
    let found = |group: &str, cst: &str| {
        let icms = format!("<ICMS><{group}><orig>0</orig><CST>{cst}</CST></{group}></ICMS>");
        let note = Note { crt: 1, ..on("2026-03-10T10:00:00-03:00", sale().taxed(ICMS, &icms)) };
        certainty(&note.xml(), "icms", "crt_e_cst")
    };
    assert_eq!([found("ICMSST", "60"), found("ICMSPart", "10"), found("ICMS61", "61")], [None; 3]);
    assert_eq!(found("ICMS60", "60"), SURE);
}

/// MOC, rejections 528 and 629: a complement brings the difference alone, an adjustment the credit alone.
#[test]
fn a_complement_and_an_adjustment_have_factors_of_zero() {
    let without = |field: &'static str| sale().with("qCom", "0.0000").with("vUnCom", "0.00").with(field, "100.00");
    let adjusted = ICMS.replace("1000.00", "0.00").replace("18.00</pICMS>", "0.00</pICMS>");
    let found = |fin: u8, item: Item, tributo: &str, codigo: &str| {
        certainty(&Note { fin, ..on("2026-03-10T10:00:00-03:00", item) }.xml(), tributo, codigo)
    };
    for (fin, wanted) in [(1, SURE), (2, None), (3, None)] {
        assert_eq!(found(fin, without("vProd"), "documento", "quantidade_vezes_unidade"), wanted, "finNFe {fin}");
        let item = sale().taxed(ICMS, &adjusted);
        assert_eq!(found(fin, item, "icms", "base_vezes_aliquota"), wanted, "finNFe {fin}");
    }
    let wrong = sale().taxed("180.00", "190.00");
    assert_eq!(found(2, wrong, "icms", "base_vezes_aliquota"), SURE);
}

/// `vICMSOp`, `pDif` and `vICMSDif` are optional in the group of CST 51 (MOC, N16a to N16c).
#[test]
fn a_deferral_without_its_whole_leaves_the_rest() {
    let found = |deferred: &str, amount: &str| {
        let icms = format!(
            "<ICMS><ICMS51><orig>0</orig><CST>51</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS>{deferred}<vICMS>{amount}</vICMS>\
             </ICMS51></ICMS>"
        );
        let note = on("2026-03-10T10:00:00-03:00", sale().taxed(ICMS, &icms));
        let found = |codigo: &str| certainty(&note.xml(), "icms", codigo);
        found("diferimento").or_else(|| found("base_vezes_aliquota"))
    };
    let third = "<pDif>33.33</pDif>";
    assert_eq!([found(third, "120.01"), found("", "180.00")], [None; 2]);
    assert_eq!([found(third, "180.00"), found("", "120.01")], [SURE, UNSURE]);
}

/// The authorities take 00000000 of an item without a product, such as a charge for labour.
#[test]
fn an_ncm_of_zeros_is_to_be_checked_and_one_that_no_table_has_is_wrong() {
    let found = |ncm: &str| {
        let lines = audited(&on("2026-03-10T10:00:00-03:00", sale().with("NCM", ncm)).xml());
        let line = lines.into_iter().find(|line| line.codigo == Some("ncm_inexistente")).unwrap();
        (line.certeza, line.detalhe)
    };
    assert_eq!(found("00000000"), (UNSURE, "NCM 00000000: item sem produto, ou falta o NCM dele".to_owned()));
    let (certainty, detail) = found("39269091");
    assert_eq!(certainty, SURE);
    assert!(detail.starts_with("o NCM 39269091 não existe na TIPI de 10/03/2026"), "{detail}");
    assert!(!detail.contains('`') && !detail.contains("-v1"), "{detail}");
}

/// Programs that add the event of a cancellation to the file of its document (`procEventoNFe` within `nfeProc`).
#[test]
fn a_document_with_its_cancellation_beside_it_is_cancelled() {
    let key = "35260311222333000181550010000000011000000019";
    let event = |kind: &str| {
        format!(
            "<retEvento><infEvento><cStat>135</cStat><chNFe>{key}</chNFe><tpEvento>{kind}</tpEvento></infEvento></retEvento>"
        )
    };
    let wrong = Note { items: vec![sale().taxed("180.00", "190.00")], ..Note::default() };
    let xml = wrong.xml().replace("<infNFe ", &format!("<infNFe Id=\"NFe{key}\" "));
    let with = |event: &str| certainty(&format!("<nfeProc>{xml}{event}</nfeProc>"), "icms", "base_vezes_aliquota");
    assert_eq!([with(""), with(&event("110110")), with(&event("110111"))], [SURE, SURE, None]);
}

/// Totals of a document that states nothing but the last of them.
#[test]
fn the_total_of_a_note_is_compared_if_its_parts_are_stated() {
    let found = |total: &str| {
        let total = format!("<ICMSTot>{total}<vNF>900.00</vNF></ICMSTot>");
        certainty(&Note { total, ..on("2026-03-10T10:00:00-03:00", sale()) }.xml(), "documento", "total")
    };
    assert_eq!([found(""), found("<vProd>1000.00</vProd>")], [None, SURE]);
}

/// R$ 1.000,00 of item 1.07 in São Paulo by ABRASF, 2.90 %.
fn service(fields: &str, amount: &str) -> String {
    format!(
        "<CompNfse><Nfse><InfNfse><DataEmissao>2025-03-10T10:00:00</DataEmissao>{fields}<Servico><Valores>\
         <ValorServicos>1000.00</ValorServicos><BaseCalculo>1000.00</BaseCalculo><Aliquota>2,90</Aliquota>{amount}</Valores>\
         <ItemListaServico>1.07</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico>\
         <PrestadorServico><IdentificacaoPrestador><Cnpj>11222333000181</Cnpj></IdentificacaoPrestador></PrestadorServico>\
         </InfNfse></Nfse></CompNfse>"
    )
}

/// An exempt service, one of an estimate or of a MEI writes the rate and charges nothing.
#[test]
fn an_iss_of_zero_is_an_error_only_where_it_is_due_by_the_price() {
    let zero = "<ValorIss>0.00</ValorIss>";
    let product = |fields: &str| certainty(&service(fields, zero), "iss", "base_vezes_aliquota");
    let ordinary = "<OptanteSimplesNacional>2</OptanteSimplesNacional><NaturezaOperacao>1</NaturezaOperacao>";
    assert_eq!(product(ordinary), SURE);
    let unstated = "<NaturezaOperacao>1</NaturezaOperacao>";
    assert_eq!(product(unstated), None, "the note does not say whether it is of the Simples");
    assert_eq!(certainty(&service(unstated, zero), "iss", "valor"), UNSURE);
    for kind in ["3", "4", "5", "6"] {
        assert_eq!(product(&ordinary.replace("Operacao>1", &format!("Operacao>{kind}"))), None, "kind {kind}");
    }
    for regime in ["2", "3", "4", "5"] {
        let fields = format!("{ordinary}<RegimeEspecialTributacao>{regime}</RegimeEspecialTributacao>");
        assert_eq!(product(&fields), None, "regime {regime}");
        let law = certainty(&service(&fields, zero), "iss", "valor");
        assert!(law.is_none_or(|certainty| certainty == Certainty::Conferir), "regime {regime}: {law:?}");
    }
}

/// The amount of the ISS is optional: what is not stated is not a declared zero. This rate has a decimal comma, as some
/// municipalities write it.
#[test]
fn an_iss_that_is_not_stated_is_to_be_checked() {
    let ordinary = "<OptanteSimplesNacional>2</OptanteSimplesNacional><NaturezaOperacao>1</NaturezaOperacao>";
    assert_eq!(certainty(&service(ordinary, ""), "iss", "valor"), UNSURE);
    assert_eq!(certainty(&service(ordinary, "<ValorIss>20.00</ValorIss>"), "iss", "base_vezes_aliquota"), SURE);
    assert!(audited(&service(ordinary, "<ValorIss>29.00</ValorIss>")).iter().all(|line| line.certeza.is_none()));
}

/// The reduction of the law is 41,666...% and 61,1111...%, which programs fill with zeros.
#[test]
fn zeros_behind_a_percentage_do_not_count_as_its_digits() {
    let found = |price: &str, group: &str| {
        let group = format!("<ICMS><ICMS20><orig>0</orig><CST>20</CST>{group}</ICMS20></ICMS>");
        let note = on("2026-03-10T10:00:00-03:00", sale().with("vProd", price).taxed(ICMS, &group));
        certainty(&note.xml(), "icms", "reducao_da_base")
    };
    let group = |how: &str, points: &str, base: &str, amount: &str| {
        format!("{how}<pRedBC>{points}</pRedBC><vBC>{base}</vBC><pICMS>12.0000</pICMS><vICMS>{amount}</vICMS>")
    };
    assert_eq!(found("3000.00", &group("", "41.6700", "1750.00", "210.00")), None);
    assert_eq!(found("3000.00", &group("", "41.6700", "1749.30", "209.92")), SURE);
    // A price that the State lists is not on the document.
    assert_eq!(found("5161.77", &group("<modBC>1</modBC>", "41.67", "3271.64", "392.60")), UNSURE);
    assert_eq!(found("5161.77", &group("<modBC>3</modBC>", "41.67", "3271.64", "392.60")), SURE);
    // What is left of the base in place of the reduction is said without an amount.
    let xml = |base: &str, amount: &str| {
        let group = group("", "58.33", base, amount);
        let group = format!("<ICMS><ICMS20><orig>0</orig><CST>20</CST>{group}</ICMS20></ICMS>");
        on("2026-03-10T10:00:00-03:00", sale().with("vProd", "3919.81").taxed(ICMS, &group)).xml()
    };
    let amount = |xml: &str| {
        let lines = audited(xml);
        lines.into_iter().find(|line| line.codigo == Some("reducao_da_base")).unwrap().diferenca
    };
    assert_eq!(amount(&xml("2286.54", "274.38")), None);
    assert!(amount(&xml("2300.00", "276.00")).is_some());
}

/// The burden of the destination is below the rate between the States (Convênio ICMS 52/91): nothing is due to it.
#[test]
fn a_difference_of_rates_below_zero_is_none() {
    let found = |amount: &str| {
        let group = format!(
            "<ICMSUFDest><vBCUFDest>326.32</vBCUFDest><pICMSUFDest>8.8000</pICMSUFDest><pICMSInter>12.00</pICMSInter>\
             <pICMSInterPart>100</pICMSInterPart><vICMSUFDest>{amount}</vICMSUFDest></ICMSUFDest>"
        );
        let icms =
            ICMS.replace("1000.00", "326.32").replace("18.00</pICMS>", "12.00</pICMS>").replace("180.00", "39.16");
        let item = sale().with("CFOP", "6108").with("vProd", "326.32").taxed(ICMS, &(icms + &group));
        let note = Note {
            id_dest: 2,
            uf_destino: "PR",
            ind_final: 1,
            ind_ie_dest: 9,
            ..on("2024-04-10T10:00:00-03:00", item)
        };
        certainty(&note.xml(), "icms_consumidor_final", "base_vezes_aliquota")
    };
    assert_eq!([found("0"), found("10.44")], [None, SURE]);
}

/// The rules of the benefits by product begin in 2022: meat paid 7 % between States before (Convênio ICMS 89/2005).
#[test]
fn a_rate_of_icms_before_the_rules_of_products_is_not_compared() {
    let verdict = |data: &'static str, rate: &str, amount: &str| {
        let icms = ICMS.replace("18.00</pICMS>", &format!("{rate}</pICMS>")).replace("180.00", amount);
        let item = sale().with("CFOP", "6101").taxed(ICMS, &icms);
        let lines = audited(&Note { id_dest: 2, uf_origem: "MG", uf_destino: "RJ", ..on(data, item) }.xml());
        let line = lines.into_iter().find(|line| line.tributo == "icms" && line.camada.as_str() == "lei").unwrap();
        (line.veredito.as_str(), line.certeza)
    };
    let (before, since) = ("2017-06-12T10:00:00-03:00", "2023-06-12T10:00:00-03:00");
    assert_eq!(verdict(before, "7.00", "70.00"), ("recusado", None));
    assert_eq!(verdict(before, "12.00", "120.00"), ("confere", None));
    assert_eq!(verdict(since, "7.00", "70.00"), ("diverge", Some(Certainty::RegraPlena)));
}

/// 1,3372 a unit: 660 of them are 882,55, and 4,5 % of their price 882,58.
#[test]
fn cents_of_a_tax_that_was_rounded_by_unit_are_to_be_checked() {
    let found = |quantity: &str| {
        let ipi = "<IPI><IPITrib><CST>50</CST><vBC>19612.89</vBC><pIPI>4.50</pIPI><vIPI>882.55</vIPI></IPITrib></IPI>";
        let item = sale().with("qCom", quantity).taxed(ICMS, &(ICMS.to_owned() + ipi));
        certainty(&on("2026-03-10T10:00:00-03:00", item).xml(), "ipi", "base_vezes_aliquota")
    };
    assert_eq!([found("660.0000"), found("6.0000")], [UNSURE, SURE]);
}

/// `indFinal` may be what is wrong of a sale to a shop of another State.
#[test]
fn ipi_left_out_of_the_base_is_to_be_checked_if_the_buyer_is_a_taxpayer() {
    let found = |ind_ie_dest: u8| {
        let icms = ICMS.replace("18.00</pICMS>", "12.00</pICMS>").replace("180.00", "120.00");
        let ipi = "<IPI><IPITrib><CST>50</CST><vBC>1000.00</vBC><pIPI>9.75</pIPI><vIPI>97.50</vIPI></IPITrib></IPI>";
        let item = sale().with("CFOP", "6101").taxed(ICMS, &(icms + ipi));
        let note =
            Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest, ..on("2026-03-10T10:00:00-03:00", item) };
        certainty(&note.xml(), "icms", "base")
    };
    assert_eq!([found(1), found(9)], [UNSURE, Some(Certainty::RegraPlena)]);
}
