//! What is sent of what a Brazilian types.

use serde_json::json;

use super::page::Page;
use super::support::DataDir;

#[test]
fn figures_dates_and_codes_are_sent_as_the_contract_writes_them() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::of(&server) else { return };
    page.choose("#tributo", "icms");
    let typed = [
        ("valor_produto", "1.234,56", "1234.56"),
        ("valor_produto", "1234,56", "1234.56"),
        ("valor_produto", "1234.56", "1234.56"),
        ("valor_produto", "R$ 1.234.567,8", "1234567.8"),
        ("valor_produto", "1,5", "1.5"),
        ("valor_produto", "0,10", "0.10"),
        ("valor_produto", ",50", "0.50"),
        // A comma without decimals, as while typing.
        ("valor_produto", "1.234,", "1234"),
        ("valor_produto", "1234,", "1234"),
        ("valor_produto", "1,234.56", "1234.56"),
        // A dot before three digits groups thousands, a comma never does.
        ("valor_produto", "1.234", "1234"),
        ("valor_produto", "1,234", "1.234"),
        ("valor_produto", "0.125", "0.125"),
        ("valor_produto", "1.234.567", "1234567"),
        ("valor_produto", "-5,00", "-5.00"),
        // Text other than a number is sent unchanged: the service answers with the fault.
        ("valor_produto", "1,234,567", "1,234,567"),
        ("valor_produto", "mil", "mil"),
        ("data_operacao", "1/3/2026", "2026-03-01"),
        ("data_operacao", "10/03/2026", "2026-03-10"),
        ("data_operacao", "2026-03-10", "2026-03-10"),
        ("data_operacao", "ontem", "ontem"),
        ("ncm", "2203.00.00", "22030000"),
    ];
    for (field, text, sent) in typed {
        page.fill(&format!("#campo-{field}"), text);
        assert_eq!(page.payload()[field], sent, "{text}");
        let told = page.text(&format!("document.getElementById('campo-{field}-envia').textContent"));
        assert_eq!(told.is_empty(), text == sent, "{text}: {told}");
        assert!(told.is_empty() || told.starts_with(&format!("envia {sent}")), "{text}: {told}");
    }
    page.fill("#campo-valor_produto", "1.234");
    assert!(page.text("document.getElementById('campo-valor_produto-envia').textContent").contains("milhar"));
    page.assert_clean("typing");
}

#[test]
fn absence_differs_from_false_and_a_default_is_not_sent() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::of(&server) else { return };
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
