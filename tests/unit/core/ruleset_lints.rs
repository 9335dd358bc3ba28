//! What must hold of every built-in rule and what no import checks, because it is a matter of law or of the house:
//! rates within what the Constitution, the Senate and the complementary laws allow, versions without a gap, codes that
//! the nomenclature has, a public source, and an example beside every rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rust_decimal::Decimal;
use serde_json::{Value, json};
use taxd_base::document::{Field, Node, Shape};
use taxd_base::value::Date;
use taxd_core::engine::Filter;
use taxd_core::engine::coverage::NOT_LOCATED;
use taxd_core::rulesets::BUNDLES;
use taxd_law::tax::{self, Entry};

use crate::support::built_in_engine;

/// Every built-in rule version as `GET /v1/regras` lists it.
fn rules() -> &'static [Value] {
    static RULES: OnceLock<Vec<Value>> = OnceLock::new();
    RULES.get_or_init(|| {
        let today = Date::parse("2026-11-01").unwrap();
        let page = built_in_engine().regras(&Filter::default(), today, 0, usize::MAX).unwrap();
        page.items.iter().map(|item| serde_json::from_str(item).unwrap()).collect()
    })
}

fn of<'a>(rules: &'a [Value], tributos: &'a [&str]) -> impl Iterator<Item = &'a Value> {
    rules.iter().filter(|rule| tributos.contains(&rule["tributo"].as_str().unwrap()))
}

fn entry(rule: &Value) -> &'static Entry {
    tax::find(rule["tributo"].as_str().unwrap()).unwrap()
}

/// Calls `visit` with every value of the content except lists and objects, and with its declaration.
fn each_value<'a>(value: &'a Value, shape: &Shape, field: &Field, visit: &mut impl FnMut(&Field, &Shape, &'a Value)) {
    match (shape, value) {
        (Shape::List(inner), Value::Array(items)) => {
            for item in items {
                each_value(item, inner, field, visit);
            }
        }
        (Shape::List(inner), one) => each_value(one, inner, field, visit),
        (Shape::Document(fields), Value::Object(members)) => {
            for field in *fields {
                if let Some(value) = members.get(field.name) {
                    each_value(value, &field.shape, field, visit);
                }
            }
        }
        _ => visit(field, shape, value),
    }
}

/// Every established figure of a rule: name, whether it is a rate or an amount, text.
fn figures(rule: &Value) -> Vec<(&'static str, bool, &str)> {
    let mut found = Vec::new();
    for field in entry(rule).conteudo {
        if let Some(value) = rule["conteudo"].get(field.name) {
            each_value(value, &field.shape, field, &mut |field, shape, value| {
                let rate = matches!(shape, Shape::Rate | Shape::SignedRate);
                if rate || matches!(shape, Shape::Amount | Shape::PositiveAmount) {
                    found.extend(value.as_str().map(|text| (field.name, rate, text)));
                }
            });
        }
    }
    found
}

fn rates(rule: &Value) -> impl Iterator<Item = (&'static str, Decimal)> {
    figures(rule).into_iter().filter(|(_, rate, _)| *rate).map(|(name, _, text)| (name, text.parse().unwrap()))
}

/// Taxes, names of their rates, least and most, and where that is written.
type Bound = (&'static [&'static str], &'static [&'static str], i64, i64, &'static str);

/// The taxes that are ICMS.
const ICMS: &[&str] = &["icms", "icms_st", "icms_consumidor_final"];

/// The first that matches counts.
const BOUNDS: &[Bound] = &[
    (&["iss"], &["aliquota"], 2, 5, "LC 116/2003, arts. 8º and 8º-A"),
    (&["itcmd"], &["aliquota"], 0, 8, "Resolução do Senado 9/1992"),
    (&["ipva"], &["aliquota"], 0, 6, "no state has more"),
    (&["iptu"], &["aliquota"], 0, 6, "no municipality has more"),
    (&["itbi"], &["aliquota"], 0, 5, "no municipality has more"),
    (ICMS, &["aliquota", "aliquota_interna", "aliquota_propria"], 0, 40, "no state has more"),
    (ICMS, &["fcp"], 0, 4, "ADCT, art. 82: 2 points, and RJ"),
    (&["pis", "cofins"], &["aliquota", "varejista_consumidor_final", "demais"], 0, 50, "no contribution has more"),
    (&["icms_st"], &["mva"], 0, 1_000, "a margin may be above the price"),
    (&["ipi"], &["aliquota"], 0, 300, "cigarettes of the TIPI"),
];

