//! Every part in both themes, on a phone and on a desk: nothing beyond the window, nothing that
//! axe-core finds serious.

use serde_json::{Value, json};

use super::driver::missing;
use super::page::Page;
use super::support::with;
use super::{documents, operation_faults};

const SIZES: [(u32, u32); 3] = [(320, 640), (360, 740), (1280, 900)];

/// The script of axe-core, where it is installed.
fn axe() -> Option<String> {
    let found = std::env::var_os("AXE_JS").and_then(|path| std::fs::read_to_string(path).ok());
    if found.is_none() {
        missing("axe-core (AXE_JS)");
    }
    found
}

/// What axe-core finds that is serious or critical: in the dark only by its rules on colours, since all else is as in
/// the light.
#[track_caller]
fn assert_accessible(page: &Page, axe: Option<&str>, theme: &str, place: &str) {
    let Some(axe) = axe else { return };
    if page.run("return typeof axe", &[]) != "object" {
        page.run(axe, &[]);
    }
    let rules = if theme == "dark" {
        json!({"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}})
    } else {
        json!({})
    };
    let found = page.run_later_with(
        "const [rules, done] = arguments; axe.run({ ...rules, resultTypes: ['violations'] }).then((r) => done(r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => [v.id, v.help, v.nodes.map((n) => n.html)])), (e) => done([String(e)]))",
        &[rules],
    );
    assert_eq!(found, json!([]), "{place}: {found:#}");
}

/// Answers and a refusal of Calcular.
fn calculations(page: &Page, key: &str, check: &dyn Fn(&str)) {
    page.go("#calcular", "#calcular:not([hidden])");
    page.give_key(key);
    for tributo in ["icms_st", "iptu", "cbs"] {
        page.example(tributo);
        page.calculate();
        check(&format!("an answer of {tributo}"));
    }
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })", &[]);
    check("all that an answer holds");
    page.click("#limpar");
    page.calculate();
    check("a refusal");
    page.visit("#calcular?tributo=itbi&uf=MG&municipio=Uberaba&valor_transacao=1000.00&data=2026-03-10");
    page.give_key(key);
    page.calculate();
    page.click("#resposta section[aria-label='Tenho a lei'] button");
    page.wait_for("document.querySelector('form.lei')");
    page.run("document.querySelectorAll('form.lei details').forEach((one) => { one.open = true; })", &[]);
    page.click("form.lei button[type='submit']");
    page.wait_for("document.querySelector('form.lei .falha:not([hidden])')");
    check("the form of a rule, with its faults");
}

/// Candidates, codes, and two operations side by side.
fn codes_and_operations(page: &Page, key: &str, check: &dyn Fn(&str)) {
    page.visit(
        "#calcular?tributo=icms_st&uf_origem=SP&uf_destino=SP&ncm=17049010&valor_produto=1.00&data_operacao=2026-06-10",
    );
    page.give_key(key);
    page.calculate();
    check("candidates");
    page.fill("#campo-cest", "chocolate");
    page.wait_for("!document.getElementById('campo-cest-codigos').hidden");
    check("codes found in a field");
    page.go("#codigos?tabela=servico&q=transporte", "#codigos .ficha");
    check("codes");
    page.go("#operacao", "#operacao-exemplo");
    page.click("#operacao-exemplo");
    page.calculate_operation();
    page.click("#operacao-comparar");
    page.fill("#operacao-data_operacao", "15/01/2027");
    page.calculate_operation();
    page.run("document.querySelectorAll('#operacao details').forEach((one) => { one.open = true; })", &[]);
    check("an operation beside another");
    page.operation(&with(
        &operation_faults::bare(),
        &json!({"destinatario_contribuinte": false, "contribuinte_ipi": true}),
    ));
    page.calculate_operation();
    page.run("document.querySelectorAll('#operacao details').forEach((one) => { one.open = true; })", &[]);
    check("an operation that lacks data, to a consumer elsewhere");
}

/// Rules, their changes, and what lies ahead.
fn rules(page: &Page, check: &dyn Fn(&str)) {
    page.go("#regras?tributo=iss&uf=SP", ".ficha");
    page.run("document.querySelectorAll('.ficha details').forEach((one) => { one.open = true; })", &[]);
    check("rules");
    page.go("#regras?rule_code=icms-st-am-0600101-pauta", ".linha-do-tempo");
    check("a timeline");
    page.go("#regras?rule_code=icms-sp-geral", ".degraus");
    check("a rate's history");
    page.go("#mudancas", ".mudanca");
    check("changes");
    page.go("#calendario?desde=2026-11-22", ".grupo");
    page.click(".grupo summary");
    page.wait_for("document.querySelector('.grupo li')");
    check("the calendar");
    page.go("#cobertura?tributo=iss&municipios=SP", ".municipios");
    check("coverage");
    page.go("#tratamento?ncm=10063021&data=2026-03-10&uf_origem=MG&uf_destino=SP", "#tratamento .ficha");
    page.run("document.querySelectorAll('#tratamento details').forEach((one) => { one.open = true; })", &[]);
    check("the treatment of a product");
}

