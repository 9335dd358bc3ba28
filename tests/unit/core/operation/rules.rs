//! A small law of its own, so that the figures of these tests do not change with the built-in rules.

use std::sync::OnceLock;

use serde_json::{Value, json};
use taxd_base::document::{Object, Shown};
use taxd_base::problem::Problem;
use taxd_core::engine::Engine;
use taxd_law::operation;

use crate::support::{engine_with, rule, with};

/// Goods with IPI of 10 % and a margin of 40 %.
pub const GOODS: &str = "01012100";
/// Goods whose IPI is not established.
pub const IPI_UNKNOWN: &str = "01022110";
/// Goods whose ICMS in SP is not established.
pub const ICMS_UNKNOWN: &str = "01039100";
/// Goods of a single-phase regime, with IPI of zero.
pub const SINGLE_PHASE: &str = "33030010";

fn until_2026(rule: &Value) -> Value {
    with(rule, &json!({"vigente_ate": "2027-01-01"}))
}

fn since_2027(rule: &Value) -> Value {
    with(rule, &json!({"vigente_de": "2027-01-01"}))
}

fn ipi(code: &str, ncm: &str, situacao: &str, aliquota: &Value) -> Value {
    let content = json!({"situacao": situacao, "aliquota": aliquota, "tabela_versao": "TIPI"});
    rule(code, "ipi", &json!({"ncm": ncm}), &content)
}

fn of_goods() -> Vec<Value> {
    let margin = |code: &str, uf: &str, interna: &str| {
        let content = json!({"criterio": "mva", "descricao": "Cavalos", "mva": "40.00", "aliquota_interna": interna});
        rule(code, "icms_st", &json!({"uf_destino": uf, "ncm": GOODS}), &content)
    };
    let st_rj = margin("st-rj", "RJ", "20.00");
    let content = with(&st_rj["conteudo"], &json!({"fcp": "2.00"}));
    let law = |operacao: &str, content: Value| {
        rule(
            &format!("lei-{operacao}").replace('_', "-"),
            "icms_consumidor_final",
            &json!({"operacao": operacao}),
            &content,
        )
    };
    vec![
        until_2026(&ipi("ipi-10", GOODS, "tributado", &json!("10.00"))),
        since_2027(&ipi("ipi-zero", GOODS, "aliquota_zero", &Value::Null)),
        ipi("ipi-nulo", IPI_UNKNOWN, "tributado", &Value::Null),
        ipi("ipi-perfume", SINGLE_PHASE, "aliquota_zero", &Value::Null),
        rule("icms-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"})),
        with(
            &rule("icms-fim", "icms", &json!({}), &json!({"transicao": {"motivo_extincao": "O ICMS está extinto."}})),
            &json!({"vigente_de": "2033-01-01"}),
        ),
        rule("icms-sp-nulo", "icms", &json!({"uf": "SP", "ncm": ICMS_UNKNOWN}), &json!({"aliquota": null})),
        rule("icms-rj", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "20.00", "fcp": "2.00"})),
        rule("senado", "icms", &json!({"uf_origem": "SP", "uf_destino": "RJ"}), &json!({"aliquota": "12.00"})),
        rule("senado-importada", "icms", &json!({"origem_mercadoria": "importada"}), &json!({"aliquota": "4.00"})),
        margin("st-sp", "SP", "18.00"),
        with(&st_rj, &json!({"conteudo": content})),
        law("interna", json!({})),
        law("interestadual_nao_contribuinte", json!({"base_difal": "unica"})),
        law("interestadual_contribuinte", json!({"base_difal": "unica"})),
    ]
}

