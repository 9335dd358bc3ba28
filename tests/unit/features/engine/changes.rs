//! What a publication changed, against a naive comparison of the two contents.

use serde_json::{Value, json};
use taxd::features::changes::{Changes, RuleChange};
use taxd_base::value::Timestamp;
use taxd_core::engine::{BundleFile, Engine, Filter, ImportOptions, Signed};

use crate::support::{bundle, day, engine, rule, with};

/// Publishes the rules in one bundle at an instant.
fn publish_at(engine: &Engine, instant: &str, rules: &[Value]) {
    let file = BundleFile::unsigned("teste.json", bundle(rules).to_string().as_bytes());
    engine.import(&[file], Timestamp::parse(instant).unwrap(), ImportOptions::default()).unwrap();
}

fn icms(code: &str, escopo: &Value, rate: &str) -> Value {
    rule(code, "icms", escopo, &json!({"aliquota": rate}))
}

fn all(engine: &Engine, since: &str) -> Changes {
    Changes::read(engine, day(since), &Filter::default()).unwrap()
}

/// The versions of all publications, in order.
fn listed(changes: &Changes) -> Vec<&RuleChange> {
    changes.publicacoes.iter().flat_map(|p| &p.pacotes).flat_map(|b| &b.mudancas).collect()
}

/// Beer in SP at 18 %, and since March 2024 at 19.5 %; published in January and in February.
fn beer() -> Engine {
    let engine = engine(0);
    let first = icms("cerveja", &json!({"uf": "SP", "ncm": "2203"}), "18.00");
    publish_at(&engine, "2024-01-10T12:00:00.000Z", &[first.clone(), icms("geral-rj", &json!({"uf": "RJ"}), "20.00")]);
    let second = json!({"versao": "1.1", "vigente_de": "2024-03-13", "conteudo": {"aliquota": "19.50"}});
    publish_at(&engine, "2024-02-20T12:00:00.000Z", &[with(&first, &second)]);
    engine
}

#[test]
fn a_new_rate_is_said_before_and_after_with_the_publication_apart_from_the_first_day_of_effect() {
    let engine = beer();
    let changes = all(&engine, "2024-02-01");
    let [change] = listed(&changes)[..] else { panic!("{changes:#?}") };
    assert_eq!(change.frases, ["Alíquota da operação: 18,00 % -> 19,50 % a partir de 13/03/2024"]);
    assert_eq!(change.anterior.as_ref().map(ToString::to_string).as_deref(), Some("cerveja-v1.0"));
    assert_eq!(change.tipo, "substituicao");
    assert_eq!(change.publicado_em.to_string(), "2024-02-20T12:00:00.000Z");
    assert_eq!((change.vigente_de, change.retroativa), (day("2024-03-13"), false));
    let text = changes.to_text();
    assert!(text.contains("Publicado em 2024-02-20T12:00:00.000Z (UTC): teste 1"), "{text}");
    assert!(text.contains("cerveja-v1.1 (UF SP, NCM 2203), depois de cerveja-v1.0, efeito desde 13/03/2024"), "{text}");
}

#[test]
fn what_is_new_says_its_figures_and_days_and_filters_leave_out_the_rest() {
    let engine = beer();
    let changes = all(&engine, "2024-01-10");
    assert_eq!(changes.publicacoes.len(), 2);
    let new = listed(&changes)[0];
    assert_eq!((new.anterior.as_ref(), new.tipo.as_str(), new.retroativa), (None, "publicacao", true));
    assert_eq!(new.frases, ["Alíquota da operação: 18,00 % a partir de 01/01/2020"]);
    let mut filter = Filter::default();
    filter.set("uf", "RJ").unwrap();
    let of_rj = Changes::read(&engine, day("2024-01-01"), &filter).unwrap();
    let codes: Vec<String> = listed(&of_rj).iter().map(|change| change.rule_id.code.to_string()).collect();
    assert_eq!(codes, ["geral-rj"]);
    let mut filter = Filter::default();
    filter.set("ncm", "22030000").unwrap();
    assert_eq!(listed(&Changes::read(&engine, day("2024-02-20"), &filter).unwrap()).len(), 1);
    filter.set("ncm", "22040000").unwrap();
    assert!(Changes::read(&engine, day("2024-02-20"), &filter).unwrap().publicacoes.is_empty());
    let none = all(&engine, "2024-02-21");
    assert!(none.publicacoes.is_empty() && none.to_text().contains("Nada foi publicado"));
}

