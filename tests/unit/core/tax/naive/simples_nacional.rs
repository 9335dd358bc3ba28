//! Simples Nacional by the built-in tables: one Anexo, a month, a market.

use num_traits::{One, Zero};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;
use taxd_core::rulesets::BUNDLES;

use super::expect::{Answer, Expected, check, given, needed, word};
use super::number::{Q, amount, int, percent, q, rounded, written};
use crate::property::cases;
use crate::support::built_in_engine;

const ANEXOS: [&str; 5] = ["I", "II", "III", "IV", "V"];
const FEDERAL: [&str; 3] = ["irpj", "csll", "cpp"];
const ORDER: [&str; 10] = ["irpj", "csll", "cofins", "pis", "cbs", "cpp", "ipi", "icms", "iss", "ibs"];
const MISSING: &str = "campo_obrigatorio";
const NOT_HERE: &str = "simples_fora_do_escopo";

/// The rules of the bundle, read once.
static RULES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let (_, text) = BUNDLES.iter().find(|(name, _)| name.ends_with("simples_nacional.json")).unwrap();
    let bundle: Value = serde_json::from_str(text).unwrap();
    bundle["regras"].as_array().unwrap().clone()
});

fn content(anexo: &str, day: &str) -> &'static Value {
    let of = |rule: &&Value| {
        let (from, to) = (rule["vigente_de"].as_str().unwrap(), rule["vigente_ate"].as_str().unwrap_or("9999"));
        rule["escopo"]["anexo"][0] == anexo && from <= day && day < to
    };
    &RULES.iter().find(of).unwrap()["conteudo"]
}

/// Each tax with its share; what the shares lack to the whole is of the last of the largest.
fn shares(table: &Value) -> Vec<(String, Q)> {
    let stated = table.as_object().unwrap().iter().map(|(tax, share)| (tax.clone(), q(share.as_str().unwrap())));
    let mut all: Vec<(String, Q)> = stated.collect();
    let sum = all.iter().fold(Q::zero(), |sum, (_, share)| sum + share);
    let mut largest = 0;
    for (place, (_, share)) in all.iter().enumerate() {
        if *share >= all[largest].1 {
            largest = place;
        }
    }
    all[largest].1 += int(100) - sum;
    all
}

fn effective(rbt: &Q, band: &Value) -> Q {
    (rbt * percent(&amount(band, "aliquota")) - amount(band, "parcela_deduzir")) / rbt
}

fn year(day: &str) -> i64 {
    day[..4].parse().unwrap()
}

fn month(day: &str) -> i64 {
    day[5..7].parse().unwrap()
}

/// The code of the refusal for a limit of the year, if there is one.
fn limits(c: &Value, p: &Value) -> Result<(), &'static str> {
    let day = word(p, "competencia", "");
    let began = given(p, "inicio_atividade") && year(word(p, "inicio_atividade", "")) == year(day);
    let part =
        |limit: Q| if began { limit * int(13 - month(word(p, "inicio_atividade", ""))) / int(12) } else { limit };
    let twelve = amount(p, "receita_bruta_12_meses");
    let total = if given(p, "receita_total_mes") { "receita_total_mes" } else { "receita_mes" };
    let most = &twelve + amount(p, total);
    let stated = given(p, "receita_bruta_ano").then(|| amount(p, "receita_bruta_ano"));
    let of_year = stated.clone().or(began.then(|| most.clone()));
    let bands = c["faixas"].as_array().unwrap();
    let limit = amount(&bands[bands.len() - 1], "ate");
    match &of_year {
        Some(of_year) if *of_year > part(limit.clone()) => return Err(NOT_HERE),
        None if most > limit => return Err(MISSING),
        _ => {}
    }
    if p["impedido_icms_iss"] == true || p["mercado"] == "externo" {
        return Ok(());
    }
    let reached = of_year.clone().unwrap_or(most);
    if reached > part(amount(c, "sublimite_menor")) && reached > part(needed(c, "sublimite")?) {
        return Err(if of_year.is_some() { NOT_HERE } else { MISSING });
    }
    let known = if c["sublimite"].is_null() { amount(c, "sublimite_menor") } else { amount(c, "sublimite") };
    if !given(p, "impedido_icms_iss") && !began && twelve > known {
        return Err(MISSING);
    }
    Ok(())
}

