//! CBS and IBS: the operation less what is inside it, at one rate or at those of the State and the municipality, as a
//! tax classification reduces them.

use num_traits::{One, Zero};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, Expected, check, figure, flag, given, needed, word};
use super::generate as make;
use super::number::{Q, amount, int, percent, q, rounded, sum};
use crate::property::cases;
use crate::support::{engine_with, rule};

const DEDUCTIONS: [&str; 7] = [
    "valor_icms",
    "valor_iss",
    "valor_pis",
    "valor_cofins",
    "valor_ipi",
    "valor_contribuicao_iluminacao_publica",
    "valor_reembolsos",
];

const CODES: &[&str] = &["000001", "200001", "200001", "410001", "515001", "620001", "999999"];

/// What leaves the base: the taxes that are extinct on the day stay in it.
fn deductions(p: &Value) -> Vec<&'static str> {
    let extinct: &[&str] = match word(p, "data_operacao", "") {
        "2026-03-10" => &[],
        "2028-03-10" => &["valor_pis", "valor_cofins"],
        _ => &["valor_pis", "valor_cofins", "valor_icms", "valor_iss"],
    };
    DEDUCTIONS.into_iter().filter(|name| !extinct.contains(name)).collect()
}

fn base(p: &Value) -> Q {
    sum(p, &["valor_operacao", "valor_is"]) - sum(p, &deductions(p))
}

/// The refusals in their order: the form, no rule, the payload's own, the rule's, the base.
fn naive(c: &Value, p: &Value) -> Expected {
    let in_test_year = word(p, "data_operacao", "") == "2026-03-10";
    let asks = flag(p, "transicao", false);
    match by_rules(c, p) {
        _ if given(p, "valor_is") && !asks => Err("campo_desconhecido"),
        _ if in_test_year && amount(p, "valor_is") > Q::zero() => Err("valor_invalido"),
        _ if !in_test_year && !asks => Err("regra_inexistente"),
        _ if flag(p, "optante_simples", false) => Err("optante_simples"),
        Ok(_) if base(p) < Q::zero() => Err("base_negativa"),
        answer => answer,
    }
}

fn by_rules(c: &Value, p: &Value) -> Expected {
    let base = base(p);
    // 2203 is on the list but for 22030100, as 200001 or 000001; so is the service 8.01, as 200002 alone.
    let beer = word(p, "ncm", "") == "22030000";
    let school = word(p, "item_lista_servico", "") == "8.01";
    let code = word(p, "classificacao_tributaria", "");
    match code {
        "" if beer || school => return Err("regime_diferenciado"),
        "000001" if school && !beer => return Err("classificacao_tributaria_incompativel"),
        // A list that names all of its goods by NCM.
        "200001" if !beer && (school || given(p, "ncm")) => return Err("classificacao_tributaria_incompativel"),
        "620001" => return Err("regime_diferenciado"),
        "999999" => return Err("classificacao_tributaria_desconhecida"),
        _ => {}
    }
    if code == "410001" {
        return Ok(classified(answer(c, p, &base, &Q::zero(), None), code, None, &Q::zero()));
    }
    let reduction = match code {
        "200001" => Some(q(reduction_of(c))),
        "000001" => Some(Q::zero()),
        "515001" => Some(int(60)),
        _ => None,
    };
    let known = figure(c, "aliquota").is_ok() && figure(c, "aliquota_municipal").is_ok();
    if !known && reduction == Some(int(100)) {
        return Ok(classified(answer(c, p, &base, &Q::zero(), None), code, reduction, &Q::zero()));
    }
    let rates = [Some(needed(c, "aliquota")?), figure(c, "aliquota_municipal")?];
    let effective = |rate: &Q| match &reduction {
        Some(reduction) if !reduction.is_zero() => rounded(&(rate * (Q::one() - percent(reduction))), 2),
        _ => rate.clone(),
    };
    let part = |rate: &Q| rounded(&(&base * percent(&effective(rate))), 2);
    let rates: Vec<Q> = rates.into_iter().flatten().collect();
    let total = rates.iter().map(part).fold(Q::zero(), |a, b| a + b);
    let deferred = (code == "515001").then(|| total.clone());
    let mut shown = answer(c, p, &base, &if deferred.is_some() { Q::zero() } else { total }, Some(&rates));
    if rates.len() == 2 {
        for (name, rate) in ["parcela_estadual", "parcela_municipal"].into_iter().zip(&rates) {
            let mut parcela = part_shown(&part(rate), deferred.is_some()).rate("aliquota", rate);
            if !code.is_empty() {
                parcela = parcela.rate("aliquota_efetiva", &effective(rate));
            }
            shown = shown.object(name, parcela);
        }
    }
    if let Some(deferred) = deferred {
        shown = shown.amount("valor_diferido", &deferred);
    }
    let effective = rates.iter().map(effective).fold(Q::zero(), |a, b| a + b);
    Ok(if code.is_empty() { shown } else { classified(shown, code, reduction, &effective) })
}

