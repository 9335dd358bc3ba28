//! What the audit said of authorised documents and was not so, and faults of theirs that it did not see.

use super::audited;
use super::documents::{COFINS, IBSCBS, ICMS, Item, Note, PIS, sale};
use taxd::features::audit::{AuditLine, Certainty};

/// The lines about a tax, each as layer, verdict, certainty and code.
fn of(tributo: &str, xml: &str) -> Vec<String> {
    let text = |line: &AuditLine| {
        let certainty = line.certeza.map(Certainty::as_str).unwrap_or_default();
        let code = line.codigo.unwrap_or_default();
        [line.camada.as_str(), line.veredito.as_str(), certainty, code].join(" ").trim_end().to_owned()
    };
    audited(xml).iter().filter(|line| line.tributo == tributo).map(text).collect()
}

fn with(item: Item) -> Note {
    Note { items: vec![item], total: "<IBSCBSTot></IBSCBSTot>".to_owned(), ..Note::default() }
}

/// Freight of R$ 100,00 on a sale of R$ 1.000,00, in the base of the ICMS or not, and who has it carried.
#[test]
fn freight_is_in_the_base_of_the_icms_if_the_seller_has_the_goods_carried() {
    let asked = |mode: &str, base: &str, amount: &str| {
        let group = ICMS.replace("18.00</pICMS>", "7.00</pICMS>").replace("1000.00", base).replace("180.00", amount);
        let item = sale().with("NCM", "39241000").with("CFOP", "6102").with("vFrete", "100.00").taxed(ICMS, &group);
        let note = Note { data: "2025-03-10T10:00:00-03:00", id_dest: 2, uf_destino: "BA", ..with(item) };
        of("icms", &note.xml().replace("<total>", &format!("<transp><modFrete>{mode}</modFrete></transp><total>")))
    };
    for mode in ["0", "3"] {
        assert_eq!(asked(mode, "1100.00", "77.00"), ["lei confere"], "modFrete {mode}");
        assert_eq!(asked(mode, "1000.00", "70.00"), ["lei confere_aliquota regra_plena base"], "modFrete {mode}");
    }
    for mode in ["1", "2", "4"] {
        assert_eq!(asked(mode, "1000.00", "70.00"), ["lei confere"], "modFrete {mode}");
        assert_eq!(asked(mode, "1100.00", "77.00"), ["lei confere_aliquota conferir base"], "modFrete {mode}");
    }
}

/// STJ, Tema 1.125: R$ 100,00 that were withheld in the purchase may leave the base, and need not.
#[test]
fn icms_withheld_before_is_in_the_base_of_pis_or_not_as_the_document_has_it() {
    let group = "<ICMS><ICMS60><orig>0</orig><CST>60</CST><vICMSSTRet>100.00</vICMSSTRet></ICMS60></ICMS>";
    let asked = |base: &str, amount: &str| {
        let item = sale().with("CFOP", "5405").taxed(ICMS, group).taxed("<vBC>820.00", &format!("<vBC>{base}"));
        of("pis", &with(item.taxed("<vPIS>13.53", &format!("<vPIS>{amount}"))).xml())
    };
    assert_eq!(asked("900.00", "14.85"), ["lei confere"]);
    assert_eq!(asked("1000.00", "16.50"), ["lei confere"]);
    assert_eq!(asked("950.00", "15.68"), ["lei confere_aliquota conferir base"]);
}

#[test]
fn cst_01_with_a_rate_of_zero_contradicts_itself() {
    let zero = |xml: &str| xml.replace("<pPIS>1.65</pPIS><vPIS>13.53", "<pPIS>0.00</pPIS><vPIS>0.00");
    let note = with(sale());
    assert!(of("pis", &zero(&note.xml())).contains(&"coerencia diverge erro_do_documento cst_e_valor".to_owned()));
    let simples = Note { crt: 1, ..note.clone() }.xml();
    let without_base = note.xml().replace("<vBC>820.00</vBC><pPIS>", "<vBC>0.00</vBC><pPIS>");
    for xml in [simples, without_base] {
        assert!(!of("pis", &zero(&xml)).iter().any(|one| one.contains("cst_e_valor")), "{xml}");
    }
}

