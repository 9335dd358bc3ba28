//! The national table of ISS: what is imported of it answers as a plain reading of its lines does, also after a later
//! table; the same table adds nothing the second time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Seek, Write};

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd::features::sources::iss_nacional::{self, InstalledRule, Report};
use taxd_base::value::Date;
use taxd_core::engine::{BundleFile, Engine, Filter};

use crate::support::{calculate as answer, engine, engine_with, import, rule};

const HEADER: &str = "codigo_ibge;uf;nome_municipio;codigo_servico;incidencia;aliquota;dt_ini;dt_fim";
/// First days of lines, in order.
const DAYS: [&str; 5] = ["2023-10-20", "2025-01-01", "2026-01-01", "2026-07-01", "2027-01-01"];
const MUNICIPIOS: [(u32, &str, &str); 2] = [(3_550_308, "SP", "São Paulo"), (3_304_557, "RJ", "Rio de Janeiro")];
/// Service codes: two subdivisions of one subitem, and one each of two others.
const CODES: [&str; 4] = ["01.09.01", "01.09.02", "07.02.01", "17.01.01"];
const RATES: [&str; 6] = ["", "0", "2", "2,5", "5", "6.00"];

/// A line: its municipality, code, own number and first day, and then its rate and its last day.
type Table = BTreeMap<(usize, usize, u8, usize), (usize, Option<usize>)>;

fn table() -> impl Strategy<Value = Table> {
    let key = (0..MUNICIPIOS.len(), 0..CODES.len(), 0..2u8, 0..DAYS.len());
    let rest = (0..RATES.len(), proptest::option::of(0..DAYS.len()));
    proptest::collection::btree_map(key, rest, 1..24)
}

fn next(day: &str) -> String {
    let last: jiff::civil::Date = day.parse().unwrap();
    last.tomorrow().unwrap().to_string()
}

fn text(table: &Table) -> String {
    let mut text = format!("{HEADER}\n");
    for ((municipio, code, own, de), (rate, ate)) in table {
        let (ibge, uf, name) = MUNICIPIOS[*municipio];
        let (code, rate, de) = (CODES[*code], RATES[*rate], DAYS[*de]);
        // The last day of a line is the first one of another, so that lines overlap by a day.
        let ate = ate.map(|ate| format!("{}T00:00:00", DAYS[ate])).unwrap_or_default();
        writeln!(text, "{ibge};{uf};{name};{code}.{own:03};{code}.{own:03};{rate};{de}T00:00:00;{ate}").unwrap();
    }
    text
}

/// The rate of a line; empty if the law does not allow it.
fn allowed(rate: &str) -> String {
    if matches!(rate, "2" | "2,5" | "5") { rate.replace(',', ".") } else { String::new() }
}

/// The rate of a code on a day, line by line: `None` if no line is in force, empty without a rate.
fn rate_of(table: &Table, municipio: usize, code: usize, day: &str) -> Option<String> {
    let mut rates = Vec::new();
    for own in 0..2 {
        let in_force = table.iter().filter(|((m, c, o, de), (_, ate))| {
            let begins_after_end = ate.is_some_and(|ate| DAYS[ate] < DAYS[*de]);
            (*m, *c, *o) == (municipio, code, own)
                && !begins_after_end
                && DAYS[*de] <= day
                && ate.is_none_or(|ate| day <= DAYS[ate])
        });
        rates.extend(in_force.max_by_key(|((.., de), _)| *de).map(|(_, (rate, _))| allowed(RATES[*rate])));
    }
    let first = rates.first()?;
    Some(if rates.iter().all(|rate| rate == first) { first.clone() } else { String::new() })
}

/// The rate that an answer has; `None` for a refusal.
fn naive(table: &Table, municipio: usize, code: usize, with_code: bool, day: &str) -> Option<String> {
    let siblings = (0..CODES.len()).filter(|other| CODES[*other][..5] == CODES[code][..5]);
    let rates: Vec<_> = siblings.filter_map(|other| rate_of(table, municipio, other, day)).collect();
    let first = rates.first()?;
    let found = if rates.iter().all(|rate| rate == first) {
        first.clone()
    } else if with_code {
        rate_of(table, municipio, code, day)?
    } else {
        return None;
    };
    Some(found).filter(|rate| !rate.is_empty())
}

