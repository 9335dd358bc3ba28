//! The TIPI of the RFB: what is imported of it answers as its lines say from its first day, also after a later table; the
//! same table adds nothing the second time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{Seek, Write};

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd::features::sources::report::TableReport;
use taxd::features::sources::tipi;
use taxd_base::value::Date;
use taxd_core::engine::{BundleFile, Engine, Filter};

use super::listed;
use crate::sheet::{archive, workbook};
use crate::support::{built_in_engine, calculate as answer, engine, engine_with, import, rule, with};

const TITLES: &str = "\"TABELA DE INCIDÊNCIA (TIPI)\n(Aprovada pelo Decreto nº 11.158, de 29 de julho de 2022)\";;;\n\
    \"Atualizações:\nDecreto nº 11.182, de 24 de agosto de 2022\nAto Declaratório Executivo RFB nº 3, de 23 de setembro de 2025\n\";;;\n\
    NCM ;EX;DESCRICAO ;ALÍQUOTA (%)\n22.03;;Cervejas de malte.;\n";
const DAY: &str = "2026-12-01";

fn run_bytes(engine: &Engine, bytes: &[u8], day: &str) -> Result<(Option<String>, TableReport), String> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    let lines = tipi::read("tipi.xlsx", &file).map_err(|refused| refused.to_string())?;
    tipi::bundle(lines, &listed(engine, "ipi"), "tipi.xlsx", Date::parse(day).unwrap())
}

fn run(engine: &Engine, lines: &str, day: &str) -> (Option<String>, TableReport) {
    run_bytes(engine, format!("{TITLES}{lines}").as_bytes(), day).unwrap()
}

/// Imports what the lines add; they add nothing the second time.
fn publish(engine: &Engine, lines: &str, day: &str) -> TableReport {
    let (bundle, report) = run(engine, lines, day);
    let bundle = bundle.expect("there is something new");
    if let Err(faults) = import(engine, &[BundleFile::unsigned("tipi.json", bundle.as_bytes())], false) {
        panic!("{faults:#?}\n{bundle}");
    }
    let (again, second) = run(engine, lines, day);
    assert!(again.is_none() && second.versoes == 0, "{again:?}");
    report
}

fn payload(ncm: &str, ex: Option<&str>, day: &str) -> Value {
    json!({"tributo": "ipi", "ncm": ncm, "ex": ex, "valor_produto": "1000.00", "data_operacao": day})
}

/// What is due of 1000, or the name of the refusal.
fn due(engine: &Engine, ncm: &str, ex: Option<&str>, day: &str) -> String {
    match answer(engine, &payload(ncm, ex, day)) {
        Ok(found) => found["valor"].as_str().unwrap().to_owned(),
        Err(refused) => refused.codigo.as_str().to_owned(),
    }
}

fn line(code: &str, aliquota: Option<&str>) -> Value {
    let mut conteudo = json!({"situacao": "tributado", "tabela_versao": "TIPI, Decreto 11.158/2022"});
    match aliquota {
        Some("NT") => conteudo["situacao"] = json!("nao_tributado"),
        Some("0") => conteudo["situacao"] = json!("aliquota_zero"),
        rate => conteudo["aliquota"] = json!(rate),
    }
    let mut rule = rule(&format!("ipi-{code}"), "ipi", &json!({"ncm": [&code[..8]]}), &conteudo);
    if let Some((_, ex)) = code.split_once("-ex") {
        rule["escopo"]["ex"] = json!(ex);
    }
    if aliquota.is_some() {
        rule.as_object_mut().unwrap().remove("motivo");
    }
    rule
}