/// The revenue of twelve months as the law counts it.
fn twelve(c: &Value, p: &Value) -> Result<Q, &'static str> {
    let (day, begin) = (word(p, "competencia", ""), word(p, "inicio_atividade", "1900-01-01"));
    let stated = amount(p, "receita_bruta_12_meses");
    let months = (year(day) - year(begin)) * 12 + month(day) - month(begin);
    let window = if c["janela"] == "ate_mes_anterior" { 12 } else { 13 };
    let counted = if months >= window {
        stated
    } else {
        let projected = c["meses_projetados"].as_i64().ok_or("regra_sem_conteudo")?;
        let total = if given(p, "receita_total_mes") { "receita_total_mes" } else { "receita_mes" };
        if months == 0 { amount(p, total) * int(projected) } else { stated / int(months) * int(projected) }
    };
    Ok(if counted.is_zero() { Q::one() } else { counted })
}

/// The percentage of each tax, as a fraction.
fn rates(c: &Value, rbt: &Q, place: usize, in_das: bool) -> Result<Vec<(String, Q)>, &'static str> {
    let bands = c["faixas"].as_array().unwrap();
    let rate = effective(rbt, &bands[place]);
    let cap = c.get("iss_maximo").map(|cap| percent(&q(cap.as_str().unwrap())));
    let own = shares(&bands[place]["partilha"]);
    let iss = own.iter().find(|(tax, _)| tax == "iss").map(|(_, share)| &rate * percent(share));
    if let (Some(cap), Some(iss)) = (&cap, iss)
        && iss > *cap
    {
        let rest = &rate - cap;
        let others = shares(&c["partilha_do_excedente"]).into_iter().map(|(tax, s)| (tax, &rest * percent(&s)));
        return Ok(others.chain([("iss".to_owned(), cap.clone())]).collect());
    }
    let mut all: Vec<(String, Q)> = own.into_iter().map(|(tax, share)| (tax, &rate * percent(&share))).collect();
    let below = &bands[bands.len() - 2];
    for tax in ["icms", "iss", "ibs"].into_iter().filter(|_| in_das && place + 1 == bands.len()) {
        let Some((_, share)) = shares(&below["partilha"]).into_iter().find(|(of, _)| of == tax) else { continue };
        let added = effective(rbt, below) * percent(&share);
        if tax == "ibs" || tax == "iss" && cap.as_ref().is_some_and(|cap| added > *cap) {
            return Err(NOT_HERE);
        }
        all.push((tax.to_owned(), added));
    }
    Ok(all)
}

fn naive(p: &Value) -> Expected {
    let c = content(word(p, "anexo", ""), word(p, "competencia", ""));
    let has = |tax: &str| c["faixas"].as_array().unwrap().iter().any(|band| band["partilha"].get(tax).is_some());
    for (part, tax) in [("receita_icms_st", "icms"), ("receita_iss_retido", "iss"), ("receita_outro_municipio", "iss")]
    {
        if !amount(p, part).is_zero() && !has(tax) {
            return Err("valor_invalido");
        }
    }
    let rbt = twelve(c, p)?;
    limits(c, p)?;
    let bands = c["faixas"].as_array().unwrap();
    let place = bands.iter().position(|band| rbt <= amount(band, "ate")).unwrap_or(bands.len() - 1);
    let (abroad, impeded) = (p["mercado"] == "externo", p["impedido_icms_iss"] == true);
    let rates = rates(c, &rbt, place, !abroad && !impeded)?;
    let revenue = amount(p, "receita_mes");
    let (mut due, mut outside, mut parts) = (Q::zero(), Q::zero(), Vec::new());
    let in_five = |value: &Q| q(&written(&(value * int(100)), 5));
    for tax in ORDER {
        let Some((_, own)) = rates.iter().find(|(of, _)| of == tax) else { continue };
        let left_out = match tax {
            _ if abroad && !FEDERAL.contains(&tax) => revenue.clone(),
            "icms" | "iss" | "ibs" if impeded => revenue.clone(),
            "pis" | "cofins" | "cbs" | "ibs" => amount(p, "receita_monofasica"),
            "icms" => amount(p, "receita_icms_st"),
            "iss" => amount(p, "receita_iss_retido"),
            _ => Q::zero(),
        };
        let base = &revenue - &left_out;
        let (part, lost) = (rounded(&(&base * own), 2), rounded(&(&left_out * own), 2));
        due += &part;
        outside += &lost;
        let one = Answer::default().other("tributo", &json!(tax)).rate("percentual_efetivo", &in_five(own));
        parts.push(one.amount("base_calculo", &base).amount("valor", &part).amount("valor_segregado", &lost));
    }
    let answer = Answer::due(&due)
        .amount("base_calculo", &revenue)
        .amount("receita_bruta_12_meses", &rbt)
        .amount("valor_segregado", &outside)
        .other("faixa", &json!(place + 1))
        .rate("aliquota_efetiva", &in_five(&effective(&rbt, &bands[place])))
        .list("tributos", parts);
    let credit = rates.iter().find(|(tax, _)| tax == "icms").filter(|_| !abroad && !impeded);
    Ok(match credit {
        Some((_, icms)) => answer.rate("aliquota_credito_icms", &in_five(icms)),
        None => answer,
    })
}

