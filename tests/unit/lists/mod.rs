//! Lists: rows of a table as payloads, and their results as cells.

use rust_decimal::Decimal;
use serde_json::{Value, json};
use taxd::lists::{List, RESULT_COLUMNS, fault_cells, result_cells};
use taxd::rulesets;
use taxd::sheet::{Cell, Row};
use taxd::tax::{Entry, REGISTRY, find};
use taxd::value::{Clock, fold};

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn row(cells: Vec<Cell>) -> Row {
    Row { number: 1, cells }
}

fn header(names: &[&str]) -> Row {
    row(names.iter().map(|name| text(name)).collect())
}

/// The example payload of a tax, without `tributo`.
fn example(entry: &Entry) -> Vec<(String, Value)> {
    let payload: Value = serde_json::from_str(entry.exemplo).unwrap();
    let members = payload.as_object().unwrap().iter().filter(|(name, _)| *name != "tributo");
    members.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A value as people write it in a table.
fn written(value: &Value) -> Cell {
    match value {
        Value::Bool(value) => text(if *value { "Sim" } else { "não" }),
        Value::Number(number) => Cell::Number(number.as_i64().unwrap().into()),
        Value::String(written) => match written.parse::<Decimal>() {
            Ok(_) if written.contains('.') && written.len() > 5 => text(&written.replace('.', ",")),
            _ => match written.split('-').collect::<Vec<_>>()[..] {
                [year, month, day] if year.len() == 4 => text(&format!("{day}/{month}/{year}")),
                _ => text(&written.to_lowercase()),
            },
        },
        other => panic!("{other}"),
    }
}

fn payload(list: &List, row: &Row) -> Value {
    serde_json::from_slice(&list.payload(row).unwrap()).unwrap()
}

#[test]
fn the_example_of_every_tax_is_a_row_whose_columns_have_the_names_or_the_labels_of_the_fields() {
    let engine = rulesets::in_memory(Clock::system()).unwrap();
    for entry in REGISTRY {
        let members = example(entry);
        let label = |name: &str| entry.payload.iter().find(|field| field.name == name).unwrap().label.to_uppercase();
        let names: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
        let labels: Vec<String> = names.iter().map(|name| label(name)).collect();
        let cells: Vec<Cell> = members.iter().map(|(_, value)| written(value)).collect();
        for names in [names, labels] {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let list = List::of_header(&header(&names), Some(entry)).unwrap_or_else(|why| panic!("{why}"));
            let made = list.payload(&row(cells.clone())).unwrap();
            let asked = engine.calculate(&made, false).unwrap().to_json();
            assert_eq!(asked, engine.calculate(entry.exemplo.as_bytes(), false).unwrap().to_json(), "{}", entry.sigla);
        }
    }
}

#[test]
fn the_result_has_the_amount_base_rate_and_proof_of_the_answer() {
    let engine = rulesets::in_memory(Clock::system()).unwrap();
    let members = [
        ("icms_st", "base_calculo_st", "aliquota_interna"),
        ("icms", "base_calculo", "aliquota_aplicada"),
        ("ipva", "base_calculo", "aliquota_aplicada"),
        ("itcmd", "base", "aliquota_aplicada"),
        ("iss", "preco_servico", "aliquota_aplicada"),
        ("iptu", "valor_venal_tributavel", "-"),
        ("itbi", "base_calculo", "aliquota_aplicada"),
        ("ipi", "base_calculo", "aliquota_aplicada"),
        ("pis", "base_calculo", "aliquota_aplicada"),
        ("cofins", "base_calculo", "aliquota_aplicada"),
        ("cbs", "base_calculo", "aliquota_aplicada"),
        ("ibs", "base_calculo", "aliquota_aplicada"),
        ("icms_consumidor_final", "base_calculo", "aliquota_interna"),
    ];
    assert_eq!(members.len(), REGISTRY.len());
    let number = |value: &Value| match value.as_str() {
        Some(text) => Cell::Number(text.parse().unwrap()),
        None => Cell::Empty,
    };
    for (tributo, base, rate) in members {
        let answer = engine.calculate(find(tributo).unwrap().exemplo.as_bytes(), false).unwrap().to_json();
        let [valor, of_base, of_rate, rule, citation, from, until, grade, avisos, error] =
            result_cells(&answer).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        let (detalhes, regra) = (&answer["detalhes"], &answer["regra"]);
        assert_eq!(
            [valor, of_base, of_rate],
            [number(&answer["valor"]), number(&detalhes[base]), number(&detalhes[rate])],
            "{tributo}"
        );
        assert_eq!(rule, text(regra["rule_id"].as_str().unwrap()));
        assert_eq!(citation, text(regra["citacao_legal"].as_str().unwrap()));
        assert_eq!(from.text().unwrap(), regra["vigente_de"].as_str().unwrap());
        assert_eq!(until.text().unwrap(), regra["vigente_ate"].as_str().unwrap_or_default());
        assert_eq!(grade.text().unwrap(), regra["conferencia"].as_str().unwrap_or_default());
        let first = answer["avisos"].as_array().map_or("", |avisos| avisos[0].as_str().unwrap());
        assert!(avisos.text().unwrap().starts_with(first) && error.is_empty(), "{tributo}");
    }
}

#[test]
fn a_refusal_has_its_code_and_every_field_at_fault() {
    let engine = rulesets::in_memory(Clock::system()).unwrap();
    let refused = |payload: Value| {
        let problem = engine.calculate(payload.to_string().as_bytes(), false).unwrap_err();
        let document = serde_json::to_vec(&problem.document(None)).unwrap();
        result_cells(&document).unwrap().last().unwrap().text().unwrap().into_owned()
    };
    let one = refused(json!({"tributo": "ipi", "ncm": "87", "valor_produto": "1.00", "data_operacao": "2026-05-01"}));
    assert!(one.starts_with("ncm_invalido: ") && one.contains("NCM"), "{one}");
    let two = refused(json!({"tributo": "ipi", "ncm": "87", "valor_produto": "x", "data_operacao": "2026-05-01"}));
    assert!(two.contains("`ncm`: ") && two.contains("`valor_produto`: "), "{two}");
}

#[test]
fn a_column_names_the_tax_of_each_row_and_cells_of_other_taxes_are_left_out() {
    let list =
        List::of_header(&header(&["Tributo", "Nota", "ncm", "uf", "valor_produto", "data_operacao"]), None).unwrap();
    let ipi = row([" IPI ", "7", "2203.00.00", "SP", "10,00", "2026-05-01"].map(text).to_vec());
    let expected =
        json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "10.00", "data_operacao": "2026-05-01"});
    assert_eq!(payload(&list, &ipi), expected);
    let unknown = list.payload(&row(vec![text("ipx")])).unwrap_err();
    assert!(unknown[0].column == 0 && unknown[0].detail.contains("`ipi`"), "{unknown:?}");
    let kept: Vec<String> = list.kept_columns().map(|(name, _)| fold(name)).collect();
    assert_eq!(kept.len(), 6);
}

