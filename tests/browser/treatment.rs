//! The part Tratamento: a product without a regime and without amounts, by the keyboard and on a phone.

use super::page::Page;

const ENTER: &str = "\u{e007}";

#[test]
fn a_product_is_treated_for_any_seller_and_uses_no_call_up() {
    let Some((server, page)) = Page::served() else { return };
    let used = || server.get_own("/sandbox/v1/usage?recentes=1").json()["chave"]["cota"]["usada"].clone();
    let before = used();
    page.sized(320, 640);
    page.go("#tratamento", "#tratamento .vazio");
    // The day is today's until another is typed; the form is sent by Enter, and its case is in the address.
    assert!(!page.text("document.getElementById('tratamento-data').value").is_empty());
    page.choose("#tratamento-uf_origem", "MG");
    page.choose("#tratamento-uf_destino", "SP");
    page.fill("#tratamento-cest", "16.001.00");
    page.fill("#tratamento-data", "10/03/2026");
    page.fill("#tratamento-ncm", "4011.10.00");
    page.press(ENTER);
    page.wait_for("document.querySelector('#tratamento .ficha')");
    let address = page.text("location.hash");
    for part in ["ncm=40111000", "data=2026-03-10", "uf_origem=MG", "uf_destino=SP", "cest=1600100"] {
        assert!(address.contains(part), "{address}");
    }
    let told = page.text("document.getElementById('tratamento-resposta').innerText");
    for part in [
        "PIS (cumulativo e não cumulativo)",
        "Monofásico",
        "Alíquota, revenda",
        "MVA ajustada",
        "pis-monofasico-pneus-v1.0",
        "4.3.10, 003",
        "da situação do produto",
        "Baixar XLSX",
        "Baixar CSV",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains('`'), "the sentences have the words of people: {told}");
    page.assert_clean("a treatment on a phone");
    // What does not answer says why; a product at fault is refused.
    page.go("#tratamento?ncm=49019900&data=2026-03-10&uf_destino=SP", "#tratamento .aviso.neutro");
    let told = page.text("document.getElementById('tratamento-resposta').innerText");
    assert!(told.contains("Sem regra") && told.contains("Para o ICMS-ST, consulte"), "{told}");
    page.go("#tratamento?ncm=12&data=2026-03-10", "#tratamento-resposta h3");
    assert_eq!(used(), before);
    page.assert_clean("a treatment that is refused");
}
