//! PIS and COFINS: the revenue less its ICMS, at the regime's rate or the product's own.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, Expected, check, given, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, rate_written};
use crate::property::cases;
use crate::support::{engine_with, rule};

/// Rates of the two regimes, and the rule of heading 2203 (with regime or without).
#[derive(Debug)]
struct Rules {
    cumulative: Value,
    ordinary: Value,
    product: Value,
    /// The rule of the product names both regimes, and not `simples`.
    named: bool,
}

/// The rate, or the reason why nothing is due, by one rule.
fn treatment(c: &Value, p: &Value) -> Result<(&'static str, Q), &'static str> {
    match word(c, "tipo", "") {
        "extinto" => Err("tributo_extinto"),
        "aliquota_zero" => Ok(("aliquota_zero", Q::zero())),
        "monofasico" => match word(p, "papel_na_cadeia", "") {
            "" => Err("papel_na_cadeia_ausente"),
            "revenda" => Ok(("monofasico_revenda", Q::zero())),
            _ => match c.get("por_comprador") {
                Some(_) if !given(p, "venda_a") => Err("venda_a_ausente"),
                Some(rates) => Ok(("tributado", needed(rates, word(p, "venda_a", ""))?)),
                None if c.get("por_unidade").is_some() && !given(p, "regime_especial") => {
                    Err("regime_especial_ausente")
                }
                None => Ok(("tributado", needed(c, "aliquota")?)),
            },
        },
        _ => Ok(("tributado", needed(c, "aliquota")?)),
    }
}

/// A quantity without the zeros that precede its digits, as answers write it.
fn without_zeros(quantity: &Value) -> Value {
    let digits = quantity.as_str().map(|text| text.trim_start_matches('0'));
    digits
        .map_or(Value::Null, |digits| if digits.starts_with('.') { json!(format!("0{digits}")) } else { json!(digits) })
}

/// The amount a unit, for a maker of a product with one who opted for it: none if the payload is another's.
fn by_unit(c: &Value, p: &Value) -> Option<Result<Q, &'static str>> {
    let chosen = p.get("regime_especial") == Some(&json!(true));
    let maker = word(p, "papel_na_cadeia", "") == "fabricante_importador";
    let content = c.get("por_unidade").filter(|_| chosen && maker && word(c, "tipo", "") == "monofasico")?;
    Some(needed(content, "valor").and_then(|valor| {
        if !given(p, "quantidade") {
            return Err("quantidade_ausente");
        }
        if amount(p, "quantidade").is_zero() { Err("valor_zero") } else { Ok(valor) }
    }))
}

fn base(p: &Value) -> Q {
    amount(p, "valor_operacao") - amount(p, "valor_icms_destacado")
}

/// The refusals in their order: the tax has ended, the payload's own, the rule's, the base.
fn naive(rules: &Rules, p: &Value) -> Expected {
    match by_rules(rules, p) {
        Err("tributo_extinto") => Err("tributo_extinto"),
        _ if word(p, "regime_apuracao", "") == "simples" => Err("regime_simples"),
        Ok(_) if base(p) < Q::zero() => Err("base_negativa"),
        answer => answer,
    }
}

/// The answer of the rules. `simples` has none: a rule of another regime says whether the contribution is in force.
fn by_rules(rules: &Rules, p: &Value) -> Expected {
    let base = base(p);
    let regime = match word(p, "regime_apuracao", "") {
        "cumulativo" | "simples" => &rules.cumulative,
        _ => &rules.ordinary,
    };
    let reaches = !rules.named || word(p, "regime_apuracao", "") != "simples";
    let is_product = reaches && word(p, "ncm", "").starts_with("2203");
    let marked = is_product && rules.product["tipo"] == "marcador_autopropulsado";
    if marked && p.get("destinacao_autopropulsado") != Some(&json!(false)) {
        return Err("destinacao_autopropulsado");
    }
    let others: &[&str] = if marked { &["produto"] } else { &[] };
    let content = if is_product && !marked { &rules.product } else { regime };
    if let Some(valor) = by_unit(content, p) {
        let valor = valor?;
        return Ok(Answer::due(&(&valor * amount(p, "quantidade")))
            .amount("base_calculo", &base)
            .others(others)
            .other("situacao", &json!("tributado"))
            .other("aliquota_aplicada", &Value::Null)
            .other("regime_especial", &json!(true))
            .other("quantidade", &without_zeros(&p["quantidade"]))
            .other("unidade", &content["por_unidade"]["unidade"])
            .other("valor_por_unidade", &content["por_unidade"]["valor"]));
    }
    let (situation, rate) = treatment(content, p)?;
    Ok(Answer::due(&(&base * percent(&rate)))
        .amount("base_calculo", &base)
        .others(others)
        .other("situacao", &json!(situation))
        .other("regime_apuracao", &p["regime_apuracao"])
        .other("aliquota_aplicada", &json!(rate_written(&rate))))
}

