//! The clients: said once, they fill forms, narrow lists and name what is printed and saved.

use std::fs;

use tempfile::TempDir;

use super::page::Page;

const FILE: &str = "CNPJ;Razão social;UF;Cidade;Regime;IPI\r\n11.222.333/0001-81;Padaria Sol;SP;Campinas;Simples Nacional;não\r\n\
    12;Curta;SP;;;\r\n99888777;Fábrica Sul;PR;Curitiba;Lucro real;sim\r\n";

/// The page with the clients of the file.
fn with_clients(page: &Page) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("clientes.csv");
    fs::write(&path, FILE).unwrap();
    page.go("#clientes", "#clientes-importar");
    page.send_keys("#clientes-arquivo", &path.display().to_string());
    page.wait_for("document.querySelector('#clientes-dito li')");
}

#[test]
fn a_file_of_clients_is_read_with_each_bad_row_named_and_written_again() {
    let Some((server, page)) = Page::served_without_key() else { return };
    page.go("#clientes", "#clientes-importar");
    assert_eq!(page.text("document.getElementById('cliente-campo').hidden"), "true", "there is none to choose");
    page.click("#clientes-exportar");
    assert!(page.shown("#clientes-dito").contains("não há cliente"));
    with_clients(&page);
    let told = page.shown("#clientes-dito");
    assert!(told.contains("Foram lidos 2 clientes") && told.contains("Linha 3: coluna “cnpj”"), "{told}");
    assert_eq!(
        page.text("[...document.querySelectorAll('.empresa summary')].map((one) => one.innerText)"),
        "Padaria Sol · 11222333000181 · Campinas/SP · Simples Nacional,Fábrica Sul · 99888777 · Curitiba/PR · Lucro real"
    );
    page.run("const make = URL.createObjectURL; URL.createObjectURL = (file) => { file.text().then((text) => { window.taken = text; }); return make.call(URL, file); }", &[]);
    page.click("#clientes-exportar");
    page.wait_for("window.taken");
    let text = page.text("window.taken");
    assert!(text.contains("\r\n11.222.333/0001-81;Padaria Sol;SP;Campinas;simples_nacional;"), "{text}");

    // One more by hand, which the head offers at once.
    page.click("#empresa-outra");
    assert_eq!(page.text("document.activeElement.id"), "empresa-2-cnpj");
    page.fill("#empresa-2-nome", "Oficina");
    assert_eq!(
        page.text("[...document.getElementById('cliente').options].map((one) => one.text)"),
        "Nenhum cliente,Padaria Sol,Fábrica Sul,Oficina"
    );
    page.fill("#empresa-2-nome", &server.key);
    assert!(!page.text("JSON.stringify({...localStorage})").contains(&server.key));
    page.assert_clean("the file of clients");
}

#[test]
fn the_client_that_is_chosen_fills_what_is_empty_and_names_what_is_printed() {
    let Some((_server, page)) = Page::served() else { return };
    with_clients(&page);
    page.choose("#cliente", "Padaria Sol");
    page.go("#calcular", "#campo-uf_origem");
    page.wait_for("document.querySelector('.do-cliente')");
    assert_eq!(page.payload()["uf_origem"], "SP");
    assert!(page.shown(".do-cliente").starts_with("De Padaria Sol: UF de origem"), "{}", page.shown(".do-cliente"));
    // What the reader chose stays, and what the client filled changes with the client.
    page.choose("#tributo", "pis");
    page.wait_for("document.getElementById('campo-regime_apuracao').value === 'simples'");
    page.choose("#cliente", "Fábrica Sul");
    assert_eq!(page.payload()["regime_apuracao"], "nao_cumulativo");
    page.choose("#campo-regime_apuracao", "cumulativo");
    page.choose("#cliente", "Padaria Sol");
    assert_eq!(page.payload()["regime_apuracao"], "cumulativo");
    let sent = page.payload().to_string();
    assert!(!sent.contains("Padaria") && !sent.contains("11222333"), "{sent}");
    page.example("icms");
    page.calculate();
    assert_eq!(page.text("document.getElementById('papel-cliente').value"), "Padaria Sol");
    assert_eq!(page.text("document.getElementById('papel-cliente-linha').textContent"), "Padaria Sol");

    page.go("#operacao", "#operacao-regime_vendedor");
    page.wait_for("document.getElementById('operacao-regime_vendedor').value === 'simples_nacional'");
    assert_eq!(page.text("document.getElementById('operacao-uf_origem').value"), "SP");
    // A case of an address is as its sender left it.
    page.go("#calcular?tributo=icms&valor_produto=10.00", "#campo-uf_origem");
    assert_eq!(page.text("document.getElementById('campo-uf_origem').value"), "");

    page.go("#mudancas", "#mudancas-filtros");
    assert_eq!(page.text("location.hash"), "#mudancas?uf=SP&pais=true");
    page.go("#calendario", "#calendario-resumo");
    assert_eq!(page.text("location.hash"), "#calendario?uf=SP&pais=true");
    page.choose("#cliente", "Fábrica Sul");
    page.wait_for("location.hash === '#calendario?uf=PR&pais=true'");
    page.choose("#calendario-uf", "");
    page.choose("#calendario-pais", "");
    page.click("#calendario-filtros button[type=submit]");
    page.wait_for("location.hash === '#calendario'");
    page.assert_clean("the client of the head");
}

/// Documentos sends what Clientes has, and the file of the audit knows no State and no regime of the income tax.
#[test]
fn documents_are_checked_with_what_clients_say() {
    let Some((server, page)) = Page::served() else { return };
    with_clients(&page);
    page.visit_start();
    page.give_key(&server.key);
    page.click("#inicio-notas");
    page.wait_for("document.getElementById('documentos-escolhidos')?.innerText.startsWith('3 arquivos')");
    page.run("window.real = window.fetch; window.fetch = async (path, options) => { if (String(path).includes('documentos')) window.sent = options.body.get('empresa'); return window.real(path, options); }", &[]);
    page.click("#documentos-conferir");
    page.wait_for("document.querySelector('.corrigir')");
    assert_eq!(
        page.text("window.sent"),
        "[[empresa]]\ncnpj = \"11.222.333/0001-81\"\nnome = \"Padaria Sol\"\ncontribuinte_ipi = false\n[[empresa]]\ncnpj = \"99888777\"\nnome = \"Fábrica Sul\"\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = true"
    );
    assert!(page.shown(".corrigir").contains("Padaria Sol"), "{}", page.shown(".corrigir"));
    page.assert_clean("documents of a client");
}
