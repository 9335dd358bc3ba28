//! The page on paper.

use std::process::Command;

use serde_json::json;

use super::driver::{is_installed, missing};
use super::page::{Page, reais};
use super::support::DataDir;

/// The text of each page, as `pdftotext` reads it; `None` without it.
fn printed(page: &Page) -> Option<Vec<String>> {
    if !is_installed("pdftotext") {
        missing("pdftotext");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.pdf");
    std::fs::write(&file, page.print()).unwrap();
    let read = Command::new("pdftotext").arg("-layout").arg(&file).arg("-").output().unwrap();
    assert!(read.status.success(), "{read:?}");
    let text = String::from_utf8(read.stdout).unwrap();
    Some(text.trim_end_matches('\u{c}').split('\u{c}').map(str::to_owned).collect())
}

/// What is printed has no empty page. The first one once had only the page's name: what followed was kept
/// in one piece, and longer than a page.
#[test]
fn print_begins_on_the_first_page() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    for tributo in ["icms", "icms_st", "itbi", "ipi", "iptu"] {
        page.choose("#tributo", tributo);
        page.calculate();
        let Some(pages) = printed(&page) else { return };
        let first = pages[0].replace('\u{a0}', " ");
        let valor = reais(&page.answer()["valor"]).replace('\u{a0}', " ");
        assert!(first.contains(&valor) && first.contains("Regra aplicada"), "{tributo}: {first}");
        assert!(pages.iter().all(|text| text.split_whitespace().count() > 10), "{tributo}: {pages:#?}");
    }
    for (part, css) in [("#regras?tributo=iss", ".ficha"), ("#mudancas", ".mudanca")] {
        page.go(part, css);
        let Some(pages) = printed(&page) else { return };
        assert!(pages.iter().all(|text| text.split_whitespace().count() > 10), "{part}: {pages:#?}");
    }
    page.assert_clean("print");
    assert_eq!(page.run("return document.title", &[]), json!("Mudanças · taxd sandbox"));
}
