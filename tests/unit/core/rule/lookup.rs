//! Which of several rules answers: by `rulesets/README.md`, "Empate e especificidade", as a
//! sort of everything that matches.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_core::engine::Engine;

use crate::property::cases;
use crate::support::{calculate, engine_with, rule};

const PREFIXES: [&str; 8] = ["22", "2203", "22030", "220300", "2203000", "22030000", "22030001", "2204"];
const PRODUCTS: [&str; 4] = ["22030000", "22030001", "22039999", "22040000"];

/// The scope of one rule: prefix, exception inside it, and two more dimensions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Scope {
    ncm: &'static str,
    first: Option<&'static str>,
    second: Option<&'static str>,
    except: Option<&'static str>,
}

impl Scope {
    fn covers(&self, ncm: &str) -> bool {
        ncm.starts_with(self.ncm) && !self.except.is_some_and(|except| ncm.starts_with(except))
    }

    fn json(&self, first: &str, second: &str, more: &Value) -> Value {
        let scope = json!({"ncm": self.ncm, "ncm_exceto": self.except, first: self.first, second: self.second});
        crate::support::with(&scope, more)
    }
}

/// Scopes with different keys; `first` and `second` are the words of the two dimensions.
fn scopes(first: &'static [&'static str], second: &'static [&'static str]) -> BoxedStrategy<Vec<Scope>> {
    let word = |words: &'static [&'static str]| proptest::option::of(proptest::sample::select(words));
    let one = (proptest::sample::select(&PREFIXES), word(first), word(second), word(&PREFIXES)).prop_map(
        |(ncm, first, second, except)| {
            let except = except.filter(|except| except.starts_with(ncm) && *except != ncm);
            Scope { ncm, first, second, except }
        },
    );
    proptest::collection::vec(one, 1..12)
        .prop_map(|list| list.into_iter().map(|s| ((s.ncm, s.first, s.second), s)).collect::<BTreeMap<_, _>>())
        .prop_map(|by_key| by_key.into_values().collect())
        .boxed()
}

/// The rule that answered, or the refusal.
fn answering(engine: &Engine, payload: &Value) -> String {
    match calculate(engine, payload) {
        Ok(answer) => answer["regra"]["rule_id"].as_str().unwrap().to_owned(),
        Err(problem) => problem.codigo.as_str().to_owned(),
    }
}

fn code(index: usize) -> String {
    format!("regra-{index}")
}

fn id(index: usize) -> String {
    format!("{}-v1.0", code(index))
}

fn agrees(word: Option<&str>, asked: Option<&str>) -> bool {
    word.is_none() || word == asked
}