/// cClassTrib 510001: the whole is deferred, and the rule leaves nothing to pay.
#[test]
fn a_deferral_that_the_classification_gives_agrees() {
    let deferred = IBSCBS
        .replace("<CST>000</CST><cClassTrib>000001", "<CST>510</CST><cClassTrib>510001")
        .replace("</pIBSUF><vIBSUF>0.74", "</pIBSUF><gDif><pDif>100.0000</pDif><vDif>0.74</vDif></gDif><vIBSUF>0.00")
        .replace("<vIBS>0.74", "<vIBS>0.00")
        .replace("</pCBS><vCBS>6.70", "</pCBS><gDif><pDif>100.0000</pDif><vDif>6.70</vDif></gDif><vCBS>0.00");
    let xml = with(sale().taxed(IBSCBS, &deferred)).xml();
    for tributo in ["cbs", "ibs"] {
        assert_eq!(of(tributo, &xml), ["lei confere"]);
    }
    let ordinary = xml.replace("<CST>510</CST><cClassTrib>510001", "<CST>000</CST><cClassTrib>000001");
    assert_eq!(of("cbs", &ordinary), ["lei confere"], "what is deferred of an ordinary sale is due later");
    let half = xml.replace("<vDif>6.70</vDif></gDif><vCBS>0.00", "<vDif>3.35</vDif></gDif><vCBS>3.35");
    let half = half.replace("<pDif>100.0000</pDif><vDif>3.35", "<pDif>50.0000</pDif><vDif>3.35");
    assert_eq!(of("cbs", &half), ["lei diverge conferir valor"]);
}

/// The technical note deducts the presumed credit of codes 4 and 7 (rule UB54a-10), and has totals of what is deferred
/// (W38-10, W53-10).
#[test]
fn ibs_net_of_a_presumed_credit_agrees_and_a_wrong_total_of_deferrals_does_not() {
    let credit = "<vIBS>0.24</vIBS>";
    let group = "</gIBSCBS><gCredPresOper><vBCCredPres>500.00</vBCCredPres><cCredPres>4</cCredPres>\
        <gIBSCredPres><pCredPres>0.1000</pCredPres><vCredPres>0.50</vCredPres></gIBSCredPres></gCredPresOper></IBSCBS>";
    let net = IBSCBS.replace("<vIBS>0.74</vIBS>", credit).replace("</gIBSCBS></IBSCBS>", group);
    assert_eq!(of("ibs", &with(sale().taxed(IBSCBS, &net)).xml()), ["lei confere"]);
    let wrong = net.replace("<vIBS>0.24", "<vIBS>0.34");
    let found = of("ibs", &with(sale().taxed(IBSCBS, &wrong)).xml());
    assert_eq!(found, ["aritmetica diverge erro_do_documento soma", "lei confere"]);
    let total = "<IBSCBSTot><gIBS><gIBSUF><vDif>7.40</vDif></gIBSUF></gIBS></IBSCBSTot>".to_owned();
    let found = of("ibs", &Note { total, ..with(sale()) }.xml());
    assert_eq!(found, ["lei confere", "aritmetica diverge erro_do_documento total"]);
}

/// Fuels under the single-phase regime: by unit, and in the transition on a value (NT 2026, UB96c-10, UB101c-10).
#[test]
fn the_products_of_the_single_phase_groups_are_compared() {
    let by_unit = "<gMonoPadrao><qBCMono>45.0000</qBCMono><adRemIBS>0.0100</adRemIBS><adRemCBS>0.0900</adRemCBS>\
        <vIBSMono>0.45</vIBSMono><vCBSMono>4.05</vCBSMono></gMonoPadrao>";
    let by_value = "<gCBSMonoAdValorem><gMonoPadrao><vBCMono>700.00</vBCMono><pAliqMonoCBS>0.9000</pAliqMonoCBS>\
        <vCBSMono>6.30</vCBSMono></gMonoPadrao></gCBSMonoAdValorem>";
    let sums = |group: &str| {
        let reform =
            format!("<IBSCBS><CST>620</CST><cClassTrib>620001</cClassTrib><gIBSCBSMono>{group}</gIBSCBSMono></IBSCBS>");
        let xml = with(sale().taxed(IBSCBS, &reform)).xml();
        let found = ["ibs", "cbs"].into_iter().flat_map(|tributo| of(tributo, &xml));
        found.filter(|one| one.starts_with("aritmetica")).collect::<Vec<_>>()
    };
    for right in [by_unit, by_value] {
        assert_eq!(sums(right), Vec::<String>::new());
    }
    let unit = "aritmetica diverge erro_do_documento quantidade_vezes_unidade";
    assert_eq!(sums(&by_unit.replace("<vIBSMono>0.45", "<vIBSMono>4.50")), [unit]);
    assert_eq!(sums(&by_unit.replace("<vCBSMono>4.05", "<vCBSMono>4.07")), [unit]);
    // Its layout is in production since 16 November 2026, and this sale is of March.
    assert_eq!(sums(&by_value.replace("6.30", "7.30")), ["aritmetica diverge conferir base_vezes_aliquota"]);
}

