//! ICMS by substitution: what an answer and a refusal say beside the amount.

use serde_json::{Value, json};
use taxd_core::engine::Engine;

use crate::support::{built_in_engine, calculate, difference, engine, engine_with, publish, rule, with};

fn table(origem: &str, rate: &str) -> Value {
    let scope = json!({"uf_origem": origem, "uf_destino": "SP"});
    rule(&format!("tabela-{}", origem.to_lowercase()), "icms", &scope, &json!({"aliquota": rate}))
}

fn margin(code: &str, scope: &Value) -> Value {
    let content = json!({"criterio": "mva", "descricao": "Mercadoria", "mva": "40.00", "aliquota_interna": "18.00"});
    rule(code, "icms_st", &with(scope, &json!({"uf_destino": "SP"})), &content)
}

fn payload(ncm: &str, origem: &str) -> Value {
    json!({"tributo": "icms_st", "ncm": ncm, "uf_origem": origem, "uf_destino": "SP", "data_operacao": "2026-06-10",
        "valor_produto": "1000.00"})
}

/// An amount changed with the Senate's table while `regra` stayed the same: a caller that kept the
/// answer until its rule changed kept a wrong one.
#[test]
fn an_answer_names_every_other_rule_that_it_depends_on() {
    let engine = engine_with(&[table("MG", "12.00"), margin("margem", &json!({"ncm": "2203"}))]);
    let before = calculate(&engine, &payload("22030000", "MG")).unwrap();
    let named = json!([{"rule_id": "tabela-mg-v1.0", "citacao_legal": "Lei de tabela-mg", "vigente_de": "2020-01-01",
        "vigente_ate": null}]);
    assert_eq!(before["detalhes"]["regras_auxiliares"], named);

    let changed = with(&table("MG", "7.00"), &json!({"versao": "1.1", "vigente_de": "2026-01-01"}));
    publish(&engine, &[changed]).unwrap();
    let after = calculate(&engine, &payload("22030000", "MG")).unwrap();
    assert_ne!(after["valor"], before["valor"]);
    assert_eq!(after["regra"], before["regra"]);
    assert_eq!(after["detalhes"]["regras_auxiliares"][0]["rule_id"], "tabela-mg-v1.1");
    let old = calculate(&engine, &with(&payload("22030000", "MG"), &json!({"data_operacao": "2025-12-31"}))).unwrap();
    assert_eq!(old["detalhes"]["regras_auxiliares"][0]["vigente_ate"], "2026-01-01");

    let internal = calculate(&engine, &payload("22030000", "SP")).unwrap();
    assert_eq!(internal["detalhes"].get("regras_auxiliares"), None, "no other rule, no list");
}

#[test]
fn the_own_icms_names_the_product_rule_whose_rate_it_shows() {
    let product = |stated: &str| {
        let content = json!({"aliquota": "25.00", "aliquota_interestadual": stated});
        engine_with(&[table("MG", "12.00"), rule("produto", "icms", &json!({"uf": "MG", "ncm": "2203"}), &content)])
    };
    let asked = json!({"tributo": "icms", "ncm": "22030000", "uf_origem": "MG", "uf_destino": "SP",
        "data_operacao": "2026-06-10", "valor_produto": "1000.00"});
    let divergent = calculate(&product("4.00"), &asked).unwrap();
    assert_eq!(divergent["detalhes"]["regras_auxiliares"][0]["rule_id"], "produto-v1.0");
    let agreeing = calculate(&product("12.00"), &asked).unwrap();
    assert_eq!(agreeing["detalhes"].get("regras_auxiliares"), None);
}

/// The items of the national list as the source has them: CEST, codes, goods.
fn national_list() -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    let lines = include_str!("../../../../src/law/tax/icms_st/lista_nacional.txt").lines();
    lines
        .map(|line| {
            let mut parts = line.splitn(3, ' ');
            let mut next = || parts.next().unwrap_or_else(|| panic!("{line}"));
            (next(), next().split(',').collect(), next())
        })
        .collect()
}

/// Codes that a wide item leaves to these items by its own words.
const LEFT_TO_ONE: [&str; 17] = [
    "830120", "70091000", "85272100", "85272900", "85443000", "85041000", "85043", "85044010", "85044040", "85164000",
    "85165000", "85167100", "85167200", "851679", "85162", "85163100", "85163200",
];