fn federal() -> Vec<Value> {
    let ordinary = |tributo: &str, regime: &str, aliquota: &str| {
        let code = format!("{tributo}-{regime}").replace('_', "-");
        rule(&code, tributo, &json!({"regime_apuracao": regime}), &json!({"tipo": "ordinario", "aliquota": aliquota}))
    };
    let single = |tributo: &str, aliquota: &str| {
        let content = json!({"tipo": "monofasico", "aliquota": aliquota, "motivo_zero_revenda": "Lei 10.147/2000"});
        rule(&format!("{tributo}-monofasico"), tributo, &json!({"ncm": SINGLE_PHASE}), &content)
    };
    let test_year = |tributo: &str, aliquota: &str| {
        let content = json!({"aliquota": aliquota, "dispensa_base_legal": "LC 214/2025, art. 348"});
        until_2026(&with(
            &rule(&format!("{tributo}-2026"), tributo, &json!({}), &content),
            &json!({"vigente_de": "2026-01-01"}),
        ))
    };
    let ibs_2027 = json!({"aliquota": "0.05", "aliquota_municipal": "0.05"});
    vec![
        ordinary("pis", "nao_cumulativo", "1.65"),
        ordinary("cofins", "nao_cumulativo", "7.60"),
        ordinary("pis", "cumulativo", "0.65"),
        ordinary("cofins", "cumulativo", "3.00"),
        single("pis", "2.20"),
        single("cofins", "10.30"),
        test_year("cbs", "0.90"),
        test_year("ibs", "0.10"),
        since_2027(&rule("cbs-2027", "cbs", &json!({}), &json!({"aliquota": null}))),
        since_2027(&rule("ibs-2027", "ibs", &json!({}), &ibs_2027)),
    ]
}

fn of_services() -> Vec<Value> {
    let iss = |code: &str, item: &str, content: Value| {
        let scope = json!({"uf": "SP", "municipio": "São Paulo", "item_lista_servico": item});
        rule(code, "iss", &scope, &content)
    };
    vec![
        iss("iss-1.07", "1.07", json!({"aliquota": "2.90"})),
        iss("iss-7.02", "7.02", json!({"aliquota": "5.00", "retido_na_fonte": true})),
    ]
}

/// The engine of these rules.
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| engine_with(&[of_goods(), federal(), of_services()].concat()))
}

/// The taxes of an operation by the rules of `engine`, as JSON text.
pub fn text_by(engine: &Engine, facts: &Value) -> Result<String, Box<Problem>> {
    let ask = |payload: &Object<'_>| engine.answer(payload, false, None);
    let text = facts.to_string();
    let apuracao = operation::calculate(&operation::parse(text.as_bytes())?, &ask)?;
    let mut written = Vec::new();
    apuracao.write(&mut written).unwrap();
    Ok(String::from_utf8(written).unwrap())
}

/// The taxes of an operation by these rules.
pub fn apuracao(facts: &Value) -> Value {
    let text = text_by(engine(), facts).unwrap_or_else(|problem| panic!("{facts}: {problem:?}"));
    serde_json::from_str(&text).unwrap()
}

/// The line of a tax.
pub fn tax<'a>(apuracao: &'a Value, tributo: &str) -> &'a Value {
    let mut taxes = apuracao["tributos"].as_array().unwrap().iter();
    taxes.find(|tax| tax["tributo"] == tributo).unwrap_or_else(|| panic!("no {tributo}: {apuracao}"))
}

/// A sale inside SP by the maker, to a reseller.
pub fn sale() -> Value {
    json!({
        "data_operacao": "2026-03-10", "valor_produto": "1000.00", "uf_origem": "SP", "uf_destino": "SP", "ncm": GOODS,
        "papel_na_cadeia": "fabricante_importador", "regime_apuracao": "nao_cumulativo",
        "cumpre_obrigacoes_acessorias": true
    })
}

/// A service in São Paulo.
pub fn service() -> Value {
    json!({
        "data_operacao": "2026-03-10", "preco_servico": "10000.00", "uf": "SP", "municipio": "São Paulo",
        "item_lista_servico": "1.07", "regime_apuracao": "cumulativo", "cumpre_obrigacoes_acessorias": true
    })
}