#[test]
fn a_later_table_changes_begins_and_ends_lines_from_its_first_day() {
    let until_2027 = |rule: Value| with(&rule, &json!({"vigente_ate": "2027-01-01"}));
    let zero_2027 = |code: &str| {
        let mut rule = with(&line(code, Some("0")), &json!({"versao": "2.0", "vigente_de": "2027-01-01"}));
        rule["conteudo"]["tabela_versao"] = json!("TIPI, Decreto 11.158/2022, com a redução a zero de 2027");
        rule
    };
    let beer = with(&until_2027(line("22030000", Some("3.90"))), &json!({"avisos": ["Do código."]}));
    let engine = engine_with(&[
        beer,
        zero_2027("22030000"),
        until_2027(line("22030000-ex01", Some("3.90"))),
        line("01012100", Some("NT")),
        line("01012900", Some("0")),
        until_2027(line("01013000", Some("5"))),
        zero_2027("01013000"),
    ]);
    let table = "2203.00.00;;Cervejas;6,5\n2203.00.00;1;Chope;3.9\n0101.21.00;;;NT\n0101.29.00;;;1,3\n0102.31.10;;;5\n0102.31.90;;;NT\n0102.31.90;Ex 02;;0\n";
    let report = publish(&engine, table, DAY);
    assert_eq!(
        (report.linhas, report.novos, report.alterados, report.encerrados, report.inalterados),
        (7, 4, 2, 1, 1),
        "{report:#?}"
    );
    let changes: Vec<_> = report
        .mudancas
        .iter()
        .map(|c| (c.codigo.as_str(), c.instalada.as_deref().unwrap_or("-"), c.da_tabela.as_deref().unwrap_or("-")))
        .collect();
    let wanted = [
        ("01012900", "0", "1.30"),
        ("01023110", "-", "5.00"),
        ("01023190", "-", "NT"),
        ("01023190 Ex 02", "-", "0"),
        ("22030000", "3.90", "6.50"),
        // Nothing said what it pays from 2027 on.
        ("22030000 Ex 01", "-", "nulo"),
        ("01013000", "5.00", "-"),
    ];
    assert_eq!(changes, wanted);
    for (ncm, ex, before, on, in_2027) in [
        ("22030000", None, "39.00", "65.00", "0.00"),
        ("22030000", Some("1"), "39.00", "39.00", "regra_sem_conteudo"),
        ("01012100", None, "0.00", "0.00", "0.00"),
        ("01012900", None, "0.00", "13.00", "regra_sem_conteudo"),
        ("01013000", None, "50.00", "regra_inexistente", "regra_sem_conteudo"),
        ("01023110", None, "regra_inexistente", "50.00", "regra_sem_conteudo"),
        ("01023190", None, "regra_inexistente", "0.00", "0.00"),
    ] {
        let found = ["2026-11-30", DAY, "2027-01-01"].map(|day| due(&engine, ncm, ex, day));
        assert_eq!(found, [before, on, in_2027], "{ncm} {ex:?}");
    }
    let found = answer(&engine, &payload("22030000", None, DAY)).unwrap();
    assert_eq!(found["regra"]["rule_id"], "ipi-22030000-v3.0");
    assert_eq!(found["regra"]["conferencia"], "fonte_unica");
    assert!(found["avisos"].to_string().contains("Do código."), "the sentences of the code stay: {found}");
}

