//! The parts Regras, Mudanças and Consumo.

use serde_json::{Value, json};

use super::page::Page;
use super::support::{DataDir, OwnRules, rule};

fn count(page: &Page, css: &str) -> usize {
    let found = page.run("return document.querySelectorAll(arguments[0]).length", &[json!(css)]);
    usize::try_from(found.as_u64().unwrap()).unwrap()
}

#[test]
fn rules_are_found_paged_and_calculated_on() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    page.click("nav a[href='#regras']");
    page.wait_for("document.querySelector('.ficha')");
    assert_eq!(page.text("document.activeElement.id"), "regras-titulo");
    let first = page.shown(".ficha h3");
    page.click(".paginas [rel=next]");
    page.wait_for(&format!("document.querySelector('.ficha h3').innerText !== {}", json!(first)));
    page.click(".paginas [rel=prev]");
    page.wait_for(&format!("document.querySelector('.ficha h3').innerText === {}", json!(first)));

    page.choose("#regras-tributo", "ipva");
    page.choose("#regras-uf", "SP");
    page.fill("#regras-vigente_em", "10/03/2026");
    page.click("#regras-filtros button[type=submit]");
    page.wait_for("location.hash.includes('vigente_em=2026-03-10') && !document.querySelector('[aria-busy]')");
    let rules = server.regras("tributo=ipva&uf=SP&vigente_em=2026-03-10&limit=25");
    assert_eq!(count(&page, ".ficha"), rules.len());
    for rule in &rules {
        assert!(page.shown("#regras-lista").contains(rule["citacao_legal"].as_str().unwrap()), "{rule}");
    }
    let code = rules[0]["rule_code"].as_str().unwrap();
    page.click(".ficha a.botao");
    page.wait_for("document.querySelector('.linha-do-tempo')");
    let versions = server.regras(&format!("rule_code={code}"));
    assert_eq!(count(&page, ".linha-do-tempo .versao"), versions.len());
    let described = page.text("document.querySelector('.linha-do-tempo').getAttribute('aria-label')");
    assert!(versions.iter().all(|v| described.contains(v["versao"].as_str().unwrap())), "{described}");
    page.run("history.back()", &[]);
    page.wait_for(&format!("document.querySelectorAll('.ficha').length === {}", rules.len()));
    page.assert_clean("rules");
}

#[test]
fn a_rule_is_read_in_the_figures_of_the_country_and_a_bad_filter_says_what_to_mend() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    page.go("#regras?rule_id=icms-sp-geral-v1.0", ".ficha");
    page.click(".ficha summary");
    assert!(page.shown(".ficha details").contains("18,00 %"), "{}", page.shown(".ficha details"));
    page.go("#regras?vigente_em=ontem", ".recusa");
    let told = page.shown("#regras-lista");
    assert!(told.contains("Corrija o filtro") && !told.contains("marcado"), "{told}");
    let gap = "return document.querySelector('#regras-lista .cartao').getBoundingClientRect().top - document.querySelector('#regras > .cartao').getBoundingClientRect().bottom";
    assert!(page.run(gap, &[]).as_f64().is_some_and(|pixels| pixels >= 16.0), "the cards touch");
    page.assert_clean("a bad filter");
}

/// A rule of every tax that has a figure: its case is answered by that very rule.
#[test]
fn a_rule_leads_to_a_calculation_on_it() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    for id in [
        "icms-st-sp-1705300-v1.0",
        "icms-sp-geral-v1.0",
        "ipva-sp-automovel-v1.0",
        "itcmd-sp-doacao-v1.1",
        "iss-sp-sao-paulo-1.01-v1.1",
        "iptu-sp-sao-paulo-residencial-v1.1",
        "itbi-sp-sao-paulo-v1.2",
        "ipi-22030000-v1.0",
        "pis-nao-cumulativo-v1.0",
        "cbs-2026-v1.0",
    ] {
        page.go("#consumo", "#consumo-lista dl");
        page.go(&format!("#regras?rule_id={id}"), ".ficha");
        page.click(".ficha button");
        page.wait_for("!document.getElementById('calcular').hidden");
        assert!(page.shown("#resposta").contains(id), "the form says on which rule it is");
        page.calculate();
        assert_eq!(page.answer()["regra"]["rule_id"], id);
    }
    page.assert_clean("calculations on rules");
}

#[test]
fn changes_are_listed_by_day_and_retroactive_ones_say_what_to_do() {
    let conteudo = |rate: &str| json!({"aliquota": rate});
    let first = rule("icms-ac-geral", "icms", &json!({"uf": "AC"}), &conteudo("17.00"));
    let own = OwnRules::of(std::slice::from_ref(&first));
    let mut later = first.clone();
    (later["versao"], later["conteudo"]) = (json!("1.1"), conteudo("18.00"));
    later["vigente_de"] = json!("2019-01-01");
    own.publish(std::slice::from_ref(&later));
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.click("nav a[href='#mudancas']");
    page.wait_for("document.querySelector('.mudanca')");
    let events = server.changelog("");
    assert_eq!(count(&page, ".mudanca"), events.len());
    assert!(events.iter().any(|e| e["tipo"] == "substituicao_retroativa"), "{events:?}");
    let told = page.shown(".mudanca.retroativa");
    for wanted in ["substituição retroativa", "Recalcule", "icms-ac-geral-v1.0", "icms-ac-geral-v1.1"] {
        assert!(told.contains(wanted), "{told}");
    }
    page.fill("#mudancas-desde", "31/12/2090");
    page.click("#mudancas-filtros button");
    page.wait_for("location.hash === '#mudancas?desde=2090-12-31' && !document.querySelector('.mudanca')");
    page.go("#regras?rule_code=icms-ac-geral", ".linha-do-tempo circle.versao");
    page.assert_clean("changes");
}

#[test]
fn the_pages_of_the_changelog_hang_together() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    page.go("#mudancas", ".mudanca");
    let events = server.changelog("limit=100");
    let shown = |at: usize| format!("document.querySelector('.mudanca a').textContent === {}", events[at]["rule_id"]);
    page.wait_for(&shown(0));
    page.click(".paginas [rel=next]");
    page.wait_for(&shown(50));
    page.run("history.back()", &[]);
    page.wait_for(&shown(0));
    page.assert_clean("pages");
}

#[test]
fn consumption_is_shown_and_a_recent_call_is_opened_again() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "ipva", "uf": "SP", "categoria_veiculo": "taxi", "valor_venal": "85000.00", "data_fato_gerador": "2026-01-01"});
    server.calculate(&payload).envelope();
    server.calculate(&json!({"tributo": "icms"})).problem(422, "campo_obrigatorio");
    let Some(page) = Page::with_key(&server) else { return };
    page.click("nav a[href='#consumo']");
    page.wait_for("document.querySelectorAll('.grafico svg').length === 2");
    let table: Value =
        page.run("return [...document.querySelectorAll('.grafico td')].map((cell) => cell.textContent)", &[]);
    // The look-up of whose key it is, too, was answered.
    assert_eq!((&table[0], &table[2], &table[3]), (&json!("2"), &json!("1"), &json!("0")), "{table}");
    assert!(table[4].as_str().unwrap().ends_with(" ms"), "{table}");
    assert!(page.shown("#consumo-lista").contains("(ipva)"));
    page.click(".chamada:last-child button");
    page.wait_for("!document.getElementById('calcular').hidden");
    assert_eq!(page.payload(), payload);
    page.calculate();
    assert_eq!(page.answer()["tributo"], "ipva");
    page.assert_clean("consumption");
}