proptest! {
    #![proptest_config(cases(192))]

    /// The declared ex, then the longest NCM, then the stated regime; else the ordinary rule.
    #[test]
    fn pis_looks_for_ex_then_ncm_then_regime(scopes in scopes(&["01", "02"], &["cumulativo", "nao_cumulativo"])) {
        let content = json!({"tipo": "aliquota_reduzida", "aliquota": "1.00"});
        let ordinary = |regime: &str| {
            rule(regime, "pis", &json!({"regime_apuracao": regime}), &json!({"tipo": "ordinario", "aliquota": "1.00"}))
        };
        let mut rules = vec![ordinary("cumulativo"), ordinary("nao_cumulativo")];
        for (i, scope) in scopes.iter().enumerate() {
            rules.push(rule(&code(i), "pis", &scope.json("ex", "regime_apuracao", &json!({})), &content));
        }
        let engine = engine_with(&rules);
        for ncm in PRODUCTS {
            for ex in [None, Some("01"), Some("02"), Some("03")] {
                for regime in ["cumulativo", "nao_cumulativo"] {
                    let matching = scopes.iter().enumerate().filter(|(_, s)| {
                        s.covers(ncm) && agrees(s.first, ex) && agrees(s.second, Some(regime))
                    });
                    let best = matching.max_by_key(|(_, s)| (s.first.is_some(), s.ncm.len(), s.second.is_some()));
                    let wanted = best.map_or_else(|| format!("{regime}-v1.0"), |(i, _)| id(i));
                    let payload = json!({"tributo": "pis", "regime_apuracao": regime, "ncm": ncm, "ex": ex,
                        "valor_operacao": "100.00", "valor_icms_destacado": "0", "data_operacao": "2026-03-10"});
                    prop_assert_eq!(answering(&engine, &payload), wanted, "{}", payload);
                }
            }
        }
    }

    /// The declared CEST, then the longest NCM, then the stated origin; without CEST, the only
    /// margin there is, or a refusal.
    #[test]
    fn icms_st_looks_for_cest_then_ncm_then_origin(scopes in scopes(&["0302100", "0302200"], &["RJ", "MG"])) {
        let content = json!({"criterio": "mva", "descricao": "X", "mva": "40.00", "aliquota_interna": "18.00"});
        let mut rules = Vec::new();
        for uf in ["RJ", "MG", "PR"] {
            let table = json!({"uf_origem": uf, "uf_destino": "SP"});
            rules.push(rule(&format!("tabela-{}", uf.to_lowercase()), "icms", &table, &json!({"aliquota": "12.00"})));
        }
        for (i, scope) in scopes.iter().enumerate() {
            rules.push(rule(&code(i), "icms_st", &scope.json("cest", "uf_origem", &json!({"uf_destino": "SP"})), &content));
        }
        let engine = engine_with(&rules);
        for ncm in PRODUCTS {
            for origem in ["RJ", "MG", "PR", "SP"] {
                for cest in [None, Some("0302100"), Some("0302200"), Some("0302300")] {
                    let matching: Vec<(usize, &Scope)> = scopes
                        .iter()
                        .enumerate()
                        .filter(|(_, s)| s.covers(ncm) && agrees(s.second, Some(origem)))
                        .filter(|(_, s)| cest.is_none() || agrees(s.first, cest))
                        .collect();
                    let mut margins: Vec<Option<&str>> = matching.iter().map(|(_, s)| s.first).collect();
                    margins.sort_unstable();
                    margins.dedup();
                    let best = matching.iter().max_by_key(|(_, s)| (s.first.is_some(), s.ncm.len(), s.second.is_some()));
                    let wanted = match best {
                        None => "regra_inexistente".to_owned(),
                        Some(_) if cest.is_none() && margins.len() > 1 => "cest_necessario".to_owned(),
                        Some((i, _)) => id(*i),
                    };
                    let payload = json!({"tributo": "icms_st", "ncm": ncm, "cest": cest, "uf_origem": origem,
                        "uf_destino": "SP", "valor_produto": "100.00", "data_operacao": "2026-03-10"});
                    prop_assert_eq!(answering(&engine, &payload), wanted, "{}", payload);
                }
            }
        }
    }

    /// The line of the declared ex, else that of the longest NCM.
    #[test]
    fn ipi_looks_for_ex_then_ncm(scopes in scopes(&["01", "02"], &["ignored"])) {
        let content = json!({"situacao": "aliquota_zero", "tabela_versao": "T"});
        let mut scopes: Vec<Scope> = scopes.into_iter().map(|s| Scope { second: None, ..s }).collect();
        scopes.dedup_by_key(|s| (s.ncm, s.first));
        let rules: Vec<Value> = scopes
            .iter()
            .enumerate()
            .map(|(i, s)| rule(&code(i), "ipi", &json!({"ncm": s.ncm, "ncm_exceto": s.except, "ex": s.first}), &content))
            .collect();
        let engine = engine_with(&rules);
        for ncm in PRODUCTS {
            for ex in [None, Some("01"), Some("02"), Some("03")] {
                let matching = scopes.iter().enumerate().filter(|(_, s)| s.covers(ncm) && agrees(s.first, ex));
                let best = matching.max_by_key(|(_, s)| (s.first.is_some(), s.ncm.len()));
                let wanted = best.map_or_else(|| "regra_inexistente".to_owned(), |(i, _)| id(i));
                let payload = json!({"tributo": "ipi", "ncm": ncm, "ex": ex, "valor_produto": "100.00",
                    "data_operacao": "2026-03-10"});
                prop_assert_eq!(answering(&engine, &payload), wanted, "{}", payload);
            }
        }
    }
}

#[test]
fn a_margin_without_cest_is_of_the_goods_whose_cest_has_no_rule_of_its_own() {
    let margin = |code: &str, cest: Option<&str>| {
        let content = json!({"criterio": "mva", "descricao": format!("Mercadoria {code}"), "mva": "40",
            "aliquota_interna": "18.00"});
        rule(code, "icms_st", &json!({"uf_destino": "SP", "ncm": "2106", "cest": cest}), &content)
    };
    let engine =
        engine_with(&[margin("doce", Some("1700100")), margin("sopa", Some("1700200")), margin("resto", None)]);
    let goods = |cest: Option<&str>| {
        json!({"tributo": "icms_st", "ncm": "21069090", "cest": cest, "uf_origem": "SP", "uf_destino": "SP",
            "valor_produto": "100.00", "data_operacao": "2026-03-10"})
    };
    let refused = calculate(&engine, &goods(None)).unwrap_err();
    assert_eq!(refused.codigo.as_str(), "cest_necessario");
    assert_eq!(
        refused.detail,
        "O NCM 21069090 tem 3 margens; informe o `cest` da mercadoria: 1700100 (Mercadoria doce); \
         1700200 (Mercadoria sopa). A regra sem CEST (Mercadoria resto) responde pelas demais mercadorias do NCM: \
         informe o CEST delas, qualquer outro."
    );
    for (cest, code) in [("1700100", "doce"), ("1700200", "sopa"), ("1709900", "resto")] {
        assert_eq!(answering(&engine, &goods(Some(cest))), format!("{code}-v1.0"));
    }
    let steps = engine.calculate(goods(Some("1700100")).to_string().as_bytes(), true).unwrap().to_json();
    assert!(String::from_utf8(steps.into()).unwrap().contains("40,00%"), "a margin is written like any rate");
}
