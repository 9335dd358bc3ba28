//! Looking codes up: in the part Códigos, in the fields of a calculation, and after a refusal.

use serde_json::json;

use super::effort::Task;
use super::page::{Page, reais};

const DOWN: &str = "\u{e015}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const TAB: &str = "\u{e004}";

/// Types words into a field of a code, and waits for the codes that are found.
#[track_caller]
fn look_up(page: &Page, field: &str, words: &str) {
    page.fill(&format!("#campo-{field}"), words);
    page.wait_for(&format!("!document.getElementById('campo-{field}-codigos').hidden"));
}

/// Writes a field, and leaves it.
#[track_caller]
fn write(page: &Page, field: &str, text: &str) {
    page.fill(&format!("#campo-{field}"), text);
    page.press(TAB);
}

#[test]
fn st_of_a_product_is_calculated_by_the_words_of_its_cest() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=SP&ncm=17049010&valor_produto=100.00&data_operacao=2026-06-10");
    page.give_key(&server.key);
    look_up(&page, "cest", "ovos pascoa branco");
    page.click("#campo-cest-codigos li");
    assert_eq!(page.payload()["cest"], "1700500");
    assert_eq!(page.shown("#campo-cest-oficial"), "Ovos de páscoa de chocolate branco\nProdutos alimentícios");
    assert_eq!(page.text("document.activeElement.id"), "campo-cest", "the focus stays in the field");
    page.calculate();
    assert!(page.shown("#resposta").contains("substituição"), "{}", page.shown("#resposta"));
    // A whole code, with its points: its text is shown, and the list stays closed.
    write(&page, "ncm", "2203.00.00");
    page.wait_for("document.getElementById('campo-ncm-oficial').textContent.startsWith('Cervejas de malte')");
    assert_eq!(page.text("document.getElementById('campo-ncm-codigos').hidden"), "true");
    write(&page, "ncm", "");
    page.wait_for("document.getElementById('campo-ncm-oficial').textContent === ''");
    page.assert_clean("words of a CEST");
}

/// The candidates were once a paragraph in red, to be copied by hand.
#[test]
fn st_with_several_cests_offers_each_as_a_button_that_calculates() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=SP&ncm=17049010&valor_produto=100.00&data_operacao=2026-06-10");
    page.give_key(&server.key);
    page.calculate();
    assert_eq!(page.text("document.querySelectorAll('.candidatos button').length"), "3");
    assert!(page.shown(".candidatos button").starts_with("CEST 17.001.00"), "{}", page.shown(".candidatos"));
    assert_eq!(page.shown(".razao"), "O NCM 17049010 tem 3 regras; informe o “CEST” da mercadoria.");
    assert_eq!(page.shown("#campo-cest-falha"), "Escolha um dos códigos da resposta.");
    assert_eq!(page.text("document.activeElement.matches('#resposta h3')"), "true");
    page.click(".candidatos button");
    page.wait_for("document.querySelector('#resposta .valor')");
    assert_eq!(page.payload()["cest"], "1700100");
    assert_eq!(page.shown(".valor"), reais(&page.answer()["valor"]));
    // Two lists, of codes with a rule and without one, once said all that the buttons say.
    page.visit("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=MG&ncm=39174090&valor_produto=100.00&data_operacao=2026-03-10");
    page.give_key(&server.key);
    page.calculate();
    let reason =
        "A lista nacional (Convênio ICMS 142/2018) tem mais de uma mercadoria no NCM 39174090; informe o “CEST”.";
    assert_eq!(page.shown(".razao"), reason);
    assert!(page.shown(".candidatos li:nth-child(2)").contains("cuja regra desta UF o taxd não tem"));
    page.assert_clean("candidates");
}

