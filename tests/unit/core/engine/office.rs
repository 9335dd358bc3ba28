//! Rules of the office: they answer before others of their scope, and no later rule is refused or lost for them.

use serde_json::{Value, json};
use taxd_base::value::Timestamp;
use taxd_core::engine::{Engine, Extras, ImportOptions};

use crate::support::{calculate, engine, engine_with, publish, rule, with};

fn item(item: &str) -> Value {
    json!({"uf": "MG", "municipio": "Uberaba", "item_lista_servico": [item]})
}

/// A rule of the taxd for a service, with an example of its own.
fn built_in(code: &str, items: &Value, aliquota: &Value) -> Value {
    let escopo = json!({"uf": "MG", "municipio": "Uberaba", "item_lista_servico": items});
    let expects = match &aliquota {
        Value::Null => json!({"codigo": "regra_sem_conteudo"}),
        _ => json!({"valor": "50.00"}),
    };
    let example = with(&json!({"payload": asked("17.19")}), &expects);
    with(&rule(code, "iss", &escopo, &json!({"aliquota": aliquota})), &json!({"exemplos": [example]}))
}

/// The rule of the office: 2 %, with an example of its own.
fn of_office() -> Value {
    let own = rule("escritorio-iss-uberaba", "iss", &item("17.19"), &json!({"aliquota": "2.00"}));
    let example = json!({"payload": asked("17.19"), "valor": "20.00"});
    with(&own, &json!({"conferencia": "do_escritorio", "exemplos": [example]}))
}

fn asked(item: &str) -> Value {
    on(item, "2026-03-10")
}

fn on(item: &str, day: &str) -> Value {
    json!({"tributo": "iss", "uf": "MG", "municipio": "Uberaba", "item_lista_servico": item,
        "preco_servico": "1000.00", "data": day})
}

/// The amount and the rule, or the refusal.
fn answer(engine: &Engine, payload: &Value) -> String {
    match calculate(engine, payload) {
        Ok(answer) => {
            format!("{} {}", answer["valor"].as_str().unwrap(), answer["regra"]["rule_id"].as_str().unwrap())
        }
        Err(problem) => problem.codigo.as_str().to_owned(),
    }
}

const OWN: &str = "20.00 escritorio-iss-uberaba-v1.0";

#[test]
fn a_rule_of_the_office_fills_a_hole_and_a_figure_that_is_not_established() {
    let engine = engine(100);
    assert_eq!(answer(&engine, &asked("17.19")), "regra_inexistente");
    publish(&engine, &[built_in("iss-mg-uberaba", &json!(["17.19", "17.20"]), &Value::Null)]).unwrap();
    assert_eq!(answer(&engine, &asked("17.19")), "regra_sem_conteudo");
    let report = publish(&engine, &[of_office()]).unwrap();
    // Also from the cache, and for no other service.
    for _ in 0..2 {
        assert_eq!(answer(&engine, &asked("17.19")), OWN);
        assert_eq!(answer(&engine, &asked("17.20")), "regra_sem_conteudo");
    }
    let [warning] = report.avisos.as_slice() else { panic!("{:?}", report.avisos) };
    assert!(
        warning
            .starts_with("escritorio-iss-uberaba-v1.0, a rule of the office, answers in place of iss-mg-uberaba-v1.0")
    );
    assert_eq!(engine.office_conflicts().unwrap(), [], "an earlier rule is what was filled in, and no conflict");
}

