//! What is around the parts of the page: the groups of their links, the menu of a phone, the chip of the key.

use super::page::Page;
use super::support::DataDir;

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

const LINKS: &str = "[...document.querySelectorAll('#menu a')].filter((a) => a.offsetParent).map((a) => a.innerText)";

/// The parts once were eleven links in three rows, which were 150 pixels of a phone.
#[test]
fn parts_are_in_five_groups_and_each_has_its_address() {
    let Some((_server, page)) = Page::served_without_key() else { return };
    assert_eq!(page.text(LINKS), "Início,Calcular,Calcular,Operação,Lote,Consultar,Acompanhar,Conta");
    page.open_part("tratamento", "codigos");
    page.wait_for("document.activeElement.id === 'codigos-titulo'");
    assert_eq!(page.text("document.title"), "Códigos · Calculadora taxd");
    assert_eq!(page.text(LINKS), "Início,Calcular,Lote,Consultar,Tratamento,Códigos,Regras,Cobertura,Acompanhar,Conta");
    let current = "[...document.querySelectorAll('#menu [aria-current]')].map((a) => a.innerText + a.ariaCurrent)";
    assert_eq!(page.text(current), "Consultartrue,Códigospage");
    let parts = "[...document.querySelectorAll('.parte')].map(({ id }) => id)";
    assert_eq!(
        page.text(&format!("{parts}.filter((id) => !document.querySelector(`#menu ul ul a[href='#${{id}}']`))")),
        "inicio"
    );
    assert_eq!(page.run("return document.querySelector('.topo').offsetHeight < 100", &[]), true);
    page.assert_clean("the groups");
}

#[test]
fn on_a_phone_the_parts_are_a_menu_in_one_row_that_escape_closes() {
    let Some((server, page)) = Page::served() else { return };
    for width in [360, 320] {
        page.sized(width, 740);
        page.visit("#calcular");
        page.give_key(&server.key);
        assert_eq!(page.run("return document.querySelector('.topo').offsetHeight < 60", &[]), true);
        assert_eq!(page.text(LINKS), "");
        page.click("#menu-abrir");
        assert!(page.text(LINKS).contains("Acompanhar,Calendário,Mudanças"), "{}", page.text(LINKS));
        assert_eq!(page.text("document.getElementById('menu-abrir').ariaExpanded"), "true");
        page.assert_clean("the menu");
        page.run("document.querySelector('#menu a[href=\"#codigos\"]').focus()", &[]);
        page.press(ESCAPE);
        assert_eq!(
            (page.text(LINKS), page.text("document.activeElement.id")),
            (String::new(), "menu-abrir".to_owned())
        );
        page.press(ENTER);
        page.click("#menu a[href='#codigos']");
        page.wait_for("document.activeElement.id === 'codigos-titulo'");
        assert_eq!(page.text(LINKS), "", "the menu is closed by what is chosen");
        page.click("#menu-abrir");
        page.click("#codigos-titulo");
        assert_eq!(page.text(LINKS), "", "and by a click elsewhere");
    }
    page.assert_clean("a phone");
}

/// The card of the key was above every part: 91 pixels of a desk, 279 of a phone.
#[test]
fn a_good_key_is_a_chip_with_its_name_and_what_is_left() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Escritório Sul", &["--quota", "1000"]);
    let Some(page) = Page::of(&server) else { return };
    let card = "document.getElementById('chave-formulario').offsetParent !== null";
    assert_eq!(page.text(card), "true");
    assert_eq!(page.text("document.getElementById('chave-trocar').offsetParent"), "null");
    page.give_key(&account.live.key);
    assert_eq!(page.text(card), "false");
    assert_eq!(page.text("document.activeElement.id"), "chave-trocar");
    let chip = page.text("document.getElementById('chave-trocar').textContent");
    assert!(chip.starts_with("Escritório Sul 1.000 cálculos"), "{chip}");
    assert!(page.shown("#chave-cota").contains("Restam 1.000 "), "{}", page.shown("#chave-cota"));
    page.click("#chave-trocar");
    assert_eq!((page.text(card), page.text("document.activeElement.id")), ("true".to_owned(), "chave".to_owned()));
    page.press(ESCAPE);
    assert_eq!(
        (page.text(card), page.text("document.activeElement.id")),
        ("false".to_owned(), "chave-trocar".to_owned())
    );
    page.press(ENTER);
    page.fill("#chave", "svc_live_0000");
    page.press(ENTER);
    page.wait_for("!document.getElementById('chave-falha').hidden");
    assert_eq!(page.text("document.getElementById('chave-trocar').offsetParent"), "null", "a bad key has no chip");
    page.assert_clean("the chip");
}