fn cents(value: u64) -> String {
    format!("{}.{:02}", value / 100, value % 100)
}

/// Revenue of twelve months: anywhere up to a little above the limit, or on and beside the edge of a band.
fn twelve_months() -> BoxedStrategy<u64> {
    let edges = [18_000_000_u64, 36_000_000, 72_000_000, 180_000_000, 360_000_000, 480_000_000];
    let beside = (proptest::sample::select(edges.to_vec()), 0_u64..3).prop_map(|(edge, step)| edge + step - 1);
    prop_oneof![4 => 0_u64..180_000_000, 3 => 0_u64..490_000_000, 2 => beside, 1 => Just(0)].boxed()
}

/// A part of the revenue, mostly none.
fn part() -> BoxedStrategy<Option<u64>> {
    prop_oneof![5 => Just(None), 2 => (0_u64..=100).prop_map(Some)].boxed()
}

fn payload() -> BoxedStrategy<Value> {
    let when = (2018_i64..2036, 1_i64..=12, proptest::option::weighted(0.2, 0_i64..30));
    let revenue = (0_u64..30_000_000, twelve_months(), proptest::option::weighted(0.2, 0_u64..9_000_000));
    let year = (proptest::option::weighted(0.5, 0_u64..490_000_000), proptest::option::weighted(0.6, any::<bool>()));
    let parts = (part(), part(), part(), part());
    (proptest::sample::select(ANEXOS.to_vec()), when, revenue, year, parts, proptest::bool::weighted(0.15))
        .prop_map(|(anexo, (year, month, age), (own, twelve, more), (of_year, impeded), parts, abroad)| {
            let begin = age.map(|months| (year * 12 + month - 1 - months).max(2010 * 12));
            let mut p = json!({
                "tributo": "simples_nacional", "anexo": anexo, "competencia": format!("{year}-{month:02}-01"),
                "receita_mes": cents(own), "receita_bruta_12_meses": cents(twelve),
                "receita_total_mes": more.map(|more| cents(own + more)), "receita_bruta_ano": of_year.map(cents),
                "impedido_icms_iss": impeded, "mercado": if abroad { "externo" } else { "interno" },
                "inicio_atividade": begin.map(|begin| format!("{}-{:02}-15", begin / 12, begin % 12 + 1)),
            });
            let services = matches!(anexo, "III" | "IV" | "V");
            let (first, second) = if services {
                ("receita_iss_retido", "receita_outro_municipio")
            } else {
                ("receita_icms_st", "receita_monofasica")
            };
            for (name, share) in [(first, parts.0), (second, parts.1), ("receita_monofasica", parts.2)] {
                if let Some(share) = share.filter(|_| !abroad) {
                    p[name] = json!(cents(own * share / 100));
                }
            }
            // Now and then a part of a tax that the tables do not have.
            if parts.3 == Some(7) && !abroad {
                p[if services { "receita_icms_st" } else { "receita_iss_retido" }] = json!(cents(own));
            }
            p
        })
        .boxed()
}

proptest! {
    #![proptest_config(cases(10_000))]
    #[test]
    fn simples_nacional_is_the_naive_simples_nacional(payload in payload()) {
        check(built_in_engine(), &payload, naive(&payload))?;
    }
}