fn run(engine: &Engine, text: &str) -> (Option<String>, Report) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.rewind().unwrap();
    run_file(engine, file)
}

fn run_file(engine: &Engine, file: File) -> (Option<String>, Report) {
    let lines = iss_nacional::read("tabela.csv", file, &mut |_, _| {}).unwrap();
    let today = Date::parse("2026-11-22").unwrap();
    let mut filter = Filter::default();
    filter.set("tributo", "iss").unwrap();
    let page = engine.regras(&filter, today, 0, usize::MAX).unwrap();
    let installed: Vec<InstalledRule> = page.items.iter().map(|rule| serde_json::from_str(rule).unwrap()).collect();
    iss_nacional::bundle(lines, installed, "tabela.csv", today)
}

fn publish(engine: &Engine, bundle: &str) {
    let file = BundleFile::unsigned("iss-nacional.json".to_owned(), bundle.as_bytes().to_vec());
    if let Err(faults) = import(engine, &[file], false) {
        panic!("{faults:#?}\n{bundle}");
    }
}

fn payload(municipio: usize, code: usize, with_code: bool, day: &str) -> Value {
    let (ibge, uf, _) = MUNICIPIOS[municipio];
    let item = CODES[code][..5].trim_start_matches('0');
    let mut payload = json!({
        "tributo": "iss", "uf": uf, "municipio": ibge.to_string(), "item_lista_servico": item,
        "preco_servico": "1000.00", "data": day,
    });
    if with_code {
        payload["codigo_tributacao_nacional"] = json!(CODES[code].replace('.', ""));
    }
    payload
}

proptest! {
    #![proptest_config(crate::property::cases(64))]
    #[test]
    fn the_rules_of_a_table_answer_as_its_lines_say(tables in proptest::collection::vec(table(), 1..4)) {
        let engine = engine(0);
        // A municipality without a line, or with faulty ones alone, keeps what it had: a file may hold one UF.
        let mut known = Table::new();
        for table in &tables {
            let mut good = table.clone();
            good.retain(|(.., de), (_, ate)| ate.is_none_or(|ate| ate >= *de));
            for municipio in 0..MUNICIPIOS.len() {
                if good.keys().any(|(m, ..)| *m == municipio) {
                    known.retain(|(m, ..), _| *m != municipio);
                }
            }
            known.extend(good);
            if let (Some(bundle), _) = run(&engine, &text(table)) {
                publish(&engine, &bundle);
            }
            prop_assert!(run(&engine, &text(table)).0.is_none(), "the second time there is nothing new");
            for day in DAYS.iter().flat_map(|day| [(*day).to_owned(), next(day)]) {
                for (municipio, code) in (0..MUNICIPIOS.len()).flat_map(|m| (0..CODES.len()).map(move |c| (m, c))) {
                    for with_code in [true, false] {
                        let expected = naive(&known, municipio, code, with_code, &day);
                        let payload = payload(municipio, code, with_code, &day);
                        let found = answer(&engine, &payload).ok();
                        let rate = found.map(|found| found["detalhes"]["aliquota_aplicada"].as_str().unwrap().to_owned());
                        let number = |rate: Option<String>| rate.map(|rate| rate.parse::<rust_decimal::Decimal>().unwrap());
                        prop_assert_eq!(number(rate), number(expected), "{}", payload);
                    }
                }
            }
        }
    }
}

/// The second version of the same rate was taken for a part of the first. It stayed when the first was cut, and the next
/// run withdrew it.
#[test]
fn a_shorter_table_withdraws_every_version_of_a_rate_at_once() {
    let engine = engine(0);
    let day = format!("{}T00:00:00", DAYS[0]);
    for (rate, last) in [("2,5", day.as_str()), ("2,5", ""), ("", day.as_str())] {
        let table = format!("{HEADER}\n3304557;RJ;Rio de Janeiro;01.09.01.000;;{rate};{day};{last}\n");
        publish(&engine, &run(&engine, &table).0.unwrap());
        assert!(run(&engine, &table).0.is_none(), "the second time there is nothing new: {table}");
    }
    assert!(answer(&engine, &payload(1, 0, true, &next(DAYS[0]))).is_err());
}

