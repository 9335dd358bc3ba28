//! What a 404 names as nearest, against a second implementation that looks at every rule.

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::problem::{ErrorCode, TipoRecusa};
use taxd_core::engine::Engine;

use crate::property::cases;
use crate::support::{built_in_engine, calculate, engine_with, rule, with};

const PREFIXES: [&str; 8] = ["22", "2203", "220300", "2203000", "22030000", "22030001", "2204", "33049910"];
const PRODUCTS: [&str; 4] = ["22030000", "22039999", "22040000", "33049990"];
const CESTS: [&str; 3] = ["0302100", "0302200", "2801200"];
const DAYS: [&str; 5] = ["2021-01-01", "2022-07-01", "2024-01-01", "2025-03-01", "2027-01-01"];
const ASKED: &str = "2024-06-15";

/// A rule of ST of SP.
#[derive(Debug, Clone)]
struct Margin {
    origem: Option<&'static str>,
    ncm: &'static str,
    exceto: Option<&'static str>,
    cest: Option<&'static str>,
    de: usize,
    length: Option<usize>,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
struct Goods {
    origem: &'static str,
    ncm: &'static str,
    cest: Option<&'static str>,
}

impl Margin {
    fn ate(&self) -> Option<&'static str> {
        self.length.map(|length| DAYS[(self.de + length).min(DAYS.len() - 1)])
    }

    fn key(&self) -> [&'static str; 3] {
        [self.origem.unwrap_or_default(), self.ncm, self.cest.unwrap_or_default()]
    }

    fn covers(&self) -> bool {
        DAYS[self.de] <= ASKED && self.ate().is_none_or(|ate| ASKED < ate)
    }
}

impl Goods {
    /// The keys of the lookup, in order. Without CEST in the request they have none.
    fn keys(&self) -> Vec<[&'static str; 3]> {
        let mut keys = Vec::new();
        for cest in self.cest.into_iter().chain([""]) {
            for length in [8, 7, 6, 5, 4, 2] {
                for origem in [self.origem, ""] {
                    keys.push([origem, &self.ncm[..length], cest]);
                }
            }
        }
        keys
    }

    /// Every rule that came near, the nearest first: the index and what ruled it out. `None` if a rule answers.
    fn nearest(&self, margins: &[Margin]) -> Option<Vec<(usize, Vec<&'static str>)>> {
        const NAMES: [&str; 3] = ["uf_origem", "ncm", "cest"];
        let mut found = Vec::new();
        for (index, margin) in margins.iter().enumerate() {
            let own = margin.key();
            let differing = |key: &[&str; 3]| -> Vec<&'static str> {
                let compared = 0..if self.cest.is_some() { 3 } else { 2 };
                compared.filter(|i| key[*i] != own[*i]).map(|i| NAMES[i]).collect()
            };
            let keys = self.keys();
            let place = (0..keys.len()).min_by_key(|i| differing(&keys[*i]).len()).unwrap();
            let by = differing(&keys[place]);
            let excepted = margin.exceto.is_some_and(|exceto| self.ncm.starts_with(exceto));
            let common = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            let fewer = |digits: usize| -i64::try_from(digits).unwrap();
            let digits = common(self.ncm, own[1]);
            let days = |day: &str| day[..4].parse::<i64>().unwrap() * 372 + day[5..7].parse::<i64>().unwrap() * 31;
            // Far enough from the asked day that the lengths of months do not change the order.
            let distance = |day: &str| (days(day) - days(ASKED)).abs();
            let (rank, by) = match by.as_slice() {
                [] if margin.covers() && excepted => ((0, 0), vec!["ncm_exceto"]),
                [] if margin.covers() => return None,
                [] if DAYS[margin.de] > ASKED => ((1, distance(DAYS[margin.de])), vec!["data", "depois"]),
                [] => ((1, distance(margin.ate().unwrap())), vec!["data"]),
                _ if !margin.covers() => continue,
                ["cest"] => ((2, fewer(common(self.cest.unwrap(), own[2]))), by),
                ["uf_origem"] => ((3, 0), by),
                ["ncm"] if digits >= 4 => ((4, fewer(digits)), by),
                ["ncm", "cest"] if digits >= 4 => ((5, fewer(digits)), by),
                _ => continue,
            };
            found.push(((rank, place, own), index, by));
        }
        found.sort();
        let mut chosen: Vec<(usize, Vec<&'static str>)> = Vec::new();
        for (_, index, by) in found {
            let most = if by[0] == "data" { 1 } else { 3 };
            if chosen.iter().filter(|(_, other)| *other == by).count() < most && chosen.len() < 5 {
                chosen.push((index, by));
            }
        }
        Some(chosen.into_iter().map(|(i, by)| (i, by.into_iter().filter(|w| *w != "depois").collect())).collect())
    }

