//! The value of a State's fiscal unit: which one an answer uses, what it says of it, and which rules may state it.

use serde_json::{Value, json};
use taxd_base::problem::ErrorCode;
use taxd_core::engine::Engine;

use crate::support::{built_in_engine, calculate, engine, engine_with, publish, rule, with};

const UNIT: &str = "Comunicado nº 1";

/// A gift of more than 1,000 units at 4 %; the unit is 10.00 in 2025, 20.00 in 2026, and not established afterwards.
fn sao_paulo() -> Engine {
    let exempt =
        json!({"limite": "1000.00", "unidade": "unidade_fiscal", "modo": "total", "base_legal": "Lei, art. 1º"});
    let content = json!({"aliquota": "4.00", "unidade_nome": "UFESP", "isencao": exempt});
    let unit = |version: &str, from: &str, until: &str, value: Value| {
        let content = json!({"unidade_nome": "UFESP", "valor_unidade": value});
        let rule = rule("unidade", "itcmd", &json!({"uf": "SP", "fato_gerador": "unidade_fiscal"}), &content);
        let days = json!({"versao": version, "vigente_de": from, "vigente_ate": until, "citacao_legal": UNIT,
            "motivo": "Sai por comunicado em dezembro."});
        with(&rule, &days)
    };
    engine_with(&[
        rule("doacao", "itcmd", &json!({"uf": "SP", "fato_gerador": "doacao"}), &content),
        unit("1.0", "2025-01-01", "2026-01-01", json!("10.00")),
        unit("1.1", "2026-01-01", "2027-01-01", json!("20.00")),
        unit("1.2", "2027-01-01", "2028-01-01", Value::Null),
    ])
}

fn gift(value: &str, day: &str) -> Value {
    json!({"tributo": "itcmd", "uf": "SP", "fato_gerador": "doacao", "valor_base": value, "data_fato_gerador": day})
}

/// Every answer once asked for a value that an act of the State publishes each year.
#[test]
fn the_unit_of_the_day_is_used_and_named_if_the_payload_has_none() {
    let engine = sao_paulo();
    for (value, day, tax, unit) in [
        ("10000.00", "2025-12-31", "0.00", "R$ 10,00"),
        ("10000.01", "2025-12-31", "400.00", "R$ 10,00"),
        ("20000.00", "2026-01-01", "0.00", "R$ 20,00"),
        ("20000.01", "2026-12-31", "800.00", "R$ 20,00"),
    ] {
        let answer = calculate(&engine, &gift(value, day)).unwrap();
        assert_eq!(answer["valor"], tax, "{value} on {day}");
        let said = format!("Usou-se a UFESP do dia, {unit} ({UNIT})");
        assert!(answer["avisos"][0].as_str().unwrap().starts_with(&said), "{answer}");
        assert_eq!(answer["condicoes_dos_avisos"], json!(["data"]));
        assert_eq!(answer["detalhes"]["regras_auxiliares"][0]["citacao_legal"], UNIT);
    }
}

#[test]
fn the_unit_of_the_payload_goes_before_that_of_the_day_and_a_sentence_says_that_they_differ() {
    let engine = sao_paulo();
    let own = |unit: &str| with(&gift("20000.01", "2026-05-20"), &json!({"valor_unidade_fiscal": unit}));
    let answer = calculate(&engine, &own("30.00")).unwrap();
    assert_eq!(answer["valor"], "0.00");
    assert_eq!(
        answer["avisos"][0],
        format!("Usou-se o valor de UFESP do pedido, R$ 30,00; o do dia é R$ 20,00 ({UNIT}).")
    );
    let same = calculate(&engine, &own("20.0000")).unwrap();
    assert_eq!((&same["valor"], &same["avisos"]), (&json!("800.00"), &Value::Null), "{same}");
    let zero = calculate(&engine, &own("0.00")).unwrap_err();
    assert_eq!(zero.codigo, ErrorCode::ValorZero);
}