#[test]
fn a_rule_of_another_source_keeps_answering_and_the_differences_are_reported() {
    let scope = |more: Value| crate::support::with(&json!({"uf": "SP", "municipio": "São Paulo"}), &more);
    let engine = engine_with(&[
        rule("lei-do-item", "iss", &scope(json!({"item_lista_servico": ["1.09"]})), &json!({"aliquota": "2.90"})),
        rule("lei-nula", "iss", &scope(json!({"item_lista_servico": ["7.02"]})), &json!({"aliquota": null})),
    ]);
    let lines = |lines: &[(&str, &str)]| {
        let line = |(code, rate): &(&str, &str)| format!("3550308;SP;São Paulo;{code}.000;;{rate};2025-01-01;\n");
        format!("{HEADER}\n{}", lines.iter().map(line).collect::<String>())
    };
    let table = lines(&[("01.09.01", "2.9"), ("01.09.02", "5"), ("07.02.01", "5"), ("17.01.01", "5")]);
    let (bundle, report) = run(&engine, &table);
    assert_eq!((report.conferem, report.divergem, report.sem_figura), (1, 1, 2));
    let found: Vec<_> =
        report.divergencias.iter().map(|d| (d.item_lista_servico.as_str(), d.rule_id.as_str())).collect();
    assert_eq!(found, [("1.09.02", "lei-do-item-v1.0")]);
    publish(&engine, &bundle.unwrap());
    let rate = |code: usize| {
        let found = answer(&engine, &payload(0, code, true, "2026-03-10"));
        found.map(|found| found["regra"]["rule_id"].as_str().unwrap().to_owned()).map_err(|refused| refused.codigo)
    };
    assert_eq!(rate(0).unwrap(), "lei-do-item-v1.0");
    assert_eq!(rate(1).unwrap(), "lei-do-item-v1.0", "also for a subdivision");
    assert_eq!(rate(2).unwrap_err(), taxd_base::problem::ErrorCode::RegraSemConteudo);
    assert_eq!(rate(3).unwrap(), "iss-nacional-3550308-v1.0");
    // A general rule of the municipality leaves the table nothing to add.
    let engine = engine_with(&[rule("lei-geral", "iss", &scope(json!({})), &json!({"aliquota": "5"}))]);
    let (bundle, report) = run(&engine, &table);
    assert!(bundle.is_none());
    assert_eq!((report.conferem, report.divergem, report.sem_figura), (3, 1, 1));
}

/// The law of a municipality, published after the table, tied with the rule of the table, and the refusal said no way
/// out.
#[test]
fn a_later_general_rule_takes_the_place_of_the_tables_as_another_version_of_its_code() {
    let engine = engine(0);
    let table = format!("{HEADER}\n3550308;SP;São Paulo;17.01.01.000;;5;2023-10-20;\n");
    publish(&engine, &run(&engine, &table).0.unwrap());
    let law = |code: &str, versao: &str| {
        let scope = json!({"uf": "SP", "municipio": "São Paulo"});
        let mut law = rule(code, "iss", &scope, &json!({"aliquota": "3"}));
        law["versao"] = json!(versao);
        law["vigente_de"] = json!("2026-01-01");
        crate::support::bundle(&[law]).to_string()
    };
    let tied = [BundleFile::unsigned("lei.json".to_owned(), law("lei", "1.0").into_bytes())];
    let faults = format!("{:?}", import(&engine, &tied, false).unwrap_err());
    assert!(faults.contains("publique a regra como outra versão do código iss-nacional-3550308"), "{faults}");
    publish(&engine, &law("iss-nacional-3550308", "2.0"));
    let due = |day: &str| answer(&engine, &payload(0, 3, true, day)).unwrap()["valor"].clone();
    assert_eq!((due("2025-12-31"), due("2026-01-01")), (json!("50.00"), json!("30.00")));
    // The table leaves it alone.
    let (bundle, report) = run(&engine, &table);
    assert!(bundle.is_none() && report.divergem == 1, "{report:?}");
    let later = table.replace(";5;", ";4;");
    publish(&engine, &run(&engine, &later).0.unwrap());
    assert_eq!((due("2025-12-31"), due("2026-01-01")), (json!("40.00"), json!("30.00")));
}

