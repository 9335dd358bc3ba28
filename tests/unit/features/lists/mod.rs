//! Lists: rows of a table as payloads, and their results as cells.

use rust_decimal::Decimal;
use serde_json::{Value, json};
use taxd::features::calc::{CalcReply, Questions, replies};
use taxd::features::lists::{Asked, List, RowReply, result_cells};
use taxd_base::document::Node;
use taxd_base::sentence::Reader;
use taxd_base::value::{Clock, fold};
use taxd_core::rulesets;
use taxd_law::tax::{Entry, REGISTRY, find};
use taxd_sheet::{Cell, Row};

use crate::operation_rules;

mod firms;
mod rows;
mod treated;

fn text(text: &str) -> Cell<'static> {
    Cell::Text(text.to_owned().into())
}

fn row(cells: Vec<Cell<'static>>) -> Row<'static> {
    Row { number: 1, cells }
}

fn header(names: &[&str]) -> Row<'static> {
    row(names.iter().map(|name| text(name)).collect())
}

/// The example payload of a tax, without `tributo`.
fn example(entry: &Entry) -> Vec<(String, Value)> {
    let payload: Value = serde_json::from_str(entry.exemplo).unwrap();
    let members = payload.as_object().unwrap().iter().filter(|(name, _)| *name != "tributo");
    members.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A value as people write it in a table.
fn written(value: &Value) -> Cell<'static> {
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
    serde_json::to_value(list.payload(row).unwrap()).unwrap()
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
            let asked = serde_json::to_vec(&engine.answer(&made, false, None).unwrap()).unwrap();
            assert_eq!(asked, engine.calculate(entry.exemplo.as_bytes(), false).unwrap().to_json(), "{}", entry.sigla);
        }
    }
}

/// Each tax with the members of its answer that are its base and its rate.
const MEMBERS: [(&str, &str, &str); 20] = [
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
    ("simples_nacional", "base_calculo", "aliquota_efetiva"),
    ("irrf_servicos", "base_calculo", "aliquota_aplicada"),
    ("csll_retida", "base_calculo", "aliquota_aplicada"),
    ("pis_retido", "base_calculo", "aliquota_aplicada"),
    ("cofins_retida", "base_calculo", "aliquota_aplicada"),
    ("inss_retido", "base_calculo", "aliquota_aplicada"),
    ("iss_retido", "preco_servico", "aliquota_aplicada"),
];

#[test]
fn the_result_has_the_amount_base_rate_and_proof_of_the_answer() {
    let engine = rulesets::in_memory(Clock::system()).unwrap();
    assert_eq!(MEMBERS.len(), REGISTRY.len());
    let number = |value: &Value| match value.as_str() {
        Some(text) => Cell::Number(text.parse().unwrap()),
        None => Cell::Empty,
    };
    for (tributo, base, rate) in MEMBERS {
        let Ok(Node::Object(payload)) = Node::parse(find(tributo).unwrap().exemplo.as_bytes()) else { panic!() };
        let answer = engine.answer(&payload, false, None).unwrap();
        let reply = RowReply::Tax(&answer);
        let [
            valor,
            of_base,
            of_rate,
            situacao,
            cest,
            margin,
            stated_margin,
            internal,
            _,
            rule,
            citation,
            from,
            until,
            grade,
            supposed,
            avisos,
            error,
        ] = result_cells(&reply, Reader::Program).try_into().unwrap();
        let answer: Value = serde_json::to_value(&answer).unwrap();
        let (detalhes, regra) = (&answer["detalhes"], &answer["regra"]);
        assert_eq!(
            [valor, of_base, of_rate],
            [number(&answer["valor"]), number(&detalhes[base]), number(&detalhes[rate])],
            "{tributo}"
        );
        let became = match (detalhes["conferencia_produto"].is_string(), detalhes["retido"].as_bool()) {
            (true, _) => "aliquota_geral",
            (_, Some(withheld)) => ["nao_retido", "retido"][usize::from(withheld)],
            _ => "calculado",
        };
        assert_eq!(situacao, text(became), "{tributo}");
        let names = ["mva_aplicada", "mva_original", "aliquota_interna"];
        assert_eq!([margin, stated_margin, internal], names.map(|name| number(&detalhes[name])), "{tributo}");
        assert_eq!(cest.is_empty(), tributo != "icms_st", "{tributo}");
        assert_eq!(rule, text(regra["rule_id"].as_str().unwrap()));
        assert_eq!(citation, text(regra["citacao_legal"].as_str().unwrap()));
        assert_eq!(from.text().unwrap(), regra["vigente_de"].as_str().unwrap());
        assert_eq!(until.text().unwrap(), regra["vigente_ate"].as_str().unwrap_or_default());
        assert_eq!(grade.text().unwrap(), regra["conferencia"].as_str().unwrap_or_default());
        assert!(supposed.is_empty(), "{tributo}");
        let first = answer["avisos"].as_array().map_or("", |avisos| avisos[0].as_str().unwrap());
        assert!(avisos.text().unwrap().starts_with(first) && error.is_empty(), "{tributo}");
    }
}