#[test]
fn a_rule_that_is_not_of_the_annex_is_left_alone_and_reported() {
    let mut by_attributes = line("87032100", None);
    by_attributes["conteudo"]["tabela_versao"] = json!("TIPI, Decreto 11.158/2022, com o Decreto 12.549/2025");
    let mut by_decree = line("87039000", Some("6.30"));
    by_decree["conteudo"]["tabela_versao"] = json!("TIPI, Decreto 11.158/2022, com o Decreto 12.549/2025");
    // The base is a part of the retail price.
    let mut cigarettes = line("24021000", Some("300.00"));
    cigarettes["conteudo"]["percentual_varejo"] = json!("15.00");
    let mut own = line("22041010", Some("10"));
    own["rule_code"] = json!("espumantes");
    let mut chapter = line("30049099", Some("0"));
    chapter["rule_code"] = json!("medicamentos");
    chapter["escopo"]["ncm"] = json!(["3004"]);
    let engine = engine_with(&[by_attributes, by_decree, cigarettes, line("24022000", None), own, chapter]);
    let table = "2402.10.00;;;310\n8703.21.00;;;5,27\n8703.90.00;;;18,81\n2204.10.10;;;20\n3004.90.99;;;0\n";
    let (bundle, report) = run(&engine, table, DAY);
    assert!(bundle.is_none(), "{bundle:?}");
    assert_eq!((report.divergem, report.ausentes, report.inalterados), (4, 1, 1), "{report:#?}");
    let left: Vec<_> =
        report.divergencias.iter().map(|c| (c.codigo.as_str(), c.instalada.as_deref().unwrap())).collect();
    assert_eq!(
        left,
        [
            ("22041010", "10.00"),
            ("24021000", "300.00"),
            ("87032100", "nulo"),
            ("87039000", "6.30"),
            ("24022000", "nulo")
        ]
    );
}

#[test]
fn a_later_change_that_is_published_stays() {
    let engine = engine_with(&[
        with(&line("22030000", Some("3.90")), &json!({"vigente_ate": "2026-06-01"})),
        with(
            &line("22030000", Some("5")),
            &json!({"versao": "1.1", "vigente_de": "2026-06-01", "vigente_ate": "2027-01-01"}),
        ),
    ]);
    publish(&engine, "2203.00.00;;;4\n", "2026-02-01");
    let found = ["2026-01-31", "2026-02-01", "2026-05-31", "2026-06-01", "2027-01-01"]
        .map(|day| due(&engine, "22030000", None, day));
    assert_eq!(found, ["39.00", "40.00", "40.00", "50.00", "regra_inexistente"]);
}

#[test]
fn a_line_that_cannot_be_read_or_is_contradicted_changes_nothing() {
    let engine = engine_with(&[
        line("22030000", Some("3.90")),
        line("22030000-ex01", Some("3.90")),
        line("94032000", Some("3.25")),
        line("22041010-ex01", Some("7.00")),
    ]);
    let table = "2203.00.00;;;ver NC (22-1)\n2203.00.00;1;;3,9\n2203.00.00;01;;5\n9403.20.00;;- Outros móveis de metal;\n\
        2203.0;;;5\n2204.10.10;Ex;;5\n2204.10.10;;;-1\n2204.10.90;;;5\n2204.10.90;;;5,0\n";
    let report = publish(&engine, table, DAY);
    let faults: Vec<_> = report.falhas.primeiras.iter().map(|fault| (fault.linha, fault.detail.as_str())).collect();
    let wanted = [
        (5, "22030000: \"ver NC (22-1)\" não é um número"),
        (7, "22030000 Ex 01: outra linha traz o mesmo código com outra alíquota"),
        (8, "94032000: A linha não traz alíquota."),
        (9, "\"2203.0\" não é um código de 8 algarismos"),
        (10, "22041010: "),
        (11, "22041010: -1 não é uma alíquota"),
    ];
    assert_eq!(faults.len(), wanted.len(), "{faults:#?}");
    for ((line, detail), (wanted_line, wanted)) in faults.iter().zip(wanted) {
        assert!(line == &wanted_line && detail.starts_with(wanted), "{line}: {detail}");
    }
    assert_eq!((report.novos, report.ausentes, report.encerrados), (1, 4, 0), "{report:#?}");
    // The line of row 10 may be that of this ex: its rule once ended.
    assert_eq!(due(&engine, "22041010", Some("01"), DAY), "70.00");
    assert_eq!(due(&engine, "22030000", None, DAY), "39.00");
    assert_eq!(due(&engine, "22041090", None, DAY), "50.00");
}

