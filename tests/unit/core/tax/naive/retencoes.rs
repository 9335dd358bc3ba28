//! Withholdings on services: who and what is dispensed, the least amount, and the rate on what is left.

use num_traits::Zero;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::expect::{Answer, Expected, check, figure, flag, given, needed, word};
use super::generate as make;
use super::number::{Q, amount, percent, q};
use crate::property::cases;
use crate::support::{engine_with, rule, with};

/// Of about sixteen payloads each: more than 10,000 of each tax.
const CASES: u32 = 700;

const REGIMES: &[&str] = &["lucro_real", "lucro_presumido", "simples_nacional", "cooperativa"];
const TAKERS: &[&str] = &["pessoa_juridica", "pessoa_juridica_simples", "condominio", "orgao_publico", "pessoa_fisica"];

/// What the rule says of the case: `Some(ground)` if nothing is withheld.
fn treated(c: &Value, p: &Value) -> Result<Option<String>, &'static str> {
    for case in c["tratamentos"].as_array().into_iter().flatten() {
        let (name, wanted) = (case["campo"].as_str().unwrap(), case["palavra"].as_str().unwrap());
        let said = match &p[name] {
            Value::Bool(said) => said.to_string(),
            Value::String(said) => said.clone(),
            _ => "sem_material".to_owned(),
        };
        // Only of the Simples Nacional the Anexo counts.
        let counts = name != "anexo_iv" || word(p, "regime_prestador", "") == "simples_nacional";
        let said = if matches!(name, "contribui_cprb" | "dispensa_declarada") && p[name].is_null() {
            "false".to_owned()
        } else {
            said
        };
        if counts && said == wanted {
            let dispensed = case["efeito"] == "dispensa";
            return if dispensed {
                Ok(case["base_legal"].as_str().map(str::to_owned))
            } else {
                Err("regra_sem_conteudo")
            };
        }
    }
    Ok(None)
}

fn withheld(c: &Value, p: &Value, base: &Q) -> Expected {
    let answer = |due: &Q| Answer::due(due).amount("base_calculo", base);
    let nothing = |ground: &Value| {
        answer(&Q::zero())
            .other("retido", &json!(false))
            .other("aliquota_aplicada", &Value::Null)
            .other("motivo_dispensa", ground)
    };
    if let Some(ground) = treated(c, p)? {
        return Ok(nothing(&json!(ground)));
    }
    if let Some(ground) = c.get("sem_retencao") {
        return Ok(nothing(ground));
    }
    let rate = needed(c, "aliquota")?;
    let due = base * percent(&rate);
    let sum = figure(c, "aliquota_soma")?.map(|sum| base * percent(&sum));
    let measured = sum.clone().unwrap_or_else(|| due.clone());
    let with_sum = |answer: Answer| match &sum {
        Some(sum) => answer.amount("soma_retencoes", sum),
        None => answer.other("soma_retencoes", &Value::Null),
    };
    let up_to = given(c, "dispensa_ate") && measured <= amount(c, "dispensa_ate");
    if up_to || given(c, "dispensa_abaixo_de") && measured < amount(c, "dispensa_abaixo_de") {
        return Ok(with_sum(nothing(&c["dispensa_base_legal"])));
    }
    let answered = answer(&due).rate("aliquota_aplicada", &rate).other("retido", &json!(true));
    Ok(with_sum(answered.other("motivo_dispensa", &Value::Null)))
}

