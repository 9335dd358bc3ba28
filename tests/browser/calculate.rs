//! The part Calcular.

use serde_json::{Value, json};

use super::page::{Page, reais};
use super::support::examples;

#[test]
fn every_tax_is_calculated_from_its_example_as_the_api_calculates_it() {
    let Some((server, page)) = Page::served() else { return };
    for example in examples(&server) {
        let tributo = example["tributo"].as_str().unwrap();
        let expected = server.post("/v1/calculate?memoria=true", example.to_string()).envelope();
        page.example(tributo);
        assert_eq!(page.payload(), example, "the form of {tributo} is filled with its example");
        page.calculate();
        let answer = page.answer();
        for member in ["valor", "regra", "detalhes"] {
            assert_eq!(answer[member], expected[member], "{tributo}");
        }
        assert_eq!(page.text("document.getElementById('valor').textContent"), reais(&expected["valor"]), "{tributo}");
        let told = page.shown("#resposta");
        assert!(told.contains(expected["regra"]["citacao_legal"].as_str().unwrap()), "{told}");
        let steps = page.run("return document.querySelectorAll('.memoria li').length", &[]);
        assert_eq!(steps, expected["detalhes"]["memoria"].as_array().unwrap().len(), "{tributo}");
        for notice in expected["avisos"].as_array().into_iter().flatten() {
            // All of it but names and dates of the contract, for which the page has other words, and lists of Ex, of which it
            // has the texts.
            let words: Vec<&str> = notice.as_str().unwrap().split(' ').collect();
            let parts = words
                .split(|word| word.contains(['_', '`']) || word.as_bytes().get(4) == Some(&b'-') || word.ends_with(':'))
                .map(|part| part.join(" "));
            assert!(parts.into_iter().all(|part| told.contains(&part)), "{tributo} lacks: {notice}");
        }
        page.assert_clean(tributo);

        // The link carries the case, and opening it spends nothing.
        let link = page.text("location.hash");
        page.visit(&link);
        assert_eq!(page.payload(), example, "{link}");
        assert_eq!(page.run("return document.getElementById('valor')", &[]), Value::Null);
        page.give_key(&server.key);
    }
}

#[test]
fn a_refusal_marks_every_faulty_field_and_leads_to_the_first() {
    let Some((server, page)) = Page::served() else { return };
    page.choose("#tributo", "cbs");
    page.click("#limpar");
    page.fill("#campo-data_operacao", "");
    // What is usual is filled in.
    let asked = json!({"tributo": "cbs", "valor_iss": "0", "valor_ipi": "0", "optante_simples": false});
    assert_eq!(page.payload(), asked, "nothing is sent of an empty field");
    page.calculate();
    let reply = server.post("/v1/calculate", asked.to_string());
    let erros = reply.json()["erros"].as_array().unwrap().clone();
    assert!(erros.len() > 5, "{erros:?}");
    assert!(page.shown(".conselho").contains("Nada foi calculado nem gasto"), "{}", page.shown("#resposta"));
    for erro in &erros {
        let id = format!("campo-{}", erro["campo"].as_str().unwrap());
        let script = "const e = document.getElementById(arguments[0]); return [e.getAttribute('aria-invalid'), e.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' ')]";
        let marked = page.run(script, &[json!(id)]);
        assert_eq!(marked[0], "true", "{id}");
        assert!(marked[1].as_str().unwrap().contains("Falta informar"), "{marked}");
    }
    let count = page.run("return document.querySelectorAll('[aria-invalid]').length", &[]);
    assert_eq!(count, erros.len());
    assert_eq!(page.text("document.activeElement.id"), format!("campo-{}", erros[0]["campo"].as_str().unwrap()));
    page.click("#resposta .falhas li:last-child a");
    assert_eq!(page.text("document.activeElement.id"), "campo-data_operacao");
    page.fill("#campo-data_operacao", "10/03/2026");
    assert_eq!(
        page.text("document.activeElement.getAttribute('aria-invalid')"),
        "null",
        "a mended field is not marked"
    );
    page.assert_clean("422");
}

#[test]
fn values_that_the_form_does_not_show_are_sent_listed_and_can_be_dropped() {
    let Some((server, page)) = Page::served_without_key() else { return };
    page.visit("#calcular?tributo=cbs&valor_operacao=1000.00&desconto=5.00");
    page.give_key(&server.key);
    assert_eq!(page.payload()["desconto"], "5.00");
    assert!(page.shown("#extras").contains("desconto"));
    page.calculate();
    assert!(page.shown("#resposta .falhas").contains("desconto"));
    page.click("#extras button");
    assert_eq!(page.payload().get("desconto"), None);
    page.assert_clean("extras");
}

#[test]
fn a_calculation_needs_no_mouse() {
    let Some((server, page)) = Page::served_without_key() else { return };
    page.visit(
        "#calcular?tributo=icms&uf_origem=SP&uf_destino=SP&valor_produto=1000.00&frete=50.00&data_operacao=2026-03-10",
    );
    let tab_to = |id: &str| {
        for _ in 0..60 {
            if page.text("document.activeElement.id") == id {
                return;
            }
            page.press("\u{e004}");
        }
        panic!("the keyboard does not reach {id}");
    };
    tab_to("pular");
    page.press("\u{e007}");
    assert_eq!(page.text("document.activeElement.id"), "conteudo");
    tab_to("chave");
    page.press(&server.key);
    tab_to("campo-valor_produto");
    // A field that is reached by the tabulator is selected: typing replaces what it holds.
    page.press("2.500,50\u{e007}");
    page.wait_for_answer();
    assert_eq!(page.answer()["detalhes"]["base_calculo"], "2550.50");
    assert_eq!(page.text("document.activeElement.closest('#resposta') !== null"), "true");
    page.assert_clean("keyboard");
}

#[test]
fn municipalities_that_have_rules_are_suggested_for_one_call() {
    let Some((_server, page)) = Page::served() else { return };
    page.example("itbi");
    for _ in 0..2 {
        page.fill("#campo-municipio", "são");
        page.wait_for("document.querySelector('#campo-municipio[aria-expanded=true]') && document.querySelector('#campo-municipio-codigos li').innerText.includes('São Paulo')");
        page.click("#campo-municipio-codigos li");
        page.click("#campo-data");
    }
    let asked = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/municipios')).length";
    assert_eq!(page.text(asked), "1");
    page.assert_clean("municipalities");
}
