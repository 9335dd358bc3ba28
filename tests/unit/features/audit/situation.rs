//! CFOPs and codes that charge no tax, or that States treat differently.

use taxd::features::audit::{AuditLine, Certainty, Verdict};

use super::documents::{ICMS, Item, Note, PIS, sale};
use super::{audited, audited_of};

fn with(item: Item) -> Vec<AuditLine> {
    audited(&Note { items: vec![item], ..Note::default() }.xml())
}

#[track_caller]
fn of<'l>(lines: &'l [AuditLine], tributo: &str) -> &'l AuditLine {
    lines.iter().find(|line| line.tributo == tributo && line.item == Some(1) && line.camada.as_str() == "lei").unwrap()
}

#[test]
fn returns_and_entries_of_the_ledger_charge_nothing_of_their_own() {
    let cases = [
        (["5205", "5206", "5207"].as_slice(), "anulação"),
        (&["5213", "5214", "5215", "5216"], "devolução"),
        (&["5601", "5602", "5603", "5605", "5606"], "sem mercadoria"),
        (&["5663", "5664", "5665", "5666"], "remessa com retorno"),
        (&["5926"], "kit"),
        (&["5927"], "perda"),
        (&["5931"], "frete"),
        (&["5451", "5455", "5554", "5920"], "remessa com retorno"),
        (&["5501", "6502"], "exportação"),
        (&["5504", "5505"], "lote de exportação"),
    ];
    for (cfops, reason) in cases {
        for cfop in cfops {
            let lines = with(sale().with("CFOP", cfop));
            let line = of(&lines, "item");
            assert_eq!(line.veredito, Verdict::NaoSeAplica, "CFOP {cfop}");
            assert!(line.detalhe.contains(reason), "CFOP {cfop}: {}", line.detalhe);
        }
    }
}

/// The base was the cost of the goods, which no document shows. The line once said that nothing was due.
#[test]
fn a_transfer_before_2024_is_refused_and_not_called_free() {
    let of_day = |data: &'static str| {
        let item = sale().with("CFOP", "5152");
        let lines = audited(&Note { data, items: vec![item], ..Note::default() }.xml());
        let of_icms = |line: &AuditLine| line.camada.as_str() == "lei" && matches!(line.tributo, "item" | "icms");
        lines.into_iter().find(of_icms).unwrap().codigo
    };
    assert_eq!(of_day("2023-12-31T23:00:00-03:00"), Some("base_propria"));
    assert_eq!(of_day("2024-01-01T00:00:00-03:00"), Some("transferencia_tributada"));
}

/// The whole item was once called free, so a maker that left out the IPI had no finding. ICMS on the document is the
/// credit that the transfer hands on, or the option to tax it.
#[test]
fn a_transfer_owes_ipi_and_its_icms_is_to_be_checked() {
    let company = "[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = true\n";
    let of_item = |cfop: &str, icms: &str| {
        let item = sale().with("CFOP", cfop).with("NCM", "22030000").taxed(ICMS, icms);
        audited_of(Note { items: vec![item], ..Note::default() }.xml().as_bytes(), company)
    };
    let free = "<ICMS><ICMS40><orig>0</orig><CST>41</CST></ICMS40></ICMS>";
    for cfop in ["5151", "5408"] {
        let lines = of_item(cfop, free);
        let ipi = of(&lines, "ipi");
        assert_eq!((ipi.veredito, ipi.certeza), (Verdict::Diverge, Some(Certainty::Conferir)), "{}", ipi.detalhe);
        for tributo in ["icms", "pis", "cofins", "cbs", "ibs"] {
            assert_eq!(of(&lines, tributo).veredito, Verdict::NaoSeAplica, "CFOP {cfop}: {tributo}");
        }
    }
    for cfop in ["5152", "5409", "5552", "5557"] {
        assert_eq!(of(&of_item(cfop, free), "ipi").veredito, Verdict::NaoSeAplica, "CFOP {cfop}");
    }
    let without =
        ICMS.replace("<CST>00</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00", "<CST>00</CST><vICMS>0.00");
    let lines = of_item("5152", &without);
    assert!(of(&lines, "icms").detalhe.contains("LC 204/2023"), "{:?}", of(&lines, "icms"));
}

/// A transfer of 39 items once had 39 lines. Its document has one line, with the items and their ICMS.
#[test]
fn the_icms_of_a_transfer_is_one_line_of_its_document() {
    let item = || sale().with("CFOP", "5152");
    let free = item().taxed(ICMS, "<ICMS><ICMS40><orig>0</orig><CST>41</CST></ICMS40></ICMS>");
    let note = Note { items: vec![item(), free, item(), sale()], ..Note::default() };
    let lines = audited(&note.xml());
    let found = lines.iter().filter(|line| line.codigo == Some("transferencia_tributada"));
    let [line] = found.collect::<Vec<_>>()[..] else { panic!("{lines:?}") };
    assert_eq!((line.item, line.certeza), (None, Some(Certainty::Conferir)));
    assert!(line.detalhe.contains("art. 12, §§ 4º e 5º"), "{}", line.detalhe);
    assert!(line.detalhe.ends_with("(itens: 1, 3; ICMS: R$ 360,00)"), "{}", line.detalhe);
}