#[test]
fn every_code_of_the_national_list_has_other_goods_too() {
    let list = national_list();
    assert!(list.windows(2).all(|pair| pair[0].0 < pair[1].0), "in the order of the CEST, each once");
    for (cest, codes, goods) in &list {
        assert!(cest.len() == 7 && cest.bytes().all(|b| b.is_ascii_digit()), "{cest}");
        assert!(goods.chars().count() > 3, "{cest}");
        for code in codes {
            assert!(matches!(code.len(), 2 | 4..=8) && code.bytes().all(|b| b.is_ascii_digit()), "{cest} {code}");
            let mut others = list.iter().filter(|(other, ..)| other != cest);
            let shared = others.any(|(_, theirs, _)| theirs.iter().any(|t| t.starts_with(code) || code.starts_with(t)));
            assert!(shared != LEFT_TO_ONE.contains(code), "{cest} {code}: other goods: {shared}");
        }
    }
}

/// A circuit breaker for a building was answered with the margin of car parts, in 14 UFs.
#[test]
fn a_margin_for_some_goods_does_not_answer_for_others() {
    let rules = [
        margin("carro", &json!({"ncm": ["853650", "85362000"], "cest": "0106500"})),
        margin("unico", &json!({"ncm": "22030000", "cest": "0302100"})),
        margin("qualquer", &json!({"ncm": "85361000"})),
        margin("fechaduras", &json!({"ncm": "8301", "cest": "1007500"})),
        margin("espelhos", &json!({"ncm": "70091000", "cest": "0101600"})),
    ];
    let engine = engine_with(&rules);
    for ncm in ["85365090", "85362000"] {
        let problem = calculate(&engine, &payload(ncm, "SP")).unwrap_err();
        assert_eq!(problem.codigo.as_str(), "cest_necessario");
        for named in ["0106500 (Mercadoria)", "1200400 (Aparelhos para interrupção", ncm] {
            assert!(problem.detail.contains(named), "{named}: {}", problem.detail);
        }
        let candidates = serde_json::to_value(&problem.candidatos).unwrap();
        assert_eq!(candidates[0], json!({"cest": "0106500", "descricao": "Mercadoria"}));
        let building = candidates.as_array().unwrap().iter().find(|c| c["cest"] == "1200400").unwrap();
        assert!(
            building["descricao"].as_str().unwrap().ends_with(", cuja regra desta UF o taxd não tem"),
            "{building}"
        );
    }
    let told = with(&payload("85365090", "SP"), &json!({"cest": "0106500"}));
    assert_eq!(calculate(&engine, &told).unwrap()["regra"]["rule_id"], "carro-v1.0");
    // Locks of vehicles are another item, which the one for buildings leaves out; mirrors of vehicles likewise.
    assert_eq!(calculate(&engine, &payload("83012000", "SP")).unwrap_err().codigo.as_str(), "cest_necessario");
    // Nothing else under that code; and a rule without CEST, which answers whatever the CEST is.
    let answered = [
        ("22030000", "unico-v1.0"),
        ("85361000", "qualquer-v1.0"),
        ("83014000", "fechaduras-v1.0"),
        ("70091000", "espelhos-v1.0"),
    ];
    for (ncm, id) in answered {
        assert_eq!(calculate(&engine, &payload(ncm, "SP")).unwrap()["regra"]["rule_id"], id);
    }
}

#[test]
fn built_in_margins_of_car_parts_ask_for_the_cest_if_other_goods_share_the_code() {
    let engine = built_in_engine();
    for uf in ["AC", "AL", "AM", "AP", "BA", "DF", "MA", "MG", "MS", "MT", "PB", "PE", "PI", "SE"] {
        for (ncm, cest) in [("85365090", "0106500"), ("85362000", "0106700")] {
            let asked = with(&payload(ncm, uf), &json!({"uf_destino": uf}));
            assert_eq!(calculate(engine, &asked).unwrap_err().codigo.as_str(), "cest_necessario", "{uf} {ncm}");
            let told = with(&asked, &json!({"cest": cest}));
            assert_eq!(calculate(engine, &told).unwrap()["detalhes"]["cest"], cest, "{uf} {ncm}");
        }
    }
    let pistons = with(&payload("84099112", "AC"), &json!({"uf_destino": "AC"}));
    assert_eq!(calculate(engine, &pistons).unwrap()["detalhes"]["cest"], "0103000");
}

/// The refusal of the payload's tax for this NCM on that day.
fn refused(engine: &Engine, ncm: &str, members: &Value) -> String {
    let problem = calculate(engine, &with(&payload(ncm, "SP"), members)).unwrap_err();
    assert_eq!(problem.codigo.as_str(), "regra_inexistente", "{}", problem.detail);
    problem.detail.into()
}