#[test]
fn rates_are_within_what_the_law_allows() {
    let mut seen = 0;
    for rule in rules() {
        let tributo = rule["tributo"].as_str().unwrap();
        for (name, rate) in rates(rule) {
            let bound = BOUNDS.iter().find(|(taxes, names, ..)| taxes.contains(&tributo) && names.contains(&name));
            let (least, most, law) =
                bound.map_or((-100, 100, "a percentage"), |(_, _, least, most, law)| (*least, *most, *law));
            let within = Decimal::from(least) <= rate && rate <= Decimal::from(most);
            assert!(within, "{}: {name} {rate} ({law})", rule["rule_id"]);
            seen += 1;
        }
    }
    assert!(seen > 13_000, "the scan sees the rates: {seen}");
}

#[test]
fn interstate_rates_are_the_senates() {
    let senate = [4, 7, 12].map(Decimal::from);
    let between = |rule: &&Value| rule["uf_origem"] != rule["uf_destino"] || rule["origem_mercadoria"].is_array();
    let interstate: Vec<&Value> = of(rules(), &["icms"]).filter(between).collect();
    assert!(interstate.len() > 27 * 26, "every pair of UFs, and imported goods: {}", interstate.len());
    for rule in interstate {
        for (name, rate) in rates(rule) {
            assert!(
                senate.contains(&rate),
                "{}: {name} {rate} (Resoluções do Senado 22/1989, 13/2012)",
                rule["rule_id"]
            );
        }
    }
}

#[test]
fn figures_are_written_with_two_decimals_at_least() {
    for rule in rules() {
        for (name, rate, text) in figures(rule) {
            let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            let most = if rate { 10 } else { 6 };
            assert!((2..=most).contains(&digits), "{}: {name} {text}", rule["rule_id"]);
        }
    }
}

#[test]
fn a_reason_is_there_for_a_null_figure_only() {
    fn has_null(node: &Node<'_>, entry: &Entry) -> bool {
        match node {
            Node::List(items) => items.iter().any(|item| has_null(item, entry)),
            Node::Object(object) => object.0.iter().any(|(name, value)| match value {
                Node::Null => (entry.null_needs_motivo)(name, object),
                inner => has_null(inner, entry),
            }),
            _ => false,
        }
    }
    let mut seen = 0;
    for rule in rules() {
        let content = rule["conteudo"].to_string();
        let null = has_null(&Node::parse_text(&content).unwrap(), entry(rule));
        // CBS and IBS say so of a regime that is calculated by other means.
        let by_name = rule["conteudo"].get("recusa").is_some();
        assert!(null || by_name || rule["motivo"].is_null(), "{}: {}", rule["rule_id"], rule["motivo"]);
        seen += usize::from(null);
    }
    assert!(seen > 1_000, "the scan sees the nulls: {seen}");
}

#[test]
fn versions_of_a_code_follow_one_another_without_a_gap() {
    type Days<'a> = (&'a str, Option<&'a str>, (u32, u32));
    let mut codes: BTreeMap<&str, Vec<Days<'_>>> = BTreeMap::new();
    for rule in rules().iter().filter(|rule| rule["situacao"] != "substituida") {
        let (major, minor) = rule["versao"].as_str().unwrap().split_once('.').unwrap();
        let number = (major.parse().unwrap(), minor.parse().unwrap());
        let days = (rule["vigente_de"].as_str().unwrap(), rule["vigente_ate"].as_str(), number);
        codes.entry(rule["rule_code"].as_str().unwrap()).or_default().push(days);
    }
    for (code, mut versions) in codes {
        versions.sort_unstable();
        for pair in versions.windows(2) {
            assert_eq!(pair[0].1, Some(pair[1].0), "{code}");
            assert!(pair[0].2 < pair[1].2, "{code}: a later version has a lower number");
        }
    }
}

#[test]
fn the_codes_of_products_are_in_the_nomenclature() {
    let codes = |rule: &Value| -> Vec<String> {
        let list = rule["ncm"].as_array().into_iter().flatten();
        list.map(|code| code.as_str().unwrap().to_owned()).collect()
    };
    // The TIPI has a line for every code of eight digits, and some for codes that have ended.
    assert!(of(rules(), &["ipi"]).flat_map(codes).all(|code| code.len() == 8));
    let lines = of(rules(), &["ipi"]).filter(|rule| rule["situacao"] == "vigente");
    let nomenclature: BTreeSet<String> = lines.flat_map(codes).collect();
    assert!(nomenclature.len() > 10_000, "{}", nomenclature.len());
    for rule in of(rules(), ICMS).filter(|rule| rule["vigente_ate"].is_null()) {
        for code in codes(rule) {
            let known = nomenclature.range(code.clone()..).next().is_some_and(|next| next.starts_with(&code));
            assert!(known, "{}: {code}", rule["rule_id"]);
        }
    }
}

