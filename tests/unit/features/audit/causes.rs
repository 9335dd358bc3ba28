//! What to correct: lines with one cause are one row, and nothing is lost or counted twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use rust_decimal::Decimal;
use taxd::features::audit::{
    AuditLine, AuditPlace, AuditReport, CauseOfReport, Certainty, Companies, Explanation, Layer, Verdict,
};
use taxd_law::nfe::{DocumentNumber, XmlFault};

use crate::support::day;

const COMPANY: &str = "11222333000181";

/// A difference against a rule in a note of that number.
fn line(number: u32, certainty: Certainty, codigo: &'static str, detail: &str, cents: i64) -> AuditLine {
    let fault = XmlFault { line: 1, codigo: "xml_invalido", detail: String::new() };
    let place = AuditPlace {
        arquivo: format!("{number}.xml"),
        documento: 1,
        numero: DocumentNumber { numero: number.to_string(), serie: "1".to_owned() },
        emitente: COMPANY.to_owned(),
        empresa: "11.222.333/0001-81".to_owned(),
        data: Some(day(&format!("2026-03-{:02}", number % 28 + 1))),
        ncm: "39269090".to_owned(),
        ..AuditPlace::default()
    };
    let line = AuditLine::unreadable("", &fault).in_layer(Layer::Lei, "cofins");
    let line = AuditLine { place: Arc::new(place), ..line };
    line.with_amounts(Decimal::new(10_000 + cents, 2), Decimal::new(10_000, 2)).differing(certainty, codigo, detail)
}

fn with(line: AuditLine, change: impl FnOnce(&mut AuditPlace)) -> AuditLine {
    let mut place = (*line.place).clone();
    change(&mut place);
    AuditLine { place: Arc::new(place), ..line }
}

fn explained(line: AuditLine, detalhe: &str) -> AuditLine {
    AuditLine { explicacao: Some(Explanation { codigo: "icms_na_base", detalhe: detalhe.to_owned() }), ..line }
}

fn causes(lines: impl IntoIterator<Item = AuditLine>) -> Vec<CauseOfReport> {
    let mut report = AuditReport::of_sums();
    lines.into_iter().for_each(|line| report.add(line));
    report.causes(COMPANY)
}

#[test]
fn many_notes_with_one_cause_are_one_row() {
    let one = |number: u32| {
        let detail = "a alíquota confere, e a base não";
        let line = line(100 + number, Certainty::RegraPlena, "base", detail, i64::from(number));
        let line = with(line, |place| place.ncm = format!("3926909{}", number % 10));
        explained(line, "a base contém o ICMS, que sai dela (RE 574.706)")
    };
    let found = causes((1..=39).map(one));
    assert_eq!(found.len(), 1, "{found:?}");
    let row = &found[0];
    assert_eq!((row.notas, row.linhas, row.numeros.as_str()), (39, 39, "101, 102, 103, 104, 105, 106 e mais 33"));
    assert_eq!((row.a_maior, row.a_menor), (Decimal::new((1..=39).sum(), 2), Decimal::ZERO));
    let days = [row.desde, row.ate].map(|day| day.unwrap().to_string());
    assert_eq!(days, ["2026-03-01", "2026-03-28"]);
    assert_eq!(
        row.resumo,
        "o imposto foi calculado sobre um valor que não é o da lei: a base contém o ICMS, que sai dela"
    );
    assert_eq!(row.ncm, "39269091, 39269092, 39269093, 39269094 e outros");
}

#[test]
fn amounts_and_days_of_a_note_do_not_separate_causes_and_rates_do() {
    let detail = |declared: &str, rate: &str| format!("a conta dá {declared}, de 03/03/2026: {rate}% no documento");
    let one = |number, declared: &str, rate| {
        let line = line(number, Certainty::ErroDoDocumento, "valor", &detail(declared, rate), 1);
        with(line, |place| place.ncm = String::new())
    };
    let found = causes([one(1, "7,40", "18,00"), one(2, "1.230,99", "18,00"), one(3, "7,40", "12,00")]);
    let sentences: Vec<&str> = found.iter().map(|row| row.detalhe.as_str()).collect();
    assert_eq!(
        sentences,
        ["a conta dá …, de 03/03/2026: 18,00% no documento", "a conta dá 7,40, de 03/03/2026: 12,00% no documento"]
    );
}

