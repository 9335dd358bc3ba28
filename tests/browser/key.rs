//! The key: where it goes, and where it never does.

use std::process::Command;

use serde_json::{Value, json};

use super::page::Page;
use super::support::finish;

const STORED: &str = "JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])";

#[test]
fn the_key_is_in_no_address_text_storage_or_log() {
    let Some((server, page)) = Page::served() else { return };
    page.example("icms");
    page.calculate();
    for fragment in ["#regras?tributo=ipva&uf=SP", "#mudancas", "#consumo"] {
        page.go(fragment, &format!("{} .cartao", fragment.split('?').next().unwrap()));
    }
    page.visit("#calcular?tributo=icms");
    assert_eq!(page.text("document.getElementById('chave').value"), "", "a reload forgets the key");
    page.give_key(&server.key);
    // A key that slips into the field of a code is not sent, and goes into no link.
    page.fill("#campo-ncm", &server.key);
    assert!(page.shown("#campo-ncm-envia").contains("Parece uma chave"));
    page.calculate();
    assert!(page.shown("#resposta").contains("Nada foi calculado nem gasto"), "{}", page.shown("#resposta"));
    assert_eq!(page.payload()["ncm"], "[removido]");
    for place in ["location.href", "document.documentElement.textContent", "document.documentElement.outerHTML", STORED]
    {
        assert!(!page.text(place).contains(&server.key), "{place}");
    }
    assert!(!server.log().contains(&server.key));
    let said = page.console();
    assert!(said.iter().all(|entry| !entry.to_string().contains(&server.key)), "{said:?}");

    page.click("#chave-trocar");
    page.click("#chave-mostrar");
    assert_eq!(page.text("document.getElementById('chave').type"), "text");
    page.click("#chave-mostrar");
    assert_eq!(page.text("document.getElementById('chave').type"), "password");
}

#[test]
fn the_session_keeps_the_key_only_while_that_is_asked_for() {
    let Some((server, page)) = Page::served() else { return };
    page.click("#chave-trocar");
    page.click("#chave-lembrar");
    assert!(page.shown("#chave-onde").contains("guardada nesta aba"));
    page.visit("");
    assert_eq!(page.text("document.getElementById('chave').value"), server.key);
    page.wait_for("!document.getElementById('chave-conta').hidden");
    page.example("icms");
    page.calculate();
    assert_eq!(page.text("JSON.stringify({...localStorage})"), "{}");
    page.click("#chave-trocar");
    page.click("#chave-lembrar");
    assert_eq!(page.text(STORED), "[{},{},\"\"]");
    page.visit("");
    assert_eq!(page.text("document.getElementById('chave').value"), "");
    page.assert_clean("session");
}

/// The text of the page, run by a shell that has the key.
#[track_caller]
fn run_curl(page: &Page, key: &str) -> Value {
    let text = page.text("document.getElementById('curl').textContent");
    assert!(text.contains("$TAXD_KEY") && !text.contains(key), "{text}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &text]).env("TAXD_KEY", key);
    finish(shell, b"").ok().json()
}

#[test]
fn the_curl_of_a_call_gives_the_same_answer() {
    let Some((server, page)) = Page::served() else { return };
    page.example("icms");
    page.calculate();
    let (shown, run) = (page.answer(), run_curl(&page, &server.key));
    assert_eq!((&run["valor"], &run["detalhes"]), (&shown["valor"], &shown["detalhes"]));
    // A quote in a name is one for the shell, too.
    page.example("iss");
    page.fill("#campo-municipio", "Santa Bárbara d'Oeste");
    page.calculate();
    let (shown, run) = (page.answer(), run_curl(&page, &server.key));
    assert_eq!((&run["codigo"], &run["detail"]), (&shown["codigo"], &shown["detail"]));
    assert_eq!(shown["status"], 404, "the name was understood: {shown}");
    page.assert_clean("curl");
}

#[test]
fn texts_are_copied_with_and_without_a_clipboard() {
    let Some((server, page)) = Page::served() else { return };
    page.click("#tecnico");
    page.example("icms");
    page.calculate();
    let fragment = page.text("location.hash");
    for secure in [true, false] {
        let watch = "window.taken = []; Object.defineProperty(window, 'isSecureContext', { value: arguments[0], configurable: true }); document.execCommand = () => { taken.push(document.activeElement.value); return true; }; navigator.clipboard.writeText = async (text) => { taken.push(text); };";
        page.run(watch, &[json!(secure)]);
        let copies = [
            ("> button", fragment.as_str()),
            (".tecnico button:nth-of-type(1)", "$TAXD_KEY"),
            (".tecnico button:nth-of-type(2)", "\"valor\""),
        ];
        for (count, (place, wanted)) in (1..).zip(copies) {
            let button = format!("#resposta .botoes {place}");
            page.click(&button);
            page.wait_for(&format!("window.taken.length === {count}"));
            let text = page.text("window.taken.at(-1)");
            assert!(text.contains(wanted) && !text.contains(&server.key), "{text}");
            page.wait_for(&format!("document.querySelector({}).textContent === 'Copiado'", json!(button)));
        }
    }
    page.assert_clean("copying");
}

/// The filters go into the address, where a key would stay in the history.
#[test]
fn a_key_among_the_filters_is_held_back() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#regras", ".ficha");
    for half in [server.key.as_str(), &server.key[12..40]] {
        page.fill("#regras-q", half);
        page.click("#regras-filtros button[type=submit]");
        assert_eq!(page.text("location.hash"), "#regras");
        assert!(page.text("document.getElementById('regras-q').validationMessage").contains("chave do taxd"));
    }
    page.fill("#regras-q", "Lei");
    page.click("#regras-filtros button[type=submit]");
    page.wait_for("location.hash === '#regras?q=Lei'");
    page.assert_clean("filters");
}

/// `svc_test_…` as the hint writes it, and a key that a mail program has made prettier, were once
/// answered with "the server did not answer": the browser sends no such header.
#[test]
fn a_key_with_letters_that_no_header_carries_is_a_wrong_key() {
    let Some((_server, page)) = Page::served_without_key() else { return };
    page.give_key("svc_test_…");
    page.example("icms");
    page.calculate();
    assert!(page.shown("#resposta").contains("A chave foi digitada com erro"), "{}", page.shown("#resposta"));
    page.assert_clean("a wrong key");
}

/// A key that was taken away while a list was being read once left that list grey for good.
#[test]
fn a_key_that_goes_while_a_list_is_read_leaves_nothing_waiting() {
    let Some((_server, page)) = Page::served() else { return };
    page.run("window.real = window.fetch; window.fetch = (...all) => new Promise((go) => { window.release = () => go(window.real(...all)); })", &[]);
    page.run("location.hash = '#regras'", &[]);
    page.wait_for("document.querySelector('#regras-lista[aria-busy]')");
    assert!(page.shown("#regras-lista").contains("Carregando"));
    page.give_key("");
    page.click("#regras-titulo");
    page.run("window.release()", &[]);
    page.wait_for("!document.querySelector('[aria-busy]')");
    assert!(page.shown("#regras-lista").contains("Informe a chave"));
    page.assert_clean("no key");
}