#[test]
fn a_file_that_is_not_the_whole_table_is_refused() {
    let refused = |bytes: &[u8]| run_bytes(built_in_engine(), bytes, DAY).unwrap_err();
    assert!(refused(b"codigo;descricao\n1;2\n").contains("NCM, EX, DESCRIÇÃO, ALÍQUOTA (%)"));
    assert!(refused(b"NCM;EX;DESCRI\xc3\x87\xc3\x83O;AL\xc3\x8dQUOTA (%)\n2203.00.00;;;5\n").contains("decreto"));
    assert!(refused(format!("{TITLES}2203.00.00;;;5\n").as_bytes()).contains("não é a tabela inteira"));
    let whole = workbook("<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>NCM</t></is></c></row>");
    assert!(refused(&whole[..whole.len() / 2]).contains("não é um XLSX inteiro"));
    assert!(refused(&archive(&[("a.txt", b"a")])).contains("não é um XLSX"));
}

/// A cell of a text, or of a number as the spreadsheet stores it.
fn cell(column: char, row: usize, text: &str, is_number: bool) -> String {
    if is_number {
        format!("<c r=\"{column}{row}\"><v>{text}</v></c>")
    } else {
        format!("<c r=\"{column}{row}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>")
    }
}

/// The installed TIPI in the form of the spreadsheet: titles, headings without rate, codes with points, numbers.
#[test]
fn the_installed_table_in_the_form_of_the_spreadsheet_adds_nothing() {
    let rules = listed(built_in_engine(), "ipi").len();
    let day = Date::parse("2026-11-22").unwrap();
    let mut filter = Filter::default();
    filter.set("tributo", "ipi").unwrap();
    filter.set("vigente_em", "2026-11-22").unwrap();
    let page = built_in_engine().regras(&filter, day, 0, usize::MAX).unwrap();
    let (mut lines, mut nulls) = (BTreeMap::new(), 0);
    for item in &page.items {
        let rule: Value = serde_json::from_str(item).unwrap();
        let text = |node: &Value| node.as_str().unwrap_or_default().to_owned();
        nulls += usize::from(rule["conteudo"].get("aliquota").is_some_and(Value::is_null));
        let rate = match text(&rule["conteudo"]["situacao"]).as_str() {
            "nao_tributado" => "NT ".to_owned(),
            "aliquota_zero" => "0".to_owned(),
            // What the RFB's table has where the law has more than it: any rate.
            _ => rule["conteudo"]["aliquota"].as_str().unwrap_or("18.809999999999999").to_owned(),
        };
        lines.insert((text(&rule["ncm"][0]), text(&rule["ex"])), rate);
    }
    assert!(lines.len() > 11_000 && rules > lines.len());
    let titles = TITLES.split(";;;\n").next().unwrap().trim_matches('"');
    let header = ["NCM ", "EX", "DESCRICAO ", "ALÍQUOTA (%)"]
        .iter()
        .zip('A'..)
        .map(|(title, column)| cell(column, 8, title, false));
    let mut sheet =
        format!("<row r=\"2\">{}</row><row r=\"8\">{}</row>", cell('A', 2, titles, false), header.collect::<String>());
    let mut row = 8;
    let mut headings = BTreeSet::new();
    for ((ncm, ex), rate) in &lines {
        if headings.insert(&ncm[..4]) {
            row += 1;
            write!(
                sheet,
                "<row r=\"{row}\">{}{}</row>",
                cell('A', row, &format!("{}.{}", &ncm[..2], &ncm[2..4]), false),
                cell('D', row, "", false)
            )
            .unwrap();
        }
        row += 1;
        let code = cell('A', row, &format!("{}.{}.{}", &ncm[..4], &ncm[4..6], &ncm[6..]), false);
        let number = ex.trim_start_matches('0');
        let ex = if number.is_empty() { String::new() } else { cell('B', row, number, true) };
        let rate = cell('D', row, rate, rate != "NT ");
        write!(sheet, "<row r=\"{row}\">{code}{ex}{}{rate}</row>", cell('C', row, "- Outros ", false)).unwrap();
    }
    let (bundle, report) = run_bytes(built_in_engine(), &workbook(&sheet), DAY).unwrap();
    assert!(bundle.is_none(), "{:#?}", report.mudancas);
    assert_eq!((report.falhas.total, report.inalterados, report.divergem), (0, lines.len() - nulls, nulls));
}