/// A CEST without NCM once led nowhere, and one of other goods named the keys of the lookup.
#[test]
fn st_of_a_cest_that_is_not_of_the_ncm_offers_the_codes_that_fit() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=SP&ncm=17049010&cest=0101300&valor_produto=100.00&data_operacao=2026-06-10");
    page.give_key(&server.key);
    page.calculate();
    page.wait_for("document.querySelector('.candidatos:not([hidden]) button')");
    let offered = page.shown(".candidatos");
    assert!(offered.contains("O CEST 01.013.00 (Autopeças › Capacetes"), "{offered}");
    assert!(offered.contains("não tem regra com o NCM 1704.90.10") && offered.contains("CEST 17.001.00"), "{offered}");
    page.assert_clean("CESTs of an NCM");
    page.click(".candidatos button");
    page.wait_for("document.querySelector('#resposta .valor')");
    assert_eq!(page.payload()["cest"], "1700100");

    page.fill("#campo-ncm", "");
    page.calculate();
    page.wait_for("document.querySelector('.candidatos:not([hidden]) button')");
    let offered = page.shown(".candidatos");
    assert!(
        offered.contains("O CEST 17.001.00 (Produtos alimentícios › Chocolate branco")
            && offered.contains("NCM 1704.90.10"),
        "{offered}"
    );
    page.click(".candidatos button");
    page.wait_for("document.querySelector('#resposta .valor')");
    page.assert_clean("NCMs of a CEST");
}

#[test]
fn cbs_of_a_medicine_is_calculated_by_the_words_of_its_classification_or_by_a_candidate() {
    let Some((_server, page)) = Page::served() else { return };
    page.example("cbs");
    write(&page, "ncm", "30049099");
    page.calculate();
    // The service names the NCM, which is there; what is missing is the classification.
    assert_eq!(page.shown("#resposta h3"), "Falta informar: Classificação tributária (cClassTrib)");
    assert_eq!(page.text("document.querySelector('[aria-invalid]').id"), "campo-classificacao_tributaria");
    let offered = page.shown(".candidatos");
    assert!(offered.contains("cClassTrib") && offered.contains("Fornecimento dos medicamentos"), "{offered}");
    // One is zero, the other 60 % less: a click once chose between them by a text that both share.
    assert!(offered.contains("Alíquota zero. ") && offered.contains("Redução de 60"), "{offered}");
    assert!(offered.contains("art. 133") && offered.contains("art. 146"), "{offered}");
    look_up(&page, "classificacao_tributaria", "medicamentos anvisa");
    assert!(page.shown("#campo-classificacao_tributaria-codigos li").starts_with("200009 "));
    page.click("#campo-classificacao_tributaria-codigos li");
    page.calculate();
    assert_eq!(page.answer()["detalhes"]["valor_destaque"], "0.00", "{}", page.answer());
    assert_eq!(page.payload()["classificacao_tributaria"], "200009");
    page.assert_clean("a medicine");
}

#[test]
fn ipi_with_an_ex_is_calculated_with_the_text_of_its_ncm_below() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=ipi&valor_produto=1000.00&data_operacao=2026-06-10&ex=01");
    page.give_key(&server.key);
    look_up(&page, "ncm", "cervejas de malte");
    page.click("#campo-ncm-codigos li");
    assert_eq!(page.payload()["ncm"], "22030000");
    assert!(page.shown("#campo-ncm-oficial").starts_with("Cervejas de malte"));
    page.calculate();
    assert_eq!(page.answer()["detalhes"]["ex_aplicado"], true, "{}", page.answer());
    page.assert_clean("an Ex");
}

/// Accountants once looked the UFESP up elsewhere.
#[test]
fn itcmd_offers_the_fiscal_unit_of_the_day_with_its_act() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=itcmd&uf=SP&fato_gerador=doacao&valor_base=150000.00&data_fato_gerador=2026-05-20");
    page.give_key(&server.key);
    // A case without the value is calculated with that of the day.
    page.calculate();
    let unit = &page.answer()["detalhes"]["regras_auxiliares"][0];
    assert_eq!(unit["rule_id"], "itcmd-sp-unidade-fiscal-v1.1");
    page.run("document.getElementById('campo-valor_unidade_fiscal').focus()", &[]);
    page.wait_for("document.querySelector('.unidades button')");
    assert_eq!(page.shown(".unidades button"), "UFESP de 2026: R$\u{a0}38,42");
    assert_eq!(page.shown(".unidades small"), "Lei 6.374/1989, art. 113; Comunicado DICAR nº 88/2025");
    page.click(".unidades button");
    assert_eq!(page.payload()["valor_unidade_fiscal"], "38.42");
    page.calculate();
    assert_eq!(page.answer()["tributo"], "itcmd");
    write(&page, "data_fato_gerador", "20/05/2025");
    page.wait_for("document.querySelector('.unidades button')?.textContent.includes('37,02')");
    // No value is established for that day: nothing is offered.
    write(&page, "data_fato_gerador", "20/05/2019");
    page.wait_for("!document.querySelector('.unidades button')");
    page.assert_clean("a fiscal unit");
}

