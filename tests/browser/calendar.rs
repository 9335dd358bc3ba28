//! The parts Calendário and Mudanças, and the banner: what ends, and what changed.

use serde_json::{Value, json};
use taxd::base::value::{Date, Timestamp};

use super::page::Page;
use super::support::{OwnRules, rule, with};

fn today() -> Date {
    Timestamp::now().day()
}

fn year() -> u32 {
    today().to_string()[..4].parse().unwrap()
}

/// Beer of SP until that day, and nothing after it.
fn ending(day: &str) -> Value {
    let beer = rule("cerveja-sp", "icms", &json!({"uf": "SP", "ncm": "2203"}), &json!({"aliquota": "25.00"}));
    with(&beer, &json!({"vigente_ate": day}))
}

#[test]
fn what_ends_this_year_is_said_first_and_each_group_leads_to_its_rules() {
    let new_year = format!("{}-01-01", year() + 1);
    let ipva = rule("ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let own = OwnRules::of(&[ending(&new_year), ipva.clone()]);
    own.publish(&[with(&ipva, &json!({"versao": "1.1", "vigente_de": new_year, "conteudo": {"aliquota": "2.50"}}))]);
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.click("nav a[href='#calendario']");
    page.wait_for("document.querySelector('#calendario-filtros select')");
    page.choose("#calendario-dias", "ano");
    page.click("#calendario-filtros button");
    page.wait_for("location.hash === '#calendario?dias=ano' && document.querySelector('#calendario-resumo li') && !document.querySelector('[aria-busy]')");
    let told = page.shown("#calendario-resumo");
    let last = format!("31/12/{}", year());
    for part in [
        &format!("Em 01/01/{} terminam 2 regras", year() + 1),
        &last,
        "1 com resposta por outra regra, 1 sem resposta depois.",
        "Sem resposta fica o que nada substitui",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }

    page.choose("#calendario-tipo", "sem_sucessora");
    page.click("#calendario-filtros button");
    page.wait_for("location.hash.includes('tipo=sem_sucessora') && document.querySelectorAll('.grupo').length === 1");
    let group = page.shown(".grupo summary");
    assert!(["ICMS", "SP", "termina sem sucessora", "1 regra"].iter().all(|part| group.contains(part)), "{group}");
    page.click(".grupo summary");
    page.wait_for("document.querySelector('.grupo li')");
    assert!(page.shown(".grupo li").contains("NCM 2203"), "{}", page.shown(".grupo li"));
    page.click(".grupo li a");
    page.wait_for("document.querySelector('.ficha') && location.hash === '#regras?rule_id=cerveja-sp-v1.0'");
    page.run("history.back()", &[]);
    page.wait_for("!document.getElementById('calendario').hidden && document.querySelectorAll('.grupo').length === 1");
    page.assert_clean("the calendar");
}

#[test]
fn the_calendar_is_downloaded_for_a_diary_and_for_a_spreadsheet() {
    let own = OwnRules::of(&[ending("2098-07-01")]);
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.go("#calendario?desde=2098-06-01&tributo=icms", "#calendario-resumo button");
    page.run("const make = URL.createObjectURL; URL.createObjectURL = (file) => { window.taken = file; return make.call(URL, file); }", &[]);
    let taken = |number: usize| {
        page.run("window.taken = undefined", &[]);
        page.click(&format!("#calendario-resumo button:nth-of-type({number})"));
        page.wait_for("window.taken");
        page.run_later("window.taken.text().then(arguments[0])").as_str().unwrap().to_owned()
    };
    let ics = taken(1);
    assert!(ics.starts_with("BEGIN:VCALENDAR") && ics.contains("DTSTART;VALUE=DATE:20980701"), "{ics}");
    let csv = taken(2);
    assert!(csv.contains("01/07/2098;termina sem sucessora;ICMS;SP;"), "{csv}");
    assert!(!page.text("location.href").contains("svc_"), "the key goes into no address");
    page.assert_clean("downloads");
}

/// The accountant's dates are beside the rules, as duties, and substitution is counted by segment.
#[test]
fn dates_of_duties_and_segments_of_substitution_are_read_on_the_page() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#calendario?desde=2026-12-01&dias=30&tributo=cbs", "#calendario-prazos li");
    let told = page.shown("#calendario-prazos");
    for part in [
        "São deveres, não regras",
        "15/12/2026",
        "31/12/2026",
        "Inventário do estoque de abertura",
        "LC nº 214/2025, art. 381",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!page.shown("#calendario-resumo").contains("Inventário"), "the summary counts rules alone");
    page.choose("#calendario-tipo", "prazo");
    page.click("#calendario-filtros button");
    page.wait_for("location.hash.includes('tipo=prazo') && !document.querySelector('.grupo') && document.querySelectorAll('#calendario-prazos li').length === 3");
    page.go("#cobertura", "#cobertura-segmentos td");
    let told = page.shown("#cobertura-segmentos");
    assert!(told.contains("ICMS-ST por segmento") && told.contains("UF que não aparece"), "{told}");
    let row = page.text("[...document.querySelectorAll('#cobertura-segmentos tbody tr')].find((one) => one.cells[0].innerText === 'Ferramentas').innerText");
    assert!(row.contains("MG") && row.contains("SP"), "{row}");
    page.assert_clean("duties and segments");
}

