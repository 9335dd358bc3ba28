//! What an accountant asks of the built-in rules over time: what changed, what ends, how a rate developed, and what the
//! law ends with 2026.

use serde_json::json;
use taxd::base::value::{Date, Timestamp};

use super::effort::Task;
use super::page::Page;
use super::support::DataDir;

/// The first and the last day of the month before this one.
fn last_month() -> [Date; 2] {
    let this = Timestamp::now().day().to_string();
    let (year, month): (u32, u32) = (this[..4].parse().unwrap(), this[5..7].parse().unwrap());
    let (year, month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
    let first = Date::parse(&format!("{year}-{month:02}-01")).unwrap();
    let end = Date::parse(&format!("{}-01", &this[..7])).ok();
    let last = (0..31).map(|days| first.plus_days(days)).find(|day| day.next_day() == end).unwrap();
    [first, last]
}

/// "Este ano" after UF and Tributo showed the changes of all States and taxes: the quick choices forgot the other filters,
/// also those that were chosen and not yet asked for.
#[test]
fn the_quick_choices_of_a_window_keep_the_other_filters() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#mudancas", ".instalacao");
    page.choose("#mudancas-uf", "MG");
    page.choose("#mudancas-tributo", "icms_st");
    for (navigation, from) in [("Passam a valer", "vale_de"), ("Publicadas", "desde")] {
        let links = format!("nav[aria-label='{navigation}'] a");
        let count =
            page.run(&format!("return document.querySelectorAll({}).length", json!(links)), &[]).as_u64().unwrap();
        assert!(count >= 3, "{count}");
        for place in 1..=count {
            page.click(&format!("{links}:nth-child({place})"));
            page.wait_for(&format!("location.hash.includes('{from}=') && !document.querySelector('[aria-busy]')"));
            let address = page.text("location.hash");
            assert!(
                address.contains("uf=MG") && address.contains("tributo=icms_st"),
                "{navigation} {place}: {address}"
            );
            assert_eq!(page.text("document.getElementById('mudancas-uf').value"), "MG");
            assert_eq!(page.text("document.getElementById('mudancas-tributo').value"), "icms_st");
        }
    }
    // The last choice names its own window alone, and an emptied filter is forgotten.
    assert!(!page.text("location.hash").contains("vale_de"), "{}", page.text("location.hash"));
    page.choose("#mudancas-tributo", "");
    page.click("nav[aria-label='Passam a valer'] a:nth-child(1)");
    page.wait_for("location.hash.includes('vale_de=') && !document.querySelector('[aria-busy]')");
    assert!(!page.text("location.hash").contains("tributo"), "{}", page.text("location.hash"));
    page.assert_clean("quick choices");
}

/// Last month had been empty on a fresh installation: all rules had been published on its day.
#[test]
fn what_changed_last_month_is_one_click_by_the_day_of_effect_also_of_installed_rules() {
    let Some((server, page)) = Page::served() else { return };
    let [first, last] = last_month();
    page.begin();
    page.open_part("calendario", "mudancas");
    page.wait_for("document.querySelector('.instalacao')");
    assert!(page.shown("#mudancas-lista").contains("Nada foi publicado além da instalação"));
    page.click("nav[aria-label='Passam a valer'] a:nth-child(1)");
    page.wait_for(&format!(
        "location.hash === '#mudancas?vale_de={first}&vale_ate={last}' && !document.querySelector('[aria-busy]') && !document.querySelector('.instalacao')"
    ));
    page.done(&Task("17", "O que mudou no mês passado", 0));
    let told = page.shown("#mudancas-lista .contagem");
    assert!(told.contains(&format!("a valer de {} a {}", first.dmy(), last.dmy())), "{told}");
    assert_eq!(page.text("document.getElementById('mudancas-vale_de').value"), first.dmy());

    // A month that has changes in the rules of today.
    page.go("#mudancas?vale_de=2026-10-01&vale_ate=2026-10-31", ".mudanca");
    let told = page.shown("#mudancas-lista .contagem");
    let counted =
        server.get_own("/sandbox/v1/mudancas?vale_de=2026-10-01&vale_ate=2026-10-31").json()["resumo"].clone();
    let wanted = format!("{} regras passam a valer de 01/10/2026 a 31/10/2026: ICMS-ST", counted["regras"]);
    assert!(told.starts_with(&wanted) && told.ends_with('.') && !told.contains("retroativa"), "{told}");
    // 173 cards of one act were once 11,200 pixels.
    let group = page.shown(".grupo-de-mudancas");
    for part in
        [" mercadorias deixam a ST em SP", "deixa a ST", "Autopeças", "Portaria SRE 34/2026", "desde 01/10/2026"]
    {
        assert!(group.contains(part), "{part}: {group}");
    }
    assert!(!group.contains("vale desde 01/10/2026 ·"), "the rules are folded: {group}");
    page.click(".grupo-de-mudancas summary");
    let change = page.shown(".mudanca");
    for part in ["deixa a ST", "ICMS-ST", "SP", "vale desde 01/10/2026", "Portaria SRE 34/2026"] {
        assert!(change.contains(part), "{part}: {change}");
    }
    page.run("const make = URL.createObjectURL; URL.createObjectURL = (file) => { window.taken = file; return make.call(URL, file); }", &[]);
    page.click("#mudancas-lista .botoes button:last-child");
    page.wait_for("window.taken?.size > 10000");
    assert!(!page.shown("#mudancas-lista").contains("Recalcule"), "nothing was calculated before the installation");
    assert!(page.shown("#mudancas-lista h3").contains("Da instalação"), "{}", page.shown("#mudancas-lista h3"));

    page.go("#mudancas?vale_de=2026-01-01&vale_ate=2026-01-31&tributo=ipva&uf=PR", ".antes-e-depois");
    let first = page.shown(".antes-e-depois li").replace('\u{a0}', " ");
    assert_eq!(first, "Alíquota da categoria: 3,50 % → 1,90 % a partir de 01/01/2026", "the rate comes first");
    let told = page.shown("#mudancas-lista").replace('\u{a0}', " ");
    for part in ["3,50 % → 1,90 % a partir de 01/01/2026", "depois de ipva-pr-automovel-v1.0", "Lei 22.645/2025"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains('_') && !told.contains("2025-12-09"), "words and dates as people write them: {told}");
    // A word of a rule was once made into one of people by its letters.
    let of_ipva = server.get_own("/sandbox/v1/mudancas?vale_de=2026-01-01&vale_ate=2026-01-31&tributo=ipva").text();
    assert!(of_ipva.contains("\"depois\":\"Potência em cv\"") && !of_ipva.contains("potencia_cv"), "{of_ipva}");
    page.assert_clean("what changed last month");
}