    fn payload(&self) -> Value {
        json!({"tributo": "icms_st", "ncm": self.ncm, "cest": self.cest, "uf_origem": self.origem, "uf_destino": "SP",
            "valor_produto": "100.00", "data_operacao": ASKED})
    }
}

fn margins() -> impl Strategy<Value = Vec<Margin>> {
    use proptest::option::of;
    use proptest::sample::select;
    let one = (
        of(select(&["SP", "MG", "RJ"])),
        select(&PREFIXES),
        of(select(&PREFIXES)),
        of(select(&CESTS)),
        0..5usize,
        of(1..4usize),
    );
    let one = one.prop_map(|(origem, ncm, exceto, cest, de, length)| {
        let exceto = exceto.filter(|exceto| exceto.starts_with(ncm) && *exceto != ncm);
        Margin { origem, ncm, exceto, cest, de, length }
    });
    // One rule of a key: two might answer on one day.
    proptest::collection::vec(one, 0..9).prop_map(|mut all| {
        all.sort_by_key(Margin::key);
        all.dedup_by_key(|margin| margin.key());
        all.retain(|margin| margin.ate() != Some(DAYS[margin.de]));
        all
    })
}

fn engine_of(margins: &[Margin]) -> Engine {
    let rules: Vec<Value> = margins
        .iter()
        .enumerate()
        .map(|(i, m)| {
            let scope = json!({"uf_origem": m.origem, "uf_destino": "SP", "ncm": m.ncm, "ncm_exceto": m.exceto, "cest": m.cest});
            let content = json!({"criterio": "mva", "descricao": "x", "mva": "40.00", "aliquota_interna": "18.00"});
            let days = json!({"vigente_de": DAYS[m.de], "vigente_ate": m.ate()});
            with(&rule(&format!("regra-{i}"), "icms_st", &scope, &content), &days)
        })
        .collect();
    // The rate between the UFs, which a rule of ST needs.
    let senate = rule("senado", "icms", &json!({"uf_origem": "MG", "uf_destino": "SP"}), &json!({"aliquota": "12.00"}));
    engine_with(&[rules, vec![senate]].concat())
}

/// Rule and reasons of each candidate.
fn named(problem: &taxd_base::problem::Problem) -> Vec<(String, Vec<&'static str>)> {
    let one = |c: &taxd_base::problem::Candidato| {
        let exclusao = c.exclusao.as_ref().unwrap();
        (exclusao.regra.rule_id.to_string(), exclusao.por.clone())
    };
    problem.candidatos.iter().map(one).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_404_names_the_nearest_rules_and_what_ruled_them_out(
        margins in margins(),
        ncm in proptest::sample::select(&PRODUCTS),
        cest in proptest::option::of(proptest::sample::select(&CESTS)),
        origem in proptest::sample::select(&["SP", "MG"]),
    ) {
        let goods = Goods { origem, ncm, cest };
        let got = calculate(&engine_of(&margins), &goods.payload());
        match (goods.nearest(&margins), got) {
            (Some(wanted), Err(problem)) => {
                prop_assert_eq!(problem.codigo, ErrorCode::RegraInexistente);
                let wanted: Vec<_> = wanted.into_iter().map(|(i, by)| (format!("regra-{i}-v1.0"), by)).collect();
                prop_assert_eq!(&wanted, &named(&problem));
                let days = |c: &taxd_base::problem::Candidato| c.exclusao.as_ref().unwrap().por == ["data"];
                for c in problem.candidatos.iter().filter(|c| !days(c)) {
                    prop_assert!(problem.detail.contains(c.descricao.as_str()), "{}", problem.detail);
                }
            }
            (Some(_), Ok(answer)) => prop_assert!(false, "{}", answer),
            // A rule answers, or several might.
            (None, got) => prop_assert!(got.is_ok() || got.unwrap_err().codigo != ErrorCode::RegraInexistente),
        }
    }
}