/// "No rule" was read as "no substitution".
#[test]
fn a_404_says_that_substitution_may_be_due_all_the_same() {
    let engine = engine_with(&[margin("margem", &json!({"ncm": "2203", "cest": "0302100"}))]);
    for (ncm, cest) in [("73063090", Value::Null), ("22030000", json!("0302200"))] {
        let detail = refused(&engine, ncm, &json!({"cest": cest}));
        for named in ["não quer dizer que não haja imposto", "lista de mercadorias de SP", "CEST", "protocolo"] {
            assert!(detail.contains(named), "{named}: {detail}");
        }
    }
}

#[test]
fn an_ncm_that_has_ended_answers_while_it_lived_and_then_names_its_successors() {
    let engine = built_in_engine();
    let ipi =
        |ncm: &str, day: &str| json!({"tributo": "ipi", "ncm": ncm, "valor_produto": "1000.00", "data_operacao": day});
    // Gecex 812/2025 divided 7306.30.00 on 2026-02-01; 3.25% before and after.
    for (ncm, day) in [("73063000", "2026-01-31"), ("73063090", "2026-02-01"), ("73063000", "2022-08-01")] {
        assert_eq!(calculate(engine, &ipi(ncm, day)).unwrap()["valor"], "32.50", "{ncm} {day}");
    }
    let cases = [
        ("73063000", "2026-02-01", "73063010 ou 73063090"),
        ("73063090", "2026-01-31", "antes, informe 73063000"),
        ("94032000", "2026-06-10", "94032010 ou 94032090"),
    ];
    for (ncm, day, named) in cases {
        for tributo in ["ipi", "icms_st"] {
            let detail = refused(engine, ncm, &json!({"tributo": tributo, "data_operacao": day}));
            assert!(detail.contains(named), "{tributo} {ncm} {day}: {detail}");
        }
    }
    let detail = refused(engine, "73063010", &json!({}));
    assert!(!detail.contains("informe"), "a code in force has no successor: {detail}");
}

/// With a reduced base of the own operation (CST 70) the own ICMS was deducted in full, and the ST came
/// out too low.
#[test]
fn a_reduced_base_of_the_own_operation_reduces_what_is_deducted() {
    let content = json!({"criterio": "mva", "descricao": "Mercadoria", "mva": "40.00", "aliquota_interna": "18.00",
        "reducao_base_propria": "33.33", "fcp": "2.00", "deduz_fcp_proprio": true});
    let reduced = rule("margem", "icms_st", &json!({"uf_destino": "SP", "ncm": "2203"}), &content);
    let engine = engine_with(&[table("MG", "12.00"), reduced]);
    // Inside SP: own base 1000 × 66.67% = 666.70, own ICMS 120.006, own FCP 13.334.
    // ST 1400 × 18% − 120.01 = 131.99; FCP 1400 × 2% − 13.334 = 14.666.
    let internal = calculate(&engine, &payload("22030000", "SP")).unwrap();
    let wanted = json!({"base_calculo_propria": "666.70", "reducao_base_propria": "33.33", "icms_proprio": "120.01",
        "icms_st": "131.99", "fcp_st": "14.67"});
    assert_eq!(difference(&wanted, &internal["detalhes"], "detalhes"), None);
    assert_eq!(internal["valor"], "146.66");
    // Between UFs the margin is adjusted by the stated rates, whatever the reduction:
    // 1.4 × 0.88 ÷ 0.82 = 1.502439; 1502.439 × 18% − 80.004 (80.00) = 190.44; FCP 30.05.
    let asked = payload("22030000", "MG").to_string();
    let answer = engine.calculate(asked.as_bytes(), true).unwrap();
    let answer: Value = serde_json::from_slice(&answer.to_json()).unwrap();
    let wanted = json!({"mva_aplicada": "50.24", "icms_proprio": "80.00", "icms_st": "190.44", "fcp_st": "30.05"});
    assert_eq!(difference(&wanted, &answer["detalhes"], "detalhes"), None);
    let steps = answer["detalhes"]["memoria"].as_array().unwrap();
    let step = |name: &str| steps.iter().find(|step| step["nome"] == name).unwrap();
    assert_eq!(step("base_calculo_propria")["formula"], "1.000,00 × (1 − 33,33%)");
    assert_eq!(step("base_calculo_propria")["fundamento"], answer["regra"]["citacao_legal"]);
    assert_eq!(step("icms_proprio")["formula"], "666,70 × 12,00%");
    // The rate is the Senate's.
    assert_eq!(step("icms_proprio")["fundamento"], answer["detalhes"]["citacao_interestadual"]);
    assert_ne!(step("icms_proprio")["fundamento"], answer["regra"]["citacao_legal"]);
}

fn not_subject(code: &str, ncm: &str, cest: Option<&str>) -> Value {
    let content = json!({"criterio": "nao_sujeito", "descricao": "Sorvetes",
        "nao_sujeicao_base_legal": "Portaria SRE 9/2026, art. 1º, I, b"});
    rule(code, "icms_st", &json!({"uf_destino": "SP", "ncm": ncm, "cest": cest}), &content)
}

