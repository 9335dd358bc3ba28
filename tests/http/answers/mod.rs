//! Calculations as data: a payload, and what of its answer or refusal must hold.
//!
//! A case has a name (`caso`) and often a reason (`porque`). Its `payload` is complete, or what changes in the payload of
//! an earlier case (`como`; null removes a member). It is answered, unless `recusa` names the code of its refusal; then
//! `campo` is the one field at fault, or `erros` are all of them in order. `regra` is the code of the cited rule
//! (`cita` if any will do), `detalhes` some of the components. Of the members at JSON pointers, `igual` has the value, `contem` words that must be
//! in it, and `ausente` the pointers of which there must be none.
//!
//! | file | rules |
//! |---|---|
//! | `taxes.json` | the built-in ones: each tax, figures by hand |
//! | `refused.json` | the built-in ones: missing fields, and the named refusals of the contract's section 7 |
//! | `own_rules.json` | `rules.json`: what the built-in rules do not lead to |
//!
//! `parameters.json` has faulty queries of each address. The refusal names the parameter.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use crate::support::{DataDir, OwnRules, Server, assert_rule, code_of, with};

struct Cases(Vec<Value>);

impl Cases {
    fn read(text: &str) -> Cases {
        Cases(serde_json::from_str(text).unwrap())
    }

    fn payload(&self, case: &Value) -> Value {
        let Some(base) = case.get("como") else { return case["payload"].clone() };
        let base = self.0.iter().find(|other| other["caso"] == *base).unwrap_or_else(|| panic!("no case {base}"));
        with(&self.payload(base), case.get("payload").unwrap_or(&json!({})))
    }

    /// Asks every case, and fails with the names of all whose answer is another.
    fn check(&self, server: &Server) {
        let failed = |case: &&Value| {
            let payload = self.payload(case);
            catch_unwind(AssertUnwindSafe(|| check(server, case, &payload))).is_err()
        };
        let names: Vec<&Value> = self.0.iter().filter(failed).map(|case| &case["caso"]).collect();
        assert!(names.is_empty(), "{} of {} cases, each described above: {names:?}", names.len(), self.0.len());
    }
}

fn check(server: &Server, case: &Value, payload: &Value) {
    let reply = server.calculate(payload);
    let answer = match (case.get("recusa").and_then(Value::as_str), case.get("campo").and_then(Value::as_str)) {
        (None, _) => reply.envelope(),
        (Some(codigo), Some(campo)) => reply.refuses_field(codigo, campo),
        (Some(codigo), None) => reply.problem(if codigo == "regra_inexistente" { 404 } else { 422 }, codigo),
    };
    let is = |holds: bool, what: &str| assert!(holds, "{}: {what}: {answer}", case["caso"]);
    if case.get("recusa").is_none() {
        is(answer["tributo"] == payload["tributo"], "tributo");
    }
    if let Some(valor) = case.get("valor") {
        is(answer["valor"] == *valor, "valor");
    }
    if let Some(erros) = case.get("erros") {
        let fields: Vec<&Value> = answer["erros"].as_array().unwrap().iter().map(|erro| &erro["campo"]).collect();
        is(json!(fields) == *erros, "erros");
    }
    let code = case.get("regra");
    if code.is_some() || case.get("cita").is_some() {
        assert_rule(&answer["regra"]);
        is(code.is_none_or(|code| code_of(&answer) == code), "regra");
    }
    let members = |name: &str| case.get(name).map(|part| part.as_object().unwrap()).into_iter().flatten();
    for (name, wanted) in members("detalhes") {
        is(answer["detalhes"].get(name) == Some(wanted), name);
    }
    for (pointer, wanted) in members("igual") {
        is(answer.pointer(pointer) == Some(wanted), pointer);
    }
    for (pointer, words) in members("contem") {
        let text = answer.pointer(pointer).map(Value::to_string).unwrap_or_default();
        is(words.as_array().unwrap().iter().all(|word| text.contains(word.as_str().unwrap())), pointer);
    }
    for pointer in case["ausente"].as_array().into_iter().flatten() {
        is(answer.pointer(pointer.as_str().unwrap()).is_none(), "ausente");
    }
}

#[test]
fn the_built_in_rules_answer_as_the_law_says() {
    let server = DataDir::served();
    Cases::read(include_str!("taxes.json")).check(&server);
}

#[test]
fn faulty_payloads_and_cases_out_of_scope_are_refused_by_name() {
    let server = DataDir::served();
    Cases::read(include_str!("refused.json")).check(&server);
}

/// A server that had the rules when it started, and one that got them while it ran.
#[test]
fn rules_answer_and_refuse_whether_they_came_before_the_server_or_while_it_ran() {
    let cases = Cases::read(include_str!("own_rules.json"));
    let content = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"});
    let unrelated = crate::support::rule("t-ipi", "ipi", &json!({"ncm": ["99010000"]}), &content);
    let publish = |own: &OwnRules| own.import(&own.dir.write("own.json", include_str!("rules.json")), &[]).ok();

    let before = OwnRules::of(std::slice::from_ref(&unrelated));
    publish(&before);
    cases.check(&before.serve());

    let during = OwnRules::of(&[unrelated]);
    let server = during.serve();
    let probe = json!({"tributo": "ipva", "uf": "MG", "categoria_veiculo": "automovel", "valor_venal": "1.00",
        "combustivel": "flex", "data_fato_gerador": "2026-01-01"});
    server.calculate(&probe).problem(404, "regra_inexistente");
    publish(&during);
    assert_eq!(server.calculate(&probe).envelope()["valor"], "0.04");
    cases.check(&server);
}

/// The remarks were only in `avisos`, which a caller that knows the contract alone does not read.
#[test]
fn the_remarks_of_itbi_are_components_and_notices() {
    let server = DataDir::served();
    let sale = json!({"tributo": "itbi", "uf": "SP", "municipio": "São Paulo", "valor_transacao": "600000.00",
        "data": "2026-03-20"});
    let answer = server.calculate(&sale).envelope();
    let remarks = answer["detalhes"]["observacoes"].as_array().unwrap();
    assert!(remarks.len() >= 3 && answer["avisos"].as_array().unwrap().starts_with(remarks), "{answer}");
}

#[test]
fn a_faulty_parameter_is_named() {
    let server = DataDir::served();
    let addresses: Value = serde_json::from_str(include_str!("parameters.json")).unwrap();
    for (path, queries) in addresses.as_object().unwrap() {
        for query in queries.as_array().unwrap().iter().map(|query| query.as_str().unwrap()) {
            let reply = server.get_own(&format!("{path}?{query}"));
            assert_eq!(reply.status, 422, "{path}?{query}: {}", reply.text());
            let problem = reply.problem(422, "parametro_invalido");
            let named = query.split('=').next().unwrap();
            assert_eq!((&problem["campo"], &problem["erros"][0]["campo"]), (&json!(named), &json!(named)), "{query}");
            assert_eq!(problem["erros"].as_array().map(Vec::len), Some(1), "{problem}");
            assert!(problem["erros"][0]["detail"].as_str().is_some_and(|detail| detail.len() > 5), "{problem}");
        }
    }
}