/// The words of a 404, and what ruled each candidate out.
fn asked(payload: &Value) -> (String, Vec<(String, Vec<&'static str>)>) {
    let problem = calculate(built_in_engine(), payload).unwrap_err();
    assert_eq!((problem.codigo, problem.tipo_recusa), (ErrorCode::RegraInexistente, None), "{}", problem.detail);
    (problem.detail.to_string(), named(&problem))
}

#[test]
fn an_extinct_line_a_regime_and_a_day_without_rule_name_what_is_beside_them() {
    let ipi = json!({"tributo": "ipi", "ncm": "22030001", "valor_produto": "1.00", "data_operacao": "2026-03-10"});
    let (detail, candidates) = asked(&ipi);
    assert_eq!(candidates[0], ("ipi-22030000-v1.0".to_owned(), vec!["ncm"]));
    assert!(candidates.contains(&("ipi-22030000-ex01-v1.0".to_owned(), vec!["ncm", "ex"])), "{candidates:?}");
    assert!(detail.contains("ipi-22030000-v1.0 (vale para NCM 22030000)"), "{detail}");

    let society = json!({"tributo": "iss", "uf": "SE", "municipio": "Aracaju", "item_lista_servico": "1.09",
        "preco_servico": "1.00", "regime": "sociedade_uniprofissional", "numero_profissionais": 2, "data": "2026-03-10"});
    let (detail, candidates) = asked(&society);
    assert_eq!(candidates[0], ("iss-se-aracaju-1.09-v1.0".to_owned(), vec!["regime"]));
    assert!(detail.contains("vale sem distinguir `regime`"), "{detail}");

    let before = json!({"tributo": "pis", "regime_apuracao": "cumulativo", "valor_operacao": "1.00",
        "valor_icms_destacado": "0", "data_operacao": "1990-01-01"});
    assert_eq!(asked(&before).1, [("pis-cumulativo-v1.0".to_owned(), vec!["data"])]);
}

/// The refusal of a drink once named margins of meat, whose chapter begins with the same digit pair.
#[test]
fn rules_of_goods_of_another_heading_are_not_named() {
    let content = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"});
    let rules = ["22030000", "22021000", "22029900"]
        .map(|ncm| rule(&format!("ipi-{ncm}"), "ipi", &json!({"ncm": ncm}), &content));
    let payload = json!({"tributo": "ipi", "ncm": "22029100", "valor_produto": "1.00", "data_operacao": "2026-03-10"});
    let problem = calculate(&engine_with(&rules), &payload).unwrap_err();
    let of_the_heading = ["ipi-22029900-v1.0", "ipi-22021000-v1.0"].map(|id| (id.to_owned(), vec!["ncm"]));
    assert_eq!(named(&problem), of_the_heading, "{}", problem.detail);
    assert!(!problem.detail.contains("importe"), "the reader is an accountant: {}", problem.detail);
}

/// A caller may ask for 404s all day: what is named does not grow with the rules around it.
#[test]
fn many_rules_around_do_not_make_the_refusal_longer() {
    let content = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"});
    let rules: Vec<Value> = (0..300)
        .map(|n| rule(&format!("regra-{n}"), "ipi", &json!({"ncm": format!("2203{n:04}"), "ex": "01"}), &content))
        .collect();
    let payload = json!({"tributo": "ipi", "ncm": "22030150", "valor_produto": "1.00", "data_operacao": "2026-03-10"});
    let problem = calculate(&engine_with(&rules), &payload).unwrap_err();
    assert_eq!(named(&problem)[0], ("regra-150-v1.0".to_owned(), vec!["ex"]));
    assert_eq!(problem.candidatos.len(), 4, "one of the NCM, three of its neighbours");
}

#[test]
fn every_code_of_a_422_says_what_kind_of_reason_it_has_and_no_other_code_does() {
    for codigo in ErrorCode::ALL {
        assert_eq!(codigo.tipo_recusa().is_some(), codigo.status() == 422, "{codigo:?}");
    }
    let kind = |payload: &Value| calculate(built_in_engine(), payload).unwrap_err().tipo_recusa;
    let cbs = json!({"tributo": "cbs", "valor_operacao": "1.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
        "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": true, "optante_simples": false,
        "data_operacao": "2026-03-10"});
    let pis = json!({"tributo": "pis", "regime_apuracao": "nao_cumulativo", "ncm": "84811000", "valor_operacao": "1.00",
        "valor_icms_destacado": "0", "data_operacao": "2026-03-10"});
    let icms = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1.00",
        "data_operacao": "2026-03-10"});
    let gasoline = json!({"tributo": "icms_consumidor_final", "ncm": "27101259", "uf_origem": "SP", "uf_destino": "SP",
        "valor_produto": "1.00", "data_operacao": "2026-03-10"});
    for (payload, wanted) in [
        (with(&cbs, &json!({"item_lista_servico": "8.01"})), TipoRecusa::FaltaDado),
        (with(&cbs, &json!({"valor_iss": null})), TipoRecusa::FaltaDado),
        (with(&cbs, &json!({"valor_iss": null, "data_operacao": null})), TipoRecusa::FaltaDado),
        (with(&cbs, &json!({"valor_iss": null, "valor_pis": "x"})), TipoRecusa::DadoInvalido),
        (with(&cbs, &json!({"optante_simples": true})), TipoRecusa::ForaDoEscopo),
        (pis.clone(), TipoRecusa::FaltaDado),
        (with(&pis, &json!({"destinacao_autopropulsado": true})), TipoRecusa::ForaDoEscopo),
        (with(&icms, &json!({"ncm": "22090000"})), TipoRecusa::ValorNaoEstabelecido),
        (gasoline, TipoRecusa::ForaDoEscopo),
    ] {
        assert_eq!(kind(&payload), Some(wanted), "{payload}");
    }
}
