//! The page on paper.

use std::process::Command;

use serde_json::json;

use super::driver::{is_installed, missing};
use super::effort::Task;
use super::page::{Page, reais};
use super::support::examples;

/// The text of each page, as `pdftotext` reads it; `None` without it.
pub fn printed(page: &Page) -> Option<Vec<String>> {
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

/// The first page once had only the page's name: what followed was kept in one piece, and longer than a page. One
/// figure then took three or four pages, with request ids and names of the contract on them.
#[test]
fn a_case_is_one_page_with_its_data_first_and_nothing_of_the_developers() {
    let Some((server, page)) = Page::served() else { return };
    for example in examples(&server) {
        let tributo = example["tributo"].as_str().unwrap();
        page.example(tributo);
        page.calculate();
        page.begin();
        page.click("#resposta details:has(#papel-cliente) summary");
        page.fill("#papel-cliente", "Padaria Sol Ltda.");
        page.fill("#papel-referencia", "NF 4711");
        let Some(pages) = printed(&page) else { return };
        assert_eq!(pages.len(), 1, "{tributo}: {pages:#?}");
        let text = pages[0].replace('\u{a0}', " ");
        let valor = reais(&page.answer()["valor"]).replace('\u{a0}', " ");
        let order: Vec<Option<usize>> =
            ["Cliente: Padaria Sol Ltda.", "Dados informados", &valor, "Regra aplicada", "Memória de cálculo"]
                .iter()
                .map(|part| text.find(part))
                .collect();
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{tributo}: {order:?} {text}");
        assert!(text.contains("Referência: NF 4711"), "{text}");
        let names = |word: &&str| word.contains('_');
        assert_eq!(text.split_whitespace().find(names), None, "{tributo}: {text}");
        let id = page.text("document.querySelector('#resposta .meta code').textContent");
        assert!(!text.contains(" ms") && text.contains(&format!("Protocolo {id}")), "{tributo}: {text}");
    }
    page.done(&Task("26", "Imprimir, com cliente e referência", 2));
    page.example("cbs");
    page.fill("#campo-valor_operacao", "-5,00");
    page.calculate();
    let Some(pages) = printed(&page) else { return };
    assert!(pages.len() == 1 && pages[0].contains("Dados informados"), "a refusal is filed, too: {pages:#?}");
    page.assert_clean("print");
}

/// The rate of a rule once was in a part that does not print.
#[test]
fn rules_and_changes_are_printed_with_what_they_say() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#regras?rule_id=icms-sp-geral-v1.0", ".ficha");
    let Some(pages) = printed(&page) else { return };
    assert!(pages.concat().replace('\u{a0}', " ").contains("18,00 %"), "{pages:#?}");
    assert_eq!(page.text("document.querySelector('.ficha details').open"), "false", "the screen is as it was");
    for (part, css) in [("#regras?tributo=iss", ".ficha"), ("#mudancas", ".mudanca")] {
        page.go(part, css);
        let Some(pages) = printed(&page) else { return };
        assert!(pages.iter().all(|text| text.split_whitespace().count() > 4), "{part}: {pages:#?}");
    }
    page.assert_clean("print");
    assert_eq!(page.run("return document.title", &[]), json!("Mudanças · Calculadora taxd"));
}
