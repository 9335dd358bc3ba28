//! What the operator learns of the rules without asking: how old the official tables are, and which rule of the office
//! has the scope of a later one.

use serde_json::{Value, json};

use crate::support::{DataDir, bundle, taxd, with};

fn rule(code: &str, aliquota: &str) -> Value {
    json!({
        "rule_code": code, "versao": "1.0", "tributo": "iss", "vigente_de": "2026-01-01",
        "escopo": {"uf": "MG", "municipio": "Uberaba", "item_lista_servico": ["17.19"]},
        "citacao_legal": "Lei nº 1, art. 2º", "conteudo": {"aliquota": aliquota}
    })
}

#[test]
fn status_health_metrics_and_the_page_say_how_old_the_official_tables_are() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let status = taxd(&dir, ["status", "--json"]).ok().json();
    let tables = status["health"]["tables"].as_array().unwrap().clone();
    let tipi = tables.iter().find(|table| table["nome"] == "TIPI").unwrap();
    let age = tipi["idade_dias"].as_u64().unwrap();
    assert!(age > 200, "{tipi}");
    assert!(tipi["mudancas"][0].as_str().unwrap().contains("3913.90.50"), "{tipi}");
    assert_eq!(taxd(&dir, ["health", "--json"]).ok().json()["tables"], json!(tables));
    let text = taxd(&dir, ["status"]).ok().stdout;
    assert!(text.contains(&format!("TIPI of 2026-02-12, {age} days old (1 bundle): Decreto nº 11.158/2022")), "{text}");
    assert!(text.contains("PMPF of 2026-08-01") && text.contains("until before 2026-08-16 (24 bundles)"), "{text}");
    let metrics = taxd(&dir, ["metrics"]).ok().stdout;
    assert!(
        metrics.contains(&format!("taxd_official_table_age_seconds{{table=\"TIPI\"}} {}\n", age * 86_400)),
        "{metrics}"
    );
    let shown = server.get_own("/sandbox/v1/cobertura").json();
    assert_eq!(shown["tabelas"], json!(tables));
}

#[test]
fn a_later_rule_of_the_scope_of_a_rule_of_the_office_is_reported_until_it_is_decided() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let load = |name: &str, rule: &Value| {
        let file = dir.write(name, bundle(std::slice::from_ref(rule)));
        taxd(&dir, ["import", file.to_str().unwrap()]).ok()
    };
    let own = with(&rule("escritorio-iss-uberaba", "2.00"), &json!({"conferencia": "do_escritorio"}));
    load("own.json", &own);
    let notices = || {
        let health = taxd(&dir, ["health", "--json"]).ok().json();
        assert_eq!(health["state"], "ok", "a notice does not change the state");
        health["notices"].as_array().into_iter().flatten().filter(|n| n["name"] == "office_conflicts").count()
    };
    assert_eq!(notices(), 0);
    let later = load("later.json", &rule("iss-mg-uberaba", "5.00"));
    assert!(later.stderr.contains("iss-mg-uberaba-v1.0 has the scope of escritorio-iss-uberaba-v1.0"), "{later:?}");
    assert_eq!(notices(), 1);
    assert!(taxd(&dir, ["status"]).ok().stdout.contains("escritorio-iss-uberaba-v1.0 over iss-mg-uberaba-v1.0"));
    taxd(&dir, ["check"]).ok();
    drop(server);
    // The server starts beside the conflict, says it, and the office's rule answers.
    let server = dir.serve(&[]);
    let asked = json!({"tributo": "iss", "uf": "MG", "municipio": "Uberaba", "item_lista_servico": "17.19",
        "preco_servico": "1000.00", "data": "2026-03-10"});
    assert_eq!(server.calculate(&asked).envelope()["valor"], "20.00");
    load("ended.json", &with(&own, &json!({"versao": "1.1", "vigente_ate": "2026-01-02"})));
    assert_eq!(server.calculate(&asked).envelope()["valor"], "50.00");
    assert_eq!(notices(), 0);
    taxd(&dir, ["check"]).ok();
}