#[test]
fn the_keyboard_alone_finds_chooses_and_leaves() {
    let Some((_server, page)) = Page::served() else { return };
    page.choose("#tributo", "iss");
    let attribute =
        |name: &str| page.text(&format!("document.getElementById('campo-item_lista_servico').getAttribute('{name}')"));
    assert_eq!((attribute("role").as_str(), attribute("aria-expanded").as_str()), ("combobox", "false"));
    look_up(&page, "item_lista_servico", "transporte municipal");
    assert_eq!(attribute("aria-expanded"), "true");
    assert_eq!(page.text("document.getElementById('anuncio').textContent"), "2 sugestões. Use as setas para escolher.");
    page.press(DOWN);
    page.press(DOWN);
    assert_eq!(attribute("aria-activedescendant"), "campo-item_lista_servico-codigos-1");
    page.press(DOWN);
    assert_eq!(attribute("aria-activedescendant"), "campo-item_lista_servico-codigos-0", "it goes round");
    page.press(ESCAPE);
    assert_eq!(attribute("aria-expanded"), "false");
    assert_eq!(attribute("aria-activedescendant"), "null");
    assert_eq!(page.text("document.getElementById('campo-item_lista_servico').value"), "transporte municipal");
    page.press(DOWN);
    page.wait_for("!document.getElementById('campo-item_lista_servico-codigos').hidden");
    page.press(DOWN);
    page.press(ENTER);
    assert_eq!(page.payload()["item_lista_servico"], "16.02");
    assert_eq!(
        page.text("document.querySelector('#resposta h3') === null"),
        "true",
        "it chooses, and does not calculate"
    );
    assert!(
        page.shown("#campo-item_lista_servico-oficial").ends_with("\nServiços de transporte de natureza municipal")
    );
    page.assert_clean("the keyboard");
}

#[test]
fn codes_are_found_as_one_types_and_lead_to_their_rules_and_to_a_calculation() {
    let Some((server, page)) = Page::served_without_key() else { return };
    page.go("#codigos", "#codigos .vazio");
    page.give_key(&server.key);
    page.wait_for("document.querySelector('.codigos-fonte')");
    let cota = page.shown("#chave-cota");
    page.choose("#codigos-tabela", "servico");
    page.fill("#codigos-q", "suporte técnico");
    page.wait_for("document.querySelector('#codigos .ficha h3')?.textContent === '1.07'");
    assert!(page.shown(".contagem").contains("1 código"));
    assert!(page.shown(".codigos-fonte").contains("Lei Complementar nº 116/2003"));
    // The address is that of what is shown, for a reload or a colleague.
    assert!(page.text("location.hash").contains("tabela=servico&q=suporte"));
    page.run("location.reload()", &[]);
    page.wait_for("document.documentElement.dataset.pronta === 'sim'");
    page.give_key(&server.key);
    page.wait_for("document.querySelector('#codigos .ficha h3')?.textContent === '1.07'");
    assert_eq!(page.shown("#chave-cota"), cota, "a look-up uses no call up");
    page.click("#codigos .ficha .botao");
    page.wait_for("document.querySelector('#regras .ficha') && !document.querySelector('[aria-busy]')");
    assert!(page.shown("#regras-lista").contains("1.07"));
    page.go("#codigos?tabela=servico&q=1.07", "#codigos .codigos-calcular a");
    page.click("#codigos .codigos-calcular a");
    page.wait_for("!document.getElementById('calcular').hidden");
    assert_eq!(page.payload()["item_lista_servico"], json!("1.07"));
    page.wait_for(
        "document.getElementById('campo-item_lista_servico-oficial').textContent.includes('Suporte técnico')",
    );
    page.assert_clean("the part");
}

