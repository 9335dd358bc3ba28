//! The README and the guides: what they list is what the code has, and their links lead somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use taxd::problem::ErrorCode;

const GUIDES: [&str; 6] = [
    "README.md",
    "examples/README.md",
    "packaging/OPERACAO.md",
    "packaging/prometheus/README.md",
    "rulesets/README.md",
    "tests/bench/README.md",
];

fn path(guide: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(guide)
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