/// Goods that had left the regime were a 404, which does not say that nothing is due.
#[test]
fn goods_that_the_uf_does_not_put_under_substitution_answer_zero_with_the_ground() {
    let engine = engine_with(&[not_subject("fora", "2105", Some("2300100"))]);
    for origem in ["SP", "MG"] {
        let asked = with(&payload("21050010", origem), &json!({"cest": "2300100"}));
        let answer = calculate(&engine, &asked).unwrap();
        let wanted = json!({"valor": "0.00", "detalhes": {"icms_st": "0.00", "base_calculo_st": "0.00",
            "icms_proprio": null, "aliquota_interna": null, "base_metodo": null, "nao_sujeito": true,
            "nao_sujeicao_base_legal": "Portaria SRE 9/2026, art. 1º, I, b", "cest": "2300100"}});
        assert_eq!(difference(&wanted, &answer, ""), None, "{answer}");
    }
}

/// Zero for a code because one of its goods left the regime would be wrong for its other goods.
#[test]
fn goods_outside_the_regime_answer_only_to_their_own_cest() {
    let rules = [not_subject("fora", "2105", Some("2300100")), not_subject("tudo", "2106", None)];
    let engine = engine_with(&rules);
    let problem = calculate(&engine, &payload("21050010", "SP")).unwrap_err();
    assert_eq!(problem.codigo.as_str(), "cest_necessario");
    assert!(problem.detail.contains("2300100 (Sorvetes)"), "{}", problem.detail);
    let outside =
        json!([{"cest": "2300100", "descricao": "Sorvetes, fora da substituição", "fora_da_substituicao": true}]);
    assert_eq!(serde_json::to_value(&problem.candidatos).unwrap(), outside);
    let other = with(&payload("21050010", "SP"), &json!({"cest": "1700100"}));
    assert_eq!(calculate(&engine, &other).unwrap_err().codigo.as_str(), "regra_inexistente");
    // A rule without CEST is for all goods of the code.
    assert_eq!(calculate(&engine, &payload("21069090", "SP")).unwrap()["valor"], "0.00");
    // Beside a margin, the refusal distinguishes them.
    let engine = engine_with(&[
        not_subject("fora", "2105", Some("2300100")),
        margin("resta", &json!({"ncm": "2105", "cest": "2300200"})),
    ]);
    let detail = calculate(&engine, &payload("21050010", "SP")).unwrap_err().detail;
    assert!(detail.contains("2 regras") && detail.contains("2300100 (Sorvetes, fora da substituição)"), "{detail}");
}

/// The rule for mixes of ice cream named the whole heading 1901, and asked for the CEST of food for infants, which its
/// code leaves no doubt about.
#[test]
fn food_for_infants_in_sao_paulo_needs_no_cest() {
    let engine = built_in_engine();
    let asked = |ncm: &str| {
        with(&payload(ncm, "SP"), &json!({"uf_origem": "SP", "uf_destino": "SP", "data_operacao": "2026-07-01"}))
    };
    for (ncm, rule) in [("19011010", "icms-st-sp-1701400"), ("19011020", "icms-st-sp-1701300")] {
        let found = calculate(engine, &asked(ncm)).unwrap();
        assert_eq!(found["regra"]["rule_id"], format!("{rule}-v1.0"), "{found}");
    }
    assert_eq!(calculate(engine, &asked("19012090")).unwrap_err().codigo.as_str(), "regra_inexistente");
    assert_eq!(calculate(engine, &asked("19019090")).unwrap_err().codigo.as_str(), "cest_necessario");
}

#[test]
fn a_rule_outside_the_regime_states_its_ground_and_no_figure() {
    let scope = json!({"uf_destino": "SP", "ncm": "2105"});
    let content =
        json!({"criterio": "nao_sujeito", "descricao": "Sorvetes", "mva": "40.00", "aliquota_interna": "18.00"});
    let faults = publish(&engine(0), &[rule("fora", "icms_st", &scope, &content)]).unwrap_err();
    let faults = format!("{faults:?}");
    for named in ["nao_sujeicao_base_legal", "retire `mva`", "retire `aliquota_interna`"] {
        assert!(faults.contains(named), "{named}: {faults}");
    }
    let content = json!({"criterio": "mva", "descricao": "Sorvetes", "mva": "40.00"});
    let faults = publish(&engine(0), &[rule("margem", "icms_st", &scope, &content)]).unwrap_err();
    assert!(format!("{faults:?}").contains("precisa de `aliquota_interna`"), "{faults:?}");
}
