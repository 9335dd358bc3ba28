//! Full taxation (cClassTrib 000001) of what a differentiated regime names, by the built-in rules: refused, or answered
//! with the sentence that names the regime.
//!
//! Of 448 prefixes of NCM that the law names, 414 were once answered at the full rate without a word: beef, nappies.

use serde_json::{Value, json};
use taxd_base::problem::ErrorCode;
use taxd_base::value::Date;
use taxd_core::engine::Filter;
use taxd_law::tax;

use crate::support::{built_in_engine, calculate};

const DAY: &str = "2026-11-25";

fn rules(tributo: &str) -> Vec<Value> {
    let day = Date::parse(DAY).unwrap();
    let filter =
        Filter { tributo: Some(tax::find(tributo).unwrap().tributo), vigente_em: Some(day), ..Filter::default() };
    let page = built_in_engine().regras(&filter, day, 0, usize::MAX).unwrap();
    page.items.iter().map(|item| serde_json::from_str(item).unwrap()).collect()
}

fn texts<'a>(rule: &'a Value, member: &str) -> Vec<&'a str> {
    rule[member].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A whole sale with this classification, of what `member` names.
fn sale(tributo: &str, codigo: &str, member: &str, code: &str) -> Value {
    let mut payload = json!({
        "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
        "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": false, "optante_simples": false,
        "data_operacao": DAY, "classificacao_tributaria": codigo
    });
    payload[member] = code.into();
    payload
}

/// The sentence of an answer on full taxation, with its condition.
fn sentence(answer: &Value) -> Option<(&str, &Value)> {
    let sentences = answer["avisos"].as_array()?.iter().map(|text| text.as_str().unwrap());
    sentences
        .zip(answer["condicoes_dos_avisos"].as_array()?)
        .find(|(text, _)| text.contains("que consta da lista de regimes próprios"))
}

/// Every code that the rules of the list name in `member`: how many answers name the regime, and how many are refusals.
fn warned_and_refused(tributo: &str, member: &str, whole: impl Fn(&str, &[&str]) -> String) -> (usize, usize) {
    let (mut warned, mut refused, mut silent) = (0, 0, Vec::new());
    for rule in rules(tributo) {
        for named in texts(&rule, member) {
            let payload = sale(tributo, "000001", member, &whole(named, &texts(&rule, "ncm_exceto")));
            match calculate(built_in_engine(), &payload) {
                Err(problem) if problem.codigo == ErrorCode::ClassificacaoIncompativel => refused += 1,
                Err(problem) => panic!("{payload}: {problem:?}"),
                Ok(answer) => match sentence(&answer) {
                    Some((text, condition)) => {
                        assert_eq!(condition, "descricao", "{payload}");
                        let auxiliares = answer["detalhes"]["regras_auxiliares"].as_array().unwrap();
                        let cited = |regra: &Value| text.contains(regra["citacao_legal"].as_str().unwrap());
                        assert!(auxiliares.iter().any(cited), "{payload}: {text}");
                        warned += 1;
                    }
                    None => silent.push(format!("{named}: {}", rule["rule_id"])),
                },
            }
        }
    }
    assert_eq!(silent, Vec::<String>::new(), "{tributo}");
    (warned, refused)
}

#[test]
fn no_ncm_of_a_differentiated_regime_is_taxed_in_full_in_silence() {
    let tipi: Vec<String> =
        rules("ipi").iter().flat_map(|rule| texts(rule, "ncm").into_iter().map(str::to_owned)).collect();
    let whole = |prefix: &str, except: &[&str]| {
        let under = tipi.iter().filter(|code| code.starts_with(prefix) && code.len() == 8);
        let found = under.into_iter().find(|code| !except.iter().any(|except| code.starts_with(except)));
        found.cloned().unwrap_or_else(|| format!("{prefix:0<8}"))
    };
    for tributo in ["cbs", "ibs"] {
        let (warned, refused) = warned_and_refused(tributo, "ncm", whole);
        assert!(warned >= 414 && warned + refused >= 448, "{tributo}: {warned} warned, {refused} refused");
    }
}

#[test]
fn no_service_of_a_differentiated_regime_is_taxed_in_full_in_silence() {
    for tributo in ["cbs", "ibs"] {
        let (warned, refused) = warned_and_refused(tributo, "item_lista_servico", |item, _| item.to_owned());
        assert!(warned >= 49 && refused >= 50, "{tributo}: {warned} warned, {refused} refused");
    }
}

#[test]
fn the_sentence_names_regime_provision_and_classification() {
    let answer = calculate(built_in_engine(), &sale("cbs", "000001", "ncm", "96190000")).unwrap();
    assert_eq!(answer["valor"], "9.00");
    let (text, _) = sentence(&answer).unwrap();
    for part in [
        "tributa por inteiro o NCM 96190000",
        "LC nº 214/2025, art. 136 e Anexo VIII, item 7",
        "Fraldas e artigos higiênicos semelhantes, de qualquer matéria (Anexo VIII, item 7, redução de 60.00%): 200035",
        "(art. 147, alíquota zero, conforme a descrição do item): 200013",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("000001;") && !text.ends_with("000001."), "{text}");
    let unlisted = calculate(built_in_engine(), &sale("cbs", "000001", "ncm", "84713012")).unwrap();
    assert_eq!(sentence(&unlisted), None);
    let reduced = calculate(built_in_engine(), &sale("cbs", "200035", "ncm", "96190000")).unwrap();
    assert_eq!(sentence(&reduced), None);
}
