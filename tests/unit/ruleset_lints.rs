//! What must hold of every built-in rule, whatever law it comes from: rates within what the
//! Constitution, the Senate and the complementary laws allow, versions without a gap, brackets
//! without a hole, codes that the nomenclature has, and an example beside every rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::Value;
use taxd::engine::Filter;
use taxd::rulesets::BUNDLES;
use taxd::value::Date;

use crate::support::{engine, file, import};

/// Every built-in rule version as `GET /v1/regras` lists it.
fn rules() -> &'static [Value] {
    static RULES: OnceLock<Vec<Value>> = OnceLock::new();
    RULES.get_or_init(|| {
        let engine = engine(0);
        let bundles: Vec<_> = BUNDLES.iter().map(|(name, text)| file(name, text)).collect();
        import(&engine, &bundles, false).unwrap();
        let today = Date::parse("2026-11-01").unwrap();
        let page = engine.regras(&Filter::default(), today, 0, usize::MAX).unwrap();
        page.items.iter().map(|item| serde_json::from_str(item).unwrap()).collect()
    })
}

fn of<'a>(rules: &'a [Value], tributos: &'a [&str]) -> impl Iterator<Item = &'a Value> {
    rules.iter().filter(|rule| tributos.contains(&rule["tributo"].as_str().unwrap()))
}

/// Every figure that stands under one of the names, at any depth.
fn figures(value: &Value, names: &[&str], found: &mut Vec<f64>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if names.contains(&name.as_str()) => found.push(text.parse().unwrap()),
                    _ => figures(member, names, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| figures(item, names, found)),
        _ => {}
    }
}

fn rates(rule: &Value, names: &[&str]) -> Vec<f64> {
    let mut found = Vec::new();
    figures(&rule["conteudo"], names, &mut found);
    found
}

#[test]
fn rates_are_within_what_the_law_allows() {
    // Taxes, names of their rates, least and most, and where that is written.
    type Bound<'a> = (&'a [&'a str], &'a [&'a str], f64, f64, &'a str);
    let bounds: [Bound<'_>; 5] = [
        (&["iss"], &["aliquota"], 2.0, 5.0, "LC 116/2003, arts. 8º and 8º-A"),
        (&["itcmd"], &["aliquota"], 0.0, 8.0, "Resolução do Senado 9/1992"),
        (&["ipva"], &["aliquota"], 0.0, 6.0, "no state has more"),
        (&["icms", "icms_st"], &["aliquota", "aliquota_interna"], 0.0, 40.0, "no state has more"),
        (&["icms", "icms_st"], &["fcp"], 0.0, 4.0, "ADCT, art. 82: 2 points, and RJ"),
    ];
    let mut seen = 0;
    for (tributos, names, least, most, law) in bounds {
        for rule in of(rules(), tributos) {
            for rate in rates(rule, names) {
                assert!((least..=most).contains(&rate), "{}: {rate} ({law})", rule["rule_id"]);
                seen += 1;
            }
        }
    }
    assert!(seen > 3_000, "the scan sees the rates: {seen}");
    let interstate: Vec<&Value> =
        of(rules(), &["icms"]).filter(|r| !r["uf_origem"].is_null() && r["uf_origem"] != r["uf_destino"]).collect();
    assert!(interstate.len() >= 27 * 26, "every pair of UFs: {}", interstate.len());
    for rule in interstate {
        for rate in rates(rule, &["aliquota", "aliquota_nacional", "aliquota_importada"]) {
            assert!(
                [4.0, 7.0, 12.0].contains(&rate),
                "{}: {rate} (Resoluções do Senado 22/1989, 13/2012)",
                rule["rule_id"]
            );
        }
    }
}

#[test]
fn versions_of_a_code_follow_one_another_without_a_gap() {
    let mut codes: BTreeMap<&str, Vec<(&str, Option<&str>)>> = BTreeMap::new();
    for rule in rules().iter().filter(|rule| rule["situacao"] != "substituida") {
        let days = (rule["vigente_de"].as_str().unwrap(), rule["vigente_ate"].as_str());
        codes.entry(rule["rule_code"].as_str().unwrap()).or_default().push(days);
    }
    for (code, mut versions) in codes {
        versions.sort_unstable();
        for pair in versions.windows(2) {
            assert_eq!(pair[0].1, Some(pair[1].0), "{code}");
        }
    }
}

/// Calls `check` with every list of brackets in the value.
fn each_brackets(value: &Value, check: &mut impl FnMut(&[Value])) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_array() {
                    Some(brackets) if name == "faixas" => check(brackets),
                    _ => each_brackets(member, check),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| each_brackets(item, check)),
        _ => {}
    }
}