/// A version that another has replaced entirely answers nothing, so it has no example.
#[test]
fn every_rule_and_every_table_has_an_example() {
    let replaced: BTreeSet<&str> =
        rules().iter().filter(|r| r["situacao"] == "substituida").map(|r| r["rule_id"].as_str().unwrap()).collect();
    for (name, text) in BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for member in ["regras", "tabelas"] {
            for part in bundle[member].as_array().into_iter().flatten() {
                let examples = part["exemplos"].as_array().map_or(0, Vec::len);
                let id = |code: &Value, version: &Value| {
                    format!("{}-v{}", code.as_str().unwrap(), version.as_str().unwrap())
                };
                // The rule_code is the first column of a table; a version that varies is the second.
                let of_row = |row: &Value| id(&row[0], part["comum"].get("versao").unwrap_or(&row[1]));
                let ids: Vec<String> = match part["linhas"].as_array() {
                    Some(rows) => rows.iter().map(of_row).collect(),
                    None => vec![id(&part["rule_code"], &part["versao"])],
                };
                let answers = ids.iter().any(|id| !replaced.contains(id.as_str()));
                assert!(examples > 0 || !answers, "{name}: {} {}", part["rule_code"], part["linhas"][0][0]);
            }
        }
    }
}

#[test]
fn every_rule_has_a_grade_that_its_source_supports_and_every_sentence_of_it_a_condition() {
    for rule in rules() {
        let id = &rule["rule_id"];
        let grade = rule["conferencia"].as_str().unwrap_or_else(|| panic!("{id}: no conferencia"));
        // "Visto em" names sources that were seen without the text, or whose figure was not taken over.
        let seen = rule["fonte"].as_str().is_some_and(|source| source.starts_with("Visto "));
        assert!(grade != "texto_legal" || !seen, "{id}: {grade}, but {}", rule["fonte"]);
        let sentences = rule["avisos"].as_array().map_or(0, Vec::len);
        let conditions = rule["condicoes_dos_avisos"].as_array().into_iter().flatten().filter(|word| word.is_string());
        assert_eq!(sentences, conditions.count(), "{id}: an aviso without condicao");
    }
}

/// Whether the text has one of the words, as a whole word.
fn names_one_of(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| words.contains(&word))
}

#[test]
fn every_rule_says_where_its_figure_was_read() {
    // Acts, official texts and tables, repositories (owner/name) and sites.
    let documents = "Lei Leis LC IN Decreto Decretos Convênio Protocolo Portaria Resolução Constituição RICMS TIPI RFB NFS-e \
        Diário Tabela tabela tabelas lista listas cadastro cadastros calculadora simulador levantamento \
        levantamentos Dossiê dossiê notas nota notícia notícias motor repositório página Serviço serviço";
    let documents: Vec<&str> = documents.split_whitespace().collect();
    for rule in rules() {
        let source = rule["fonte"].as_str().unwrap_or_else(|| panic!("{}: no fonte", rule["rule_id"]));
        let site =
            [".com", ".gov.br", ".org", ".net", ".adv.br", ".cnt.br", ".leg.br"].iter().any(|end| source.contains(end));
        let repository =
            source.split([' ', ';', ',', '(', ')']).filter_map(|word| word.split_once('/')).any(|(owner, name)| {
                [owner, name].iter().all(|part| part.chars().filter(char::is_ascii_alphabetic).count() > 2)
            });
        assert!(site || repository || names_one_of(source, &documents), "{}: {source}", rule["rule_id"]);
        // What a reader cannot look up: an index number, or a path of somebody's machine.
        let index = source.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() >= 8);
        assert!(!index && !names_one_of(source, &["id", "ids"]), "{}: an index number in {source}", rule["rule_id"]);
        let whole = rule.to_string();
        let path = ["/home/", "/tmp/", "/root/"].iter().find(|path| whole.contains(*path));
        assert!(path.is_none(), "{}: {path:?}", rule["rule_id"]);
    }
}

#[test]
fn a_citation_reaches_an_article_or_the_rule_says_that_it_was_not_located() {
    // The basis of a municipal tax is not an article of the municipality's own act.
    let rest_on = ["CF, art. 156, I; ", "CF, art. 156, II; ", "LC 116/2003, arts. 8º, II, e 8º-A; "];
    let marks = "art. |arts. |cláusula |Anexo |Anexos |Apêndice |Livro |Caderno |Tabela |Tabelas |item |itens |§ |inciso |\
        lista anexa";
    let mut without = 0;
    // A version that another has replaced answers nothing. An act that sets the value of a fiscal unit does only that.
    let unit = json!(["unidade_fiscal"]);
    for rule in rules().iter().filter(|r| r["situacao"] != "substituida" && r["fato_gerador"] != unit) {
        let whole = rule["citacao_legal"].as_str().unwrap();
        let own = rest_on.iter().fold(whole.to_owned(), |text, general| text.replace(general, ""));
        let located = marks.split('|').any(|mark| own.contains(mark));
        let noted = rule["fonte"].as_str().is_some_and(|source| source.contains(NOT_LOCATED));
        assert_ne!(located, noted, "{}: {whole}", rule["rule_id"]);
        without += usize::from(noted);
    }
    assert!(without < 482, "citations without an article: {without}");
}
