//! Differences on public documents, drawn at random, that were false alarms or said nothing of their cause.

use taxd::features::audit::AuditLine;

use super::documents::{COFINS, ICMS, Item, Note, PIS, sale, with};
use super::{audited, findings, of_code};

const CTE: &str = include_str!("../../../golden/layouts/cte.xml");

/// The only line with that code: what explains it, and its sentence.
#[track_caller]
fn explained(xml: &str, code: &str) -> (&'static str, String) {
    let mut found = of_code(xml, code);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = found.remove(0).explicacao.unwrap();
    (found.codigo, found.detalhe)
}

/// The CT-e with some texts in place of others.
#[track_caller]
fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(CTE.to_owned(), |xml, (from, to)| {
        assert!(xml.contains(from), "{from}");
        xml.replace(from, to)
    })
}

/// A dealer of Belém sells tools to Manaus (CFOP 6110) without PIS and COFINS, as the law has it.
#[test]
fn a_sale_to_the_free_trade_zone_owes_no_contributions() {
    let free = |group: &str| format!("<{group}><{group}NT><CST>06</CST></{group}NT></{group}>");
    let lines = |cfop: &'static str, pis: &str, cofins: &str| {
        let item = sale().with("CFOP", cfop).taxed(PIS, pis).taxed(COFINS, cofins);
        let note = Note { id_dest: 2, uf_origem: "PA", uf_destino: "AM", ..with(item) };
        let of = |line: &&AuditLine| matches!(line.tributo, "pis" | "cofins") && line.camada.as_str() == "lei";
        let lines = audited(&note.xml());
        lines.iter().filter(of).map(|line| line.veredito.as_str()).collect::<Vec<_>>()
    };
    let [pis, cofins] = ["PIS", "COFINS"].map(free);
    assert_eq!(lines("6110", &pis, &cofins), ["nao_se_aplica"; 2]);
    assert_eq!(lines("6102", &pis, &cofins), ["diverge"; 2]);
    // Who charges them is asked as before.
    assert_eq!(lines("6110", PIS, COFINS), ["confere"; 2]);
}

/// A maker of the Simples in Paraná deducts 12 % (`pICMS`) of the operation from 19 % of the base of the substitution.
#[test]
fn a_seller_of_the_simples_may_deduct_its_own_rate() {
    let group = |amount: &str| {
        format!(
            "<ICMS><ICMSSN900><orig>0</orig><CSOSN>900</CSOSN><vBC>0.00</vBC><pICMS>12.00</pICMS><vICMS>0.00</vICMS>\
             <pMVAST>45.00</pMVAST><vBCST>1450.00</vBCST><pICMSST>19.00</pICMSST><vICMSST>{amount}</vICMSST></ICMSSN900></ICMS>"
        )
    };
    let sums = |amount: &str| {
        let item = sale().with("NCM", "70071900").with("CEST", "1003200").with("CFOP", "5401");
        let note = Note { crt: 1, uf_origem: "PR", uf_destino: "PR", ..with(item.taxed(ICMS, &group(amount))) };
        of_code(&note.xml(), "base_vezes_aliquota").len()
    };
    assert_eq!(sums("155.50"), 0, "275,50 less 12 %");
    assert_eq!(sums("85.50"), 0, "275,50 less 19 %");
    assert_eq!(sums("165.50"), 1);
}

/// Natural mineral water is in an Ex of its NCM that is not under the single phase, and few documents have the Ex.
#[test]
fn a_product_that_its_ex_takes_out_of_the_single_phase_says_so() {
    let group = "<PIS><PISOutr><CST>49</CST><vBC>0.00</vBC><pPIS>0.00</pPIS><vPIS>0.00</vPIS></PISOutr></PIS>";
    let csosn = "<ICMS><ICMSSN500><orig>0</orig><CSOSN>500</CSOSN></ICMSSN500></ICMS>";
    let detail = |item: Item| {
        let item = item.with("CFOP", "5405").with("CEST", "0300600").taxed(ICMS, csosn).taxed(PIS, group);
        let note = Note { crt: 1, data: "2020-03-11T10:00:00-03:00", ..with(item) };
        of_code(&note.xml(), "monofasico_sem_cst").pop().map(|line| line.detalhe)
    };
    let words = "a TIPI tem Ex deste NCM";
    assert!(detail(sale().with("NCM", "22011000")).is_some_and(|text| text.contains(words)));
    assert!(detail(sale().with("NCM", "22030000")).is_some_and(|text| !text.contains(words)));
    assert_eq!(detail(sale().with("NCM", "22011000").with("EXTIPI", "01")), None);
}

/// The difference of rates of a carriage is of 2016 (EC 87/2015), and the rules of layout 4.00 were not those of before.
#[test]
fn a_carriage_of_before_is_not_held_to_later_rules() {
    let at = |day: &str, changes: &[(&str, &str)], code: &str| {
        let changes = [&[("2026-06-11T", day)], changes].concat();
        of_code(&changed(&changes), code).into_iter().map(|line| line.certeza.unwrap().as_str()).collect::<Vec<_>>()
    };
    let consumer = [("<indIEToma>1", "<indIEToma>9")];
    assert_eq!(at("2015-12-31T", &consumer, "sem_icmsufdest"), Vec::<&str>::new());
    assert_eq!(at("2016-01-01T", &consumer, "sem_icmsufdest"), ["conferir"]);
    let toll = [("<vRec>2000.00", "<vRec>2459.90")];
    assert_eq!(at("2024-01-31T", &toll, "total"), Vec::<&str>::new());
    assert_eq!(at("2024-02-01T", &toll, "total"), ["erro_do_documento"]);
}

