//! Cases that the browser keeps, and the developers' details, which it remembers, too.

use serde_json::json;

use super::page::Page;

const NAMES: &str =
    "[...document.querySelectorAll('#calcular-guardados .guardado a')].map((a) => a.innerText).join('; ')";

impl Page {
    /// Gives the field of files one with this text, as a reader's choice does.
    fn import(&self, text: &str) {
        self.run("const data = new DataTransfer(); data.items.add(new File([arguments[0]], 'casos.json')); const file = document.getElementById('calcular-guardados-arquivo'); file.files = data.files; file.dispatchEvent(new Event('change'))", &[json!(text)]);
    }

    fn says(&self, text: &str) {
        self.wait_for(&format!(
            "document.querySelector('#calcular-guardados [role=status]').innerText.includes({})",
            json!(text)
        ));
    }
}

#[test]
fn a_case_is_kept_opened_renamed_deleted_and_brought_back() {
    let Some((server, page)) = Page::served() else { return };
    page.example("ipi");
    page.click("#calcular-guardados summary");
    page.fill("#calcular-guardados-nome", "Cerveja da Padaria Sol");
    page.press("\u{e007}");
    page.says("foi guardado");
    let kept = page.text("localStorage.getItem('taxd-casos')");
    assert!(kept.contains("tributo=ipi") && !kept.contains(&server.key), "{kept}");
    let case = page.payload();

    page.click("#limpar");
    assert_ne!(page.payload(), case);
    page.visit("");
    page.click("#calcular-guardados summary");
    page.click(".guardado a");
    page.wait_for("document.querySelector('#resposta .vazio').innerText.includes('preenchido')");
    assert_eq!(page.payload(), case);

    page.click("[aria-label^=Renomear]");
    page.fill(".guardado input", "Outro nome");
    page.press("\u{e007}");
    page.says("renomeado");
    assert_eq!(page.text(NAMES), "Outro nome");
    page.click("[aria-label^=Excluir]");
    page.says("excluído");
    assert_eq!(page.text(NAMES), "");
    page.click("#calcular-guardados [role=status] button");
    page.says("voltou");
    assert_eq!(page.text(NAMES), "Outro nome");

    page.fill("#calcular-guardados-nome", &server.key);
    page.press("\u{e007}");
    page.says("Parece uma chave");
    assert!(!page.text("localStorage.getItem('taxd-casos')").contains(&server.key));
    page.assert_clean("kept cases");
}

#[test]
fn cases_come_from_a_file_and_a_bad_file_loses_nothing() {
    let Some((server, page)) = Page::served() else { return };
    page.click("#calcular-guardados summary");
    let one = json!({"nome": "Um", "endereco": "#calcular?tributo=ipi&ncm=22030000"});
    let file = json!({"casos": [one, {"nome": "Dois", "endereco": "#operacao?ncm=22030000"}]}).to_string();
    page.import(&file);
    page.says("2 de 2");
    page.import(&file);
    page.says("0 de 2");
    let bad = [
        "nada".to_owned(),
        json!({"casos": 1}).to_string(),
        json!({"casos": [one, {"nome": "Fora", "endereco": "https://example.com/#calcular?x"}]}).to_string(),
        json!({"casos": [{"nome": "Chave", "endereco": format!("#calcular?ncm={}", server.key)}]}).to_string(),
        json!({"casos": [{"nome": "Letra", "endereco": "#calcular?ncm=%E0%A4%A"}]}).to_string(),
    ];
    for text in bad {
        page.import(&text);
        page.says("não é uma lista de casos");
        assert_eq!(page.text(NAMES), "Um; Dois", "{text}");
    }
    page.assert_clean("files of cases");
}

#[test]
fn the_developers_details_are_shown_on_demand_and_remembered() {
    let Some((server, page)) = Page::served() else { return };
    let seen =
        "[...document.querySelectorAll('#calcular .tecnico')].filter((one) => one.getClientRects().length > 0).length";
    page.example("cbs");
    page.calculate();
    assert_eq!(page.text(seen), "0");
    page.click("#tecnico");
    assert_ne!(page.text(seen), "0");
    assert!(page.shown("#resposta .meta").contains("pedido"));
    page.visit("");
    page.give_key(&server.key);
    page.example("cbs");
    page.calculate();
    assert_ne!(page.text(seen), "0", "remembered");
    page.assert_clean("details");
}
