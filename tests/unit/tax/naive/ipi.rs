//! IPI: value, freight and expenses at the rate of the line of the TIPI.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, Expected, cases, check, given, needed, word};
use super::generate as make;
use super::number::{Q, percent, rate_written, sum};
use crate::support::{engine_with, rule};

/// `parent` is the line of the heading, `line` that of the code, `ex` that of its Ex 01.
fn naive(parent: &Value, line: &Value, ex: &Value, p: &Value) -> Expected {
    let at_line = p["ncm"] == "22030000";
    let is_ex = at_line && matches!(word(p, "ex", ""), "1" | "01" | "001");
    let c = if is_ex {
        ex
    } else if at_line {
        line
    } else {
        parent
    };
    let situation = word(c, "situacao", "");
    let base = sum(p, &["valor_produto", "frete", "despesas"]);
    let rate = if situation == "tributado" { needed(c, "aliquota")? } else { Q::zero() };
    Ok(Answer::due(&(&base * percent(&rate)))
        .amount("base_calculo", &base)
        .other("situacao", &json!(situation))
        .other("ex_aplicado", &json!(is_ex))
        .other("ex_declarado", &if given(p, "ex") { json!("01") } else { Value::Null })
        .other(
            "aliquota_aplicada",
            &if situation == "nao_tributado" { Value::Null } else { json!(rate_written(&rate)) },
        ))
}

fn content() -> BoxedStrategy<Value> {
    let rate = make::rate_to(300).prop_filter("a taxed line has a rate", |r| super::number::q(r) > Q::zero()).boxed();
    let taxed = make::figure(rate).prop_map(|r| json!({"situacao": "tributado", "aliquota": r, "tabela_versao": "T"}));
    let other =
        make::one_of(&["nao_tributado", "aliquota_zero"]).prop_map(|s| json!({"situacao": s, "tabela_versao": "T"}));
    prop_oneof![4 => taxed, 1 => other].boxed()
}

fn payload() -> BoxedStrategy<Value> {
    let value = || make::perhaps(make::text(make::amount()));
    make::object(vec![
        ("tributo", make::fixed(json!("ipi"))),
        ("ncm", make::always(make::one_of(&["22030000", "22030100"]))),
        ("ex", make::perhaps(make::one_of(&["1", "01", "001"]))),
        ("valor_produto", make::always(make::text(make::amount()))),
        ("frete", value()),
        ("despesas", value()),
        ("data_operacao", make::fixed(json!("2026-03-10"))),
    ])
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn ipi_is_the_naive_ipi(
        (parent, line, ex) in (content(), content(), content()),
        payloads in proptest::collection::vec(payload(), 16..24),
    ) {
        let engine = engine_with(&[
            rule("posicao", "ipi", &json!({"ncm": "2203"}), &parent),
            rule("linha", "ipi", &json!({"ncm": "22030000"}), &line),
            rule("linha-ex", "ipi", &json!({"ncm": "22030000", "ex": "1"}), &ex),
        ]);
        for payload in &payloads {
            check(&engine, payload, naive(&parent, &line, &ex, payload))?;
        }
    }
}