#[test]
fn what_ends_with_2026_is_counted_by_what_follows_and_the_law_that_ends_a_tax_is_named() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#calendario?desde=2026-12-01&dias=ano", "#calendario-resumo li");
    let told = page.shown("#calendario-resumo");
    let calendar = server.get_own("/sandbox/v1/calendario?desde=2026-12-01&dias=31").json();
    let day = calendar["dias"].as_array().unwrap().iter().find(|day| day["data"] == "2027-01-01").unwrap();
    let count = |name: &str| day[name].as_u64().unwrap();
    let written = |count: u64| match count {
        0..1_000 => count.to_string(),
        _ => format!("{}.{:03}", count / 1_000, count % 1_000),
    };
    let integer = |name: &str| written(count(name));
    // The three parts are disjoint: rules with a new version that has no figure were once counted among both.
    let answered = count("terminam") - count("extintas") - count("sem_resposta");
    for part in [
        format!("Em 01/01/2027 terminam {} regras (último dia 31/12/2026)", integer("terminam")),
        format!("{} com resposta por outra regra", written(answered)),
        format!("{} por extinção do tributo", integer("extintas")),
        "A lei extingue COFINS e PIS nesse dia.".to_owned(),
    ] {
        assert!(told.contains(&part), "{part}: {told}");
    }
    let lost = told.split("Sem resposta fica").nth(1).unwrap_or_default();
    assert!(!lost.contains("PIS"), "an extinct tax needs no answer: {told}");

    page.go("#calendario?desde=2026-12-01&dias=ano&tributo=pis", ".grupo");
    page.begin();
    let group = page.shown(".grupo summary");
    assert!(["PIS", "todo o país", "tributo extinto"].iter().all(|part| group.contains(part)), "{group}");
    assert!(!group.contains("será recusado"), "{group}");
    page.click(".grupo summary");
    page.wait_for("document.querySelector('.grupo li')");
    page.done(&Task("18", "Quando uma regra termina", 0));
    let opened = page.shown(".grupo");
    for part in ["extinto desde 01/01/2027", "se sujeita à CBS", "LC nº 214/2025, art. 542"] {
        assert!(opened.contains(part), "{part}: {opened}");
    }
    page.assert_clean("what ends with 2026");
}