/// A correction compares with what answered on its first day, also if it replaces that entirely; a version after a gap
/// compares with the one that ended on its first day, and otherwise with nothing.
#[test]
fn the_version_before_is_the_one_that_answered() {
    let engine = engine(0);
    let scope = json!({"uf": "SP"});
    let version = |versao: &str, de: &str, ate: Option<&str>, rate: &str| {
        with(&icms("geral", &scope, rate), &json!({"versao": versao, "vigente_de": de, "vigente_ate": ate}))
    };
    let at = |n: usize| format!("2024-05-{n:02}T00:00:00.000Z");
    publish_at(&engine, &at(1), &[version("1.0", "2020-01-01", Some("2021-01-01"), "17.00")]);
    publish_at(&engine, &at(2), &[version("1.1", "2021-01-01", Some("2022-01-01"), "18.00")]);
    publish_at(&engine, &at(3), &[version("1.2", "2023-01-01", None, "19.00")]);
    publish_at(&engine, &at(4), &[version("1.3", "2023-01-01", None, "19.50")]);
    publish_at(&engine, &at(5), &[version("1.4", "2024-01-01", None, "19.50")]);
    let changes = all(&engine, "2024-05-01");
    let found: Vec<(String, String)> = listed(&changes)
        .iter()
        .map(|c| (c.anterior.as_ref().map(|id| id.versao.to_string()).unwrap_or_default(), c.tipo.clone()))
        .collect();
    let expected = [
        ("", "publicacao"),
        ("1.0", "publicacao"),
        ("", "publicacao"),
        ("1.2", "substituicao_retroativa"),
        ("1.3", "substituicao"),
    ];
    assert_eq!(found, expected.map(|(before, tipo)| (before.to_owned(), tipo.to_owned())));
    assert!(listed(&changes)[4].frases.is_empty(), "the same figures");
    assert!(changes.to_text().contains("as mesmas figuras a partir de 01/01/2024"));
}

/// Every leaf of a JSON value with its path.
fn leaves(path: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, v)| leaves(&format!("{path}.{name}"), v, found)),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(i, v)| leaves(&format!("{path}[{i}]"), v, found));
        }
        leaf => found.push((path.to_owned(), leaf.clone())),
    }
}

/// The naive comparison: every leaf of the content that both have and that differs is a field that changed, and no other
/// of these is, for brackets inside lists and figures not established too.
#[test]
fn the_fields_are_those_that_a_comparison_of_all_leaves_finds() {
    let scope = json!({"uf": "SP", "municipio": "Sorocaba", "uso_imovel": "residencial"});
    let bracket = |ate: Option<&str>, rate: Option<&str>| json!({"ate": ate, "aliquota": rate, "parcela_deduzir": "0"});
    let contents = [
        json!({"modelo": "faixas_parcela_deduzir",
            "faixas": [bracket(Some("100000.00"), Some("1.00")), bracket(None, Some("1.50"))]}),
        json!({"modelo": "faixas_parcela_deduzir",
            "faixas": [bracket(Some("120000.00"), Some("1.00")), bracket(None, None)]}),
    ];
    let engine = engine(0);
    let first = rule("iptu-sorocaba", "iptu", &scope, &contents[0]);
    publish_at(&engine, "2024-01-10T12:00:00.000Z", std::slice::from_ref(&first));
    let second = json!({"versao": "1.1", "vigente_de": "2025-01-01", "conteudo": contents[1]});
    publish_at(&engine, "2024-12-10T12:00:00.000Z", &[with(&first, &second)]);
    let changes = all(&engine, "2024-12-01");
    let [change] = listed(&changes)[..] else { panic!("{changes:#?}") };
    let (mut old, mut new) = (Vec::new(), Vec::new());
    leaves("conteudo", &contents[0], &mut old);
    leaves("conteudo", &contents[1], &mut new);
    let naive: Vec<String> =
        old.iter().zip(&new).filter(|(old, new)| old != new).map(|((path, _), _)| path.clone()).collect();
    assert_eq!(change.campos.iter().map(|campo| campo.campo.clone()).collect::<Vec<_>>(), naive);
    assert_eq!((change.campos[0].antes.as_str(), change.campos[0].depois.as_str()), ("100.000,00", "120.000,00"));
    assert_eq!((change.campos[1].antes.as_str(), change.campos[1].depois.as_str()), ("1,50 %", "(não estabelecido)"));
}

/// The installation is one line; what the built-in bundles of a later release change is listed.
#[test]
fn the_installation_of_built_in_bundles_is_one_line_and_an_upgrade_is_not() {
    let engine = engine(0);
    let built_in = |instant: &str, rules: &[Value]| {
        let signed = Some(Signed { by: Signed::BUILT_IN.to_owned(), key_id: None });
        let file = BundleFile { signed, ..BundleFile::unsigned("teste.json", bundle(rules).to_string().as_bytes()) };
        engine.import(&[file], Timestamp::parse(instant).unwrap(), ImportOptions::default()).unwrap();
    };
    let first = icms("geral", &json!({"uf": "SP"}), "18.00");
    let history =
        with(&first, &json!({"versao": "1.1", "vigente_de": "2023-01-01", "conteudo": {"aliquota": "19.00"}}));
    built_in("2024-01-01T00:00:00.000Z", &[first.clone(), history]);
    let changes = all(&engine, "2024-01-01");
    assert_eq!(changes.publicacoes[0].instalacao.as_ref().map(|i| (i.pacotes, i.regras)), Some((1, 2)));
    assert_eq!(changes.to_text().lines().count(), 1, "{}", changes.to_text());
    let upgrade =
        with(&first, &json!({"versao": "1.2", "vigente_de": "2025-01-01", "conteudo": {"aliquota": "20.00"}}));
    built_in("2024-06-01T00:00:00.000Z", &[upgrade]);
    let changes = all(&engine, "2024-06-01");
    assert_eq!(listed(&changes)[0].frases, ["Alíquota da operação: 19,00 % -> 20,00 % a partir de 01/01/2025"]);
}