#[test]
fn brackets_rise_and_only_the_last_is_open() {
    let mut seen = 0;
    for rule in rules() {
        each_brackets(&rule["conteudo"], &mut |brackets| {
            seen += 1;
            // An amount is a text, a number of professionals a number.
            let end = |b: &Value| b["ate"].as_str().map_or_else(|| b["ate"].as_f64(), |end| end.parse().ok());
            let ends: Vec<Option<f64>> = brackets.iter().map(end).collect();
            let (last, before) = ends.split_last().unwrap();
            assert!(last.is_none() && before.iter().all(Option::is_some), "{}: {ends:?}", rule["rule_id"]);
            assert!(before.windows(2).all(|pair| pair[0] < pair[1]), "{}: {ends:?}", rule["rule_id"]);
        });
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn the_codes_of_products_are_in_the_nomenclature() {
    let codes = |rule: &Value| -> Vec<String> {
        let list = rule["ncm"].as_array().into_iter().flatten();
        list.map(|code| code.as_str().unwrap().to_owned()).collect()
    };
    // The TIPI has a line for every code of eight digits, and some for codes that have ended.
    let lines = of(rules(), &["ipi"]).filter(|rule| rule["situacao"] == "vigente");
    let nomenclature: BTreeSet<String> = lines.flat_map(codes).collect();
    assert!(nomenclature.len() > 10_000, "{}", nomenclature.len());
    for rule in of(rules(), &["icms", "icms_st"]).filter(|rule| rule["vigente_ate"].is_null()) {
        for code in codes(rule) {
            let known = nomenclature.range(code.clone()..).next().is_some_and(|next| next.starts_with(&code));
            assert!(known, "{}: {code}", rule["rule_id"]);
        }
    }
}

#[test]
fn every_rule_and_every_table_has_an_example() {
    for (name, text) in BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for member in ["regras", "tabelas"] {
            for part in bundle[member].as_array().into_iter().flatten() {
                let examples = part["exemplos"].as_array().map_or(0, Vec::len);
                assert!(examples > 0, "{name}: {} {}", part["rule_code"], part["linhas"][0][0]);
            }
        }
    }
}

/// Whether one of the words stands in the text as a word of its own.
fn names_one_of(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| words.contains(&word))
}

#[test]
fn every_rule_says_where_its_figure_was_read() {
    // Acts, official texts and tables, repositories (owner/name) and sites.
    let documents = "Lei Leis LC IN Decreto Decretos Convênio Protocolo Portaria Resolução Constituição RICMS TIPI RFB NFS-e \
        Diário Tabela tabela tabelas lista listas cadastro cadastros calculadora simulador levantamento \
        levantamentos Dossiê dossiê notas nota notícia notícias motor repositório página Serviço serviço";
    let documents: Vec<&str> = documents.split(' ').collect();
    for rule in rules() {
        let source = rule["fonte"].as_str().unwrap_or_else(|| panic!("{}: no fonte", rule["rule_id"]));
        let site =
            [".com", ".gov.br", ".org", ".net", ".adv.br", ".cnt.br", ".leg.br"].iter().any(|end| source.contains(end));
        let repository =
            source.split([' ', ';', ',', '(', ')']).filter_map(|word| word.split_once('/')).any(|(owner, name)| {
                [owner, name].iter().all(|part| part.chars().filter(char::is_ascii_alphabetic).count() > 2)
            });
        assert!(site || repository || names_one_of(source, &documents), "{}: {source}", rule["rule_id"]);
        let index = source.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() >= 8);
        assert!(!index && !names_one_of(source, &["id", "ids"]), "{}: an index number in {source}", rule["rule_id"]);
    }
}

#[test]
fn a_citation_reaches_an_article_or_the_rule_says_that_it_was_not_located() {
    // What a municipal tax rests on is no article of the municipality's own act.
    let rest_on = ["CF, art. 156, I; ", "CF, art. 156, II; ", "LC 116/2003, arts. 8º, II, e 8º-A; "];
    let marks = [
        "art. ",
        "arts. ",
        "cláusula ",
        "Anexo ",
        "Apêndice ",
        "Livro ",
        "Caderno ",
        "Tabela ",
        "Tabelas ",
        "Anexos ",
        "item ",
        "itens ",
        "§ ",
        "inciso ",
        "lista anexa",
    ];
    let mut without = 0;
    for rule in rules() {
        let whole = rule["citacao_legal"].as_str().unwrap();
        let own = rest_on.iter().fold(whole.to_owned(), |text, general| text.replace(general, ""));
        let located = marks.iter().any(|mark| own.contains(mark));
        let told = rule["fonte"].as_str().is_some_and(|source| source.contains("Artigo não localizado"));
        assert_ne!(located, told, "{}: {whole}", rule["rule_id"]);
        without += usize::from(told);
    }
    assert!(without < 280, "citations without an article: {without}");
}
