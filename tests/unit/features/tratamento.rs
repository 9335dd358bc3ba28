//! The treatment of a product says what the engine answers, and no more.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use taxd::features::tratamento::treat;
use taxd_base::document::Node;
use taxd_base::sentence::Reader;
use taxd_base::value::Uf;
use taxd_law::codes::FILES;

use crate::support::{built_in_engine, calculate, difference, with};

const DAYS: [&str; 8] =
    ["2018-01-01", "2021-06-15", "2023-07-01", "2026-03-10", "2026-11-26", "2027-01-01", "2029-05-20", "2033-01-01"];

fn treatment(question: &Value) -> Value {
    let text = question.to_string();
    let Ok(Node::Object(given)) = Node::parse(text.as_bytes()) else { panic!("{text}") };
    let found = treat(built_in_engine(), &given, Reader::Program).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    serde_json::to_value(&found).unwrap()
}

/// Codes of the nomenclature and pairs of a day and two UFs, the same at every run.
fn drawn() -> impl Iterator<Item = (&'static str, &'static str, [&'static str; 2])> {
    let (_, ncm) = FILES.iter().find(|(name, _)| *name == "tabelas/ncm.csv").unwrap();
    let codes = ncm.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(';'));
    codes.map(|(code, _)| code).filter(|code| code.len() == 8).step_by(7).enumerate().map(|(i, code)| {
        let uf = |place: usize| Uf::WORDS[place % Uf::WORDS.len()];
        (code, DAYS[i % DAYS.len()], [uf(i / 3), uf(i / 2 + i)])
    })
}

/// Asserts that a part has the rule of the answer, or the code of the refusal.
#[track_caller]
fn assert_same(part: &Value, payload: &Value) -> Option<Value> {
    match calculate(built_in_engine(), payload) {
        Ok(answer) => {
            assert_eq!(part["regra"], answer["regra"], "{payload}: {part}");
            assert_eq!(part.get("recusa"), None, "{payload}: {part}");
            Some(answer)
        }
        Err(problem) => {
            assert_eq!(part["recusa"]["codigo"], problem.codigo.as_str(), "{payload}: {part}");
            assert_eq!(part["recusa"]["detail"], problem.detail.as_str(), "{payload}: {part}");
            None
        }
    }
}

/// A drawn product, its treatment and what the engine is asked about it.
struct Drawn {
    ncm: &'static str,
    data: &'static str,
    from: &'static str,
    to: &'static str,
    found: Value,
}

impl Drawn {
    fn all() -> impl Iterator<Item = Drawn> {
        drawn().map(|(ncm, data, [from, to])| {
            let found = treatment(&json!({"ncm": ncm, "data": data, "uf_origem": from, "uf_destino": to}));
            Drawn { ncm, data, from, to, found }
        })
    }

    /// A payload of the product on the day, with other members.
    fn payload(&self, tributo: &str, members: &Value) -> Value {
        with(&json!({"tributo": tributo, "ncm": self.ncm, "data_operacao": self.data}), members)
    }

    /// Compares a contribution, and counts the situations by regime.
    fn contribution(&self, tributo: &str, kinds: &mut BTreeMap<String, usize>) {
        let regimes = self.found[tributo]["regimes"].as_array().unwrap();
        for regime in ["cumulativo", "nao_cumulativo"] {
            let of = |part: &&Value| part["regimes_apuracao"].as_array().unwrap().contains(&json!(regime));
            let part = regimes.iter().find(of).unwrap();
            let resale = json!({
                "regime_apuracao": regime, "papel_na_cadeia": "revenda", "valor_operacao": "250.00",
                "valor_icms_destacado": "45.00",
            });
            let payload = self.payload(tributo, &resale);
            *kinds.entry(part["situacao"].as_str().unwrap().to_owned()).or_default() += 1;
            let Some(answer) = assert_same(part, &payload) else { continue };
            let kind = match part["situacao"].as_str().unwrap() {
                "monofasico" => "monofasico_revenda",
                "aliquota_zero" => "aliquota_zero",
                _ => "tributado",
            };
            assert_eq!(answer["detalhes"]["situacao"], kind, "{payload}");
            let shown = if kind == "monofasico_revenda" { "aliquota_revenda" } else { "aliquota" };
            assert_eq!(answer["detalhes"]["aliquota_aplicada"], part[shown], "{payload}");
        }
    }

    fn ipi(&self) {
        let payload = self.payload("ipi", &json!({"valor_produto": "250.00"}));
        // Cigarettes lack data that change no rate.
        if !self.ncm.starts_with("24022")
            && let Some(answer) = assert_same(&self.found["ipi"], &payload)
        {
            assert_eq!(answer["detalhes"]["situacao"], self.found["ipi"]["situacao"], "{payload}");
        }
    }

    fn icms(&self) {
        let (found, to) = (&self.found, self.to);
        let asked = |from: &str| {
            let sale = json!({
                "uf_origem": from, "uf_destino": to, "valor_produto": "250.00", "papel_na_cadeia": "revenda",
            });
            self.payload("icms", &sale)
        };
        // From 2029 on an answer has the share of the rate that the transition leaves.
        if let Some(answer) = assert_same(&found["icms_interno"], &asked(to))
            && answer["detalhes"].get("motivo_zero").is_none()
            && self.data < "2029"
        {
            let applied = &answer["detalhes"]["aliquota_aplicada"];
            assert_eq!(*applied, *found["icms_interno"].get("aliquota").unwrap_or(&Value::Null), "{}", asked(to));
        }
        if self.from == to {
            assert_eq!(found.get("icms_interestadual"), None);
        } else {
            assert_same(&found["icms_interestadual"], &asked(self.from));
        }
        let st = json!({
            "uf_origem": self.from, "uf_destino": to, "valor_produto": "100000000.00", "quantidade": "1",
        });
        let payload = self.payload("icms_st", &st);
        if let Some(answer) = assert_same(&found["icms_st"], &payload) {
            let shown = found["icms_st"].get("mva_aplicada").unwrap_or(&Value::Null);
            assert_eq!(answer["detalhes"]["mva_aplicada"], *shown, "{payload}");
        }
    }

