//! No figure of a document can change without a finding.

use rust_decimal::Decimal;

use super::documents::Note;
use super::{audited, findings};

/// The elements whose text is an amount or a rate.
fn figures(xml: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, _) in xml.match_indices('>') {
        let rest = &xml[at + 1..];
        let end = rest.find('<').unwrap_or_default();
        let name = xml[..at].rsplit('<').next().unwrap_or_default();
        if rest[..end].contains('.') && name.starts_with(['v', 'p', 'q']) {
            found.push((at + 1, at + 1 + end));
        }
    }
    found
}

#[test]
fn each_single_change_of_a_figure_is_found() {
    let xml = Note::default().xml();
    assert_eq!(findings(&audited(&xml)), Vec::<String>::new());
    let figures = figures(&xml);
    assert!(figures.len() > 30, "{figures:?}");
    for (from, to) in figures {
        let figure = &xml[from..to];
        let changed = (figure.parse::<Decimal>().unwrap() + Decimal::ONE).to_string();
        let text = [&xml[..from], &changed, &xml[to..]].concat();
        let name = xml[..from - 1].rsplit('<').next().unwrap_or_default();
        assert_ne!(findings(&audited(&text)), Vec::<String>::new(), "{name} {figure} -> {changed} passes");
    }
}
