//! What an import warns of: rules that cannot answer before another rule is there.

use serde_json::{Value, json};
use taxd_core::engine::Engine;

use crate::support::{bundle, engine, file, import, rule, with};

fn st(code: &str, escopo: &Value) -> Value {
    let content = json!({"criterio": "mva", "descricao": "Cerveja", "mva": "40.00", "aliquota_interna": "18.00"});
    rule(code, "icms_st", &with(&json!({"ncm": "2203"}), escopo), &content)
}

fn senate(from: &str, to: &str, members: &Value) -> Value {
    let code = format!("senado-{}-{}", from.to_lowercase(), to.to_lowercase());
    let escopo = json!({"uf_origem": from, "uf_destino": to});
    with(&rule(&code, "icms", &escopo, &json!({"aliquota": "12.00"})), members)
}

/// What the import of these rules warns of, the same in a dry run.
fn warned(engine: &Engine, rules: &[Value]) -> Vec<String> {
    let files = [file("st.json", &bundle(rules).to_string())];
    let dry = import(engine, &files, true).unwrap().avisos;
    let done = import(engine, &files, false).unwrap().avisos;
    assert_eq!(dry, done);
    done
}

/// It was imported without a word, and each operation that it was made for was refused.
#[test]
fn a_rule_of_substitution_without_its_interstate_rate_is_warned_of() {
    let engine = engine(0);
    let said = warned(&engine, &[st("st-um", &json!({"uf_origem": "MG", "uf_destino": "SP"}))]);
    let [said] = said.as_slice() else { panic!("{said:?}") };
    for part in ["st.json: st-um-v1.0 needs a rule of icms from MG to SP", "none on 2020-01-01", "regra_inexistente"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("rules of this file"), "there is one: {said}");
    // With the rate in the same import, or there before, there is nothing to say.
    let rate = senate("MG", "RJ", &json!({}));
    let rules = [st("st-dois", &json!({"uf_origem": "MG", "uf_destino": "RJ"})), rate];
    assert_eq!(warned(&engine, &rules), Vec::<String>::new());
    let later = [with(
        &st("st-tres", &json!({"uf_origem": "MG", "uf_destino": "RJ"})),
        &json!({
        "escopo": {"ncm": "2204", "uf_origem": "MG", "uf_destino": "RJ"}}),
    )];
    assert_eq!(warned(&engine, &later), Vec::<String>::new());
}

#[test]
fn a_rule_for_every_origin_needs_the_rate_of_each_and_inside_of_the_uf_none() {
    let said = warned(&engine(0), &[st("st-todas", &json!({"uf_destino": "SP"}))]);
    assert!(said.len() == 1 && said[0].contains("pairs of UFs: 26"), "{said:?}");
    let said = warned(&engine(0), &[st("st-interna", &json!({"uf": "SP"}))]);
    assert_eq!(said, Vec::<String>::new());
}

#[test]
fn one_sentence_for_a_file_says_how_many_rules_and_pairs_there_are() {
    let pairs = [("MG", "SP"), ("MG", "RJ"), ("BA", "SP")];
    let rules: Vec<Value> = pairs
        .iter()
        .map(|(from, to)| {
            let code = format!("st-{}-{}", from.to_lowercase(), to.to_lowercase());
            st(&code, &json!({"uf_origem": from, "uf_destino": to}))
        })
        .collect();
    let said = warned(&engine(0), &rules);
    assert!(said.len() == 1 && said[0].contains("lack one: 3, pairs of UFs: 3"), "{said:?}");
}

#[test]
fn the_rate_must_be_there_on_every_day_of_the_rule() {
    let rule = st("st-mg-sp", &json!({"uf_origem": "MG", "uf_destino": "SP"}));
    let ended = with(&rule, &json!({"vigente_ate": "2026-01-01"}));
    let span = |versao: &str, de: &str, ate: Value| {
        senate("MG", "SP", &json!({"versao": versao, "vigente_de": de, "vigente_ate": ate}))
    };
    for (rates, missing) in [
        (vec![span("1.0", "2019-01-01", Value::Null)], None),
        (vec![span("1.0", "2019-01-01", json!("2026-01-01"))], None),
        (vec![span("1.0", "2019-01-01", json!("2023-01-01")), span("1.1", "2023-01-01", json!("2026-01-01"))], None),
        (vec![span("1.0", "2019-01-01", json!("2025-12-31"))], Some("2025-12-31")),
        (vec![span("1.0", "2020-01-02", Value::Null)], Some("2020-01-01")),
        (
            vec![span("1.0", "2019-01-01", json!("2023-01-01")), span("1.1", "2023-01-02", Value::Null)],
            Some("2023-01-01"),
        ),
    ] {
        let said = warned(&engine(0), &[std::slice::from_ref(&ended), rates.as_slice()].concat());
        match missing {
            None => assert_eq!(said, Vec::<String>::new(), "{rates:?}"),
            Some(day) => assert!(said.len() == 1 && said[0].contains(&format!("none on {day}")), "{day}: {said:?}"),
        }
    }
}