/// A calculation of 2027 had read as a missing figure and asked for a revision of the rule.
#[test]
fn pis_of_january_2027_is_extinct_and_the_cbs_is_named_in_its_place() {
    let Some((_server, page)) = Page::served() else { return };
    for tributo in ["pis", "cofins"] {
        page.example(tributo);
        page.fill("#campo-data_operacao", "15/01/2027");
        page.calculate();
        let told = page.shown("#resposta");
        for part in [
            "O tributo está extinto nesta data",
            "desde 01/01/2027",
            "se sujeita à CBS",
            "calcule o que veio em seu lugar",
            "LC nº 214/2025, art. 542",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        for wrong in ["não está estabelecid", "revisão da regra", "R$\u{a0}0,00"] {
            assert!(!told.contains(wrong), "{wrong}: {told}");
        }
        assert_eq!(page.answer()["codigo"], "tributo_extinto");
    }
    page.go("#cobertura?vigente_em=2027-01-01", "#cobertura-lista table");
    let row = "[...document.querySelectorAll('#cobertura-lista tbody')[1].rows].find((row) => row.cells[0].innerText === 'PIS')";
    assert_eq!(page.text(&format!("{row}.cells[1].innerText")), "∅ extinto");
    page.assert_clean("pis of 2027");
}

/// The contract's payload has no rule after 2026. The page asks for the law of the day by itself, and asks nobody.
#[test]
fn the_form_asks_for_the_law_of_its_day_also_in_a_link_and_a_comparison() {
    let Some((_server, page)) = Page::served() else { return };
    page.example("ibs");
    let hidden = page.run("return document.getElementById('campo-transicao').closest('.campo').hidden", &[]);
    assert_eq!(hidden, json!(true));
    assert_eq!(page.payload().get("transicao"), None);
    page.fill("#campo-data_operacao", "15/01/2027");
    assert_eq!(page.payload()["transicao"], true);
    page.calculate();
    // 1000.00 - 180.00, because PIS and COFINS are extinct: 0.41 for the State and as much for the municipality.
    assert_eq!(page.answer()["valor"], "0.82");
    assert_eq!(page.payload()["valor_pis"], "0", "nobody is asked for it");
    page.fill("#campo-data_operacao", "15/12/2026");
    assert_eq!(page.payload().get("transicao"), None, "the day decides, each time");
    // A link that was saved before the field was there.
    page.visit(&page.text("location.hash").replace("&transicao=true", ""));
    assert_eq!(page.payload()["transicao"], true);
    page.assert_clean("the law of the day");
}

#[test]
fn the_history_of_a_built_in_rate_shows_its_steps_and_since_when() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#regras?rule_code=ipva-pr-automovel", ".degraus");
    let drawn =
        page.run("return [...document.querySelectorAll('.degraus .figura')].map((text) => text.firstChild.data)", &[]);
    assert_eq!(drawn, json!(["3,50 %", "1,90 %"]));
    let table = page.shown(".historico table").replace('\u{a0}', " ");
    for part in ["3,50 %", "de 01/01/2022 a 31/12/2025", "1,90 %", "desde 01/01/2026, sem data de término"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    page.assert_clean("the history of a built-in rate");
}

/// "◐ 8 de 8" had been the sign of "in part" beside the words of "all".
#[test]
fn the_sign_and_the_words_of_a_cell_agree_and_are_explained() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#cobertura", "#cobertura-lista table");
    let cells = page.run(
        "return [...document.querySelectorAll('#cobertura-lista tbody')[0].querySelectorAll('td')].map((cell) => cell.innerText)",
        &[],
    );
    let cells: Vec<&str> = cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
    let partly: Vec<&str> = cells.iter().filter_map(|cell| cell.strip_prefix("◐ ")).collect();
    for text in &partly {
        let all_in_part = text.ends_with("em parte");
        let some = text.split_once(" de ").is_some_and(|(answered, whole)| answered != whole && answered != "0");
        assert!(all_in_part != some, "{text}");
        // "Todas, 3 em parte" said of all what held for three.
        assert!(!text.starts_with("tod") || !text.contains(','), "{text}");
    }
    assert!(partly.iter().any(|text| text.ends_with("em parte")), "{partly:?}");
    assert!(cells.iter().filter(|cell| cell.starts_with('✓')).all(|cell| *cell == "✓ responde"), "{cells:?}");
    let legend = page.shown("#cobertura .legenda");
    for part in ["✓ responde", "◐ em parte", "✕ recusa", "∅ extinto", "– sem regra", "“5 de 8”", "“8; 3 em parte”"]
    {
        assert!(legend.contains(part), "{part}: {legend}");
    }
    page.assert_clean("the signs of the coverage");
}

/// A call of an operation had no way back into the form.
#[test]
fn an_operation_of_the_consumption_is_opened_again() {
    let server = DataDir::served();
    let facts = server.get("/sandbox/operacao.json", &[]).json()["exemplo"].clone();
    assert_eq!(server.post("/sandbox/v1/operacao", facts.to_string()).status, 200);
    let Some(page) = Page::with_key(&server) else { return };
    page.go("#consumo", ".chamada");
    let call = "[...document.querySelectorAll('.chamada')].find((call) => call.innerText.includes('Operação'))";
    assert!(!page.text(&format!("{call}.innerText")).contains("/sandbox/"), "the path is the developers'");
    page.run(&format!("{call}.querySelector('button').click()"), &[]);
    page.wait_for("location.hash.startsWith('#operacao?') && document.getElementById('operacao-enviar')");
    let opened = page.run("return Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]))", &[]);
    let wanted: serde_json::Map<String, serde_json::Value> = facts
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| {
            (name.clone(), value.as_str().map_or_else(|| json!(value.to_string()), |text| json!(text)))
        })
        .collect();
    assert_eq!(opened, json!(wanted));
    page.calculate_operation();
    assert!(page.shown("#operacao-resposta").contains("A destacar"), "{}", page.shown("#operacao-resposta"));
    page.assert_clean("an operation opened again");
}