/// A carrier of the Simples writes another group than its own, with zeros: its ICMS is in the DAS.
#[test]
fn a_carrier_of_the_simples_that_charges_nothing_is_not_asked_for_a_rate() {
    let zeros = [(
        "<ICMS00><CST>00</CST><vBC>2000.00</vBC><pICMS>12.00</pICMS><vICMS>240.00</vICMS></ICMS00>",
        "<ICMSOutraUF><CST>90</CST><vBCOutraUF>0.00</vBCOutraUF><pICMSOutraUF>0.00</pICMSOutraUF><vICMSOutraUF>0.00</vICMSOutraUF></ICMSOutraUF>",
    )];
    let of = |crt: &str| {
        let found = findings(&audited(&changed(&[&zeros[..], &[("<CRT>3", crt)]].concat())));
        found.into_iter().filter(|line| line.starts_with("icms ")).collect::<Vec<_>>()
    };
    assert_eq!(of("<CRT>1"), ["icms diverge crt_e_cst", "icms diverge cst_e_cfop"]);
    assert_eq!(of("<CRT>3"), ["icms diverge base", "icms diverge cst_e_cfop", "icms diverge aliquota"]);
}

/// R$ 1.000,00 to Rio de Janeiro, whose 20 % have 2 % of FCP: the seller charges 18 − 12, on the price before the discount.
#[test]
fn the_rate_that_gives_the_difference_of_the_destination_is_named() {
    let note = |amount: &str, rate: &str| {
        let own = "<ICMS><ICMS00><orig>0</orig><CST>00</CST><vBC>950.00</vBC><pICMS>12.00</pICMS><vICMS>114.00</vICMS></ICMS00></ICMS>";
        let group = format!(
            "{own}<ICMSUFDest><vBCUFDest>1000.00</vBCUFDest><pFCPUFDest>0.00</pFCPUFDest><pICMSUFDest>{rate}</pICMSUFDest>\
             <pICMSInter>12.00</pICMSInter><pICMSInterPart>100.00</pICMSInterPart><vFCPUFDest>0.00</vFCPUFDest>\
             <vICMSUFDest>{amount}</vICMSUFDest><vICMSUFRemet>0.00</vICMSUFRemet></ICMSUFDest>"
        );
        let item = sale().with("CFOP", "6102").with("vDesc", "50.00").taxed(ICMS, &group);
        let data = "2022-09-22T10:00:00-03:00";
        Note { data, id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, ..with(item) }.xml()
    };
    let (code, text) = explained(&note("60.00", "20.00"), "base_vezes_aliquota");
    assert_eq!(code, "outra_aliquota");
    assert!(text.contains("interna de 18%, e pICMSUFDest traz 20%: ela parece conter a do FCP"), "{text}");
    let (_, text) = explained(&note("60.00", "25.00"), "base_vezes_aliquota");
    assert!(text.ends_with("pICMSUFDest traz 25%"), "{text}");
    assert!(of_code(&note("61.30", "20.00"), "base_vezes_aliquota").iter().all(|line| line.explicacao.is_none()));
    let bases = of_code(&note("60.00", "20.00"), "base");
    let found = bases.into_iter().find(|line| line.tributo == "icms_consumidor_final").unwrap().explicacao.unwrap();
    assert_eq!(found.codigo, "base_e_valor");
    assert!(found.detalhe.contains("a base contém o desconto"), "{}", found.detalhe);
}

#[test]
fn a_cest_of_other_goods_says_what_the_list_has_of_the_ncm() {
    let of = |ncm: &str, cest: &str| explained(&with(sale().with("NCM", ncm).with("CEST", cest)).xml(), "cest_e_ncm");
    let (code, text) = of("10063021", "0109100");
    assert_eq!(code, "ncm_fora_da_lista");
    assert!(text.starts_with("a lista nacional não tem o NCM 10063021"), "{text}");
    let (code, text) = of("62069000", "2803800");
    assert_eq!(code, "ncm_fora_da_lista");
    assert!(text.contains("na venda porta a porta (segmento 28)"), "{text}");
    let (code, text) = of("23091000", "0100100");
    assert_eq!((code, text.starts_with("o CEST do NCM 23091000 é 2200100")), ("cest_do_ncm", true), "{text}");
}

/// Clothing is in the list for who sells from door to door alone, so a State that has it under substitution did so by itself.
#[test]
fn a_cest_that_only_sales_at_doors_have_is_not_surely_missing() {
    let withheld = "<ICMS><ICMS60><orig>0</orig><CST>60</CST></ICMS60></ICMS>";
    let certainty = |ncm: &str| {
        let item = sale().with("CFOP", "5405").with("NCM", ncm).taxed(ICMS, withheld);
        of_code(&with(item).xml(), "cest").pop().unwrap().certeza.unwrap().as_str()
    };
    assert_eq!(certainty("62069000"), "conferir");
    assert_eq!(certainty("23091000"), "erro_do_documento");
}