#[test]
fn a_product_and_a_certainty_separate_causes_against_a_rule_and_certain_ones_come_first() {
    let detail = "a alíquota e o valor divergem";
    let one = |number, certainty, cents| line(number, certainty, "aliquota", detail, cents);
    let other = with(one(4, Certainty::RegraPlena, 1), |place| place.ncm = "22030000".to_owned());
    let found = causes([
        one(1, Certainty::Conferir, 90_000),
        one(2, Certainty::RegraPlena, -500),
        one(2, Certainty::RegraPlena, 700),
        other,
    ]);
    let rows: Vec<_> = found.iter().map(|row| (row.certeza, row.ncm.as_str(), row.notas, row.linhas)).collect();
    assert_eq!(
        rows,
        [
            (Some(Certainty::RegraPlena), "39269090", 1, 2),
            (Some(Certainty::RegraPlena), "22030000", 1, 1),
            (Some(Certainty::Conferir), "39269090", 1, 1),
        ]
    );
    let sums = |row: &CauseOfReport| [row.a_maior, row.a_menor].map(|sum| sum.to_string());
    assert_eq!([sums(&found[0]), sums(&found[2])], [["7.00", "5.00"], ["900.00", "0"]]);
    assert!(found[2].o_que_fazer.starts_with("Confirme"), "{found:?}");
}

/// Lines by a generator, added up by their causes and one by one.
#[test]
fn the_causes_add_up_to_the_lines() {
    const CODES: [&str; 4] = ["valor", "base", "aliquota", "soma"];
    let mut state = 0x9e37_79b9_u64;
    let mut next = |below: u64| -> usize {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % below).unwrap()
    };
    for _ in 0..50 {
        let mut report = AuditReport::of_sums();
        // By whether it is sure: lines, over, under.
        let mut naive: BTreeMap<bool, (u64, Decimal, Decimal)> = BTreeMap::new();
        for _ in 0..next(400) {
            let number = u32::try_from(next(30)).unwrap();
            let certainty = [Certainty::ErroDoDocumento, Certainty::RegraPlena, Certainty::Conferir][next(3)];
            let cents = i64::try_from(next(20_001)).unwrap() - 10_000;
            let detail = format!("o documento traz {},00, e a lei {}%", next(50), next(3));
            let mut one = line(number, certainty, CODES[next(4)], &detail, cents);
            one.tributo = ["pis", "cofins", "icms"][next(3)];
            one.camada = [Layer::Lei, Layer::Aritmetica, Layer::Coerencia][next(3)];
            if next(3) == 0 {
                one = explained(one, &format!("a base contém {},10", next(5)));
            }
            let sums = naive.entry(certainty == Certainty::Conferir).or_default();
            sums.0 += 1;
            if one.camada == Layer::Lei {
                let difference = Decimal::new(cents, 2);
                let side = if cents < 0 { &mut sums.2 } else { &mut sums.1 };
                *side += difference.abs();
            }
            report.add(one);
        }
        let mut merged: BTreeMap<bool, (u64, Decimal, Decimal)> = BTreeMap::new();
        for row in report.causes(COMPANY) {
            let sums = merged.entry(row.certeza == Some(Certainty::Conferir)).or_default();
            *sums = (sums.0 + row.linhas, sums.1 + row.a_maior, sums.2 + row.a_menor);
            assert!(row.notas <= row.linhas && row.notas > 0, "{row:?}");
        }
        assert_eq!(merged, naive);
    }
}