#[test]
fn a_day_without_a_value_is_refused_with_the_act_that_sets_it() {
    let engine = sao_paulo();
    let refused = calculate(&engine, &gift("20000.01", "2027-01-01")).unwrap_err();
    assert_eq!(refused.codigo, ErrorCode::UnidadeFiscalAusente);
    assert!(refused.detail.ends_with("Sai por comunicado em dezembro."), "{}", refused.detail);
    // The unit has no rule before its first value.
    let refused = calculate(&engine, &gift("20000.01", "2024-12-31")).unwrap_err();
    assert_eq!(refused.codigo, ErrorCode::UnidadeFiscalAusente);
    assert!(refused.detail.ends_with("o valor de uma unidade no ano."), "{}", refused.detail);
}

/// A State may have several units, and the rule of one answers no request by itself.
#[test]
fn a_unit_of_another_name_is_not_used_and_never_answers_in_the_place_of_a_rule() {
    let scope = json!({"uf": "SP", "fato_gerador": "unidade_fiscal"});
    let unit = rule("unidade", "itcmd", &scope, &json!({"unidade_nome": "UFM", "valor_unidade": "10.00"}));
    let alone = engine_with(std::slice::from_ref(&unit));
    assert_eq!(calculate(&alone, &gift("1.00", "2026-05-20")).unwrap_err().codigo, ErrorCode::RegraInexistente);
    let brackets = json!([{"ate": "1000.00", "aliquota": "2.00"}, {"ate": null, "aliquota": "4.00"}]);
    let content =
        json!({"metodo": "integral", "faixas": brackets, "unidade": "unidade_fiscal", "unidade_nome": "UFESP"});
    let other = engine_with(&[unit, rule("geral", "itcmd", &json!({"uf": "SP"}), &content)]);
    assert_eq!(calculate(&other, &gift("1.00", "2026-05-20")).unwrap_err().codigo, ErrorCode::UnidadeFiscalAusente);
}

#[test]
fn a_rule_of_a_unit_has_its_scope_a_name_a_value_and_nothing_else() {
    let faults = |scope: Value, content: Value| {
        let rules = [rule("regra", "itcmd", &scope, &content)];
        publish(&engine(0), &rules).map_or_else(|faults| format!("{faults:?}"), |_| String::new())
    };
    let of_unit = || json!({"uf": "SP", "fato_gerador": "unidade_fiscal"});
    let content = json!({"unidade_nome": "UFESP", "valor_unidade": "10.00"});
    assert_eq!(faults(of_unit(), content.clone()), "");
    for (scope, content, wanted) in [
        (of_unit(), json!({"valor_unidade": "10.00"}), "precisa do nome"),
        (of_unit(), with(&content, &json!({"valor_unidade": "0.00"})), "maior que zero"),
        (of_unit(), with(&content, &json!({"aliquota": "4.00"})), "não usa `aliquota`"),
        (of_unit(), json!({"aliquota": "4.00"}), "que traz `valor_unidade`"),
        (json!({"uf": "SP"}), content.clone(), "que traz `valor_unidade`"),
        (json!({"uf": "SP", "fato_gerador": ["doacao", "unidade_fiscal"]}), content, "sem outra palavra"),
    ] {
        assert!(faults(scope, content.clone()).contains(wanted), "{wanted}: {content}");
    }
}

#[test]
fn the_built_in_rules_know_the_unit_of_the_day() {
    let engine = built_in_engine();
    let answer = calculate(engine, &gift("96050.01", "2026-05-20")).unwrap();
    assert_eq!(answer["valor"], "3842.00");
    assert_eq!(answer["detalhes"]["regras_auxiliares"][0]["rule_id"], "itcmd-sp-unidade-fiscal-v1.1");
    assert!(answer["avisos"].to_string().contains("R$ 38,42"), "{answer}");
    let next = calculate(engine, &gift("96050.01", "2027-01-01")).unwrap_err();
    assert_eq!(next.codigo, ErrorCode::UnidadeFiscalAusente);
    assert!(next.detail.contains("Sefaz/SP"), "{}", next.detail);
}
