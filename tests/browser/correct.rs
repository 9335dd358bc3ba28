//! The part Documentos: what each company is to correct, on screen, in a message and on paper, and the file of the firm.

use std::fs;

use tempfile::TempDir;

use super::page::Page;
use super::paper::printed;
use super::support::RIGHT;

const CLIENTS: &str = "CNPJ;Nome;Regime\n11.222.333/0001-81;Padaria Sol;Lucro real\n";

/// Three notes with one error, and the file of the companies.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let wrong = RIGHT.replace("<pICMS>18.00</pICMS><vICMS>180.00", "<pICMS>12.00</pICMS><vICMS>120.00");
    for number in 1..=3 {
        let note = wrong.replace("<mod>", &format!("<nNF>{number}</nNF><mod>"));
        fs::write(folder.path().join(format!("{number}.xml")), note).unwrap();
    }
    fs::write(folder.path().join("clientes.csv"), CLIENTS).unwrap();
    fs::write(folder.path().join("ruim.csv"), CLIENTS.replace("Lucro real", "Lucro irreal")).unwrap();
    folder
}

#[test]
fn what_to_correct_comes_first_and_the_firm_names_its_client() {
    let Some((_server, page)) = Page::served() else { return };
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    page.go("#documentos", "#documentos-conferir");
    page.wait_for("document.getElementById('empresas-arquivo')");
    page.run("document.getElementById('documentos-empresas').open = true", &[]);
    page.pick("#documentos-arquivos", &["1.xml", "2.xml", "3.xml"].map(path));
    page.pick("#empresas-arquivo", &[path("ruim.csv")]);
    assert_eq!(page.text("document.getElementById('documentos-empresas-lista').hidden"), "true");
    page.click("#documentos-conferir");
    page.wait_for("document.querySelector('#documentos-lista .falhas')");
    let fault = page.shown("#documentos-lista .falhas");
    assert!(fault.starts_with("ruim.csv, linha 2: ") && fault.contains("Regime"), "{fault}");

    page.pick("#empresas-arquivo", &[path("clientes.csv")]);
    page.click("#documentos-conferir");
    page.wait_for("document.querySelector('.corrigir') && document.querySelector('.achados')");
    let first = page.shown("#documentos-lista .corrigir");
    for text in
        ["O que corrigir: Padaria Sol, 11.222.333/0001-81", "ICMS", "3 notas: 1, 2, 3; 10/03/2025", "R$\u{a0}180,00"]
    {
        assert!(first.contains(text), "{text}: {first}");
    }
    page.run("Object.defineProperty(navigator, 'clipboard', { value: { writeText: (text) => { window.copied = text; return Promise.resolve(); } } })", &[]);
    page.click(".corrigir button");
    page.wait_for("window.copied");
    let message = page.text("window.copied");
    assert!(message.contains("Padaria Sol") && message.contains("3 notas (1, 2, 3)"), "{message}");
    page.assert_clean("what to correct");

    let Some(pages) = printed(&page) else { return };
    let text = pages[0].replace('\u{a0}', " ");
    assert!(text.contains("O que corrigir: Padaria Sol") && text.contains("180,00"), "{pages:#?}");
    assert!(!text.contains("Somas") && !text.contains("Empresa 11.222.333"), "the months begin a page: {text}");
    assert!(pages[1].contains("Empresa 11.222.333/0001-81"), "{pages:#?}");
}