/// States say themselves what such an exit charges, so a difference is to be checked, and no revenue is taxed.
#[test]
fn an_exit_that_states_treat_differently_is_to_be_checked() {
    let by_state = ["5904", "5657", "5414", "5928"].map(|cfop| (cfop, "Estado"));
    for (cfop, why) in by_state.into_iter().chain([("5911", "amostra grátis"), ("5949", "não diz qual")]) {
        let icms = ICMS.replace("18.00", "12.00").replace("180.00", "120.00");
        let lines = with(sale().with("CFOP", cfop).taxed(ICMS, &icms));
        let icms = of(&lines, "icms");
        assert_eq!((icms.veredito, icms.certeza), (Verdict::Diverge, Some(Certainty::Conferir)), "CFOP {cfop}");
        assert!(icms.detalhe.contains(why), "CFOP {cfop}: {}", icms.detalhe);
        assert_eq!(of(&lines, "pis").veredito, Verdict::NaoSeAplica, "CFOP {cfop}");
    }
}

/// A service under 933 is revenue; other codes of 9xx are not.
#[test]
fn a_service_on_a_note_of_goods_is_revenue() {
    let pis = PIS.replace("1.65", "0.65").replace("13.53", "5.33");
    let service = with(sale().with("CFOP", "5933").taxed(PIS, &pis));
    assert!(of(&service, "pis").veredito.differs(), "{:?}", of(&service, "pis"));
    let other = with(sale().with("CFOP", "5949").taxed(PIS, &pis));
    assert_eq!(of(&other, "pis").veredito, Verdict::NaoSeAplica);
}

fn service(iss: &str, crt: u8) -> Vec<AuditLine> {
    let group = format!(
        "<ISSQN><vBC>900.00</vBC><vAliq>2.90</vAliq><vISSQN>26.10</vISSQN><cMunFG>3550308</cMunFG><cListServ>01.07</cListServ>{iss}</ISSQN>"
    );
    let item = Item { imposto: group, ..sale() };
    audited(&Note { crt, items: vec![item], total: String::new(), ..Note::default() }.xml())
}

/// A company above the limit of the Simples pays ISS outside of it.
#[test]
fn iss_of_a_company_above_the_limit_of_the_simples_is_compared() {
    let deduction = "<vDeducao>100.00</vDeducao><indISS>1</indISS>";
    assert_eq!(of(&service(deduction, 2), "iss").veredito, Verdict::Confere, "{:?}", of(&service(deduction, 2), "iss"));
    assert_eq!(of(&service(deduction, 3), "iss").veredito, Verdict::Confere);
    assert_eq!(of(&service(deduction, 1), "iss").veredito, Verdict::NaoSeAplica);
    assert_eq!(of(&service("<indISS>1</indISS>", 3), "iss").veredito, Verdict::ConfereAliquota, "no deduction");
    for not_due in 2..=7 {
        let lines = service(&format!("<vDeducao>100.00</vDeducao><indISS>{not_due}</indISS>"), 3);
        assert_eq!(of(&lines, "iss").veredito, Verdict::NaoSeAplica, "indISS {not_due}");
    }
}

/// An importer is treated as a maker (RIPI, art. 9º, I).
#[test]
fn an_importer_that_charges_no_ipi_is_found() {
    let company = "[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = true\n";
    let ipi = |origin: &str| {
        let item = sale().taxed("<orig>0", &format!("<orig>{origin}")).with("NCM", "22030000");
        let lines = audited_of(Note { items: vec![item], ..Note::default() }.xml().as_bytes(), company);
        let line = of(&lines, "ipi").clone();
        (line.veredito, line.detalhe)
    };
    assert_eq!(ipi("1").0, Verdict::Diverge, "{:?}", ipi("1"));
    assert_eq!(ipi("2").0, Verdict::NaoSeAplica, "{:?}", ipi("2"));
}

/// SEFAZ rejects a CFOP of another State with idDest 1 (732); fuel that is consumed abroad may have 7xxx (731).
#[test]
fn the_first_digit_of_the_cfop_follows_the_destination() {
    let codes = |item: Item| -> Vec<&'static str> {
        with(item).into_iter().filter_map(|line| line.codigo).filter(|code| *code == "cfop_e_destino").collect()
    };
    assert_eq!(codes(sale().with("CFOP", "6102")).len(), 1);
    assert_eq!(codes(sale().with("CFOP", "7667")).len(), 1);
    assert_eq!(codes(sale().with("CFOP", "7667").with("comb", "<UFCons>EX</UFCons>")).len(), 0);
}