#[test]
fn a_later_rule_of_the_same_scope_is_published_and_reported_and_the_one_of_the_office_answers() {
    let engine = engine(100);
    publish(&engine, &[of_office()]).unwrap();
    assert_eq!(answer(&engine, &asked("17.19")), OWN);
    // Its worked example says 50.00 where the office has 20.00: it holds among the rules of the taxd.
    let later = built_in("iss-mg-uberaba", &json!(["17.19"]), &json!("5.00"));
    let report = publish(&engine, std::slice::from_ref(&later)).unwrap();
    assert_eq!(report.publicadas.len(), 1);
    let [warning] = report.avisos.as_slice() else { panic!("{:?}", report.avisos) };
    assert!(warning.starts_with("iss-mg-uberaba-v1.0 has the scope of escritorio-iss-uberaba-v1.0"), "{warning}");
    assert_eq!(answer(&engine, &asked("17.19")), OWN);
    let conflicts = engine.office_conflicts().unwrap();
    assert_eq!(
        serde_json::to_value(conflicts).unwrap(),
        json!([{"do_escritorio": "escritorio-iss-uberaba-v1.0", "outra": "iss-mg-uberaba-v1.0"}])
    );
    // Importing it again changes nothing.
    assert_eq!(publish(&engine, &[later]).unwrap().inalteradas, 1);
    // Once the office ends its rule, the other one answers from that day on.
    let ended = with(&of_office(), &json!({"versao": "1.1", "vigente_ate": "2026-04-01"}));
    publish(&engine, &[ended]).unwrap();
    assert_eq!(answer(&engine, &asked("17.19")), "20.00 escritorio-iss-uberaba-v1.1");
    assert_eq!(answer(&engine, &on("17.19", "2026-04-01")), "50.00 iss-mg-uberaba-v1.0");
    assert_eq!(engine.office_conflicts().unwrap(), []);
}

#[test]
fn a_rule_of_the_office_that_names_more_or_less_than_another_changes_no_order() {
    let general = rule("iss-geral", "iss", &json!({"uf": "MG", "municipio": "Uberaba"}), &json!({"aliquota": "3.00"}));
    let engine = engine_with(&[built_in("iss-mg-uberaba", &json!(["17.19"]), &json!("5.00")), general]);
    let whole = json!({"uf": "MG", "municipio": "Uberaba"});
    let own = rule("escritorio-iss-geral", "iss", &whole, &json!({"aliquota": "4.00"}));
    publish(&engine, &[with(&own, &json!({"conferencia": "do_escritorio"}))]).unwrap();
    assert_eq!(answer(&engine, &asked("17.19")), "50.00 iss-mg-uberaba-v1.0");
    assert_eq!(answer(&engine, &asked("17.20")), "40.00 escritorio-iss-geral-v1.0");
}

#[test]
fn an_answer_of_before_the_rule_of_the_office_stays() {
    let engine = engine_with(&[built_in("iss-mg-uberaba", &json!(["17.19"]), &json!("5.00"))]);
    let then = taxd_base::value::Timestamp::parse("2026-11-22T00:00:00.000Z").unwrap();
    let later = Timestamp::parse("2026-11-23T00:00:00.000Z").unwrap();
    let bundle = crate::support::bundle(&[of_office()]).to_string();
    engine.import(&[crate::support::file("proprio.json", &bundle)], later, ImportOptions::default()).unwrap();
    let at = |instant| {
        let answer = engine.calculate_at(asked("17.19").to_string().as_bytes(), Extras::default(), Some(instant));
        serde_json::from_slice::<Value>(&answer.unwrap().to_json()).unwrap()["valor"].clone()
    };
    assert_eq!(at(then), "50.00");
    assert_eq!(at(Timestamp::parse("2026-11-24T00:00:00.000Z").unwrap()), "20.00");
}

#[test]
fn two_rules_of_the_office_that_would_answer_the_same_are_refused() {
    let engine = engine_with(&[of_office()]);
    let second = with(&of_office(), &json!({"rule_code": "escritorio-outra"}));
    let faults = publish(&engine, &[second]).unwrap_err();
    assert_eq!(faults.iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(), ["regras[0].escopo"]);
}

#[test]
fn a_rule_of_the_office_has_a_code_that_no_other_rule_will_have() {
    let wrong = with(&of_office(), &json!({"rule_code": "iss-mg-uberaba"}));
    let faults = publish(&engine(0), &[wrong]).unwrap_err();
    assert_eq!(faults.iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(), ["regras[0].rule_code"]);
    for (name, text) in taxd_core::rulesets::files() {
        assert!(!text.contains("\"escritorio-") && !text.contains("do_escritorio"), "{name} has a rule of an office");
    }
}