#[test]
fn a_refusal_has_its_code_and_every_field_at_fault() {
    let engine = rulesets::in_memory(Clock::system()).unwrap();
    let refused = |payload: Value| {
        let problem = engine.calculate(payload.to_string().as_bytes(), false).unwrap_err();
        result_cells(&RowReply::Refused(&problem.read_by(Reader::Person)), Reader::Program)
            .last()
            .unwrap()
            .text()
            .unwrap()
            .into_owned()
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
    assert!(unknown[0].column == Some(0) && unknown[0].detail.contains("`ipi`"), "{unknown:?}");
    let kept: Vec<String> = list.kept_columns().map(|(name, _)| fold(name)).collect();
    assert_eq!(kept.len(), 6);
}

#[test]
fn cells_that_cannot_be_read_are_all_named_with_their_columns() {
    let ipi = find("ipi").unwrap();
    let list = List::of_header(&header(&["ncm", "valor_produto", "data_operacao"]), Some(ipi)).unwrap();
    let written = row(["22030000", "1.234", "31/02/2026"].map(text).to_vec());
    let faults = list.payload(&written).unwrap_err();
    let reply = RowReply::Unread(&faults);
    let shown = Asked::Tax.cells(&written, &reply, Reader::Program);
    let [number, empty @ .., cell] = &shown[..] else { panic!("{shown:?}") };
    let sentence = cell.text().unwrap().into_owned();
    assert!(
        sentence.contains("`valor_produto` (coluna B): ") && sentence.contains("`data_operacao` (coluna C): "),
        "{sentence}"
    );
    assert_eq!((number, empty.len()), (&Cell::Number(1.into()), Asked::Tax.columns().len() - 2));
    let filled: Vec<&Cell> = empty.iter().filter(|cell| !cell.is_empty()).collect();
    assert_eq!(filled, [&text("recusado")]);
}

#[test]
fn a_decimal_comma_that_splits_a_cell_is_found() {
    let list = List::of_header(&header(&["ncm", "data_operacao", "valor_produto"]), find("ipi")).unwrap();
    let faults = list.payload(&row(["22030000", "2026-05-01", "1234", "50"].map(text).to_vec())).unwrap_err();
    assert!(faults[0].column == Some(3) && faults[0].detail.contains("entre aspas"), "{faults:?}");
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
        .chain(Asked::Tax.columns().iter().map(|column| column.name.as_str()))
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

/// In one list of several taxes two columns may be of one field, by its name and by the label that another tax gives it: an
/// empty column of another tax once refused the whole list.
#[test]
fn two_columns_for_one_field_are_a_fault_only_of_a_row_that_fills_both() {
    let label = find("ipi").unwrap().payload.iter().find(|field| field.name == "valor_produto").unwrap().label;
    let names = ["tributo", "ncm", "valor_produto", label, "data_operacao"];
    let list = List::of_header(&header(&names), None).unwrap();
    let with =
        |one: &str, other: &str| list.payload(&row(["ipi", "22030000", one, other, "2026-05-01"].map(text).to_vec()));
    for written in [with("10.00", ""), with("", "10.00")] {
        let payload: Value = serde_json::to_value(written.unwrap()).unwrap();
        assert_eq!(payload["valor_produto"], "10.00");
    }
    let faults = with("10.00", "10.00").unwrap_err();
    assert!(faults[0].detail.contains("C e D") && faults[0].campo == Some("valor_produto"), "{faults:?}");
}

#[test]
fn a_row_of_operations_has_the_amounts_of_each_tax_and_the_totals_that_are_whole() {
    let names = ["data_operacao", "valor_produto", "uf_origem", "UF de destino", "ncm", "papel_na_cadeia", "nota"];
    let list = List::of_operations(&header(&names)).unwrap();
    let written = row(["10/03/2026", "1.000,00", "SP", "sp", "39241000", "revenda", "7"].map(text).to_vec());
    let expected = json!({
        "data_operacao": "2026-03-10", "valor_produto": "1000.00", "uf_origem": "SP", "uf_destino": "SP",
        "ncm": "39241000", "papel_na_cadeia": "revenda"
    });
    assert_eq!(payload(&list, &written), expected);
    let payloads = [&written, &row(vec![text("10/03/2026")])].map(|row| list.payload(row).unwrap().into());
    let questions = Questions { payloads: payloads.into(), operacao: true, ..Questions::default() };
    let replies = replies(operation_rules::engine(), &questions);
    let cell = |reply: &CalcReply, name: &str| {
        let columns = Asked::Operation.columns();
        let place = columns.iter().position(|column| column.name == name).unwrap_or_else(|| panic!("{name}"));
        let reply = RowReply::of(reply);
        let cells = Asked::Operation.cells(&written, &reply, Reader::Program);
        assert_eq!(cells.len(), columns.len());
        cells[place].text().unwrap().into_owned()
    };
    let json = operation_rules::apuracao(&expected);
    let tax = |tributo: &str| operation_rules::tax(&json, tributo);
    let said = |situacao: &str, why: &Value| format!("{situacao}: {}", why.as_str().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    // A sum that lacks a tax is left empty.
    let whole = |name: &str| {
        let total = &json["totais"][name];
        if total["completo"] == true { text(&total["valor"]) } else { String::new() }
    };
    let icms = &tax("icms")["resposta"];
    for (name, expected) in [
        ("taxd_linha", "1".to_owned()),
        ("taxd_icms_valor", "180.00".to_owned()),
        ("taxd_icms_aliquota", text(&icms["detalhes"]["aliquota_aplicada"])),
        ("taxd_icms_regra", text(&icms["regra"]["rule_id"])),
        ("taxd_icms_motivo", String::new()),
        ("taxd_ipi_motivo", said("nao_se_aplica", &tax("ipi")["motivo"])),
        ("taxd_pis_motivo", said("recusado", &tax("pis")["problema"]["detail"])),
        ("taxd_pis_valor", String::new()),
        ("taxd_valor_documento", whole("valor_documento")),
        ("taxd_tributos", whole("tributos")),
    ] {
        assert_eq!(cell(&replies[0], name), expected, "{name}: {json:#}");
    }
    // What would complete the row was once said only by the page of one operation.
    let lacking = cell(&replies[0], "taxd_erro");
    assert!(lacking.starts_with("incompleta: falta o valor de ") && lacking.contains("`regime_apuracao`"), "{lacking}");
    let refused = cell(&replies[1], "taxd_erro");
    assert!(refused.starts_with("campo_obrigatorio: `valor_produto`: "), "{refused}");
}

/// `"1,234"` between commas was read as 1.234 in silence, also in a list whose other numbers are like `1,234.50`.
#[test]
fn the_numbers_of_the_whole_list_decide_what_a_comma_before_three_digits_is() {
    let mark = |texts: &[&str]| {
        let list = List::of_header(&header(&["ncm", "valor_produto", "data_operacao"]), find("ipi")).unwrap();
        let mut evidence = list.evidence();
        for written in texts {
            evidence.see(&row(["2203.000", written, "2026-05-01"].map(text).to_vec()));
        }
        let mark = evidence.mark(Some(','));
        list.seen(&evidence, mark)
    };
    let amount = |list: &List, written: &str| {
        let payload = list.payload(&row(["22030000", written, "2026-05-01"].map(text).to_vec()));
        payload.map(|payload| serde_json::to_value(payload).unwrap()["valor_produto"].clone())
    };
    for (others, comma, point) in [
        (["1,234", "10,5"], "1.234", "1234"),
        (["7", "1.234.567"], "1.234", "1234"),
        (["1,234.56", "8"], "1234", "1.234"),
        (["10.5", "1,234"], "1234", "1.234"),
    ] {
        let list = mark(&others);
        assert_eq!(amount(&list, "1,234").unwrap(), comma, "{others:?}");
        assert_eq!(amount(&list, "1.234").unwrap(), point, "{others:?}");
    }
    // Nothing is proven, or both are.
    for others in [["1,234", "8"], ["10,5", "10.5"]] {
        let faults = amount(&mark(&others), "1,234").unwrap_err();
        let detail = &faults[0].detail;
        assert!(detail.contains("escreva 1234 se a vírgula separa milhares, ou 1,2340"), "{detail}");
        assert!(detail.contains("--decimal virgula"), "{detail}");
        assert_eq!(amount(&mark(&others), "12,5").unwrap(), "12.5");
    }
}
