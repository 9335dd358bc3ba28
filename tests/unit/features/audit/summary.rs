//! The sums of a report as data.

use std::sync::Arc;

use rust_decimal::Decimal;
use taxd::features::audit::{AuditLine, AuditPlace, AuditReport, Certainty, Layer};
use taxd_law::nfe::XmlFault;

use crate::support::day;

/// A difference of so many cents in ICMS, of a company in a month.
fn line(empresa: &str, data: &str, certainty: Certainty, cents: i64) -> AuditLine {
    let fault = XmlFault { line: 1, codigo: "xml_invalido", detail: String::new() };
    let line = AuditLine::unreadable("nota.xml", &fault).in_layer(Layer::Lei, "icms");
    let (emitente, data, produto) = (empresa.to_owned(), Some(day(data)), "P1".to_owned());
    let line = AuditLine { place: Arc::new(AuditPlace { emitente, data, produto, ..AuditPlace::default() }), ..line };
    line.with_amounts(Decimal::new(100_000 + cents, 2), Decimal::new(100_000, 2)).differing(certainty, "valor", "")
}

#[test]
fn what_is_sure_and_what_is_to_be_checked_are_added_up_apart() {
    let mut report = AuditReport::of_sums();
    report.add(line("1", "2026-03-10", Certainty::RegraPlena, 150));
    report.add(line("1", "2026-03-11", Certainty::ErroDoDocumento, -25));
    report.add(line("1", "2026-03-12", Certainty::Conferir, 300));
    report.add(line("1", "2026-03-12", Certainty::Conferir, -7));
    report.add(line("1", "2026-04-01", Certainty::Conferir, 1));
    report.add(line("2", "2026-03-10", Certainty::RegraPlena, 2));
    let summary = report.summary();
    let sums = |at: usize| {
        let sums = &summary.empresas[at].tributos[0].somas;
        [sums.a_maior, sums.a_menor, sums.a_maior_conferir, sums.a_menor_conferir].map(|sum| sum.to_string())
    };
    assert_eq!(
        summary.empresas.iter().map(|one| one.mes.as_str()).collect::<Vec<_>>(),
        ["2026-03", "2026-04", "2026-03"]
    );
    assert_eq!(sums(0), ["1.50", "0.25", "3.00", "0.07"]);
    assert_eq!(sums(1)[2], "0.01");
    assert_eq!(sums(2)[0], "0.02");
    let text = report.text(false);
    let words: Vec<&str> = text.lines().find(|line| line.starts_with("icms ")).unwrap().split_whitespace().collect();
    assert_eq!(words[5..], ["1,50", "0,25", "3,00", "0,07"], "the text has the same sums: {text}");
    assert!(!text.contains("nota.xml"), "no line is kept: {text}");
}

#[test]
fn products_are_listed_by_amount_and_the_rest_is_counted() {
    let mut report = AuditReport::of_sums();
    for number in 0..250_i64 {
        let mut one = line("1", "2026-03-10", Certainty::Conferir, number + 1);
        Arc::make_mut(&mut one.place).produto = format!("P{number:03}");
        report.add(one);
    }
    let company = report.summary().empresas.remove(0);
    assert_eq!((company.produtos.len(), company.outros_produtos), (200, 50));
    assert_eq!((company.produtos[0].produto.as_str(), company.produtos[199].produto.as_str()), ("P249", "P050"));
}

/// `taxd audit` wrote 2592,58 where `taxd calc` wrote 6.419,71.
#[test]
fn the_text_writes_amounts_with_separators() {
    let mut report = AuditReport::default();
    report.add(line("1", "2026-03-10", Certainty::RegraPlena, 259_258));
    let text = report.text(false);
    assert!(text.contains(", a maior 2.592,58\n"), "{text}");
    assert!(text.contains("[3.592,58 no documento, 1.000,00 calculado: R$ 2.592,58 a maior]"), "{text}");
}
