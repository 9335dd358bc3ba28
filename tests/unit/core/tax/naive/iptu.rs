//! IPTU: the five ways of progressing, after the exemption by value.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::brackets::{discounted, edges, exempted, exemption, slices, some_discounted, some_exempted};
use super::expect::{Answer, Expected, check, needed, word};
use super::generate as make;
use super::number::{Q, amount, int, percent};
use crate::property::cases;
use crate::support::{engine_with, rule};

/// The tax on the base, the points of the bracket reached, and its number.
fn progress(c: &Value, base: &Q) -> Result<(Q, Q, Option<usize>), &'static str> {
    let list = &c["faixas"];
    let model = word(c, "modelo", "");
    if model == "unica" {
        let rate = needed(c, "aliquota")?;
        return Ok((base * percent(&rate), rate, None));
    }
    let touched = slices(list, base, &int(1));
    let reached = touched.last().unwrap().0;
    let points = |i: usize| match model {
        "acrescimo_desconto" => Ok(needed(c, "aliquota")? + needed(&list[i], "ajuste")?),
        _ => needed(&list[i], "aliquota"),
    };
    let mut tax = Q::zero();
    match model {
        "marginal" | "acrescimo_desconto" => {
            for (i, _, _, slice) in touched {
                tax += slice * percent(&points(i)?);
            }
        }
        _ => {
            tax = base * percent(&points(reached)?);
            if model == "faixas_parcela_deduzir" {
                tax -= needed(&list[reached], "parcela_deduzir")?;
                if tax < Q::zero() {
                    tax = Q::zero();
                }
            }
        }
    }
    Ok((tax, points(reached)?, Some(reached + 1)))
}

fn naive(c: &Value, p: &Value) -> Expected {
    let value = amount(p, "valor_venal");
    let (base, applied) = match c.get("isencao") {
        Some(exemption) => exempted(exemption, &value, &int(1))?,
        None => (Some(value.clone()), false),
    };
    let exempt = base.is_none();
    let base = base.unwrap_or_else(|| value.clone());
    let (gross, points, number) = progress(c, &base)?;
    // A stated deduction is shown as the law has it, also if it is more than the tax.
    let stated = number.filter(|_| word(c, "modelo", "") == "faixas_parcela_deduzir");
    let deduction = match stated {
        Some(number) => needed(&c["faixas"][number - 1], "parcela_deduzir")?,
        None => &base * percent(&points) - &gross,
    };
    let bracket = Answer::default()
        .other("faixa", &json!(number))
        .rate("aliquota", &points)
        .amount("parcela_deduzir", &deduction);
    let due = if exempt { Q::zero() } else { gross.clone() };
    let answer = Answer::due(&due)
        .amount("valor_venal_tributavel", &base)
        .amount("imposto_bruto", &gross)
        .other("modelo_progressividade", &c["modelo"])
        .other("isento", &json!(exempt))
        .object("faixa_aplicada", bracket);
    let answer = discounted(c, &due, &value, &int(1), answer);
    Ok(if applied { answer } else { answer.other("excecoes_aplicadas", &json!([])) })
}

fn bracket(model: &'static str) -> BoxedStrategy<Value> {
    let rate = || make::always(make::figure(make::rate_to(20)));
    match model {
        // A discount never reaches below a rate of zero: the base rate is 20 or more.
        "acrescimo_desconto" => {
            let signed = (make::rate_to(20), any::<bool>());
            let signed = signed.prop_map(|(r, minus)| if minus { format!("-{r}") } else { r });
            make::object(vec![("ajuste", make::always(make::figure(signed.boxed())))])
        }
        "faixas_parcela_deduzir" => {
            make::object(vec![("aliquota", rate()), ("parcela_deduzir", make::always(make::figure(make::limit())))])
        }
        _ => make::object(vec![("aliquota", rate())]),
    }
}

fn content() -> BoxedStrategy<Value> {
    let models = ["unica", "faixa_valor_total", "faixas_parcela_deduzir", "marginal", "acrescimo_desconto"];
    let by_model = proptest::sample::select(models.to_vec()).prop_flat_map(|model| {
        let brackets = make::limits().prop_flat_map(move |limits| {
            let figures = proptest::collection::vec(bracket(model), limits.len());
            figures.prop_map(move |figures| {
                let both = figures.into_iter().zip(&limits);
                Value::Array(both.map(|(f, ate)| crate::support::with(&f, &json!({"ate": ate}))).collect())
            })
        });
        let base_rate = make::figure((20u32..60).prop_map(|r| format!("{r}.00")).boxed());
        (brackets, base_rate).prop_map(move |(list, rate)| {
            let mut content = json!({"modelo": model});
            if model != "unica" {
                content["faixas"] = list;
            }
            if matches!(model, "unica" | "acrescimo_desconto") {
                content["aliquota"] = rate;
            }
            content
        })
    });
    some_discounted(some_exempted(by_model, proptest::option::weighted(0.4, exemption(&["BRL"]))), &["BRL"])
}

fn payload(content: &Value) -> BoxedStrategy<Value> {
    make::near(&edges(content))
        .prop_map(|value| {
            json!({"tributo": "iptu", "uf": "SP", "municipio": "São Paulo", "uso_imovel": "residencial",
                "valor_venal": value, "exercicio": 2026})
        })
        .boxed()
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn iptu_is_the_naive_iptu((content, payloads) in make::with_payloads(content(), payload)) {
        let scope = json!({"uf": "SP", "municipio": "São Paulo"});
        let engine = engine_with(&[rule("iptu", "iptu", &scope, &content)]);
        for payload in &payloads {
            check(&engine, payload, naive(&content, payload))?;
        }
    }
}