/// First days of tables, in order.
const DAYS: [&str; 5] = ["2025-01-01", "2026-01-01", "2026-07-01", "2026-12-01", "2027-03-01"];
/// Lines: a code, an ex of it, and another code.
const LINES: [(&str, &str); 3] = [("22030000", ""), ("22030000", "1"), ("01012100", "")];
const RATES: [&str; 4] = ["NT", "0", "5", "6,5"];

/// What each line says in a table: none, or one of the rates.
type RateOfLine = [Option<usize>; LINES.len()];

/// What the tables that began by the day say of a line: the last of them, and from 2027 on no rate. `None` without a rule.
fn naive(tables: &[(usize, RateOfLine)], line: usize, day: &str) -> Option<String> {
    let begun: Vec<_> = tables.iter().filter(|(first, _)| DAYS[*first] <= day).collect();
    let said = |rates: &RateOfLine| rates[line].map(|rate| RATES[rate]);
    let is_taxed = |rate: &str| !matches!(rate, "NT" | "0");
    let refused = || Some("regra_sem_conteudo".to_owned());
    match said(&begun.last()?.1) {
        Some(rate) if !is_taxed(rate) => Some("0.00".to_owned()),
        Some(_) if day >= "2027" => refused(),
        Some(rate) => Some(if rate == "5" { "50.00" } else { "65.00" }.to_owned()),
        // What was published for 2027 refuses, if the line was gone before.
        None => {
            let last = begun.iter().rposition(|(_, rates)| said(rates).is_some())?;
            let gone_on = DAYS[begun[last + 1].0];
            let was_taxed = said(&begun[last].1).is_some_and(is_taxed);
            if day >= "2027" && gone_on < "2027" && was_taxed { refused() } else { None }
        }
    }
}

proptest! {
    #![proptest_config(crate::property::cases(64))]
    #[test]
    fn the_rules_of_a_table_answer_as_its_lines_say(
        tables in proptest::collection::btree_map(0..DAYS.len(), proptest::array::uniform3(proptest::option::of(0..RATES.len())), 1..5)
    ) {
        let engine = engine(0);
        let tables: Vec<(usize, RateOfLine)> = tables.into_iter().collect();
        for (first, rates) in &tables {
            let mut text = String::from("9999.99.99;;Para que a tabela tenha uma linha;NT\n");
            for ((ncm, ex), rate) in LINES.iter().zip(rates) {
                if let Some(rate) = rate {
                    writeln!(text, "{}.{}.{};{ex};;{}", &ncm[..4], &ncm[4..6], &ncm[6..], RATES[*rate]).unwrap();
                }
            }
            let (bundle, _) = run(&engine, &text, DAYS[*first]);
            if let Some(bundle) = bundle {
                import(&engine, &[BundleFile::unsigned("tipi.json", bundle.as_bytes())], false).unwrap();
            }
            prop_assert!(run(&engine, &text, DAYS[*first]).0.is_none(), "the second time there is nothing new");
        }
        for day in ["2024-12-31", "2025-01-01", "2026-06-30", "2026-07-01", "2026-12-31", "2027-01-01", "2027-03-01"] {
            for (line, (ncm, ex)) in LINES.iter().enumerate() {
                let of_line = naive(&tables, line, day);
                // Without a line of its own, an ex pays as its code.
                let wanted = of_line.or_else(|| (line == 1).then(|| naive(&tables, 0, day)).flatten());
                let ex = Some(*ex).filter(|ex| !ex.is_empty());
                let found = due(&engine, ncm, ex, day);
                prop_assert_eq!(found, wanted.unwrap_or_else(|| "regra_inexistente".to_owned()), "{} {:?} {}", ncm, ex, day);
            }
        }
    }
}
