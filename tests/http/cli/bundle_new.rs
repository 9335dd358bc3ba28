//! `taxd bundle new`: a hole is filled from the command line, from the law to an answer.

use std::fs;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, taxd};

/// A municipality of which nothing is built in.
const SCOPE: &str = "uf=mg,municipio=Uberaba,item_lista_servico=17.19";

fn beside(dir: &DataDir, name: &str) -> String {
    dir.path().with_file_name(name).to_str().unwrap().to_owned()
}

fn new(dir: &DataDir, out: &str, more: &[&str]) -> Done {
    let out = beside(dir, out);
    taxd(dir, [&["bundle", "new", "iss", "--scope", SCOPE, "--out", &out], more].concat())
}

const LAW: [&str; 8] = [
    "--set",
    "vigente_de=01/01/2026",
    "--set",
    "citacao_legal=Lei Complementar nº 1, art. 2º",
    "--set",
    "fonte=Diário do município, lido em 25/11/2026",
    "--set",
    "conteudo.aliquota=2,5",
];

fn asked() -> Value {
    json!({"tributo": "iss", "uf": "MG", "municipio": "Uberaba", "item_lista_servico": "17.19",
        "preco_servico": "1000.00", "data": "2026-03-10"})
}

#[test]
fn a_hole_is_filled_by_a_bundle_that_says_whose_rule_it_is() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    server.calculate(&asked()).problem(404, "regra_inexistente");
    let payload = beside(&dir, "caso.json");
    fs::write(&payload, asked().to_string()).unwrap();
    let made = new(&dir, "uberaba.json", &[&LAW[..], &["--payload", &payload, "--json"]].concat()).ok().json();
    assert_eq!(
        (&made["rule_id"], &made["valor"]),
        (&json!("escritorio-iss-mg-uberaba-1719-v1.0"), &json!("25.00")),
        "{made}"
    );
    let file = beside(&dir, "uberaba.json");
    let bundle: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let rule = &bundle["regras"][0];
    assert_eq!(rule["conferencia"], "do_escritorio");
    assert_eq!(rule["escopo"], json!({"uf": "MG", "municipio": "Uberaba", "item_lista_servico": ["17.19"]}));
    assert_eq!(rule["exemplos"], json!([{"payload": asked(), "valor": "25.00"}]));
    taxd(&dir, ["bundle", "format", "--check", &file]).ok();
    // Nothing was published by that.
    server.calculate(&asked()).problem(404, "regra_inexistente");
    taxd(&dir, ["import", &file]).ok();
    let answer = server.calculate(&asked()).envelope();
    assert_eq!((&answer["valor"], &answer["regra"]["conferencia"]), (&json!("25.00"), &json!("do_escritorio")));
    // The next one of the same scope is the next version.
    let next = new(&dir, "outra.json", &[&LAW[..6], &["--set", "conteudo.aliquota=3", "--json"]].concat()).ok().json();
    assert_eq!(next["rule_id"], "escritorio-iss-mg-uberaba-1719-v1.1");
}

#[test]
fn without_a_payload_the_example_is_made_of_the_scope() {
    let dir = DataDir::ready();
    let made = new(&dir, "uberaba.json", &[&LAW[..], &["--json"]].concat()).ok().json();
    assert_eq!(made["pergunta"]["municipio"], "Uberaba");
    assert_eq!(made["pergunta"]["data"], "2026-01-01");
}