/// A part of the IBS: all of it is deferred, or none.
fn part_shown(amount: &Q, deferred: bool) -> Answer {
    if deferred {
        Answer::default().amount("valor", &Q::zero()).amount("valor_diferido", amount)
    } else {
        Answer::default().amount("valor", amount).other("valor_diferido", &Value::Null)
    }
}

/// The reduction of the classification 200001: more than nothing, all, or a part, by the rate, so that it is known here.
fn reduction_of(c: &Value) -> &str {
    match c.to_string().len() % 3 {
        0 => "100.00",
        1 => "60.00",
        _ => "30.00",
    }
}

fn answer(c: &Value, p: &Value, base: &Q, shown: &Q, rates: Option<&[Q]>) -> Answer {
    let waived = flag(p, "cumpre_obrigacoes_acessorias", false) && c.get("dispensa_base_legal").is_some();
    let due = if waived { Q::zero() } else { shown.clone() };
    let rate = rates.unwrap_or_default().iter().fold(Q::zero(), |a, b| a + b);
    Answer::due(&due)
        .amount("base_calculo", base)
        .amount("valor_destaque", shown)
        .amount("valor_devido", &due)
        .rate("aliquota_aplicada", &rate)
        .other("dispensado", &json!(waived))
        .other("dispensa_presumida", &json!(waived))
}

fn classified(answer: Answer, code: &str, reduction: Option<Q>, effective: &Q) -> Answer {
    let answer = answer
        .other("classificacao_tributaria", &json!(code))
        .other("cst", &json!(&code[..3]))
        .rate("aliquota_efetiva", effective);
    match reduction {
        Some(reduction) => answer.rate("percentual_reducao", &reduction),
        None => answer,
    }
}

fn payload(tributo: &'static str) -> BoxedStrategy<Value> {
    let part = || {
        let small = prop_oneof![3 => Just("0".to_owned()), 3 => (0u32..2000).prop_map(|v| format!("0.{v:04}")), 1 => make::amount()];
        make::always(make::text(small.boxed()))
    };
    let mut members = vec![
        ("tributo", make::fixed(json!(tributo))),
        ("valor_operacao", make::always(make::text(make::amount()))),
        ("cumpre_obrigacoes_acessorias", make::always(make::flags())),
        ("optante_simples", make::always(proptest::bool::weighted(0.05).prop_map(|b| json!(b)).boxed())),
        ("ncm", make::perhaps(make::one_of(&["22030000", "22030100", "10063021", "10063021"]))),
        ("item_lista_servico", make::perhaps(make::one_of(&["8.01", "1.05", "1.05"]))),
        ("classificacao_tributaria", make::perhaps(make::one_of(CODES))),
        ("data_operacao", make::always(make::one_of(&["2026-03-10", "2026-03-10", "2028-03-10", "2033-03-10"]))),
        ("transicao", make::perhaps(proptest::bool::weighted(0.7).prop_map(|b| json!(b)).boxed())),
        ("valor_is", proptest::option::weighted(0.2, make::text(make::amount())).boxed()),
    ];
    members.extend(DEDUCTIONS.map(|name| (name, part())));
    make::object(members)
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn cbs_and_ibs_are_the_naive_ones(
        rate in make::figure(make::rate_to(30)),
        municipal in proptest::option::of(make::figure(make::rate_to(30))),
        waiver in any::<bool>(),
        (tributo, payloads) in proptest::sample::select(vec!["cbs", "ibs"])
            .prop_flat_map(|t| (Just(t), proptest::collection::vec(payload(t), 16..24))),
    ) {
        let mut content = json!({"aliquota": rate});
        if let Some(municipal) = municipal {
            content["aliquota_municipal"] = municipal;
        }
        if waiver {
            content["dispensa_base_legal"] = json!("Art. 348");
        }
        let refusal = |codes: &[&str]| {
            json!({"recusa": {"hipoteses": [
                {"reducao": "60.00", "anexo": "I", "descricao": "Lista", "classificacoes": codes}
            ]}})
        };
        let class = |code: &str, members: &Value| {
            let mut own = json!({"descricao": "Classe"});
            own.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            rule(&format!("c-{code}"), tributo, &json!({"classificacao_tributaria": code}), &json!({"classificacao": own}))
        };
        let engine = engine_with(&[
            rule("nacional", tributo, &json!({}), &content),
            rule("lista", tributo, &json!({"ncm": "2203", "ncm_exceto": "220301"}), &refusal(&["200001", "000001"])),
            rule("servico", tributo, &json!({"item_lista_servico": "8.01"}), &refusal(&["200002"])),
            class("000001", &json!({"reducao": "0.00"})),
            class("200001", &json!({"reducao": reduction_of(&content), "lista": "ncm"})),
            class("410001", &json!({})),
            class("515001", &json!({"reducao": "60.00", "diferido": true})),
            rule("c-620001", tributo, &json!({"classificacao_tributaria": "620001"}), &refusal(&[])),
        ]);
        for payload in &payloads {
            check(&engine, payload, naive(&content, payload))?;
        }
    }
}
