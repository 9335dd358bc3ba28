//! The turn of the year 2027, when PIS and COFINS end and the IPI becomes zero but for the Zona Franca de Manaus: what
//! a built-in rule answered in 2026 is still answered or refused by name, and never by a rule of 2026.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taxd_base::problem::{ErrorCode, TipoRecusa};
use taxd_base::value::Date;
use taxd_core::engine::Filter;
use taxd_law::tax;

use crate::support::{built_in_engine, calculate};

const BEFORE: &str = "2026-12-31";
const AFTER: &str = "2027-03-10";

/// The built-in rules of a tax that answer on a day.
fn rules_on(tributo: &str, day: &str) -> Vec<Value> {
    let filter = Filter {
        tributo: Some(tax::find(tributo).unwrap().tributo),
        vigente_em: Some(Date::parse(day).unwrap()),
        ..Filter::default()
    };
    let page = built_in_engine().regras(&filter, Date::parse(day).unwrap(), 0, usize::MAX).unwrap();
    page.items.iter().map(|item| serde_json::from_str(item).unwrap()).collect()
}

fn texts<'a>(rule: &'a Value, member: &str) -> Vec<&'a str> {
    rule[member].as_array().into_iter().flatten().map(|text| text.as_str().unwrap()).collect()
}

/// The first code of the TIPI under the prefix that the rule does not except.
fn code_under(prefix: &str, except: &[&str], codes: &[String]) -> Option<String> {
    let under = codes.iter().filter(|code| code.starts_with(prefix));
    under.into_iter().find(|code| !except.iter().any(|except| code.starts_with(except))).cloned()
}