/// `Outros` was once shown alone, and `pneu` did not find 4011.
#[test]
fn a_product_is_found_by_its_everyday_name_and_others_says_of_what() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#codigos?tabela=ncm&q=remedios", "#codigos .ficha");
    assert!(page.shown("#codigos .ficha").contains("Medicamentos (exceto"), "{}", page.shown("#codigos .ficha"));
    page.visit("#calcular?tributo=ipi&valor_produto=1000.00&data_operacao=2026-06-10");
    page.give_key(&server.key);
    page.begin();
    look_up(&page, "ncm", "PNEU");
    assert!(page.shown("#campo-ncm-codigos li").starts_with("4011.10.00 Do tipo"));
    page.click("#campo-ncm-codigos li");
    assert_eq!(page.payload()["ncm"], "40111000");
    page.done(&Task("N11", "O NCM pela descrição", 1));
    write(&page, "ncm", "3004.90.99");
    page.wait_for("document.getElementById('campo-ncm-oficial').textContent.includes(' › Outros')");
    // What is not among the first ones is one step away.
    look_up(&page, "ncm", "impressora");
    assert!(page.shown("#campo-ncm-codigos li:last-child").starts_with("Ver todos os "));
    page.click("#campo-ncm-codigos li:last-child");
    page.wait_for("location.hash === '#codigos?tabela=ncm&q=impressora'");
    page.assert_clean("an everyday name");
}

#[test]
fn a_cest_without_its_text_says_so_with_its_segment() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#codigos?tabela=cest&q=01.998.00", "#codigos .ficha");
    let told = page.shown("#codigos .ficha");
    assert!(told.contains("Autopeças") && told.contains("não está na tabela"), "{told}");
    page.visit("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=SP&valor_produto=1.00&data_operacao=2026-06-10");
    page.give_key(&server.key);
    write(&page, "cest", "01.998.00");
    page.wait_for("document.getElementById('campo-cest-oficial').innerText.trim() === 'o texto deste código não está na tabela do taxd\\nAutopeças'");
    page.assert_clean("a CEST without its text");
}

/// A form that takes points once said to write a code without them.
#[test]
fn a_code_with_a_fault_is_explained_in_the_words_of_the_page() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=SP&valor_produto=1.00&data_operacao=2026-06-10");
    page.give_key(&server.key);
    write(&page, "ncm", "2203.00.0");
    write(&page, "cest", "17.053");
    page.calculate();
    assert_eq!(page.shown("#campo-ncm-falha"), "\"2203000\" não serve. Um NCM tem 8 algarismos, como 2203.00.00.");
    assert_eq!(page.shown("#campo-cest-falha"), "\"17053\" não serve. Um CEST tem 7 algarismos, como 17.053.00.");
    assert!(!page.shown("#resposta").contains("sem pontos"), "{}", page.shown("#resposta"));
    page.assert_clean("a faulty code");
}

/// What is looked up goes into an address, and an address into logs.
#[test]
fn a_key_in_a_field_that_looks_things_up_is_asked_of_nobody() {
    let Some((server, page)) = Page::served() else { return };
    let asked = || page.text("performance.getEntriesByType('resource').map((one) => one.name).join(' ')");
    page.choose("#tributo", "iss");
    page.fill("#campo-item_lista_servico", &server.key);
    page.press(DOWN);
    look_up(&page, "item_lista_servico", "transporte");
    assert!(asked().contains("transporte") && !asked().contains("svc_"), "{}", asked());
    page.visit("#calcular?tributo=itcmd&uf=SP");
    page.give_key(&server.key);
    write(&page, "data_fato_gerador", &server.key);
    write(&page, "data_fato_gerador", "20/05/2026");
    page.wait_for("document.querySelector('.unidades button')");
    page.go("#codigos", ".codigos-fonte");
    page.fill("#codigos-q", &server.key);
    page.press(ENTER);
    page.fill("#codigos-q", "cerveja");
    page.wait_for("document.querySelector('#codigos .ficha')");
    assert!(asked().contains("vigente_em=2026-05-20") && asked().contains("cerveja"), "{}", asked());
    assert!(!asked().contains("svc_"), "{}", asked());
    assert!(!page.text("location.href").contains("svc_"));
    page.assert_clean("a key in a field");
}
