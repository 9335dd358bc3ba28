//! The part Operação: all taxes of one sale, and two cases side by side.

use serde_json::{Value, json};

use super::page::{Page, reais};
use super::paper::printed;
use super::support::{DataDir, with};

impl Page {
    /// Opens Operação with these facts in its form, without calculating.
    #[track_caller]
    pub fn operation(&self, facts: &Value) {
        let members =
            facts.as_object().unwrap().iter().map(|(name, value)| {
                format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            });
        let address = format!("#operacao?{}", members.collect::<Vec<_>>().join("&"));
        self.go(&address, "#operacao-resposta .vazio");
    }

    /// Calculates the operation in the form.
    #[track_caller]
    pub fn calculate_operation(&self) {
        self.click("#operacao-enviar");
        self.wait_for("document.querySelector('#operacao-resposta h3') && !document.querySelector('#operacao-enviar[aria-disabled]')");
    }

    /// What the service answered.
    #[track_caller]
    fn apuracao(&self) -> Value {
        serde_json::from_str(&self.text("document.querySelector('#operacao-resposta #json').textContent")).unwrap()
    }

    /// What a tax of the operation shows, its words one space apart.
    #[track_caller]
    fn tax(&self, tributo: &str) -> String {
        let text = self.shown(&format!("#operacao-resposta [data-tributo={tributo}]"));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

pub fn sale() -> Value {
    json!({"data_operacao": "2026-11-20", "uf_origem": "SP", "uf_destino": "MG", "ncm": "82032010",
           "valor_produto": "1000.00", "papel_na_cadeia": "fabricante_importador", "regime_apuracao": "nao_cumulativo",
           "cumpre_obrigacoes_acessorias": true})
}

/// Seven forms, and figures carried from one to the next by hand, were once needed for one sale.
#[test]
fn one_form_gives_all_taxes_of_a_sale_with_cbs_and_ibs_each_with_its_rule() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::of(&server) else { return };
    let account = dir.account("Escritório Sul", &[]);
    page.give_key(&dir.new_key(&account.client_id, "test").key);
    page.go("#operacao", "#operacao-exemplo");
    page.click("#operacao-exemplo");
    page.calculate_operation();
    let apuracao = page.apuracao();
    assert_eq!(apuracao["completo"], true, "{apuracao:#}");
    for tax in apuracao["tributos"].as_array().unwrap() {
        let tributo = tax["tributo"].as_str().unwrap();
        let itemised = tax["resposta"]["detalhes"].get("valor_destaque").unwrap_or(&tax["valor"]);
        let figures =
            format!("A destacar {} A recolher {}", reais(itemised), reais(&tax["valor"])).replace('\u{a0}', " ");
        assert!(page.tax(tributo).contains(&figures), "{tributo}: {}", page.tax(tributo));
        page.click(&format!("[data-tributo={tributo}] details summary"));
        let opened = page.tax(tributo);
        let citation = tax["resposta"]["regra"]["citacao_legal"].as_str().unwrap();
        assert!(opened.contains(citation) && opened.contains("Memória de cálculo"), "{tributo}: {opened}");
    }
    let document = reais(&apuracao["totais"]["valor_documento"]["valor"]);
    assert!(page.shown("#operacao-resposta .valores").contains(&document));
    assert_eq!(page.shown("#chave-cota"), "Restam 999 cálculos de 1.000 neste mês.");
    page.assert_clean("an operation");
}

#[test]
fn imported_goods_a_consumer_elsewhere_and_single_phase_goods_answer_as_one_sale() {
    let Some((_server, page)) = Page::served() else { return };
    page.operation(&with(&sale(), &json!({"origem_mercadoria": "importada"})));
    page.calculate_operation();
    assert!(page.tax("icms").contains("4,00 %"), "{}", page.tax("icms"));

    page.operation(&with(&sale(), &json!({"destinatario_contribuinte": false})));
    page.calculate_operation();
    let line = page.tax("icms_consumidor_final");
    let apuracao = page.apuracao();
    let taxes = apuracao["tributos"].as_array().unwrap();
    let due = &taxes.iter().find(|tax| tax["tributo"] == "icms_consumidor_final").unwrap()["valor"];
    assert!(line.contains(&reais(due).replace('\u{a0}', " ")), "{line}");
    assert!(line.contains("DIFAL"), "{line}");

    page.operation(&with(&sale(), &json!({"ncm": "30049099"})));
    page.calculate_operation();
    assert!(page.tax("pis").contains("2,10 %") && page.tax("cofins").contains("9,90 %"));
    assert!(page.tax("icms_st").contains("Sem regra"), "{}", page.tax("icms_st"));
    assert!(page.shown("#operacao-resposta").contains("sem ICMS-ST"), "a total says what it lacks");
    page.assert_clean("three sales");
}

#[test]
fn a_fault_leads_to_its_field_and_a_service_has_its_own_fields() {
    let Some((_server, page)) = Page::served() else { return };
    page.sized(1280, 900);
    page.operation(&with(&sale(), &json!({"cest": "1"})));
    page.run("document.querySelectorAll('#operacao-campos details').forEach((one) => { one.open = false; })", &[]);
    page.calculate_operation();
    assert_eq!(page.text("document.activeElement.id"), "operacao-cest");
    page.click("#operacao-limpar");
    page.choose("#operacao-tipo", "preco_servico");
    assert_eq!(page.text("document.getElementById('operacao-ncm').offsetParent"), "null");
    page.choose("#operacao-uf", "SP");
    for (name, text) in [("municipio", "São Paulo"), ("item_lista_servico", "1.07"), ("preco_servico", "1.000,00")] {
        page.fill(&format!("#operacao-{name}"), text);
    }
    page.choose("#operacao-regime_apuracao", "cumulativo");
    page.choose("#operacao-cumpre_obrigacoes_acessorias", "true");
    page.calculate_operation();
    assert!(page.tax("iss").contains("R$ 29,00"), "{}", page.tax("iss"));
    page.assert_clean("a service");
}

/// A sale to a consumer of another State was once one amount with one rate, that of the destination, which is neither
/// what the State of origin takes nor what that of the destination does.
#[test]
fn a_sale_to_a_consumer_elsewhere_says_what_each_state_takes_with_its_rate_and_base() {
    let Some((_server, page)) = Page::served() else { return };
    page.operation(&with(&sale(), &json!({"destinatario_contribuinte": false, "uf_destino": "RJ"})));
    page.calculate_operation();
    let wanted = [
        ["ICMS de SP (origem), interestadual", "R$ 1.052,00", "12,00 %", "R$ 126,24"],
        ["Diferença de alíquota (DIFAL) de RJ (destino)", "R$ 1.052,00", "20,00 % − 12,00 %", "R$ 84,16"],
        ["FCP de RJ (destino)", "R$ 1.052,00", "2,00 %", "R$ 21,04"],
    ];
    let rows = |page: &Page, within: &str| {
        page.run(&format!("return [...document.querySelectorAll('{within} .comparacao tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.replaceAll('\u{a0}', ' ')))"), &[])
    };
    assert_eq!(rows(&page, "[data-tributo=icms_consumidor_final]"), json!(wanted));
    let figures = page.shown("[data-tributo=icms_consumidor_final] .apurado-linha");
    assert!(!figures.contains("Alíquota") && !figures.contains("A destacar"), "{figures}");
    let totals = page.shown("#operacao-resposta");
    assert!(!totals.contains("A destacar no documento"), "a sum of unlike things: {totals}");

    page.go("#calcular?tributo=icms_consumidor_final&data_operacao=2026-11-20&uf_origem=SP&uf_destino=RJ&ncm=82032010&valor_produto=1000.00&ipi=52.00", "#resposta .vazio");
    page.calculate();
    assert_eq!(rows(&page, "#resposta"), json!(wanted), "in Calcular, too");
    page.assert_clean("a sale to a consumer");
}

/// A declared fact that the form does not name would be lost.
#[test]
fn every_fact_has_a_field() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#operacao", "#operacao-exemplo");
    let declared = server.get("/sandbox/operacao.json", &[]).json();
    for field in declared["campos"].as_array().unwrap() {
        let id = format!("operacao-{}", field["nome"].as_str().unwrap());
        assert_eq!(
            page.run("return document.querySelectorAll(`[id='${arguments[0]}']`).length", &[json!(id)]),
            1,
            "{id}"
        );
    }
    page.assert_clean("fields");
}