#[test]
fn a_faulty_line_is_reported_with_its_place_and_the_others_count() {
    let engine = engine(0);
    let table = format!(
        "\u{feff}{HEADER}\r\n3550308;SP;São Paulo;01.01.01.000;;5;2025-01-01T00:00:00;\r\n9999999;XX;Nada;01.01.01.000;;5;2025-01-01;\r\n\
         3550308;SP;São Paulo;1.1;;5;2025-01-01;\r\n3550308;SP;São Paulo;01.02.01.000;;cinco;2025-01-01;\r\n\
         3550308;SP;São Paulo;01.03.01.000;;5;ontem;\r\n3550308;SP;São Paulo;01.04.01.000;;5;2025-02-01;2025-01-01\r\n3550308\r\n"
    );
    let (bundle, report) = run(&engine, &table);
    assert_eq!((report.linhas, report.municipios, report.versoes, report.falhas.total), (7, 1, 1, 6));
    let lines: Vec<_> = report.falhas.primeiras.iter().map(|fault| fault.linha).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7, 8]);
    assert!(report.falhas.primeiras[0].detail.contains("9999999"), "{:?}", report.falhas);
    let bundle: Value = serde_json::from_str(&bundle.unwrap()).unwrap();
    let groups = json!([{"aliquota": null, "itens": ["1.02"]}, {"aliquota": "5", "itens": ["1.01"]}]);
    assert_eq!(bundle["regras"][0]["conteudo"]["aliquotas"], groups);
}

/// The service of the one line got the rate of the other, or one of two lines answered by chance.
#[test]
fn a_service_whose_lines_cannot_be_read_or_disagree_has_no_rate() {
    for lines in [
        ["01.09.01.000;;2", "01.09.02.000;;dois"],
        ["01.09.01.000;;2", "01.09.01.000;;5"],
        ["01.09.01.000;;5", "01.09.01.000;;2"],
        ["01.09.01.000;;5", "01.09.01.001;;2"],
    ] {
        let line = |line: &&str| format!("3550308;SP;São Paulo;{line};2025-01-01;\n");
        let engine = engine(0);
        let table = format!("{HEADER}\n{}", lines.iter().map(line).collect::<String>());
        publish(&engine, &run(&engine, &table).0.unwrap());
        for code in [0, 1] {
            let refused = answer(&engine, &payload(0, code, false, "2026-03-10")).unwrap_err();
            assert_eq!(refused.codigo, taxd_base::problem::ErrorCode::RegraSemConteudo, "{lines:?}");
        }
    }
}

#[test]
fn an_archive_has_a_file_for_each_uf() {
    let line = |ibge: u32, uf: &str| format!("{HEADER}\n{ibge};{uf};;01.01.01.000;;5;2025-01-01T00:00:00;\n");
    let mut archive = zip::ZipWriter::new(tempfile::tempfile().unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in
        [("SP.csv", line(3_550_308, "SP")), ("RJ.CSV", line(3_304_557, "RJ")), ("tudo.txt", line(3_106_200, "MG"))]
    {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    let mut file = archive.finish().unwrap();
    file.rewind().unwrap();
    let (_, report) = run_file(&engine(0), file);
    assert_eq!((report.linhas, report.municipios), (2, 2), "the text file repeats the others");
    // Neither a table nor an archive with one.
    for bytes in ["", "PK", "PK\u{3}\u{4}nada", "a;b\n1;2\n"] {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes.as_bytes()).unwrap();
        file.rewind().unwrap();
        iss_nacional::read("nada", file, &mut |_, _| {}).unwrap_err();
    }
}