/// A group of the built-in rules has thousands; they are read in parts.
#[test]
fn a_long_group_is_read_in_parts() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#calendario?desde=2026-11-22&tributo=ipi", ".grupo");
    let reply = server.get_own("/sandbox/v1/calendario?desde=2026-11-22&tributo=ipi").json();
    let total = reply["grupos"][0]["regras"].as_u64().unwrap();
    assert!(total > 400, "{reply}");
    page.click(".grupo summary");
    page.wait_for("document.querySelectorAll('.grupo:first-of-type li').length === 200");
    page.click(".grupo .mais button");
    page.wait_for("document.querySelectorAll('.grupo:first-of-type li').length === 400");
    let ids = page.run(
        "return [...document.querySelectorAll('.grupo:first-of-type li > a:first-child')].map((a) => a.text)",
        &[],
    );
    let ids = ids.as_array().unwrap();
    assert_eq!(ids.len(), ids.iter().map(Value::to_string).collect::<std::collections::BTreeSet<_>>().len());
    page.assert_clean("a long group");
}

#[test]
fn a_banner_says_what_soon_has_no_answer_until_it_is_dismissed_and_returns_with_the_next_change() {
    let own = OwnRules::of(&[ending(&today().plus_days(5).to_string())]);
    let server = own.serve();
    let Some(page) = Page::of(&server) else { return };
    assert_eq!(page.shown("#avisos"), "");
    page.give_key(&server.key);
    page.wait_for("document.querySelector('#avisos .aviso')");
    let told = page.shown("#avisos");
    let wanted =
        format!("Em {} 1 regra termina, e o taxd ainda não tem o que vale depois: ICMS.", today().plus_days(5).dmy());
    assert!(told.contains(&wanted), "{told}");
    page.click("#avisos button");
    page.wait_for("!document.querySelector('#avisos .aviso')");

    let visited_again = || {
        page.visit("");
        page.run("window.asked = 0; const fetched = window.fetch; window.fetch = (...all) => fetched(...all).then((reply) => { if (String(all[0]).includes('calendario')) window.asked += 1; return reply; })", &[]);
        page.give_key(&server.key);
        page.wait_for("window.asked > 0");
    };
    visited_again();
    // A banner would be there by the next frames.
    page.run_later("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))");
    assert_eq!(page.shown("#avisos"), "", "it was dismissed");
    let wine = rule("vinho-sp", "icms", &json!({"uf": "SP", "ncm": "2204"}), &json!({"aliquota": "25.00"}));
    own.publish(&[with(&wine, &json!({"vigente_ate": today().plus_days(6).to_string()}))]);
    visited_again();
    page.wait_for("document.querySelectorAll('#avisos p').length === 2");
    page.click("#avisos a");
    page.wait_for("document.querySelectorAll('.grupo').length === 2");
    page.assert_clean("the banner");
}