#[test]
fn a_code_that_a_spreadsheet_program_took_for_a_number_gets_its_first_zero_back() {
    let ipi = find("ipi").unwrap();
    let list = List::of_header(&header(&["ncm", "valor_produto", "data_operacao"]), Some(ipi)).unwrap();
    let with = |ncm: Cell| payload(&list, &row(vec![ncm, text("1"), text("2026-05-01")]))["ncm"].clone();
    assert_eq!(with(Cell::Number(2_013_000.into())), "02013000");
    assert_eq!(with(Cell::Number(22_030_000.into())), "22030000");
    // A text was typed so, and two missing digits are more than a lost zero: the tax refuses both.
    assert_eq!(with(text("2013000")), "2013000");
    assert_eq!(with(Cell::Number("220300.50".parse().unwrap())), "220300.5");
    assert_eq!(with(Cell::Number(847_130.into())), "847130");
}

#[test]
fn cells_that_cannot_be_read_are_all_named_with_their_columns() {
    let ipi = find("ipi").unwrap();
    let list = List::of_header(&header(&["ncm", "valor_produto", "data_operacao"]), Some(ipi)).unwrap();
    let faults = list.payload(&row(["22030000", "1.234", "31/02/2026"].map(text).to_vec())).unwrap_err();
    let [.., cell] = fault_cells(&faults);
    let sentence = cell.text().unwrap().into_owned();
    assert!(
        sentence.contains("`valor_produto` (coluna B): ") && sentence.contains("`data_operacao` (coluna C): "),
        "{sentence}"
    );
    assert!(fault_cells(&faults)[..RESULT_COLUMNS.len() - 1].iter().all(Cell::is_empty));
}

#[test]
fn a_decimal_comma_that_splits_a_cell_is_found() {
    let list = List::of_header(&header(&["ncm", "data_operacao", "valor_produto"]), find("ipi")).unwrap();
    let faults = list.payload(&row(["22030000", "2026-05-01", "1234", "50"].map(text).to_vec())).unwrap_err();
    assert!(faults[0].column == 3 && faults[0].detail.contains("entre aspas"), "{faults:?}");
}

#[test]
fn a_header_that_does_not_fit_says_what_to_do() {
    let ipi = find("ipi");
    let fault = |names: &[&str], entry| List::of_header(&header(names), entry).map(|_| ()).unwrap_err();
    assert!(fault(&["ncm"], None).contains("`tributo`"));
    assert!(fault(&["ncm", "tributo"], ipi).contains("coluna B"));
    let twice = fault(&["ncm", "NCM", "valor_produto", "data_operacao"], ipi);
    assert!(twice.contains("A e B") && twice.contains("`ncm`"), "{twice}");
    let missing = fault(&["ncm", "valor_produtos", "data_operacao"], ipi);
    assert!(fault(&["tributo", "Tributo"], None).contains("A e B"));
    assert!(missing.contains("`valor_produto`") && missing.contains("A coluna B (\"valor_produtos\")"), "{missing}");
}

#[test]
fn the_results_of_an_earlier_run_are_replaced() {
    let names: Vec<&str> = ["ncm", "valor_produto", "data_operacao", "Cliente"]
        .into_iter()
        .chain(RESULT_COLUMNS.map(|(name, _)| name))
        .collect();
    let list = List::of_header(&header(&names), find("ipi")).unwrap();
    let kept: Vec<&str> = list.kept_columns().map(|(name, _)| name).collect();
    assert_eq!(kept, ["ncm", "valor_produto", "data_operacao", "Cliente"]);
    let cells = row(["22030000", "10,5", "01/05/2026", "=A1"].map(text).to_vec());
    let typed: Vec<Cell> = list.kept_cells(&cells, true).collect();
    assert_eq!(typed[1], Cell::Number("10.5".parse().unwrap()));
    assert_eq!(typed[2].text().unwrap(), "2026-05-01");
    assert_eq!([&typed[0], &typed[3]], [&text("22030000"), &text("=A1")]);
    assert_eq!(list.kept_cells(&cells, false).collect::<Vec<_>>(), cells.cells);
}