/// A sale of R$ 350,00 with a discount of R$ 17,50 to a consumer in RJ, who writes 18 % and the FCP of 2 % as 20 %.
#[test]
fn a_rate_that_includes_the_fcp_agrees_and_the_group_of_the_destination_is_of_other_states() {
    let destination = "<ICMSUFDest><vBCUFDest>350.00</vBCUFDest><pFCPUFDest>0.00</pFCPUFDest><pICMSUFDest>20.00</pICMSUFDest>\
        <pICMSInter>12.00</pICMSInter><pICMSInterPart>100.00</pICMSInterPart><vFCPUFDest>0.00</vFCPUFDest>\
        <vICMSUFDest>28.00</vICMSUFDest></ICMSUFDest>";
    let own = ICMS.replace("1000.00", "332.50").replace("18.00</pICMS>", "12.00</pICMS>").replace("180.00", "39.90");
    let item = sale().with("NCM", "62042900").with("CFOP", "6108").with("vProd", "350.00").with("vDesc", "17.50");
    let item = item.taxed(ICMS, &(own + destination));
    let to_rj = Note {
        data: "2022-09-22T10:00:00-03:00",
        id_dest: 2,
        uf_origem: "PE",
        uf_destino: "RJ",
        ind_final: 1,
        ind_ie_dest: 9,
        ..with(item)
    };
    let lines = of("icms_consumidor_final", &to_rj.xml());
    assert!(lines.iter().any(|line| line.ends_with(" base")), "{lines:?}");
    let internal = Note { id_dest: 1, uf_destino: "PE", ..to_rj };
    assert_eq!(
        of("icms_consumidor_final", &internal.xml()),
        ["coerencia diverge erro_do_documento icmsufdest_interna"]
    );
}

/// A buyer who consumes pays the difference of rates: its base is the price, and no margin.
#[test]
fn substitution_of_the_difference_alone_is_not_compared_with_a_margin() {
    let group = "<ICMS><ICMS10><orig>0</orig><CST>10</CST><vBC>1000.00</vBC><pICMS>12.00</pICMS><vICMS>120.00</vICMS>\
        <modBCST>6</modBCST><vBCST>1000.00</vBCST><pICMSST>18.00</pICMSST><vICMSST>60.00</vICMSST></ICMS10></ICMS>";
    let item = sale().with("NCM", "40118090").with("CEST", "1600400").with("CFOP", "6404").taxed(ICMS, group);
    let note = Note { uf_origem: "MG", id_dest: 2, ind_final: 1, ..with(item) };
    assert_eq!(of("icms_st", &note.xml()), ["lei recusado  base_propria"]);
}

/// 12,95 with a margin of 26,51 % are 16,38; the document has 16,40, and the tax is 0,69 of either.
#[test]
fn cents_of_a_base_that_change_no_tax_are_not_a_fault() {
    let group = |base: &str, amount: &str| {
        format!(
            "<ICMS><ICMS10><orig>0</orig><CST>10</CST><vBC>12.95</vBC><pICMS>20.00</pICMS><vICMS>2.59</vICMS><modBCST>4</modBCST>\
             <pMVAST>26.5100</pMVAST><vBCST>{base}</vBCST><pICMSST>20.00</pICMSST><vICMSST>{amount}</vICMSST></ICMS10></ICMS>"
        )
    };
    let sums = |base: &str, amount: &str| {
        let item = sale().with("vProd", "12.81").with("vOutro", "0.14").with("qCom", "1").with("vUnCom", "12.81");
        let found = of("icms_st", &with(item.with("CFOP", "5403").taxed(ICMS, &group(base, amount))).xml());
        found.iter().any(|one| one.ends_with("base_pela_margem"))
    };
    assert!(!sums("16.40", "0.69"));
    assert!(sums("16.45", "0.70"));
}

#[test]
fn a_base_of_the_fcp_of_zero_is_right_where_no_fcp_is_charged() {
    let group = |fcp: &str| ICMS.replace("</vICMS>", &format!("</vICMS>{fcp}"));
    let sums = |fcp: &str| {
        let found = of("icms", &with(sale().taxed(ICMS, &group(fcp))).xml());
        found.iter().any(|one| one.ends_with("base_do_fcp"))
    };
    assert!(!sums("<vBCFCP>0.00</vBCFCP><pFCP>0.00</pFCP><vFCP>0.00</vFCP>"));
    assert!(sums("<vBCFCP>900.00</vBCFCP><pFCP>0.00</pFCP><vFCP>0.00</vFCP>"));
    assert!(sums("<vBCFCP>0.00</vBCFCP><pFCP>2.00</pFCP><vFCP>20.00</vFCP>"));
}

