//! Worked examples of bundles: when they hold, and what is said when they do not.

use serde_json::{Value, json};

use taxd_base::value::Timestamp;
use taxd_core::engine::{ImportError, ImportOptions};

use crate::support::{PUBLISHED_AT, bundle, engine, file, publish, rule, with};

/// What the import of a rule says of its one example; `None` if the example holds.
fn said_of(rule: &Value, example: &Value) -> Option<String> {
    match publish(&engine(0), &[with(rule, &json!({"exemplos": [example]}))]) {
        Ok(report) => {
            assert_eq!(report.exemplos, 1);
            None
        }
        Err(faults) => Some(faults.iter().map(|f| format!("{}: {}", f.path, f.detail)).collect::<Vec<_>>().join("\n")),
    }
}

fn icms() -> Value {
    rule("icms-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "7.20"}))
}

fn icms_example(members: &Value) -> Value {
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00",
        "data_operacao": "2026-03-10"});
    with(&json!({"payload": payload, "valor": "7.20"}), members)
}

/// "7.2" was refused against "7.20": the texts were compared.
#[test]
fn amounts_and_rates_are_compared_as_decimals() {
    for members in [
        json!({"valor": "7.2"}),
        json!({"valor": "7.200"}),
        json!({"detalhes": {"base_calculo": "100", "aliquota_aplicada": "7.2", "valor_fcp": "0", "isento": false}}),
    ] {
        assert_eq!(said_of(&icms(), &icms_example(&members)), None, "{members}");
    }
    for (members, place, detail) in [
        (json!({"valor": "7.21"}), "valor", "espera 7.21 e o cálculo dá 7.20"),
        (json!({"valor": "7,20"}), "valor", "use ponto como separador decimal"),
        (json!({"detalhes": {"base_calculo": "100.01"}}), "detalhes", "\"100.01\" em `detalhes.base_calculo`"),
        (json!({"detalhes": {"aliquota_aplicada": 7.2}}), "detalhes", "7.2 em `detalhes.aliquota_aplicada`"),
        (json!({"detalhes": {"isento": "0"}}), "detalhes", "\"0\" em `detalhes.isento`"),
        (json!({"detalhes": {"nada": "0"}}), "detalhes", "`detalhes.nada`, que o resultado não traz"),
    ] {
        let said = said_of(&icms(), &icms_example(&members)).unwrap_or_else(|| panic!("it holds: {members}"));
        assert!(said.starts_with(&format!("regras[0].exemplos[0].{place}: ")) && said.contains(detail), "{said}");
    }
}

/// The bundles of the binary, whose examples its tests have run: to run them again for each command took a quarter of its
/// time.
#[test]
fn the_examples_of_proven_bundles_are_not_run_again() {
    let wrong = with(&icms(), &json!({"exemplos": [icms_example(&json!({"valor": "7.21"}))]}));
    let import = |is_proven| {
        let options = ImportOptions { is_proven, ..ImportOptions::default() };
        let at = Timestamp::parse(PUBLISHED_AT).unwrap();
        engine(0).import(&[file("teste.json", &bundle(std::slice::from_ref(&wrong)).to_string())], at, options)
    };
    assert!(matches!(import(false), Err(ImportError::Faults(faults)) if faults.len() == 1));
    let report = import(true).unwrap();
    assert_eq!((report.publicadas.len(), report.exemplos), (1, 0));
}

/// A component of a component, and a list of them, are declared too.
#[test]
fn amounts_inside_of_other_components_are_compared_as_decimals() {
    let brackets = json!({"metodo": "marginal", "faixas": [
        {"ate": "100.00", "aliquota": "2.00"}, {"ate": null, "aliquota": "4.00"}]});
    let itcmd = rule("itcmd-sp", "itcmd", &json!({"uf": "SP"}), &brackets);
    let payload = json!({"tributo": "itcmd", "uf": "SP", "fato_gerador": "doacao", "valor_base": "300.00",
        "data_fato_gerador": "2026-03-10"});
    let shown =
        crate::support::calculate(&crate::support::engine_with(std::slice::from_ref(&itcmd)), &payload).unwrap();
    let mut detalhes = shown["detalhes"].clone();
    assert!(shortened(&mut detalhes) > 2, "no amounts in it: {detalhes}");
    let example = json!({"payload": payload, "valor": shown["valor"], "detalhes": detalhes});
    assert_eq!(said_of(&itcmd, &example), None, "{example}");
}

/// Takes the zeros away from the end of every text that has them after a dot; how many it took.
fn shortened(value: &mut Value) -> usize {
    match value {
        Value::String(text) if text.ends_with('0') && text.contains('.') => {
            *text = text.trim_end_matches('0').trim_end_matches('.').to_owned();
            1
        }
        Value::Array(items) => items.iter_mut().map(shortened).sum(),
        Value::Object(members) => members.values_mut().map(shortened).sum(),
        _ => 0,
    }
}

#[test]
fn codes_and_words_are_compared_letter_by_letter() {
    let content = json!({"criterio": "mva", "descricao": "7.20", "mva": "40.00", "aliquota_interna": "18.00"});
    let escopo = json!({"uf_destino": "SP", "ncm": "22030000", "cest": "0302100"});
    let rule = rule("st-sp", "icms_st", &escopo, &content);
    let example = |detalhes: Value| {
        json!({"valor": "7.2", "detalhes": detalhes, "payload": {"tributo": "icms_st", "ncm": "22030000",
            "uf_origem": "SP", "uf_destino": "SP", "data_operacao": "2026-03-10", "valor_produto": "100.00"}})
    };
    assert_eq!(said_of(&rule, &example(json!({"cest": "0302100", "mercadoria": "7.20", "mva_aplicada": "40"}))), None);
    for detalhes in [json!({"cest": "302100"}), json!({"mercadoria": "7.2"})] {
        assert!(said_of(&rule, &example(detalhes.clone())).is_some(), "{detalhes}");
    }
}
