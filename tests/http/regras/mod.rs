//! `GET /v1/regras`: filters, pages, parameters, and `ETag`.

mod filters;
mod paging;
mod parameters;
mod record;

use serde_json::{Value, json};

use crate::support::{OwnRules, rule, with};

fn ended(rule: &Value, versao: &str, de: &str, ate: Option<&str>) -> Value {
    let mut rule = with(rule, &json!({"versao": versao, "vigente_de": de}));
    rule["vigente_ate"] = json!(ate);
    rule
}

/// Rules of several taxes, scopes and situations, in two publications.
fn own_rules() -> OwnRules {
    let ipva = |code: &str, uf: &str| rule(code, "ipva", &json!({"uf": uf}), &json!({"aliquota": "2.00"}));
    let icms = |code: &str, escopo: Value| rule(code, "icms", &escopo, &json!({"aliquota": "18.00"}));
    let iss = |code: &str, escopo: Value| rule(code, "iss", &escopo, &json!({"aliquota": "5.00"}));
    let ipi = |code: &str, escopo: Value| {
        let conteudo = json!({"situacao": "tributado", "aliquota": "3.90", "tabela_versao": "TIPI de teste"});
        rule(code, "ipi", &escopo, &conteudo)
    };
    let own = OwnRules::of(&[
        with(&ended(&ipva("ipva-ac", "AC"), "1.0", "2020-01-01", None), &json!({"conferencia": "texto_legal"})),
        ended(&ipva("ipva-ro", "RO"), "1.0", "2020-01-01", Some("2022-01-01")),
        ended(&ipva("ipva-am", "AM"), "1.0", "2020-01-01", None),
        with(
            &icms("icms-ac-am", json!({"uf_origem": "AC", "uf_destino": "AM"})),
            &json!({
            "citacao_legal": "Resolução do Senado Federal nº 22/1989, art. 1º"}),
        ),
        with(&icms("icms-sp", json!({"uf": "SP"})), &json!({"conferencia": "fonte_unica"})),
        icms("icms-sp-2203", json!({"uf": "SP", "ncm": ["2203"], "ncm_exceto": ["22030000"]})),
        ipi("ipi-22030000", json!({"ncm": "22030000"})),
        ipi("ipi-22030000-ex01", json!({"ncm": "22030000", "ex": "01"})),
        rule(
            "icms-st-sp",
            "icms_st",
            &json!({"uf_destino": "SP", "ncm": ["24022000"], "cest": "0302100"}),
            &json!({"criterio": "mva", "descricao": "Uma mercadoria", "mva": "40.00", "aliquota_interna": "18.00"}),
        ),
        ipi("ipi-2204", json!({"ncm": "22042100"})),
        iss("iss-niteroi", json!({"uf": "RJ", "municipio": "Niterói"})),
        iss("iss-niteroi-101", json!({"uf": "RJ", "municipio": "Niterói", "item_lista_servico": ["1.01", "1.02"]})),
        iss("iss-bj-pi", json!({"uf": "PI", "municipio": "Bom Jesus"})),
        iss("iss-bj-rs", json!({"uf": "RS", "municipio": "Bom Jesus"})),
        rule("itbi-niteroi", "itbi", &json!({"uf": "RJ", "municipio": "Niterói"}), &json!({"aliquota": "2.00"})),
    ]);
    own.publish(&[
        ended(&ipva("ipva-ac", "AC"), "1.1", "2023-01-01", None),
        ended(&ipva("ipva-ac", "AC"), "1.2", "2099-01-01", None),
        ended(&ipva("ipva-am", "AM"), "1.1", "2020-01-01", None),
    ]);
    own
}

/// All of them.
const COUNT: usize = 18;
