//! Each way in which one version follows another, as every caller sees it at once: in a
//! calculation, in the listing of rules, in the changelog, and in the `cached` flag.

mod backwards;
mod forwards;
mod scopes;

use serde_json::{Value, json};

use crate::support::{OwnRules, Server, ids, rule, with};

/// A server on a few rules, one of them (IPVA of AM) touched by no publication of the tests.
pub struct Scene {
    own: OwnRules,
    server: Server,
}

/// A version in the listing: `rule_id`, `vigente_de`, `vigente_ate`, `situacao`, `substituida_por`.
type Listed<'a> = (&'a str, &'a str, Option<&'a str>, &'a str, Option<&'a str>);

/// The code that most cases are about: the IPVA of AC.
const CODE: &str = "t-ipva-ac";

/// A version of that code: its number, its validity, and its rate, which is also the tax on R$ 100.
fn version(versao: &str, de: &str, ate: Option<&str>, rate: &str) -> Value {
    let base = rule(CODE, "ipva", &json!({"uf": "AC"}), &json!({"aliquota": rate}));
    let mut version = with(&base, &json!({"versao": versao, "vigente_de": de}));
    version["vigente_ate"] = json!(ate);
    version
}

fn car(uf: &str, day: &str) -> Value {
    json!({"tributo": "ipva", "uf": uf, "categoria_veiculo": "automovel", "valor_venal": "100.00",
           "data_fato_gerador": day})
}

/// An event without the instant and the scope: `tipo`, `rule_id`, `vigente_de`, and on a
/// supersession `vigente_ate` and `substituida_por`.
fn event(tipo: &str, rule_id: &str, de: &str, moved: Option<(&str, &str)>) -> Value {
    let Some((ate, by)) = moved else { return json!([tipo, rule_id, de]) };
    json!([tipo, rule_id, de, ate, by])
}

impl Scene {
    /// Nothing is published but the bystander.
    #[track_caller]
    fn begin() -> Scene {
        let own = OwnRules::of(&[rule("t-ipva-am", "ipva", &json!({"uf": "AM"}), &json!({"aliquota": "7.00"}))]);
        let server = own.serve();
        let scene = Scene { own, server };
        assert_eq!(scene.server.calculate(&car("AM", "2026-01-01")).envelope()["cached"], false);
        scene
    }

    /// Publishes versions, which leave the bystander's remembered answer alone.
    #[track_caller]
    fn publish(&self, rules: &[Value]) -> Value {
        let report = self.own.publish(rules);
        assert_eq!(ids(report["publicadas"].as_array().unwrap()).len(), rules.len(), "{report}");
        self.bystander_is_remembered();
        report
    }

    #[track_caller]
    fn bystander_is_remembered(&self) {
        let other = self.server.calculate(&car("AM", "2026-01-01")).envelope();
        assert_eq!((&other["valor"], &other["cached"]), (&json!("7.00"), &json!(true)), "another scope");
    }

    /// The answer on a day that is asked for the first time since the last publication.
    #[track_caller]
    fn answers(&self, day: &str, valor: &str, (rule_id, de, ate): (&str, &str, Option<&str>)) {
        self.answers_in("AC", day, valor, (rule_id, de, ate));
    }

    #[track_caller]
    fn answers_in(&self, uf: &str, day: &str, valor: &str, (rule_id, de, ate): (&str, &str, Option<&str>)) {
        for cached in [false, true] {
            let answer = self.server.calculate(&car(uf, day)).envelope();
            let regra = &answer["regra"];
            assert_eq!(
                (&answer["valor"], &regra["rule_id"], &regra["vigente_de"], &regra["vigente_ate"], &answer["cached"]),
                (&json!(valor), &json!(rule_id), &json!(de), &json!(ate), &json!(cached)),
                "{uf} on {day}"
            );
        }
    }

    /// No version answers on that day, however often it is asked.
    #[track_caller]
    fn nothing_on(&self, day: &str) {
        for _ in 0..2 {
            let problem = self.server.calculate(&car("AC", day)).problem(404, "regra_inexistente");
            assert!(problem.get("regra").is_none(), "{problem}");
        }
    }

    /// The versions of a code in the listing.
    #[track_caller]
    fn lists(&self, code: &str, versions: &[Listed<'_>]) {
        let found = self.server.regras(&format!("rule_code={code}"));
        let shown: Vec<Value> = found
            .iter()
            .map(|r| json!([r["rule_id"], r["vigente_de"], r["vigente_ate"], r["situacao"], r["substituida_por"]]))
            .collect();
        let expected: Vec<Value> = versions.iter().map(|v| json!([v.0, v.1, v.2, v.3, v.4])).collect();
        assert_eq!(shown, expected);
    }

    /// The events of the last publication, in whatever order.
    #[track_caller]
    fn tells(&self, events: &[Value]) {
        let all = self.server.changelog("limit=500");
        let last = &all[0]["publicado_em"];
        let mut shown: Vec<String> = all.iter().filter(|e| e["publicado_em"] == *last).map(brief).collect();
        let mut expected: Vec<String> = events.iter().map(Value::to_string).collect();
        shown.sort();
        expected.sort();
        assert_eq!(shown, expected);
    }
}

fn brief(event: &Value) -> String {
    let mut brief = vec![event["tipo"].clone(), event["rule_id"].clone(), event["vigente_de"].clone()];
    let moved = ["vigente_ate", "substituida_por"];
    brief.extend(moved.iter().filter_map(|name| event.get(*name).cloned()));
    if let Some(code) = event.get("rule_code") {
        let id = event["rule_id"].as_str().unwrap();
        assert!(id.starts_with(&format!("{}-v", code.as_str().unwrap())), "{event}");
    }
    assert_eq!(event["tipo"] == "publicacao", event.get("rule_code").is_none(), "{event}");
    Value::Array(brief).to_string()
}
