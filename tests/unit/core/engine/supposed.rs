//! Supposed figures, against a second way: a store whose rule states the figure.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::document::Object;
use taxd_core::engine::{Engine, Extras, PayloadOutcome, ReplayedPayload};
use taxd_law::operation;
use taxd_law::rule::record::VersionRecord;
use taxd_law::tax::{self, REGISTRY, Suposicao, figures_of};

use crate::support::{built_in_engine, built_in_files, calculate, engine, engine_with, import, publish, rule, with};

fn supposing(engine: &Engine, payload: &Value, figures: &str) -> Result<Value, Box<taxd_base::problem::Problem>> {
    let supondo = Suposicao::list(figures).unwrap();
    let answer = engine.calculate_supposing(payload.to_string().as_bytes(), Extras::default(), None, &supondo)?;
    Ok(serde_json::from_slice(&answer.to_json()).unwrap())
}

/// Every rule of the store as a bundle writes it, by its id.
fn records(engine: &Engine) -> HashMap<String, Value> {
    let mut all = HashMap::new();
    let journal = engine.store().read_journal().unwrap();
    journal
        .each_version(1, |_, record, _| {
            let id = VersionRecord::read(record).unwrap().rule_id_text();
            all.insert(id, serde_json::from_slice(record).unwrap());
        })
        .unwrap();
    all
}

/// The member of the content on that path, if the rule writes it.
fn member<'r>(rule: &'r mut Value, path: &str) -> Option<&'r mut Value> {
    path.split('.').try_fold(&mut rule["conteudo"], |node, name| node.as_object_mut()?.get_mut(name))
}

fn cbs_of_2027() -> Value {
    json!({"tributo": "cbs", "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
           "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": true, "optante_simples": false,
           "transicao": true, "data_operacao": "2027-03-10"})
}

#[test]
fn a_figure_that_the_law_does_not_fix_is_answered_as_supposed_and_says_so_first() {
    let engine = built_in_engine();
    let refused = calculate(engine, &cbs_of_2027()).unwrap_err();
    assert_eq!(refused.codigo.as_str(), "regra_sem_conteudo");
    let answer = supposing(engine, &cbs_of_2027(), "cbs.aliquota:8.80").unwrap();
    assert_eq!(answer["valor"], "88.00", "{answer:#}");
    let rule = &answer["regra"]["rule_id"];
    assert_eq!(answer["suposicoes"], json!([{"campo": "cbs.aliquota", "valor": "8.80", "regras": [rule]}]));
    let first = answer["avisos"][0].as_str().unwrap();
    assert!(first.starts_with("Suposição, não é a lei: cbs.aliquota = 8.80, no lugar"), "{first}");
    assert!(answer.get("prova").is_none());
    assert_eq!(answer["cached"], false);
    assert_eq!(calculate(engine, &cbs_of_2027()).unwrap_err().detail, refused.detail, "the law is as before");
}

#[test]
fn what_cannot_be_supposed_is_refused_with_what_can() {
    let refused = |text: &str| Suposicao::list(text).unwrap_err();
    assert!(refused("cbs.aliquota").contains("TRIBUTO.CAMPO:VALOR"));
    assert!(refused("cbs.aliquota:8,80").contains("usa ponto"));
    assert!(refused("cbx.aliquota:1").contains("cbs"));
    assert!(refused("cbs.aliquot:1").contains("pode-se supor: cbs.aliquota."));
    assert!(refused("cbs.recusa:1").contains("cbs.aliquota, cbs.aliquota_municipal, cbs.classificacao.reducao"));
    assert!(refused("cbs.aliquota:-1").contains("cbs.aliquota: "));
    assert!(refused("cbs.aliquota:999999").contains("pontos percentuais"));
    assert!(refused("cbs.aliquota:1,cbs.aliquota:2").contains("mais de uma vez"));
    let many: Vec<String> = (0..17).map(|_| "cbs.aliquota:1".to_owned()).collect();
    assert!(refused(&many.join(",")).contains("mais de 16"));

    let engine = built_in_engine();
    let proof = Extras { prova: true, ..Extras::default() };
    let supondo = Suposicao::list("cbs.aliquota:8.80").unwrap();
    let payload = cbs_of_2027().to_string();
    assert!(engine.calculate_supposing(payload.as_bytes(), proof, None, &supondo).is_err());
    let of_2026 = with(&cbs_of_2027(), &json!({"transicao": false, "data_operacao": "2026-03-10"}));
    let without_effect = supposing(engine, &of_2026, "ibs.aliquota:1").unwrap_err();
    assert_eq!(without_effect.campo.as_deref(), Some("supondo"), "{without_effect:?}");
}

