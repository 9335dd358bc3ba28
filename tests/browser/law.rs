//! "Tenho a lei": a refusal for want of a rule leads to a bundle of the office.

use super::page::Page;

#[test]
fn a_refusal_without_rule_leads_to_a_bundle_by_the_keyboard_and_on_a_phone() {
    let Some((server, page)) = Page::served() else { return };
    page.visit(
        "#calcular?tributo=iss&uf=MG&municipio=Uberaba&item_lista_servico=17.19&preco_servico=1000.00&data=2026-03-10",
    );
    page.give_key(&server.key);
    page.calculate();
    page.sized(320, 640);
    let open = "#resposta section[aria-label='Tenho a lei'] button";
    page.run(&format!("document.querySelector(\"{open}\").focus()"), &[]);
    page.press("\u{e007}");
    page.wait_for("document.querySelector('form.lei')");
    // What was asked is filled in, and the focus is in the form.
    let value = |name: &str| page.text(&format!("document.getElementById('lei-{name}').value"));
    assert_eq!(value("escopo.uf"), "MG");
    assert_eq!(value("escopo.municipio"), "Uberaba");
    assert_eq!(value("escopo.item_lista_servico"), "17.19");
    assert!(page.text("document.activeElement.id").starts_with("lei-escopo."));
    // Without the law the faults are beside their fields, and the first of them has the focus.
    let field = |name: &str| format!("[id='lei-{name}']");
    page.fill(&field("conteudo.aliquota"), "2,5");
    page.press("\u{e007}");
    page.wait_for("document.querySelector('form.lei .falha:not([hidden])')");
    assert_eq!(page.shown("[id='lei-citacao_legal-falha']"), "Falta informar este campo.");
    assert_eq!(page.text("document.activeElement.id"), "lei-vigente_de");
    let wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(page.text(wide), "true", "the form fits a phone");
    page.fill(&field("vigente_de"), "01/01/2026");
    page.fill(&field("citacao_legal"), "Lei Complementar nº 1, art. 2º");
    page.fill(&field("fonte"), "Diário do município, lido em 25/11/2026");
    page.press("\u{e007}");
    page.wait_for("document.querySelector('form.lei a[download]')");
    let ready = page.shown("form.lei [role='status']");
    assert!(ready.contains("este caso dá R$\u{a0}25,00") && ready.contains("Nada foi publicado"), "{ready}");
    assert!(ready.contains("taxd import escritorio-iss-mg-uberaba-1719-v1.0.json"), "{ready}");
    assert_eq!(
        page.text("document.querySelector('form.lei a[download]').download"),
        "escritorio-iss-mg-uberaba-1719-v1.0.json"
    );
    assert_eq!(page.text(wide), "true", "the bundle fits a phone");
}

/// The refusal of a quantity lay below the button, out of sight; giving the quantity beside it erased the nine fields.
#[test]
fn the_form_asks_for_what_its_rule_wants_of_the_case_and_outlasts_a_calculation() {
    let Some((server, page)) = Page::served() else { return };
    let product = "ncm=22021000&cest=0300700&valor_produto=1000.00";
    page.visit(&format!("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=MG&{product}&data_operacao=2026-11-25"));
    page.give_key(&server.key);
    page.calculate();
    page.click("#resposta section[aria-label='Tenho a lei'] button");
    page.wait_for("document.querySelector('form.lei')");
    for (name, text) in [
        ("escopo.ncm", "2202"),
        ("vigente_de", "01/01/2026"),
        ("citacao_legal", "Portaria nº 1"),
        ("fonte", "Diário do Estado, lido em 25/11/2026"),
        ("conteudo.descricao", "Refrigerante"),
        ("conteudo.pauta", "2,00"),
        ("conteudo.unidade", "unidade"),
        ("conteudo.aliquota_interna", "18"),
    ] {
        page.fill(&format!("[id='lei-{name}']"), text);
    }
    page.choose("[id='lei-conteudo.criterio']", "pauta");
    page.click("form.lei button[type=submit]");
    page.wait_for("document.getElementById('lei-pergunta.quantidade')");
    assert_eq!(page.text("document.activeElement.id"), "lei-pergunta.quantidade");
    page.fill("[id='lei-pergunta.quantidade']", "1.000");
    page.click("form.lei button[type=submit]");
    page.wait_for("document.querySelector('form.lei a[download]')");

    page.calculate();
    assert_eq!(page.text("document.getElementById('lei-conteudo.pauta').value"), "2,00");
    page.fill("#campo-cest", "0300800");
    page.calculate();
    assert_eq!(page.text("document.querySelector('form.lei')"), "null", "a rule of another product");
    page.assert_clean("a rule that asks for a quantity");
}

#[test]
fn a_refusal_that_no_law_fills_has_no_such_form() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=icms&uf_origem=SP&uf_destino=SP&valor_produto=0.00&data_operacao=2026-11-20");
    page.give_key(&server.key);
    page.calculate();
    assert_eq!(page.text("document.querySelector('#resposta section[aria-label=\"Tenho a lei\"]')"), "null");
    page.assert_clean("a refusal of a datum");
}
