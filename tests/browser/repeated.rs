//! A list that is calculated once more.

use super::page::{EXPORTS_OF, Page};
use super::sheet::{calculate, paste};
use super::support::DataDir;

/// The same list sent once more used up its rows again.
#[test]
fn a_list_that_is_calculated_again_uses_up_nothing() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::of(&server) else { return };
    page.give_key(&dir.new_key(&dir.account("Ana", &[]).client_id, "test").key);
    let rows = "uf\tmunicipio\tServiço\tvalor\tdata\nSP\tSão Paulo\t1.07 Suporte\t1000,00\t10/03/2026\n";
    paste(&page, "iss", rows);
    let chosen = "[...document.querySelectorAll('#lista-colunas .de-coluna')].map((one) => one.value).join()";
    assert_eq!(page.text(chosen), "uf,municipio,item_lista_servico,preco_servico,data");
    calculate(&page);
    assert_eq!(page.shown("#lista-resultado h3"), "1 de 1 calculadas");
    page.wait_for("document.getElementById('chave-cota').innerText.startsWith('Restam 999 ')");
    calculate(&page);
    page.run_later(&format!(
        "{EXPORTS_OF} const done = arguments[0]; exportsOf('key').then(({{ recount }}) => recount()).then(() => done(true))"
    ));
    assert!(page.shown("#chave-cota").starts_with("Restam 999 "), "{}", page.shown("#chave-cota"));
    page.assert_clean("a list again");
}