fn ordinary() -> BoxedStrategy<Value> {
    let rated = make::figure(make::rate_to(20)).prop_map(|r| json!({"tipo": "ordinario", "aliquota": r}));
    prop_oneof![9 => rated, 1 => Just(json!({"tipo": "extinto", "motivo_extincao": "Lei"}))].boxed()
}

fn product() -> BoxedStrategy<Value> {
    let rate = || make::figure(make::rate_to(20));
    let words = json!({"motivo_zero_revenda": "concentrado", "tipo": "monofasico"});
    let by_buyer = (rate(), rate(), Just(words.clone())).prop_map(|(retail, others, words)| {
        let rates = json!({"varejista_consumidor_final": retail, "demais": others});
        crate::support::with(&words, &json!({"por_comprador": rates}))
    });
    let option = (rate(), make::figure(make::limit()), Just(words.clone())).prop_map(|(rate, valor, words)| {
        let by_unit = json!({"valor": valor, "unidade": "litro"});
        crate::support::with(&words, &json!({"aliquota": rate, "por_unidade": by_unit}))
    });
    prop_oneof![
        by_buyer,
        option,
        rate().prop_map(move |r| crate::support::with(&words, &json!({"aliquota": r}))),
        rate().prop_map(|r| json!({"tipo": "aliquota_reduzida", "aliquota": r})),
        Just(json!({"tipo": "aliquota_zero", "motivo_zero": "Lei"})),
        Just(json!({"tipo": "marcador_autopropulsado", "descricao": "Peças"})),
    ]
    .boxed()
}

fn payload(tributo: &'static str) -> BoxedStrategy<Value> {
    make::object(vec![
        ("tributo", make::fixed(json!(tributo))),
        ("regime_apuracao", make::always(make::one_of(&["cumulativo", "nao_cumulativo", "nao_cumulativo", "simples"]))),
        ("ncm", make::perhaps(make::one_of(&["22030000", "22030000", "10063021"]))),
        ("papel_na_cadeia", make::perhaps(make::one_of(&["fabricante_importador", "revenda"]))),
        ("venda_a", make::perhaps(make::one_of(&["varejista_consumidor_final", "demais"]))),
        ("destinacao_autopropulsado", make::perhaps(make::flags())),
        ("regime_especial", make::perhaps(make::flags())),
        ("quantidade", make::perhaps(make::text(prop_oneof![4 => make::amount(), 1 => Just("0".to_owned())].boxed()))),
        ("valor_operacao", make::always(make::text(make::amount()))),
        (
            "valor_icms_destacado",
            make::always(make::text(
                prop_oneof![make::amount(), Just("0".to_owned()), Just("0.01".to_owned())].boxed(),
            )),
        ),
        ("data_operacao", make::fixed(json!("2026-03-10"))),
    ])
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn pis_and_cofins_are_the_naive_ones(
        contents in (ordinary(), ordinary(), product()),
        // A rule of the product that names the regime, or leaves it open.
        named in any::<bool>(),
        (tributo, payloads) in proptest::sample::select(vec!["pis", "cofins"])
            .prop_flat_map(|t| (Just(t), proptest::collection::vec(payload(t), 16..24))),
    ) {
        let rules = Rules { cumulative: contents.0, ordinary: contents.1, product: contents.2, named };
        let mut scope = json!({"ncm": "2203"});
        if named {
            scope["regime_apuracao"] = json!(["cumulativo", "nao_cumulativo"]);
        }
        let engine = engine_with(&[
            rule("cumulativo", tributo, &json!({"regime_apuracao": "cumulativo"}), &rules.cumulative),
            rule("nao-cumulativo", tributo, &json!({"regime_apuracao": "nao_cumulativo"}), &rules.ordinary),
            rule("produto", tributo, &scope, &rules.product),
        ]);
        for payload in &payloads {
            check(&engine, payload, naive(&rules, payload))?;
        }
    }
}