fn codes_of_the_tipi() -> Vec<String> {
    let mut codes: Vec<String> =
        rules_on("ipi", BEFORE).iter().flat_map(|rule| texts(rule, "ncm").into_iter().map(str::to_owned)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn the_ipi_of_every_line_is_zero_or_refused_with_the_provision_that_reduces_it() {
    let (mut zero, mut refused) = (0, 0);
    for rule in rules_on("ipi", BEFORE) {
        let mut payload = json!({"tributo": "ipi", "valor_produto": "1000.00", "data_operacao": AFTER});
        payload["ncm"] = texts(&rule, "ncm")[0].into();
        payload["ex"] = rule["ex"].clone();
        match calculate(built_in_engine(), &payload) {
            Ok(answer) => {
                assert_eq!(answer["valor"], "0.00", "{payload}");
                assert_eq!(answer["detalhes"]["ex_aplicado"], !rule["ex"].is_null(), "{payload}");
                zero += 1;
            }
            Err(problem) => {
                assert_eq!(problem.codigo, ErrorCode::RegraSemConteudo, "{payload}");
                let citation = problem.regra.as_ref().unwrap().citacao_legal.as_str();
                assert!(citation.contains("ADCT, art. 126, III, a"), "{payload}: {citation}");
                refused += 1;
            }
        }
    }
    assert!(zero > 8_000 && refused > 1_000, "both are seen: {zero} and {refused}");
}

/// Since 2027 the general rule of the regime refuses for the products whose own rules ended.
#[test]
fn pis_and_cofins_refuse_every_product_with_the_provision_that_ended_them() {
    let codes = codes_of_the_tipi();
    let mut seen = 0;
    for tributo in ["pis", "cofins"] {
        for rule in rules_on(tributo, BEFORE) {
            let except = texts(&rule, "ncm_exceto");
            let products: Vec<Option<String>> = match texts(&rule, "ncm").as_slice() {
                [] => vec![None],
                prefixes => prefixes.iter().filter_map(|p| code_under(p, &except, &codes)).map(Some).collect(),
            };
            for ncm in products {
                for (regime, papel, buyer, vehicle) in [
                    ("cumulativo", "fabricante_importador", "demais", true),
                    ("nao_cumulativo", "revenda", "varejista_consumidor_final", false),
                ] {
                    let payload = json!({
                        "tributo": tributo, "regime_apuracao": regime, "ncm": ncm, "ex": rule["ex"],
                        "papel_na_cadeia": papel, "venda_a": buyer, "destinacao_autopropulsado": vehicle,
                        "valor_operacao": "1000.00", "valor_icms_destacado": "0.00", "data_operacao": AFTER
                    });
                    let problem = calculate(built_in_engine(), &payload).expect_err("the contribution has ended");
                    assert_eq!(problem.codigo, ErrorCode::TributoExtinto, "{payload}");
                    assert_eq!(problem.tipo_recusa, Some(TipoRecusa::TributoExtinto), "{payload}");
                    let says = |part: &str| problem.detail.contains(part);
                    assert!(says("desde 01/01/2027") && says("se sujeita à CBS"), "{payload}: {}", problem.detail);
                    let citation = problem.regra.as_ref().unwrap().citacao_legal.as_str();
                    assert!(citation.contains("ADCT, art. 126, II ("), "{payload}: {citation}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 1_000, "the scan sees the products: {seen}");
}

/// The contributions end without successors, as above; what a city or a state sets year by year goes on as a refusal.
#[test]
fn a_rule_that_ends_with_2026_has_a_successor_that_answers_or_refuses() {
    let mut seen = 0;
    for entry in tax::REGISTRY.iter().filter(|entry| !["pis", "cofins", "cbs", "ibs"].contains(&entry.tributo.as_str()))
    {
        let after = rules_on(entry.tributo.as_str(), "2027-01-01");
        let codes: BTreeSet<&str> = after.iter().map(|rule| rule["rule_code"].as_str().unwrap()).collect();
        for rule in rules_on(entry.tributo.as_str(), BEFORE) {
            if rule["vigente_ate"] == "2027-01-01" {
                assert!(codes.contains(rule["rule_code"].as_str().unwrap()), "{}", rule["rule_id"]);
                seen += 1;
            }
        }
    }
    assert!(seen > 3_800, "the scan sees the rules that end: {seen}");
}

/// The amounts that a content establishes: limits of exemptions and of financed parts, and the ends of brackets.
fn amounts<'a>(content: &'a Value, found: &mut Vec<&'a Value>) {
    for (name, value) in content.as_object().into_iter().flatten() {
        if name == "ate" || name == "teto" || name.starts_with("limite") {
            found.extend(Some(value).filter(|value| value.is_string()));
        }
        amounts(value, found);
    }
    content.as_array().into_iter().flatten().for_each(|item| amounts(item, found));
}

/// São Paulo answered the brackets of 2026 until 2040, Rio those of 2026 with ten per cent on top in 2027, and Fortaleza
/// the ceiling of 2026 for a financed part.
#[test]
fn what_a_city_sets_year_by_year_answers_for_no_year_that_was_not_read() {
    let (mut iptu, mut itbi) = (0, 0);
    for day in ["2027-01-01", "2028-01-01", "2040-01-01"] {
        for rule in rules_on("iptu", day) {
            for (uso, valor) in texts(&rule, "uso_imovel")
                .iter()
                .flat_map(|uso| ["50000.00", "400000.00", "3000000.00"].map(|valor| (*uso, valor)))
            {
                let payload = json!({"tributo": "iptu", "uf": rule["uf_origem"], "municipio": rule["municipio"],
                    "uso_imovel": uso, "valor_venal": valor, "exercicio": day[..4].parse::<u32>().unwrap()});
                let problem = calculate(built_in_engine(), &payload).expect_err("the year was not read");
                assert_eq!(problem.codigo, ErrorCode::RegraSemConteudo, "{payload}");
                iptu += 1;
            }
        }
        // A flat rate, or one of the financed part without a ceiling, is a matter of the law and not of the year.
        for rule in rules_on("itbi", day) {
            let mut found = Vec::new();
            amounts(&rule["conteudo"], &mut found);
            assert!(found.is_empty(), "{}: {found:?}", rule["rule_id"]);
            itbi += 1;
        }
    }
    assert!(iptu > 200 && itbi > 150, "the scan sees the rules: {iptu} and {itbi}");
}
