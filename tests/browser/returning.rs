//! Going back to a case, handing it over, and beginning another.

use serde_json::json;

use super::effort::Task;
use super::operation::sale;
use super::page::Page;
use super::support::with;

const LEFT: &str = "document.getElementById('chave-cota').innerText";

/// Back once showed the form of the case, and no answer.
#[test]
fn back_shows_an_operation_with_its_answer_and_spends_no_call() {
    let Some((_server, page)) = Page::served() else { return };
    page.operation(&sale());
    page.calculate_operation();
    let first = page.shown("#operacao-resposta .valores");
    page.fill("#operacao-valor_produto", "2.500,00");
    page.calculate_operation();
    let second = page.shown("#operacao-resposta .valores");
    assert_ne!(first, second);
    let left = page.text(LEFT);
    page.run("history.back()", &[]);
    page.wait_for("document.getElementById('operacao-valor_produto').value === '1.000,00'");
    assert_eq!(page.shown("#operacao-resposta .valores"), first);
    page.run("history.forward()", &[]);
    page.wait_for("document.getElementById('operacao-valor_produto').value === '2.500,00'");
    assert_eq!(page.shown("#operacao-resposta .valores"), second);

    page.click("#operacao-limpar");
    assert_eq!(page.text("location.hash"), "#operacao");
    page.run("history.back()", &[]);
    page.wait_for("document.getElementById('operacao-valor_produto').value === '2.500,00'");
    assert_eq!(page.shown("#operacao-resposta .valores"), second, "what was cleared comes back, too");

    // What is changed and not yet calculated survives a look into another part.
    page.fill("#operacao-valor_produto", "7,00");
    page.go("#codigos", "#codigos:not([hidden]) .cartao");
    page.run("history.back()", &[]);
    page.wait_for("!document.getElementById('operacao').hidden");
    assert_eq!(page.text("document.getElementById('operacao-valor_produto').value"), "7,00");
    assert_eq!(page.text(LEFT), left);
    page.assert_clean("back in Operação");
}

/// The page once showed the amount of another case beside a changed form, without a notice.
#[test]
fn an_answer_says_that_the_form_has_changed_since() {
    let Some((_server, page)) = Page::served() else { return };
    page.example("ipi");
    let written = page.text("document.getElementById('campo-valor_produto').value");
    page.calculate();
    assert!(!page.shown("#resposta").contains("calcule de novo"));
    page.fill("#campo-valor_produto", "77,00");
    assert!(page.shown("#resposta").starts_with("Os dados mudaram depois deste cálculo: calcule de novo."));
    page.assert_clean("a changed form");
    page.fill("#campo-valor_produto", &written);
    assert!(!page.shown("#resposta").contains("calcule de novo"), "the form is that of the answer again");
    page.fill("#campo-valor_produto", "77,00");
    page.calculate();
    assert!(!page.shown("#resposta").contains("calcule de novo"));
}

#[test]
fn back_shows_a_calculation_with_its_answer_and_spends_no_call() {
    let Some((_server, page)) = Page::served() else { return };
    page.example("ipi");
    page.calculate();
    let first = page.shown("#resposta #valor");
    page.fill("#campo-valor_produto", "77,00");
    page.calculate();
    let left = page.text(LEFT);
    page.run("history.back()", &[]);
    page.wait_for("document.getElementById('campo-valor_produto').value !== '77,00'");
    assert_eq!(page.shown("#resposta #valor"), first);
    assert_eq!(page.text(LEFT), left);
    page.assert_clean("back in Calcular");
}

/// "Limpar" once made a service a sale.
#[test]
fn a_cleared_form_keeps_the_kind_of_operation() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#operacao", "#operacao-exemplo");
    page.choose("#operacao-tipo", "preco_servico");
    page.fill("#operacao-preco_servico", "10,00");
    page.click("#operacao-limpar");
    assert_eq!(page.text("document.getElementById('operacao-tipo').value"), "preco_servico");
    assert_eq!(page.text("document.getElementById('operacao-preco_servico').value"), "");
    assert_eq!(page.text("document.getElementById('operacao-ncm').offsetParent"), "null");
    page.assert_clean("a cleared form");
}

/// A colleague opens the link in a browser of his own, and a file of cases in another.
#[test]
fn a_case_is_handed_over_by_its_link_and_by_a_file() {
    let Some((server, page)) = Page::served() else { return };
    page.operation(&with(&sale(), &json!({"frete": "80.00"})));
    page.calculate_operation();
    let told = page.shown("#operacao-resposta .valores");
    page.run("Object.defineProperty(navigator, 'clipboard', { value: { writeText: (text) => { window.copied = text; return Promise.resolve(); } } })", &[]);
    page.begin();
    page.click("#operacao-resposta .botoes button");
    page.wait_for("window.copied");
    page.done(&Task("27", "O link para um colega", 0));
    let link = page.text("window.copied");
    assert!(!link.contains("svc_"), "{link}");

    page.click("#operacao-guardados summary");
    page.fill("#operacao-guardados-nome", "Venda com frete");
    page.press("\u{e007}");
    page.wait_for("document.querySelector('#operacao-guardados .guardado')");
    page.run("const make = URL.createObjectURL; URL.createObjectURL = (file) => { window.taken = file; return make.call(URL, file); }", &[]);
    page.click("#operacao-guardados .botoes button");
    page.wait_for("window.taken");
    let file = page.run_later("window.taken.text().then(arguments[0])").as_str().unwrap().to_owned();
    assert!(!file.contains("svc_") && file.contains("Venda com frete"), "{file}");

    let Some(colleague) = Page::of(&server) else { return };
    colleague.open(&link);
    colleague.wait_for("document.querySelector('#operacao-resposta .vazio')");
    assert!(colleague.shown("#operacao-resposta").contains("Operação preenchida"));
    assert_eq!(colleague.text("document.querySelector('details:has(#operacao-frete)').open"), "true");
    colleague.give_key(&server.key);
    colleague.calculate_operation();
    assert_eq!(colleague.shown("#operacao-resposta .valores"), told);

    let kept = tempfile::tempdir().unwrap();
    let path = kept.path().join("casos-taxd.json");
    std::fs::write(&path, file).unwrap();
    colleague.click("#operacao-limpar");
    colleague.click("#operacao-guardados summary");
    colleague.send_keys("#operacao-guardados-arquivo", path.to_str().unwrap());
    colleague.wait_for("document.querySelector('#operacao-guardados .guardado')");
    colleague.click("#operacao-guardados .guardado a");
    colleague.wait_for("document.getElementById('operacao-frete').value === '80,00'");
    // The form is changed, and the case opened once more.
    colleague.fill("#operacao-frete", "1,00");
    colleague.click("#operacao-guardados .guardado a");
    colleague.wait_for("document.getElementById('operacao-frete').value === '80,00'");
    colleague.calculate_operation();
    assert_eq!(colleague.shown("#operacao-resposta .valores"), told);
    page.assert_clean("hands over");
    colleague.assert_clean("takes over");
}