#[test]
fn two_cases_are_shown_side_by_side_and_their_link_opens_both_without_the_key() {
    let Some((server, page)) = Page::served() else { return };
    page.operation(&sale());
    page.calculate_operation();
    page.click("#operacao-comparar");
    assert_eq!(page.text("document.activeElement.id"), "operacao-data_operacao");
    page.fill("#operacao-data_operacao", "15/01/2027");
    page.choose("#operacao-uf_destino", "SP");
    page.calculate_operation();
    let table = page.shown(".comparacao").replace('\u{a0}', " ");
    let row = |label: &str| table.lines().find(|line| line.starts_with(label)).unwrap_or_default().to_owned();
    assert_eq!(row("UF de destino").split('\t').collect::<Vec<_>>()[1..3], ["MG", "SP"], "{table}");
    assert_eq!(row("PIS"), "PIS\tR$ 14,52\tR$ 0,00\t−R$ 14,52", "{table}");
    assert_eq!(row("ICMS\t"), "ICMS\tR$ 120,00\tR$ 180,00\t+R$ 60,00", "{table}");
    assert!(row("CBS").contains("não se sabe"), "a figure that is not known has no difference: {table}");
    let link = page.text("location.hash");
    assert!(!link.contains(&server.key) && !link.contains("svc_"), "{link}");

    page.visit(&link);
    page.wait_for("document.querySelector('#operacao-casos button')");
    assert_eq!(page.text("document.getElementById('operacao-uf_destino').value"), "MG");
    page.give_key(&server.key);
    page.calculate_operation();
    assert_eq!(page.shown(".comparacao").replace('\u{a0}', " "), table);
    page.assert_clean("two cases");
}

/// The paper once had neither avisos nor memória, and asked the reader to open each tax.
#[test]
fn an_operation_is_printed_with_its_warnings_and_steps_and_its_sums_on_the_first_page() {
    let Some((_server, page)) = Page::served() else { return };
    page.operation(&sale());
    page.calculate_operation();
    let Some(pages) = printed(&page) else { return };
    let first = pages[0].replace('\u{a0}', " ");
    for part in ["Dados informados", "82032010", "O comprador paga", "A recolher, ao todo", "IPI"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let text = pages.concat().replace('\u{a0}', " ");
    let calculated =
        page.apuracao()["tributos"].as_array().unwrap().iter().filter(|tax| tax["valor"].is_string()).count();
    assert_eq!(text.matches("Memória de cálculo").count(), calculated, "{text}");
    for part in ["Avisos da regra", "1.000,00 × 12,00%", "O taxd responde"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("Abra") && !text.contains("Regra, avisos e memória"), "{text}");
    assert_eq!(page.text("document.querySelectorAll('#operacao-resposta details[open]').length"), "0", "as it was");
    assert_eq!(text.split_whitespace().find(|word| word.contains('_')), None, "{text}");
    page.assert_clean("print");
}