#[test]
fn a_figure_that_the_rule_may_not_have_is_refused_by_its_checks() {
    let transicao = rule("t-transicao", "icms", &json!({}), &json!({"transicao": {"proporcao": "90.00"}}));
    let geral = rule("t-sp", "icms", &json!({"uf_origem": "SP", "uf_destino": "SP"}), &json!({"aliquota": "18.00"}));
    let engine = engine_with(&[transicao, geral]);
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00",
                         "data_operacao": "2029-03-10"});
    let half = supposing(&engine, &payload, "icms.transicao.proporcao:50").unwrap();
    assert_eq!(half["valor"], "9.00");
    let refused = supposing(&engine, &payload, "icms.transicao.proporcao:101").unwrap_err();
    assert!(refused.detail.contains("A proporção vai de 0 a 100."), "{refused:?}");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_and_what_is_read_is_written_again(
        text in "([a-z_]{0,8}[.:,]?|cbs\\.aliquota|[0-9.,:-]{0,6}|\\PC){0,6}",
        value in 0_u32..100_000,
    ) {
        if let Ok(read) = Suposicao::list(&text) {
            let written: Vec<String> = read.iter().map(ToString::to_string).collect();
            prop_assert_eq!(Suposicao::list(&written.join(",")).unwrap(), read);
        }
        let figure = format!("cbs.aliquota:{}.{:02}", value / 100, value % 100);
        prop_assert_eq!(Suposicao::list(&figure).unwrap()[0].to_string(), figure);
    }
}

/// A number from the place of an example and a figure: always the same, and scattered.
fn scattered(seed: usize) -> usize {
    seed.wrapping_mul(2_654_435_761).rotate_right(7) % 4_000
}

/// The answer by a store that has only the rules of `answer`, with the figure stated where it was supposed; `None` if these
/// rules need others, on which the answer does not depend.
fn stated(
    rules: &HashMap<String, Value>,
    answer: &Value,
    (name, value): (&str, &str),
    payload: &Value,
) -> Option<Value> {
    let with_figure = answer["suposicoes"][0]["regras"].as_array().unwrap();
    let others = answer["detalhes"]["regras_auxiliares"].as_array().cloned().unwrap_or_default();
    let stated = |regra: &Value| {
        let mut stated = rules[regra["rule_id"].as_str().unwrap()].clone();
        let members = stated.as_object_mut().unwrap();
        members.retain(|name, _| !["exemplos", "condicoes_dos_avisos"].contains(&name.as_str()));
        if with_figure.contains(&regra["rule_id"]) {
            *member(&mut stated, name).unwrap() = json!(value);
        }
        stated
    };
    let used: Vec<Value> = std::iter::once(&answer["regra"]).chain(&others).map(stated).collect();
    let second = engine(0);
    publish(&second, &used).ok()?;
    calculate(&second, payload).ok()
}

/// What a payload is answered by the law, whether or not it was answered before.
fn by_law(engine: &Engine, payload: &Value) -> Result<Value, String> {
    let answer = calculate(engine, payload).map_err(|problem| problem.detail.to_string())?;
    Ok(with(&answer, &json!({"cached": null})))
}

