//! `POST /sandbox/v1/regra`: the rule that the page writes beside a refusal.

use std::fs;

use serde_json::{Value, json};

use crate::support::{DataDir, Server, taxd, with};

const PATH: &str = "/sandbox/v1/regra";

fn asked() -> Value {
    json!({"tributo": "iss", "uf": "MG", "municipio": "Uberaba", "item_lista_servico": "17.19",
        "preco_servico": "1000.00", "data": "2026-03-10"})
}

fn members() -> Value {
    json!({
        "escopo.uf": "MG", "escopo.municipio": "Uberaba", "escopo.item_lista_servico": "17.19",
        "vigente_de": "2026-01-01", "citacao_legal": "Lei Complementar nº 1, art. 2º", "fonte": "Diário do município",
        "conteudo.aliquota": "2.5"
    })
}

fn form(members: &Value) -> String {
    json!({"tributo": "iss", "membros": members, "pergunta": asked()}).to_string()
}

fn versions(server: &Server) -> usize {
    server.get_own("/v1/regras?tributo=iss&uf=MG&municipio=Uberaba").json()["regras"].as_array().unwrap().len()
}

#[test]
fn the_bundle_of_the_page_is_one_that_an_import_takes_and_the_page_publishes_nothing() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let reply = server.post(PATH, form(&members()));
    assert_eq!(reply.status, 200, "{}", reply.text());
    let made = reply.json();
    assert_eq!(
        (&made["valor"], &made["arquivo"]),
        (&json!("25.00"), &json!("escritorio-iss-mg-uberaba-1719-v1.0.json"))
    );
    server.calculate(&asked()).problem(404, "regra_inexistente");
    assert_eq!(versions(&server), 0);
    let file = dir.path().with_file_name("da-pagina.json");
    fs::write(&file, made["pacote"].as_str().unwrap()).unwrap();
    taxd(&dir, ["import", file.to_str().unwrap()]).ok();
    assert_eq!(server.calculate(&asked()).envelope()["valor"], "25.00");
}

#[test]
fn faults_are_beside_their_fields_and_the_question_is_one_of_them() {
    let server = DataDir::served();
    let fields = |body: String| -> Vec<String> {
        let reply = server.post(PATH, body);
        assert_eq!(reply.status, 422, "{}", reply.text());
        reply.json()["erros"].as_array().unwrap().iter().map(|e| e["campo"].as_str().unwrap().to_owned()).collect()
    };
    let changed = |change: Value| form(&with(&members(), &change));
    assert_eq!(fields(changed(json!({"conteudo.aliquota": "x"}))), ["conteudo.aliquota"]);
    assert_eq!(fields(changed(json!({"escopo.municipio": "Uberabinha"}))), ["escopo.municipio"]);
    assert_eq!(fields(changed(json!({"citacao_legal": "", "vigente_de": " "}))), ["vigente_de", "citacao_legal"]);
    assert_eq!(fields(changed(json!({"fonte": ""}))), ["fonte"]);
    // The rule answers another service than the one that was asked for.
    assert!(fields(changed(json!({"escopo.item_lista_servico": "17.20"})))[0].starts_with("pergunta"));
    assert_eq!(fields(changed(json!({"conteudo.inventado": "1"}))), ["conteudo.inventado"]);
    assert_eq!(
        fields(form(&members()).replace("\"tributo\":\"iss\",\"membros\"", "\"tributo\":\"isz\",\"membros\"")),
        ["tributo"]
    );
    assert_eq!(server.post(PATH, "{").status, 400);
    assert_eq!(server.get_own(PATH).status, 405);
    // No key, no form.
    assert_eq!(server.post_as("svc_test_x", PATH, form(&members())).status, 401);
}

#[test]
fn every_tax_has_a_form_of_its_rule() {
    let server = DataDir::served();
    let taxes = server.get("/sandbox/tributos.json", &[]).json();
    for tax in taxes.as_array().unwrap() {
        let name = tax["tributo"].as_str().unwrap();
        let fields = server.get(&format!("/sandbox/regra_{name}.json"), &[]).json();
        let names: Vec<&str> = fields.as_array().unwrap().iter().map(|f| f["nome"].as_str().unwrap()).collect();
        for needed in ["vigente_de", "citacao_legal", "fonte"] {
            assert!(names.contains(&needed), "{name}: {names:?}");
        }
        assert!(names.iter().any(|n| n.starts_with("conteudo.")), "{name}: {names:?}");
        assert!(!names.iter().any(|n| n.starts_with("exemplos") || *n == "conferencia"), "{name}: {names:?}");
        assert!(fields.as_array().unwrap().iter().all(|f| f["rotulo"] != ""), "{name}: {fields:#}");
    }
}
