//! All that a record of the listing says.

use serde_json::{Value, json};

use super::own_rules;
use crate::support::{OwnRules, rule, with};

#[test]
fn a_record_has_all_of_the_rule() {
    let base = rule(
        "iss-niteroi",
        "iss",
        &json!({"uf": "RJ", "municipio": "niteroi", "item_lista_servico": "1.01"}),
        &json!({"aliquota": null}),
    );
    let more = json!({
        "avisos": ["Um aviso.", {"condicao": "regime", "texto": "Outro aviso."}], "motivo": "A lei não foi lida.",
        "fonte": "Diário Oficial", "conferencia": "fonte_unica",
    });
    let own = OwnRules::of(&[with(&base, &more)]);
    let server = own.serve();
    let record = &server.regras("")[0];
    let published = record["publicado_em"].as_str().unwrap_or_else(|| panic!("{record}"));
    assert!(published.len() == 24 && published.ends_with('Z'), "{published}");
    assert_eq!(published, server.changelog("")[0]["publicado_em"]);
    assert_eq!(
        with(record, &json!({"publicado_em": null})),
        json!({
            "rule_id": "iss-niteroi-v1.0", "rule_code": "iss-niteroi", "versao": "1.0", "tributo": "iss",
            "uf_origem": "RJ", "uf_destino": "RJ", "municipio": "Niterói", "item_lista_servico": ["1.01"],
            "vigente_de": "2020-01-01", "vigente_ate": null, "citacao_legal": "Lei de teste de iss-niteroi",
            "fonte": "Diário Oficial", "conferencia": "fonte_unica", "avisos": ["Um aviso.", "Outro aviso."],
            "condicoes_dos_avisos": [null, "regime"], "motivo": "A lei não foi lida.",
            "situacao": "vigente", "substituida_por": null, "conteudo": {"aliquota": null},
        })
    );
}

#[test]
fn sentences_without_conditions_have_a_list_of_nulls_beside_them() {
    let content = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"});
    let base = rule("t-ipi", "ipi", &json!({"ncm": ["10000000"]}), &content);
    let own = OwnRules::of(&[with(&base, &json!({"avisos": ["Um.", "Dois."]}))]);
    let record = &own.serve().regras("")[0];
    assert_eq!((&record["avisos"], &record["condicoes_dos_avisos"]), (&json!(["Um.", "Dois."]), &json!([null, null])));
}

#[test]
fn scope_members_are_there_even_where_null() {
    let own = own_rules();
    let server = own.serve();
    for (query, origem, destino, municipio) in [
        ("tributo=ipi", Value::Null, Value::Null, Value::Null),
        ("rule_code=icms-ac-am", json!("AC"), json!("AM"), Value::Null),
        ("rule_code=icms-sp", json!("SP"), json!("SP"), Value::Null),
        ("rule_code=itbi-niteroi", json!("RJ"), json!("RJ"), json!("Niterói")),
    ] {
        for record in server.regras(query) {
            for (name, value) in [("uf_origem", &origem), ("uf_destino", &destino), ("municipio", &municipio)] {
                assert_eq!(record.get(name), Some(value), "{query}: {record}");
            }
        }
    }
}

#[test]
fn an_empty_listing_is_a_listing() {
    let own = own_rules();
    let reply = own.serve().get_own("/v1/regras?rule_code=nada-disso");
    assert_eq!((reply.status, reply.json()), (200, json!({"regras": [], "proximo": null})));
    assert_eq!(reply.header("content-type"), Some("application/json"));
}
