//! The README and the guides: what they list is what the code has, and their links lead somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use taxd_base::problem::ErrorCode;
use taxd_base::value::Date;

use crate::support::built_in_engine;

const GUIDES: [&str; 9] = [
    "README.md",
    "examples/README.md",
    "packaging/CONTADOR.md",
    "packaging/OPERACAO.md",
    "packaging/SEGURANCA.md",
    "packaging/prometheus/README.md",
    "rulesets/COBERTURA.md",
    "rulesets/README.md",
    "tests/bench/README.md",
];

fn path(guide: &str) -> PathBuf {
    Path::new(crate::ROOT).join(guide)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The anchors that GitHub gives to the headings of a text.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings.map(|heading| heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

/// The targets of the links of a text, except addresses of the web.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.contains(char::is_whitespace)).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut checked = 0;
    for guide in GUIDES {
        let text = read(&path(guide));
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { path(guide) } else { path(guide).parent().unwrap().join(file) };
            assert!(file.exists(), "{guide} leads to {link}");
            assert!(anchor.is_empty() || anchors(&read(&file)).contains(anchor), "{guide} leads to {link}");
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked} links");
}

#[test]
fn the_readme_can_be_read_in_minutes() {
    let lines = read(&path("README.md")).lines().count();
    assert!(lines <= 200, "{lines} lines");
}

#[test]
fn the_readme_counts_the_states_and_cities_that_the_built_in_rules_answer() {
    let coverage = built_in_engine().coverage(Date::parse("2026-11-01").unwrap()).unwrap();
    let mut answering: BTreeMap<&str, BTreeSet<(&str, Option<&str>)>> = BTreeMap::new();
    let mut cities = BTreeSet::new();
    for row in &coverage.linhas {
        let Some(uf) = row.uf.as_deref() else { continue };
        let place = (uf, row.municipio.as_deref());
        cities.extend(place.1.map(|_| place));
        if row.regras.sim + row.regras.em_parte > 0 {
            answering.entry(&row.tributo).or_default().insert(place);
        }
    }
    let count = |tributo: &str| answering[tributo].len();
    let answered: BTreeSet<_> = ["iss", "iptu", "itbi"].iter().flat_map(|tributo| &answering[tributo]).collect();
    let states = (count("icms"), count("icms_st"), count("ipva"), count("itcmd"));
    let readme = read(&path("README.md"));
    for sentence in [
        format!("ICMS in {} of 27, ICMS-ST in {}, IPVA in {}, ITCMD in {}", states.0, states.1, states.2, states.3),
        format!("ISS in {}, IPTU in {}, ITBI in {}", count("iss"), count("iptu"), count("itbi")),
        format!("of {} that taxd knows, {} answer none", cities.len(), cities.len() - answered.len()),
    ] {
        assert!(readme.contains(&format!("{sentence} ")), "the README does not say: {sentence}");
    }
}

#[test]
fn the_page_on_security_has_the_limits_of_the_code() {
    let page = read(&path("packaging/SEGURANCA.md"));
    for (file, code, said) in [
        ("src/http/limits.rs", "MAX_BODY_BYTES: usize = 64 * 1024;", "corpo de 64 KiB"),
        ("src/http/limits.rs", "MAX_HEAD_BYTES: usize = 16 * 1024;", "cabeçalho de 16 KiB"),
        ("src/http/query.rs", "MAX_PARAMETERS: usize = 50;", "50 parâmetros"),
        ("src/base/document/node.rs", "MAX_PAYLOAD_VALUES: usize = 5_000;", "5.000 valores"),
        ("src/http/stream.rs", "LEAST_RATE_BYTES: u128 = 4 * 1024;", "menos de 4 KiB por segundo"),
        ("src/http/memory.rs", "UNCOUNTED_BYTES: usize = 8 * 1024;", "acima de 8 KiB"),
        ("src/http/server.rs", "MAX_IN_FLIGHT_BYTES: usize = 32 * 1024 * 1024;", "32 MiB ao todo"),
        ("src/core/service/memory_budget.rs", "SHARES: usize = 4;", "um quarto por conta"),
        ("src/core/service/connection_slots.rs", "SHARES: usize = 4;", "mais de um quarto delas"),
        ("src/http/blocking.rs", "MAX_OF_ACCOUNT: usize = 512;", "512 à espera"),
        ("src/http/upload.rs", "MAX_FILE_BYTES: usize = 16 * 1024 * 1024;", "16 MiB, um de cada conta"),
        ("src/http/upload.rs", "MAX_FILES: usize = 2;", "dois por vez usam o processador"),
        ("src/http/upload.rs", "SLOWER: u32 = 4;", "15 para o corpo, 60 para um arquivo"),
        ("src/features/audit/page/files.rs", "bytes: 8 * 1024 * 1024, elements: 200_000", "8 MiB, 200.000 elementos"),
        ("src/features/audit/page/files.rs", "items: 3_000", "3.000 documentos e itens"),
        ("src/features/audit/page/files.rs", "entries: 20_000", "20.000 entradas"),
        ("src/features/audit/page/files.rs", "expanded: 512 * 1024 * 1024", "512 MiB e 20.000 entradas"),
        ("src/features/lists/page/question.rs", "worksheet_bytes: 256 * 1024 * 1024", "256 MiB de uma planilha"),
        ("src/law/nfe/xml.rs", "MAX_DEPTH: usize = 64;", "64 níveis"),
        ("src/law/nfe/xml.rs", "MAX_XML_BYTES: usize = 32 * 1024 * 1024;", "`taxd audit`: 32 MiB"),
        ("src/law/nfe/xml.rs", "MAX_ELEMENTS: usize = 1_000_000;", "1.000.000 e 50.000"),
        ("src/law/nfe/xml.rs", "MAX_ITEMS: usize = 50_000;", "1.000.000 e 50.000"),
        ("src/base/value/api_key.rs", "RANDOM_BYTES: usize = 24;", "192 bits"),
        ("src/core/calls/meter.rs", "RECENT: usize = 50;", "últimas 50"),
        ("src/core/calls/mod.rs", "MIN_KEPT_DAYS: u64 = 2;", "no mínimo 2"),
        ("src/core/calls/sanitise.rs", "MAX_CHARS: usize = 64;", "cortados em 64 caracteres"),
        ("src/page/saved.js", "MOST = 500;", "casos salvos (até 500)"),
    ] {
        assert!(read(&path(file)).contains(code), "{file} has no {code}; compare SEGURANCA.md");
        assert!(page.contains(said), "SEGURANCA.md does not say: {said}");
    }
}

#[test]
fn the_integrators_guide_names_every_error_code_with_its_status() {
    let text = read(&path("examples/README.md"));
    let missing: Vec<&str> = ErrorCode::ALL
        .iter()
        .filter(|code| !text.contains(&format!("| `{}` | {} |", code.as_str(), code.status())))
        .map(|code| code.as_str())
        .collect();
    assert!(missing.is_empty(), "the table lacks {missing:?}");
    let names: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(names.len(), ErrorCode::ALL.len(), "two errors share a name");
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::from_name(code.as_str()), Some(*code));
    }
}