#[test]
fn what_changed_in_a_month_is_read_at_one_look_before_and_after_in_words() {
    let soap = rule("sabao-ac", "icms", &json!({"uf": "AC", "ncm": "3401"}), &json!({"aliquota": "18.00"}));
    let ipva = rule("ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let own = OwnRules::of(std::slice::from_ref(&soap));
    let later = with(&soap, &json!({"versao": "1.1", "vigente_de": "2024-03-13", "conteudo": {"aliquota": "19.50"}}));
    own.publish(&[later, with(&ipva, &json!({"vigente_de": "2098-01-01"}))]);
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.open_part("calendario", "mudancas");
    page.wait_for("document.querySelector('.mudanca')");
    page.click("nav[aria-label='Publicadas'] a:nth-child(2)");
    page.wait_for("location.hash.startsWith('#mudancas?desde=') && document.querySelector('.mudanca') && !document.querySelector('[aria-busy]')");
    let told = page.shown("#mudancas-lista");
    for part in [
        "2 publicações, 3 regras: ICMS 2, IPVA 1. 2 são retroativas.",
        "Alíquota da operação: 18,00 % → 19,50 % a partir de 13/03/2024",
        "depois de sabao-ac-v1.0",
        "Recalcule",
        "vale desde 01/01/2098",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    for (filter, wanted) in [
        ("ncm=34011190", vec!["sabao-ac-v1.1", "sabao-ac-v1.0"]),
        ("tipo=substituicao", vec!["sabao-ac-v1.1"]),
        ("tipo=retroativa&vale_de=2024-01-01", vec!["sabao-ac-v1.1"]),
        ("vale_de=2090-01-01&vale_ate=2099-12-31", vec!["ipva-ac-v1.0"]),
        ("tributo=ipva&uf=AC", vec!["ipva-ac-v1.0"]),
    ] {
        page.go(&format!("#mudancas?{filter}"), "#mudancas-lista .contagem");
        let shown = page.run("return [...document.querySelectorAll('.mudanca-topo a')].map((a) => a.text)", &[]);
        assert_eq!(shown, json!(wanted), "{filter}");
    }
    page.click("nav[aria-label='Publicadas'] a:nth-child(1)");
    page.wait_for("document.querySelector('#mudancas-lista').innerText.includes('Nada foi publicado')");
    page.assert_clean("changes of a month");
}

/// An installation had been pages of publications.
#[test]
fn the_installation_of_the_built_in_rules_is_one_line() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#mudancas", ".instalacao");
    let told = page.shown(".instalacao");
    assert!(told.starts_with("Instalação das regras embutidas em ") && told.contains(" pacotes."), "{told}");
    assert_eq!(page.text("document.querySelectorAll('.mudanca').length"), "1");
    page.assert_clean("the installation");
}

#[test]
fn the_pages_of_changes_hang_together() {
    let of = |i: usize| {
        let ncm = (10_000_000 + i).to_string();
        rule(&format!("regra-{i:03}"), "icms", &json!({"uf": "AC", "ncm": ncm}), &json!({"aliquota": "5.00"}))
    };
    let own = OwnRules::of(&(0..520).map(of).collect::<Vec<_>>());
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.go("#mudancas", ".mudanca");
    let begins_at =
        |at: usize| page.wait_for(&format!("document.querySelector('.mudanca a')?.text === 'regra-{at:03}-v1.0'"));
    begins_at(0);
    assert!(
        page.shown("#mudancas-lista h3").contains("250 de 520 regras aqui"),
        "{}",
        page.shown("#mudancas-lista h3")
    );
    page.click(".paginas [rel=next]");
    begins_at(250);
    page.click(".paginas [rel=next]");
    begins_at(500);
    assert_eq!(page.text("document.querySelectorAll('.mudanca').length"), "20");
    assert_eq!(page.text("document.querySelector('.paginas [rel=next]')"), "null");
    page.run("history.back()", &[]);
    begins_at(250);
    page.assert_clean("pages");
}