/// An invoice of services of the Simples: the rate is printed, and the ISS is in the DAS.
#[test]
fn iss_of_zero_of_a_company_of_the_simples_is_right() {
    let invoice = |simples: &str, amount: &str| {
        format!(
            "<CompNfse><Nfse><InfNfse><Numero>1</Numero><DataEmissao>2026-03-31T10:00:00</DataEmissao>\
             <OptanteSimplesNacional>{simples}</OptanteSimplesNacional><Servico><Valores><ValorServicos>1000.00</ValorServicos>\
             <BaseCalculo>1000.00</BaseCalculo><Aliquota>2.00</Aliquota><ValorIss>{amount}</ValorIss></Valores>\
             <ItemListaServico>1.07</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico></InfNfse></Nfse></CompNfse>"
        )
    };
    let is_fault = |xml: String| of("iss", &xml).iter().any(|one| one.starts_with("aritmetica"));
    assert!(!is_fault(invoice("1", "0.00")));
    assert!(is_fault(invoice("1", "10.00")) && is_fault(invoice("2", "0.00")));
}

#[test]
fn a_rejected_document_is_not_compared() {
    let key = "35260311222333000181550010000000041000000045";
    let xml =
        with(sale().taxed(PIS, "").taxed(COFINS, "")).xml().replace("<infNFe ", &format!("<infNFe Id=\"NFe{key}\" "));
    let judged = |code: &str| {
        let protocol = format!("<protNFe><infProt><chNFe>{key}</chNFe><cStat>{code}</cStat></infProt></protNFe>");
        of("documento", &format!("<nfeProc>{xml}{protocol}</nfeProc>"))
    };
    assert_eq!(judged("204"), ["arquivo nao_se_aplica  documento_rejeitado"]);
    assert_eq!(judged("100"), Vec::<String>::new());
}

/// Some systems write the event that cancels a note into the file of the note.
#[test]
fn a_note_with_its_cancellation_in_its_file_is_not_compared() {
    let key = "35260311222333000181550010000000041000000045";
    let note = with(sale()).xml().replace("<infNFe ", &format!("<infNFe Id=\"NFe{key}\" "));
    let with_event = |kind: &str, status: &str| {
        format!(
            "<nfeProc>{note}<protNFe><infProt><chNFe>{key}</chNFe><cStat>100</cStat></infProt></protNFe><retEvento><infEvento>\
             <cStat>{status}</cStat><chNFe>{key}</chNFe><tpEvento>{kind}</tpEvento></infEvento></retEvento></nfeProc>"
        )
    };
    assert_eq!(of("documento", &with_event("110111", "135")), ["arquivo nao_se_aplica  documento_cancelado"]);
    assert_eq!(of("documento", &with_event("110111", "494")), Vec::<String>::new(), "an event that was rejected");
    assert_eq!(of("documento", &with_event("110110", "135")), Vec::<String>::new(), "a letter of correction");
}

/// Tyres from MG to SP by the original margin of 54,45 %: the optante of the Simples does not adjust it (Convênio ICMS
/// 35/2011). 1.544,50 × 18 % less 1.000,00 × 12 % are 158,01; by the adjusted margin, of another seller, 178,35.
#[test]
fn substitution_of_a_seller_of_the_simples_is_by_the_original_margin() {
    let group = |margin: &str, base: &str, amount: &str| {
        format!(
            "<ICMS><ICMSSN202><orig>0</orig><CSOSN>202</CSOSN><modBCST>4</modBCST><pMVAST>{margin}</pMVAST>\
             <vBCST>{base}</vBCST><pICMSST>18.00</pICMSST><vICMSST>{amount}</vICMSST></ICMSSN202></ICMS>"
        )
    };
    let asked = |group: &str| {
        let item = sale().with("NCM", "40118090").with("CEST", "1600400").with("CFOP", "6401").taxed(ICMS, group);
        of("icms_st", &Note { crt: 1, id_dest: 2, uf_origem: "MG", ..with(item) }.xml())
    };
    assert_eq!(asked(&group("54.45", "1544.50", "158.01")), ["lei confere"]);
    assert_eq!(asked(&group("65.75", "1657.50", "178.35")), ["lei diverge conferir valor"]);
}