/// A file of a stranger may have a sentence of its own in each line: the memory is bounded by the number of causes.
#[test]
fn causes_beyond_the_limit_are_added_up() {
    let mut report = AuditReport::of_sums();
    for number in 0..10_300_u32 {
        let detail = format!("código {number}x");
        report.add(line(1, Certainty::RegraPlena, "valor", &detail, 1));
    }
    let found = report.causes(COMPANY);
    assert_eq!(found.len(), 10_001);
    let others = found.iter().find(|row| row.codigo == "outras_causas").unwrap();
    assert_eq!((others.linhas, others.a_maior), (300, Decimal::new(300, 2)));
    assert_eq!(found.iter().map(|row| row.linhas).sum::<u64>(), 10_300);
}

#[test]
fn a_company_has_the_name_that_the_firm_gives_it() {
    let file = "cnpj;nome;regime\n11222333000181;Padaria São José & Filhos;Simples Nacional\n99888777;Rede;\n";
    let names = Companies::parse(file).unwrap().names().clone();
    assert_eq!(
        (names.of(COMPANY), names.of("99888777000155"), names.of("1")),
        ("Padaria São José & Filhos", "Rede", "")
    );
    assert_eq!((names.client_of("99888777000155"), names.client_of("55666777000181")), (Some("99888777"), None));
    let mut report = AuditReport::default().named(names);
    report.add(line(7, Certainty::RegraPlena, "valor", "o valor não confere", 1_234));
    report.add(line(8, Certainty::Conferir, "cest", "o CEST falta", 0));
    let text = report.text(false);
    assert!(text.starts_with("O QUE CORRIGIR: 11.222.333/0001-81, Padaria São José & Filhos\n"), "{text}");
    let message = report.message(COMPANY);
    assert_eq!(
        message,
        "Conferência das notas fiscais de março de 2026\n\
         Padaria São José & Filhos, 11.222.333/0001-81\n\
         \n\
         PARA CORRIGIR\n\
         1. COFINS: o valor do imposto não é o da lei. 1 nota (7), de 08/03/2026. R$ 12,34 a mais.\n\
         O que fazer: Corrija o cadastro no programa que emite as notas; veja com o escritório o que se recupera das notas já emitidas.\n\
         \n\
         PARA CONFIRMAR, pode estar certo\n\
         1. COFINS: o código CEST falta ou não é o do produto. 1 nota (8), de 09/03/2026.\n\
         O que fazer: Confirme com o escritório antes de mudar: pode estar certo por um motivo que a nota não mostra.\n"
    );
}

/// The firm's file has a company by its root: its establishments are one client.
#[test]
fn establishments_of_a_named_root_are_one_company() {
    let names = Companies::parse("[[empresa]]\ncnpj = \"11222333\"\nnome = \"Rede\"\n").unwrap().names().clone();
    let mut report = AuditReport::default().named(names);
    let shop = |number, emitente: &str, empresa: &str| {
        with(line(number, Certainty::RegraPlena, "valor", "o valor não confere", 100), |place| {
            (place.emitente, place.empresa) = (emitente.to_owned(), empresa.to_owned());
        })
    };
    report.add(shop(1, COMPANY, "11.222.333/0001-81"));
    report.add(shop(2, "11222333000262", "11.222.333/0002-62"));
    report.add(shop(3, "55666777000181", "55.666.777/0001-81"));
    assert_eq!(report.companies().collect::<Vec<_>>(), ["11222333", "55666777000181"]);
    assert_eq!(report.name_of("11222333"), ("Rede", "11.222.333"));
    let found = report.causes("11222333");
    assert_eq!((found.len(), found[0].notas, found[0].a_maior), (1, 2, Decimal::new(200, 2)));
    let text = report.text(false);
    assert_eq!(text.matches("O QUE CORRIGIR: 11.222.333, Rede").count(), 1, "{text}");
    assert_eq!(text.matches("EMPRESA 11.222.333/").count(), 2, "{text}");
}

#[test]
fn a_company_without_errors_has_a_message_that_says_so() {
    let mut report = AuditReport::of_sums();
    let agreeing = line(1, Certainty::RegraPlena, "valor", "", 0);
    report.add(AuditLine { veredito: Verdict::Confere, certeza: None, codigo: None, ..agreeing });
    let message = report.message(COMPANY);
    assert!(message.contains("\nNada a corrigir no que foi conferido.\n"), "{message}");
}