/// Cases of a rule: a field, its words, and what becomes of each.
fn treatments(fields: &[(&'static str, &'static [&'static str])]) -> BoxedStrategy<Value> {
    let all: Vec<(&str, &str)> =
        fields.iter().flat_map(|(name, words)| words.iter().map(|word| (*name, *word))).collect();
    proptest::collection::vec((proptest::sample::select(all), proptest::bool::weighted(0.7)), 0..5)
        .prop_map(|chosen| {
            let case = |(i, ((campo, palavra), dispensed)): (usize, ((&str, &str), bool))| {
                let efeito = if dispensed { "dispensa" } else { "nao_estabelecido" };
                json!({"campo": campo, "palavra": palavra, "efeito": efeito, "base_legal": format!("Lei do caso {i}.")})
            };
            chosen.into_iter().enumerate().map(case).collect()
        })
        .boxed()
}

fn content(fields: &[(&'static str, &'static [&'static str])], social_security: bool) -> BoxedStrategy<Value> {
    let least = prop_oneof![Just("10.00".to_owned()), make::limit()];
    let dispensed = (proptest::sample::select(vec!["", "dispensa_ate", "dispensa_abaixo_de"]), least);
    let rates = (
        make::figure(make::rate_to(15)),
        proptest::option::of(make::figure(make::rate_to(20))),
        make::figure(make::rate()),
    );
    (rates, dispensed, proptest::bool::weighted(0.1), treatments(fields))
        .prop_map(move |((rate, sum, lowest), (limit, least), outside, cases)| {
            let mut c = json!({"tratamentos": cases});
            if outside {
                c["sem_retencao"] = json!("A lei não lista o serviço.");
                return c;
            }
            c["aliquota"] = rate;
            if social_security {
                c["base_minima"] = lowest;
            }
            if let Some(sum) = sum {
                c["aliquota_soma"] = sum;
            }
            if !limit.is_empty() {
                c[limit] = json!(least);
                c["dispensa_base_legal"] = json!("Lei da dispensa por valor.");
            }
            c
        })
        .boxed()
}

/// The bases at which the amount withheld is the least.
fn edges(c: &Value) -> Vec<Q> {
    let rate = c.get("aliquota_soma").unwrap_or(&c["aliquota"]).as_str().map(q);
    let least = ["dispensa_ate", "dispensa_abaixo_de"].iter().find_map(|name| c[*name].as_str()).map(q);
    rate.filter(|rate| !rate.is_zero()).zip(least).map(|(rate, least)| least / percent(&rate)).into_iter().collect()
}

const FEDERAL: &[(&str, &[&str])] = &[("regime_prestador", REGIMES), ("tomador", TAKERS)];

proptest! {
    #![proptest_config(cases(CASES))]
    #[test]
    fn federal_withholdings_are_the_naive_ones(
        (content, payloads) in make::with_payloads(content(FEDERAL, false), |c: &Value| {
            make::near(&edges(c)).prop_flat_map(|value| {
                (make::one_of(REGIMES), make::one_of(TAKERS)).prop_map(move |(regime, taker)| {
                    json!({"natureza_servico": "advocacia", "valor_servico": value,
                        "regime_prestador": regime, "tomador": taker, "data_pagamento": "2026-05-10"})
                })
            })
        }),
    ) {
        let scope = json!({"natureza_servico": "advocacia"});
        let taxes = ["irrf_servicos", "csll_retida", "pis_retido", "cofins_retida"];
        let rules: Vec<Value> = taxes.iter().map(|tax| rule(&tax.replace('_', "-"), tax, &scope, &content)).collect();
        let engine = engine_with(&rules);
        // Each case is asked of all four: they share the code, and a rule of one must not answer another.
        for (payload, tributo) in payloads.iter().flat_map(|payload| taxes.map(|tributo| (payload, tributo))) {
            let payload = with(payload, &json!({"tributo": tributo}));
            check(&engine, &payload, withheld(&content, &payload, &amount(&payload, "valor_servico")))?;
        }
    }
}

const FORMS: &[&str] = &["cessao_mao_de_obra", "empreitada", "empreitada_total", "sem_cessao"];
const YES_OR_NO: &[&str] = &["true", "false"];
const SOCIAL_SECURITY: &[(&str, &[&str])] = &[
    ("regime_prestador", REGIMES),
    ("tomador", TAKERS),
    ("forma_contratacao", FORMS),
    ("anexo_iv", YES_OR_NO),
    ("contribui_cprb", YES_OR_NO),
    ("dispensa_declarada", YES_OR_NO),
];

fn inss(c: &Value, p: &Value) -> Expected {
    let material = word(p, "material_fornecido", "sem_material");
    let lacks = |name: &str| !given(p, name);
    let no_amount = material != "sem_material" && lacks("valor_material");
    let no_annex = word(p, "regime_prestador", "") == "simples_nacional" && lacks("anexo_iv");
    if no_amount || no_annex {
        return Err("campo_obrigatorio");
    }
    let gross = amount(p, "valor_nota");
    let stated = if material == "sem_material" { Q::zero() } else { amount(p, "valor_material") };
    let mut base = &gross - &stated;
    if material == "valor_so_na_nota" && c.get("base_minima").is_some() {
        let least = &gross * percent(&needed(c, "base_minima")?);
        base = if least > base { least } else { base };
    }
    base -= amount(p, "alimentacao_transporte");
    let expected = withheld(c, p, &base)?;
    if gross - stated - amount(p, "alimentacao_transporte") < Q::zero() { Err("base_negativa") } else { Ok(expected) }
}

fn inss_payload(c: &Value) -> BoxedStrategy<Value> {
    make::near(&edges(c))
        .prop_flat_map(|value| {
            make::object(vec![
                ("tributo", make::fixed(json!("inss_retido"))),
                ("servico_cedido", make::fixed(json!("limpeza"))),
                ("forma_contratacao", make::always(make::one_of(FORMS))),
                ("valor_nota", make::fixed(json!(value))),
                (
                    "material_fornecido",
                    make::perhaps(make::one_of(&["sem_material", "valor_no_contrato", "valor_so_na_nota"])),
                ),
                ("valor_material", make::perhaps(make::text(make::limit()))),
                ("alimentacao_transporte", make::perhaps(make::text(make::limit()))),
                ("regime_prestador", make::always(make::one_of(REGIMES))),
                ("anexo_iv", make::perhaps(make::flags())),
                ("contribui_cprb", make::perhaps(make::flags())),
                ("dispensa_declarada", make::perhaps(make::flags())),
                ("tomador", make::always(make::one_of(TAKERS))),
                ("data", make::fixed(json!("2026-05-10"))),
            ])
        })
        .boxed()
}

proptest! {
    #![proptest_config(cases(CASES))]
    #[test]
    fn social_security_withheld_is_the_naive_one(
        (content, payloads) in make::with_payloads(content(SOCIAL_SECURITY, true), inss_payload),
    ) {
        let engine = engine_with(&[rule("inss", "inss_retido", &json!({"servico_cedido": "limpeza"}), &content)]);
        for payload in &payloads {
            check(&engine, payload, inss(&content, payload))?;
        }
    }
}

/// The rules of the item and of every other item, and that of the municipality.
fn iss([of_item, of_others, municipal]: [&Value; 3], p: &Value) -> Expected {
    if word(p, "regime_prestador", "") == "simples_nacional" && !given(p, "aliquota_nota") {
        return Err("campo_obrigatorio");
    }
    let c = if word(p, "item_lista_servico", "") == "7.02" { of_item } else { of_others };
    let answer = |due: &Q| Answer::due(due).amount("preco_servico", &amount(p, "preco_servico"));
    let nothing = |ground: Value| {
        let none = answer(&Q::zero()).other("retido", &json!(false)).other("aliquota_aplicada", &Value::Null);
        Ok(none.other("fundamento", &ground).others(&[]))
    };
    if let Some(ground) = treated(c, p)? {
        return nothing(json!(ground));
    }
    let entity = !matches!(word(p, "tomador", ""), "pessoa_fisica" | "condominio");
    let ground = if flag(p, "prestador_no_exterior", false) {
        "exterior_base_legal"
    } else if entity && given(c, "responsavel_base_legal") {
        "responsavel_base_legal"
    } else {
        match p.get("lei_municipal_retem").and_then(Value::as_bool) {
            None => return Err("campo_obrigatorio"),
            Some(false) => return nothing(c["lei_municipal_base_legal"].clone()),
            Some(true) => "lei_municipal_base_legal",
        }
    };
    let (rate, others): (Q, &[&str]) = if given(p, "aliquota_nota") {
        let declared = amount(p, "aliquota_nota");
        if declared > amount(c, "aliquota_maxima") || declared < amount(c, "aliquota_minima") {
            return Err("fora_do_intervalo");
        }
        (declared, &[])
    } else {
        (needed(municipal, "aliquota")?, &["municipal"])
    };
    Ok(answer(&(amount(p, "preco_servico") * percent(&rate)))
        .rate("aliquota_aplicada", &rate)
        .other("retido", &json!(true))
        .other("fundamento", &c[ground])
        .others(others))
}

fn iss_content() -> BoxedStrategy<Value> {
    let bounds = (proptest::option::of(Just("2.00")), proptest::sample::select(vec!["5.00", "4.5"]));
    let local = make::one_of(&["estabelecimento_prestador", "local_execucao", "estabelecimento_tomador"]);
    (bounds, local, any::<bool>(), treatments(FEDERAL))
        .prop_map(|((lowest, highest), local, entity, cases)| {
            let c = json!({"local": local, "local_base_legal": "Lei do local", "exterior_base_legal": "Lei do exterior",
                "lei_municipal_base_legal": "Lei do município", "aliquota_maxima": highest, "tratamentos": cases});
            let c = if entity { with(&c, &json!({"responsavel_base_legal": "Lei do responsável"})) } else { c };
            match lowest {
                Some(lowest) => with(&c, &json!({"aliquota_minima": lowest})),
                None => c,
            }
        })
        .boxed()
}

fn iss_payload() -> BoxedStrategy<Value> {
    make::object(vec![
        ("tributo", make::fixed(json!("iss_retido"))),
        ("uf", make::fixed(json!("SP"))),
        ("municipio", make::fixed(json!("São Paulo"))),
        ("item_lista_servico", make::always(make::one_of(&["7.02", "17.19"]))),
        ("preco_servico", make::always(make::text(make::amount()))),
        ("aliquota_nota", make::perhaps(make::one_of(&["1.99", "2", "2.00", "3.275", "4.5", "4.51", "5.00", "5.01"]))),
        ("regime_prestador", make::always(make::one_of(REGIMES))),
        ("prestador_no_exterior", make::perhaps(make::flags())),
        ("tomador", make::always(make::one_of(TAKERS))),
        ("lei_municipal_retem", make::perhaps(make::flags())),
        ("data", make::fixed(json!("2026-05-10"))),
    ])
}

proptest! {
    #![proptest_config(cases(CASES))]
    #[test]
    fn iss_withheld_is_the_naive_one(
        (of_item, of_others) in (iss_content(), iss_content()),
        rate in make::figure(make::rate_to(5)),
        payloads in proptest::collection::vec(iss_payload(), 12..20),
    ) {
        let municipal = json!({"aliquota": rate});
        let engine = engine_with(&[
            rule("item", "iss_retido", &json!({"item_lista_servico": "7.02"}), &of_item),
            rule("geral", "iss_retido", &json!({}), &of_others),
            rule("municipal", "iss", &json!({"uf": "SP", "municipio": "São Paulo"}), &municipal),
        ]);
        for payload in &payloads {
            check(&engine, payload, iss([&of_item, &of_others, &municipal], payload))?;
        }
    }
}