#[test]
fn what_is_supposed_is_what_a_bundle_with_the_figure_gives_and_leaves_the_law_as_it_was() {
    let engine = engine(64);
    import(&engine, &built_in_files(), false).unwrap();
    let rules = records(&engine);
    let mut ids: Vec<&String> = rules.keys().collect();
    ids.sort();
    let of_rule = |id: &&String| rules[*id]["exemplos"].as_array().cloned().unwrap_or_default();
    let examples = ids.iter().flat_map(of_rule).map(|example| example["payload"].clone()).filter(|one| !one.is_null());
    let own = REGISTRY.iter().map(|entry| serde_json::from_str(entry.exemplo).unwrap());
    let all: Vec<Value> = own.chain(examples.step_by(12)).collect();
    let (mut compared, mut apart, mut laws) = (0, 0, Vec::new());
    for (place, payload) in all.iter().enumerate() {
        let before = by_law(&engine, payload);
        let entry = tax::find(payload["tributo"].as_str().unwrap()).unwrap();
        for (number, name) in figures_of(entry).iter().enumerate() {
            let cents = scattered(place * 31 + number);
            let value = format!("{}.{:02}", cents / 100, cents % 100);
            let Ok(answer) = supposing(&engine, payload, &format!("{}.{name}:{value}", entry.tributo)) else {
                continue;
            };
            assert!(answer["avisos"][0].as_str().unwrap().starts_with("Suposição, não é a lei"), "{answer:#}");
            match stated(&rules, &answer, (name, &value), payload) {
                Some(stated) => {
                    assert_eq!(answer["valor"], stated["valor"], "{name} = {value} in {payload}");
                    compared += 1;
                }
                None => apart += 1,
            }
        }
        assert_eq!(before, by_law(&engine, payload), "{payload}");
        laws.push(before);
    }
    // Most are no longer in the result cache: they are calculated again by what is kept of the rules.
    for (payload, before) in all.iter().zip(laws) {
        assert_eq!(before, by_law(&engine, payload), "{payload}");
    }
    assert!(compared > 200 && apart * 10 < compared, "{compared} compared, {apart} not");
}

#[test]
fn an_operation_says_what_it_supposes_and_which_taxes_it_may_feed() {
    let engine = built_in_engine();
    let facts = json!({"data_operacao": "2027-03-10", "uf_origem": "SP", "uf_destino": "SP", "ncm": "84713012",
        "valor_produto": "1000.00", "regime_vendedor": "lucro_real", "substituicao_tributaria": false, "cumpre_obrigacoes_acessorias": true, "destinatario_contribuinte": true,
        "destinatario_consumidor_final": false, "papel_na_cadeia": "revenda"});
    let text = facts.to_string();
    let given: Object<'_> = operation::parse(text.as_bytes()).unwrap();
    let supondo = Suposicao::list("icms.aliquota:25,cbs.aliquota:8.80").unwrap();
    let ask = |payload: &Object<'_>| engine.answer_supposing(payload, Extras::default(), None, &supondo);
    let apuracao = operation::calculate(&given, &ask);
    let Ok(apuracao) = apuracao else { panic!("{apuracao:?}") };
    let shown: Value = serde_json::to_value(&apuracao).unwrap();
    let names: Vec<&str> =
        shown["suposicoes"].as_array().unwrap().iter().map(|one| one["campo"].as_str().unwrap()).collect();
    assert_eq!(names, ["icms.aliquota", "cbs.aliquota"], "{shown:#}");
    let law = operation::calculate(&given, &|payload: &Object<'_>| engine.answer(payload, false, None)).unwrap();
    assert!(serde_json::to_value(&law).unwrap().get("suposicoes").is_none());
}

#[test]
fn an_impact_of_a_supposed_figure_is_that_of_calculating_twice() {
    let engine = built_in_engine();
    let supondo = Suposicao::list("ipva.aliquota:3.33").unwrap();
    let comparison = engine.compare_supposing(supondo).unwrap();
    let replayer = comparison.replayer().unwrap();
    let mut changed = 0;
    for entry in REGISTRY {
        let payload: Value = serde_json::from_str(entry.exemplo).unwrap();
        let replayed = replayer.replay(entry.exemplo.as_bytes()).unwrap();
        if entry.tributo.as_str() != "ipva" {
            assert_eq!(replayed, ReplayedPayload::Untouched, "{}", entry.tributo);
            continue;
        }
        let after = supposing(engine, &payload, "ipva.aliquota:3.33").unwrap();
        let before = calculate(engine, &payload).unwrap();
        let ReplayedPayload::Touched { before: first, after: second } = replayed else { panic!("untouched") };
        for (outcome, answer) in [(first, before), (second, after)] {
            let PayloadOutcome::Answered { valor, .. } = outcome else { panic!("{outcome:?}") };
            assert_eq!(json!(valor.to_string()), answer["valor"]);
        }
        changed += 1;
    }
    assert_eq!(changed, 1);
}
