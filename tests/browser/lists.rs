//! The parts Regras and Consumo, and a retroactive change.

use serde_json::{Value, json};

use super::effort::Task;
use super::page::Page;
use super::support::{DataDir, OwnRules, rule, with};

fn count(page: &Page, css: &str) -> usize {
    let found = page.run("return document.querySelectorAll(arguments[0]).length", &[json!(css)]);
    usize::try_from(found.as_u64().unwrap()).unwrap()
}

#[test]
fn rules_are_found_paged_and_calculated_on() {
    let Some((server, page)) = Page::served() else { return };
    page.open_part("tratamento", "regras");
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
fn a_rule_is_read_in_the_figures_of_the_country_and_a_bad_filter_says_what_to_correct() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#regras?rule_id=icms-sp-geral-v1.0", ".ficha");
    page.click(".ficha summary");
    assert!(page.shown(".ficha details").contains("18,00 %"), "{}", page.shown(".ficha details"));
    // "Vigência: desde 01/01/2022" of a law of 1989 read as if the law began then.
    let validity = page.shown(".ficha .pares");
    assert!(validity.contains("O taxd responde\ndesde 01/01/2022") && !validity.contains("Vigência"), "{validity}");
    assert!(page.shown("#regras-lista").contains("a lei pode ser mais antiga"));

    // Members of a rule had names that the page made of those of the contract.
    page.go("#regras?tributo=cbs&ncm=30049099", ".ficha summary");
    page.click(".ficha summary");
    let details = page.shown(".ficha details");
    for label in ["Hipóteses da lei", "Percentual de redução da alíquota\n", "Anexo e item da lei", "A que se aplica"]
    {
        assert!(details.contains(label), "{label}: {details}");
    }
    page.go("#regras?tributo=icms_consumidor_final", ".ficha");
    let rules = page.shown("#regras-lista");
    assert!(rules.contains("Interestadual, a não contribuinte") && !rules.contains('_'), "{rules}");

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
    let Some((_server, page)) = Page::served() else { return };
    for id in [
        "icms-st-sp-1705300-v1.0",
        "icms-sp-geral-v1.0",
        "ipva-sp-automovel-v1.0",
        "itcmd-sp-doacao-v1.6",
        "iss-sp-sao-paulo-1.01-v1.1",
        "iptu-sp-sao-paulo-residencial-v1.4",
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
fn a_retroactive_replacement_says_what_to_do() {
    let conteudo = |rate: &str| json!({"aliquota": rate});
    let first = rule("icms-ac-geral", "icms", &json!({"uf": "AC"}), &conteudo("17.00"));
    let own = OwnRules::of(std::slice::from_ref(&first));
    let mut later = first.clone();
    (later["versao"], later["conteudo"]) = (json!("1.1"), conteudo("18.00"));
    later["vigente_de"] = json!("2019-01-01");
    own.publish(std::slice::from_ref(&later));
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.go("#mudancas", ".mudanca");
    let told = page.shown(".mudanca.retroativa");
    for wanted in ["retroativa", "Recalcule", "01/01/2019", "icms-ac-geral-v1.1"] {
        assert!(told.contains(wanted), "{told}");
    }
    page.fill("#mudancas-desde", "31/12/2090");
    page.click("#mudancas-filtros button");
    page.wait_for("location.hash === '#mudancas?desde=2090-12-31' && !document.querySelector('.mudanca')");
    page.go("#regras?rule_code=icms-ac-geral", ".linha-do-tempo circle.versao");
    page.assert_clean("changes");
}

/// The timeline had shown no rate.
#[test]
fn the_history_of_a_rate_is_a_line_of_steps_with_its_values_and_a_table() {
    let of = |versao: &str, de: &str, rate: &str| {
        let soap = rule("sabao-ac", "icms", &json!({"uf": "AC", "ncm": "3401"}), &json!({"aliquota": rate}));
        with(&soap, &json!({"versao": versao, "vigente_de": de}))
    };
    let own = OwnRules::of(&[
        of("1.0", "2020-01-01", "17.00"),
        of("1.1", "2022-01-01", "18.00"),
        of("1.2", "2024-03-13", "19.50"),
    ]);
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.go("#regras?rule_code=sabao-ac", ".degraus");
    let drawn =
        page.run("return [...document.querySelectorAll('.degraus .figura')].map((text) => text.firstChild.data)", &[]);
    assert_eq!(drawn, json!(["17,00 %", "18,00 %", "19,50 %"]));
    let said = page.text("document.querySelector('.degraus').getAttribute('aria-label')");
    assert!(said.contains("18,00 % de 01/01/2022 a 12/03/2024"), "{said}");
    let table = page.shown(".historico table");
    assert!(table.contains("versão 1.2") && table.contains("desde 13/03/2024, sem data de término"), "{table}");
    page.assert_clean("the history of a rate");
}

#[test]
fn the_rules_of_an_ncm_typed_with_points_and_those_of_a_law_by_its_number_are_found() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#regras", ".ficha");
    page.begin();
    page.fill("#regras-ncm", "2202.10.00");
    page.click("#regras-filtros button[type=submit]");
    page.wait_for("location.hash === '#regras?ncm=22021000' && document.querySelector('.ficha') && !document.querySelector('[aria-busy]')");
    assert_eq!(count(&page, ".ficha"), server.regras("ncm=22021000&limit=25").len());
    page.done(&Task("19", "As regras de um NCM", 1));

    page.go("#regras", ".ficha");
    page.fill("#regras-q", "LC 224/2025");
    page.click("#regras-filtros button[type=submit]");
    page.wait_for(
        "location.hash.includes('q=') && document.querySelector('.ficha') && !document.querySelector('[aria-busy]')",
    );
    let cited = page.run("return [...document.querySelectorAll('.ficha .citacao')].map((text) => text.innerText)", &[]);
    let cited = cited.as_array().unwrap();
    assert!(!cited.is_empty() && cited.iter().all(|text| text.as_str().unwrap().contains("224/2025")), "{cited:?}");
    page.done(&Task("20", "As regras de uma lei pelo número", 1));
    page.assert_clean("rules of a law");
}

/// General rules once came first, without their rate, and nothing said how many there were.
#[test]
fn the_rules_of_a_product_come_first_with_their_figure_and_are_counted() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#regras?ncm=22030000&uf=SP", ".ficha");
    let total = server.regras("ncm=22030000&uf=SP&limit=500").len();
    let pages = total.div_ceil(25);
    assert_eq!(page.shown("#regras .contagem"), format!("{total} regras; página 1 de {pages}."));
    assert!(page.shown(".ficha").contains("2203"), "{}", page.shown(".ficha"));
    assert!(page.shown(".ficha .figuras-da-regra").contains('%'), "{}", page.shown(".ficha"));
    // The last page has the rules of all products, below a heading that says so.
    page.go(&format!("#regras?ncm=22030000&uf=SP&pagina={pages}"), ".gerais");
    assert_eq!(page.shown(".gerais"), "Regras gerais, que valem na falta de regra do produto");
    assert_eq!(count(&page, ".paginas [rel=next]"), 0);
    page.click(".paginas [rel=prev]");
    page.wait_for(&format!(
        "document.querySelector('#regras .contagem').innerText.includes('página {} de')",
        pages - 1
    ));
    page.assert_clean("the rules of a product");
}