    fn reform(&self) {
        let sale = json!({
            "valor_operacao": "250.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0", "valor_cofins": "0",
            "valor_ipi": "0", "cumpre_obrigacoes_acessorias": true, "optante_simples": false, "transicao": true,
        });
        for tributo in ["cbs", "ibs"] {
            assert_same(&self.found[tributo], &self.payload(tributo, &sale));
        }
    }
}

#[test]
fn it_says_what_the_engine_answers_to_a_resale() {
    let mut kinds = BTreeMap::new();
    for product in Drawn::all() {
        product.contribution("pis", &mut kinds);
        product.contribution("cofins", &mut kinds);
        product.ipi();
        product.icms();
        product.reform();
    }
    for kind in ["ordinario", "monofasico", "aliquota_zero", "extinto", "depende_da_destinacao", "recusado"] {
        assert!(kinds.contains_key(kind), "no product was {kind}: {kinds:?}");
    }
}

#[track_caller]
fn assert_treatment(question: &Value, wanted: &Value) {
    let found = treatment(question);
    if let Some(difference) = difference(wanted, &found, "tratamento") {
        panic!("{question}: {difference}\n{found:#}");
    }
}

#[test]
fn products_are_treated_as_the_law_says() {
    // A shampoo: single-phase, with the codes of the resale and of the manufacturer.
    let shampoo = json!({
        "ncm": "33051000", "data": "2026-03-10", "cest": "2001800", "uf_origem": "MG", "uf_destino": "SP",
    });
    let codes = |found: &Value| -> Vec<String> {
        let all = found["naturezas_da_receita"].as_array().unwrap().iter();
        let own = all.filter(|one| one["da_situacao"] == true);
        own.map(|one| format!("{} {}", one["tabela"], one["codigo"]).replace('"', "")).collect()
    };
    assert_treatment(
        &shampoo,
        &json!({
            "pis": {"situacao": "monofasico", "regimes": [{
                "regimes_apuracao": ["cumulativo", "nao_cumulativo"], "aliquota": "2.20", "aliquota_revenda": "0.00",
            }]},
            "cofins": {"situacao": "monofasico"},
            "icms_interestadual": {"situacao": "ordinario", "aliquota": "12.00"},
            "icms_interestadual_importada": {"aliquota": "4.00"},
            "imposto_seletivo": {"situacao": "nao_listado"},
        }),
    );
    assert_eq!(codes(&treatment(&shampoo)), ["4.3.10 002", "4.3.10 202"]);
    // Rice: zero, reduced to nothing by CBS and IBS, and no UF was given.
    let rice = json!({"ncm": "10063021", "data": "2026-03-10"});
    assert_treatment(
        &rice,
        &json!({
            "pis": {"situacao": "aliquota_zero"}, "icms_interno": {"situacao": "sem_uf"}, "icms_st": {"situacao": "sem_uf"},
            "cbs": {"situacao": "diferenciado", "recusa": {"codigo": "regime_diferenciado"}},
        }),
    );
    assert_eq!(codes(&treatment(&rice)), ["4.3.13 105"]);
    let reduced = treatment(&rice)["cbs"]["hipoteses"][0].clone();
    assert_eq!(reduced["percentual_reducao"], "100.00", "{reduced}");
    assert_eq!(reduced["aliquota_efetiva"], "0.00", "{reduced}");
    // Beer: on the list of the Imposto Seletivo, of which nothing is collected in 2026 and no rate exists in 2027.
    let beer = |data: &str| json!({"ncm": "22030000", "data": data, "uf_destino": "SP"});
    assert_treatment(
        &beer("2026-12-31"),
        &json!({
            "uf_origem": "SP", "pis": {"situacao": "monofasico"},
            "imposto_seletivo": {"situacao": "nao_cobrado", "categoria": "bebidas alcoólicas"},
        }),
    );
    assert_treatment(
        &beer("2027-01-01"),
        &json!({"pis": {"situacao": "extinto"}, "imposto_seletivo": {"situacao": "sem_aliquota"}}),
    );
    // Cigarettes: the rate does not depend on what only a manufacturer states.
    let cigarettes = json!({"ncm": "24022000", "data": "2026-03-10"});
    assert_treatment(&cigarettes, &json!({"ipi": {"situacao": "tributado"}}));
}

#[test]
fn a_question_at_fault_is_refused_with_every_fault() {
    let text = br#"{"ncm": "123", "data": "2026-02-30", "uf_origem": "XX", "regime": "simples"}"#;
    let Ok(Node::Object(given)) = Node::parse(text) else { panic!() };
    let problem = treat(built_in_engine(), &given, Reader::Program).unwrap_err();
    let mut at_fault: Vec<&str> = problem.erros.iter().map(|erro| erro.campo.as_str()).collect();
    at_fault.sort_unstable();
    assert_eq!(at_fault, ["data", "ncm", "regime", "uf_origem"]);
}
