//! ITBI: the base of the municipality's choice, the part financed by the SFH at its own rate.

use num_traits::{One, Zero};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::brackets;
use super::expect::{Answer, Expected, check, figure, flag, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, rounded};
use crate::property::cases;
use crate::support::{engine_with, rule};

fn base_of(c: &Value, p: &Value) -> Result<Q, &'static str> {
    let (declared, reference) = (amount(p, "valor_transacao"), amount(p, "valor_venal_referencia"));
    Ok(match word(c, "base", "valor_transacao") {
        "maior" if reference > declared => reference,
        "valor_venal_referencia" if reference.is_zero() => return Err("campo_obrigatorio"),
        "valor_venal_referencia" => reference,
        _ => declared,
    })
}

/// The part that pays the SFH rate, and that rate.
fn financed(c: &Value, p: &Value, base: &Q, whole: &Q) -> Result<Option<(Q, Q)>, &'static str> {
    let Some(sfh) = c.get("sfh").filter(|_| flag(p, "financiado_sfh", false)) else { return Ok(None) };
    if figure(sfh, "limite_imovel")?.is_some_and(|limit| *whole > limit) {
        return Ok(None);
    }
    let rate = needed(sfh, "aliquota")?;
    let ceilings = [Some(amount(p, "valor_financiado")), figure(sfh, "limite_financiado")?, Some(base.clone())];
    Ok(ceilings.into_iter().flatten().min().map(|part| (part, rate)))
}

fn naive(c: &Value, p: &Value) -> Expected {
    if flag(p, "financiado_sfh", false) {
        let financed = amount(p, "valor_financiado");
        if financed <= Q::zero() || financed > amount(p, "valor_transacao") {
            return Err("valor_financiado_invalido");
        }
    }
    let whole = base_of(c, p)?;
    let (base, _) = match c.get("isencao") {
        Some(exemption) => brackets::exempted(exemption, &whole, &Q::one())?,
        None => (Some(whole.clone()), false),
    };
    let Some(base) = base else {
        let zero = Q::zero();
        return Ok(Answer::due(&zero)
            .amount("base_calculo", &whole)
            .amount("base_restante", &zero)
            .amount("imposto_restante", &zero)
            .amount("limite_isencao", &amount(&c["isencao"], "limite"))
            .other("aliquota_aplicada", &Value::Null)
            .other("isento", &json!(true))
            .other("isencao_base_legal", &c["isencao"]["base_legal"])
            .other("pagamento_antecipado", &Value::Null));
    };
    let sfh = financed(c, p, &base, &whole)?;
    let applied = sfh.is_some();
    let (part, sfh_rate) = sfh.unwrap_or_else(|| (Q::zero(), Q::zero()));
    let (sfh_due, rest) = (&part * percent(&sfh_rate), &base - &part);
    let (rest_due, rate, parts) = match c.get("faixas") {
        Some(_) => brackets::apply(c, &rest, &Q::one())?,
        None => {
            let rate = needed(c, "aliquota")?;
            (&rest * percent(&rate), rate, Vec::new())
        }
    };
    let answer = Answer::due(&(rounded(&sfh_due, 2) + rounded(&rest_due, 2)))
        .amount("base_calculo", &base)
        .rate("aliquota_aplicada", &rate)
        .other("isento", &json!(false))
        .other("sfh_aplicado", &json!(applied))
        .amount("base_sfh", &part)
        .amount("imposto_sfh", &sfh_due)
        .amount("base_restante", &rest)
        .amount("imposto_restante", &rest_due);
    let answer = if parts.is_empty() { answer } else { answer.list("faixas", parts) };
    let Some(early) = c.get("pagamento_antecipado") else { return Ok(answer) };
    let lower = rounded(&sfh_due, 2) + rounded(&(&rest * percent(&needed(early, "aliquota")?)), 2);
    Ok(answer.object("pagamento_antecipado", Answer::default().amount("valor", &lower)))
}

fn content() -> BoxedStrategy<Value> {
    let single = make::figure(make::rate_to(10)).prop_map(|rate| json!({"aliquota": rate}));
    let many = (brackets::brackets(), make::one_of(&["marginal", "integral"]))
        .prop_map(|(list, method)| json!({"faixas": list, "metodo": method}));
    let limit = || make::perhaps(make::figure(make::limit()));
    let sfh = make::object(vec![
        ("aliquota", make::always(make::figure(make::rate_to(5)))),
        ("limite_financiado", limit()),
        ("limite_imovel", limit()),
    ]);
    let base = make::perhaps(make::one_of(&["valor_transacao", "maior", "valor_venal_referencia"]));
    let early = make::rate_to(10)
        .prop_map(|rate| json!({"aliquota": rate, "condicao": "até 30 dias", "base_legal": "Art. 1º"}))
        .boxed();
    let exemption = proptest::option::weighted(0.4, brackets::exemption(&["BRL"]));
    (prop_oneof![single, many], proptest::option::weighted(0.7, sfh), base, make::perhaps(early), exemption)
        .prop_map(|(mut content, sfh, base, early, exemption)| {
            let members = [("sfh", sfh), ("base", base), ("pagamento_antecipado", early), ("isencao", exemption)];
            for (name, value) in members {
                if let Some(value) = value {
                    content[name] = value;
                }
            }
            content
        })
        .boxed()
}

fn payload(content: &Value) -> BoxedStrategy<Value> {
    let mut edges = brackets::edges(content);
    if let Some(sfh) = content.get("sfh") {
        edges.extend([amount(sfh, "limite_financiado"), amount(sfh, "limite_imovel")]);
    }
    let value = || make::text(make::near(&edges));
    make::object(vec![
        ("tributo", make::fixed(json!("itbi"))),
        ("uf", make::fixed(json!("SP"))),
        ("municipio", make::fixed(json!("São Paulo"))),
        ("valor_transacao", make::always(value())),
        ("valor_venal_referencia", make::perhaps(value())),
        ("financiado_sfh", make::perhaps(make::flags())),
        ("valor_financiado", make::perhaps(value())),
        ("data", make::fixed(json!("2026-03-10"))),
    ])
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn itbi_is_the_naive_itbi((content, payloads) in make::with_payloads(content(), payload)) {
        let scope = json!({"uf": "SP", "municipio": "São Paulo"});
        let engine = engine_with(&[rule("itbi", "itbi", &scope, &content)]);
        for payload in &payloads {
            check(&engine, payload, naive(&content, payload))?;
        }
    }
}