/// A list and documents.
fn files(page: &Page, check: &dyn Fn(&str)) {
    page.go("#lista?tributo=icms", "#lista-colar");
    let rows =
        "UF de origem\tUF de destino\tQuanto\tData da operação\nSP\tSP\t100,00\t10/03/2026\nSP\tXX\t7\t10/03/2026";
    page.run("document.getElementById('lista-colar').value = arguments[0]", &[json!(rows)]);
    page.click("#lista-ler");
    page.wait_for("document.getElementById('lista-faltam')");
    check("the columns of a list");
    page.choose("#lista-coluna-2", "valor_produto");
    page.click("#lista-calcular");
    page.wait_for("document.querySelector('.linhas-da-lista')");
    check("a list with its results");
    documents::check_seeds(page);
    page.run("document.querySelectorAll('#documentos details').forEach((one) => { one.open = true; })", &[]);
    page.wait_for("document.querySelector('.achados .regra')");
    check("a report on documents");
}

/// The start, without clients and with one of three, and the form of clients.
fn start(page: &Page, key: &str, check: &dyn Fn(&str)) {
    page.visit_start();
    check("the start without a key");
    page.give_key(key);
    page.wait_for("document.querySelector('#inicio-termina li') && document.querySelector('#inicio-prazos li')");
    check("the start without clients");
    page.run("localStorage.setItem('taxd-empresas', JSON.stringify([{ cnpj: '11222333000181', nome: 'Padaria Exemplo e Filhos Limitada', uf: 'SP', regime: 'simples_nacional' }, { cnpj: '99888777', nome: 'Fábrica', uf: 'MG', regime_especial: [{}], simples_nacional: [{}] }, {}]))", &[]);
    page.visit("#clientes");
    page.give_key(key);
    page.run("document.querySelectorAll('#clientes details').forEach((one) => { one.open = true; })", &[]);
    page.wait_for("document.getElementById('empresa-1-regime_especial-0-desde')");
    check("clients");
    page.run("localStorage.setItem('taxd-cliente', 'Fábrica')", &[]);
    page.visit_start();
    page.give_key(key);
    page.wait_for("document.querySelector('#inicio-termina li')");
    check("the start of a client");
    if page.run("return document.getElementById('menu-abrir').offsetParent !== null", &[]) == true {
        page.click("#menu-abrir");
        check("the menu");
    }
    page.run("localStorage.clear()", &[]);
}

fn through_every_part(theme: &str) {
    let Some((server, page)) = Page::served_without_key() else { return };
    let axe = axe();
    page.devtools(
        "Emulation.setEmulatedMedia",
        &json!({"features": [{"name": "prefers-color-scheme", "value": theme}]}),
    );
    for (width, height) in SIZES {
        page.sized(width, height);
        page.visit("");
        let check = |place: &str| {
            let place = format!("{place}, {theme}, {width} pixels");
            page.assert_clean(&place);
            assert_accessible(&page, axe.as_deref(), theme, &place);
        };
        for part in [
            "calcular",
            "operacao",
            "lista",
            "documentos",
            "regras",
            "codigos",
            "cobertura",
            "calendario",
            "mudancas",
            "consumo",
            "clientes",
        ] {
            page.go(&format!("#{part}"), &format!("#{part}:not([hidden]) .cartao"));
            check(&format!("{part} without a key"));
        }
        calculations(&page, &server.key, &check);
        codes_and_operations(&page, &server.key, &check);
        rules(&page, &check);
        files(&page, &check);
        page.go("#consumo", ".grafico svg");
        check("consumption");
        start(&page, &server.key, &check);
    }
    let background: Value = page.run("return getComputedStyle(document.body).backgroundColor", &[]);
    let levels: Vec<u32> =
        background.as_str().unwrap().split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    assert_eq!(levels[0] < 128, theme == "dark", "{background}");
}

#[test]
fn every_part_looks_right_in_the_light() {
    through_every_part("light");
}

#[test]
fn every_part_looks_right_in_the_dark() {
    through_every_part("dark");
}

/// What prints from a dark screen: the sign in the corner was once dark green on black.
#[test]
fn paper_takes_no_colour_of_a_dark_screen() {
    let Some((_server, page)) = Page::served_without_key() else { return };
    let colours = "const style = (css) => getComputedStyle(document.querySelector(css)); return [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.selectorText === ':root').flatMap((rule) => [...rule.style]).filter((name) => name.startsWith('--')).concat(style('.marca path').stroke).map((name) => style(':root').getPropertyValue(name) || name)";
    let under = |theme: &str| {
        page.devtools(
            "Emulation.setEmulatedMedia",
            &json!({"media": "print", "features": [{"name": "prefers-color-scheme", "value": theme}]}),
        );
        page.run(colours, &[])
    };
    assert_eq!(under("dark"), under("light"));
}
