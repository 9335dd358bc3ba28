//! What is sent of what a Brazilian types.

use serde_json::json;

use super::page::Page;

/// What is sent of each way of writing is tested without a browser (`tests/page/typed.test.js`).
#[test]
fn the_value_sent_for_a_typed_text_is_shown_below_its_field() {
    let Some((_server, page)) = Page::served_without_key() else { return };
    page.choose("#tributo", "icms");
    let typed = [
        ("valor_produto", "R$ 1.234.567,8", "1234567.8", "envia 1234567.8"),
        ("valor_produto", "1.234", "1234", "envia 1234 (ponto lido como milhar)"),
        ("valor_produto", "1234.56", "1234.56", ""),
        ("valor_produto", "mil", "mil", ""),
        ("data_operacao", "1/3/2026", "2026-03-01", "envia 2026-03-01"),
        ("ncm", "2203.00.00", "22030000", "envia 22030000"),
    ];
    for (field, text, sent, said) in typed {
        page.fill(&format!("#campo-{field}"), text);
        assert_eq!(page.payload()[field], sent, "{text}");
        assert_eq!(page.text(&format!("document.getElementById('campo-{field}-envia').textContent")), said, "{text}");
    }
    page.assert_clean("typing");
}

#[test]
fn a_service_is_understood_by_its_national_code() {
    let Some((_server, page)) = Page::served() else { return };
    page.example("iss");
    page.fill("#campo-item_lista_servico", "010701");
    assert_eq!(page.payload()["item_lista_servico"], "1.07");
    let said = page.text("document.getElementById('campo-item_lista_servico-envia').textContent");
    assert_eq!(said, "envia 1.07 (do código nacional)");

    // The national code has the subitem in it: the page once asked for the subitem again.
    page.fill("#campo-item_lista_servico", "");
    page.fill("#campo-codigo_tributacao_nacional", "010701\u{E004}");
    assert_eq!(page.payload()["item_lista_servico"], "1.07");

    // The filters read the same, and so does an address.
    page.go("#regras", ".ficha");
    page.fill("#regras-item_lista_servico", "010701");
    page.fill("#regras-vigente_em", "20/11/26");
    page.click("#regras-filtros button[type=submit]");
    page.wait_for("location.hash === '#regras?item_lista_servico=1.07&vigente_em=2026-11-20'");
    page.go("#regras?ncm=2203.00.00&uf=sp&vigente_em=20112026", ".ficha");
    assert_eq!(page.text("document.getElementById('regras-uf').value"), "SP");
    assert_eq!(page.text("document.getElementById('regras-ncm').value"), "22030000");
    page.visit("#calcular?tributo=icms&uf_origem=sp&uf_destino=Mg");
    assert_eq!((&page.payload()["uf_origem"], &page.payload()["uf_destino"]), (&json!("SP"), &json!("MG")));
    page.assert_clean("codes");
}

/// A figure of an example once answered who had typed none, with a date of months ago.
#[test]
fn a_form_begins_with_today_and_another_tax_keeps_what_was_filled() {
    let Some((_server, page)) = Page::served_without_key() else { return };
    let today = page.text("new Date().toLocaleDateString('sv-SE')");
    let year = today.get(..4).unwrap();
    assert_eq!(page.payload(), json!({"tributo": "icms", "data_operacao": today}));
    page.fill("#campo-valor_produto", "777,00");
    page.fill("#campo-frete", "5");
    page.choose("#campo-uf_origem", "SP");
    page.choose("#tributo", "icms_st");
    let kept = json!({"tributo": "icms_st", "uf_origem": "SP", "data_operacao": today, "valor_produto": "777.00", "frete": "5"});
    assert_eq!(page.payload(), kept);
    page.choose("#tributo", "ipva");
    assert_eq!(page.payload(), json!({"tributo": "ipva", "data_fato_gerador": format!("{year}-01-01")}));
    page.choose("#tributo", "iptu");
    assert_eq!(page.payload(), json!({"tributo": "iptu", "exercicio": year.parse::<u32>().unwrap()}));
    page.choose("#tributo", "icms");
    assert_eq!(page.payload()["frete"], "5", "also over a tax without the field");
    page.click("#limpar");
    page.choose("#tributo", "icms_st");
    assert_eq!(page.payload(), json!({"tributo": "icms_st", "data_operacao": today}), "cleared is cleared");
    page.assert_clean("another tax");
}

#[test]
fn absence_differs_from_false_and_a_default_is_not_sent() {
    let Some((_server, page)) = Page::served_without_key() else { return };
    page.choose("#tributo", "pis");
    let sent = |page: &Page| page.payload().get("destinacao_autopropulsado").cloned();
    assert_eq!(sent(&page), None);
    page.choose("#campo-destinacao_autopropulsado", "false");
    assert_eq!(sent(&page), Some(json!(false)));
    page.choose("#campo-destinacao_autopropulsado", "true");
    assert_eq!(sent(&page), Some(json!(true)));
    page.choose("#campo-destinacao_autopropulsado", "");
    assert_eq!(sent(&page), None);
    page.choose("#tributo", "iptu");
    page.fill("#campo-exercicio", "2026");
    assert_eq!(page.payload()["exercicio"], 2026);
    page.choose("#tributo", "icms");
    page.fill("#campo-frete", "");
    assert_eq!(page.payload().get("frete"), None);
    assert_eq!(page.text("document.getElementById('campo-frete').placeholder"), "padrão: 0");
}