#[test]
fn consumption_is_shown_and_a_recent_call_is_opened_again() {
    let server = DataDir::served();
    let payload = json!({"tributo": "ipva", "uf": "SP", "categoria_veiculo": "taxi", "valor_venal": "85000.00", "data_fato_gerador": "2026-01-01"});
    server.calculate(&payload).envelope();
    server.calculate(&json!({"tributo": "icms"})).problem(422, "campo_obrigatorio");
    let Some(page) = Page::with_key(&server) else { return };
    page.open_part("clientes", "consumo");
    page.wait_for("document.querySelectorAll('.grafico svg').length === 1");
    assert!(!page.shown("#consumo-lista").contains(" ms"), "{}", page.shown("#consumo-lista"));
    page.click("#tecnico");
    page.wait_for("document.querySelectorAll('.grafico svg').length === 2");
    let table: Value =
        page.run("return [...document.querySelectorAll('.grafico td')].map((cell) => cell.textContent)", &[]);
    // What the page asked before is answered and counted, too: of the start, if that came before the figures here.
    let before =
        "const asked = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/sandbox/v1/'));
        const shown = asked.find(({ name }) => name.endsWith('/v1/usage'));
        return asked.filter((one) => one.responseStatus === 200 && one.responseEnd < shown.startTime).length";
    let asked = page.run(before, &[]).as_u64().unwrap();
    let answered = json!((1 + asked).to_string());
    assert_eq!((&table[0], &table[2], &table[3]), (&answered, &json!("1"), &json!("0")), "{table}");
    assert!(table[4].as_str().unwrap().ends_with(" ms"), "{table}");
    assert!(page.shown(".chamada:last-child").contains("Cálculo de IPVA"), "{}", page.shown(".chamada:last-child"));
    page.click(".chamada:last-child button");
    page.wait_for("!document.getElementById('calcular').hidden");
    assert_eq!(page.payload(), payload);
    page.calculate();
    assert_eq!(page.answer()["tributo"], "ipva");
    page.assert_clean("consumption");
}
