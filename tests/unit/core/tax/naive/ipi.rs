//! IPI: value, freight and expenses at the rate of the line of the TIPI; of cigarettes, a part of the retail price, at that
//! rate or, by option, at another one with an amount a unit.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, Expected, check, given, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, rate_written, rounded, sum};
use crate::property::cases;
use crate::support::{engine_with, rule};

/// The rate and the amount by unit of the special regime, for who opted for it.
fn special(c: &Value, p: &Value) -> Result<Option<(Q, Q)>, &'static str> {
    let Some(special) = c.get("regime_especial") else { return Ok(None) };
    if !given(p, "regime_especial") {
        return Err("regime_especial_ausente");
    }
    if p["regime_especial"] != json!(true) {
        return Ok(None);
    }
    let (rate, valor) = (needed(special, "aliquota")?, needed(special, "valor")?);
    if !given(p, "quantidade") {
        return Err("quantidade_ausente");
    }
    let quantity = amount(p, "quantidade");
    if quantity.is_zero() { Err("valor_zero") } else { Ok(Some((rate, rounded(&(valor * quantity), 2)))) }
}

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
    let special = special(c, p)?;
    if special.is_none() && situation == "tributado" {
        needed(c, "aliquota")?;
    }
    let base = match c.get("percentual_varejo") {
        None => sum(p, &["valor_produto", "frete", "despesas"]),
        Some(_) => {
            let part = percent(&needed(c, "percentual_varejo")?);
            if !given(p, "preco_venda_varejo") {
                return Err("campo_obrigatorio");
            }
            amount(p, "preco_venda_varejo") * part
        }
    };
    if let Some((rate, by_unit)) = special {
        let ad_valorem = rounded(&(&base * percent(&rate)), 2);
        return Ok(Answer::due(&(&ad_valorem + &by_unit))
            .amount("base_calculo", &base)
            .amount("parcela_ad_valorem", &ad_valorem)
            .amount("parcela_por_unidade", &by_unit)
            .other("regime_especial", &json!(true))
            .other("unidade", &json!("vintena"))
            .rate("aliquota_aplicada", &rate));
    }
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
    let figures = (make::rate_to(300), make::limit(), make::rate_to(100));
    let special = (figures, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|((rate, valor, part), a, b, own)| {
        let figure = |text: String, known: bool| if known { json!(text) } else { Value::Null };
        // Mostly figures: two coins that both fall on their side leave one of the two out.
        let known = [a || b, a || !b];
        let mut content = json!({"regime_especial": {"aliquota": figure(rate, known[0]), "valor": figure(valor, known[1]),
            "unidade": "vintena"}});
        if own {
            content["percentual_varejo"] = json!(part);
        }
        content
    });
    let taxed = (taxed, proptest::option::of(special)).prop_map(|(taxed, special)| match special {
        Some(special) => crate::support::with(&taxed, &special),
        None => taxed,
    });
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
        ("preco_venda_varejo", value()),
        ("regime_especial", make::perhaps(make::flags())),
        ("quantidade", make::perhaps(make::text(prop_oneof![4 => make::amount(), 1 => Just("0".to_owned())].boxed()))),
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
