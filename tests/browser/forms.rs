//! What a reader sees without scrolling: the button of a form, and the answer.

use serde_json::{Value, json};

use super::effort::Task;
use super::page::{Page, reais};
use super::support::{DataDir, taxd};

impl Page {
    /// Where an element begins and ends, from the top of the window.
    fn span(&self, css: &str) -> (f64, f64) {
        let script =
            "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.top, box.bottom]";
        let span: Value = self.run(script, &[json!(css)]);
        (span[0].as_f64().unwrap(), span[1].as_f64().unwrap())
    }
}

/// The button of ICMS was once at 1,334 pixels of 900, on a phone at 2,109 of 800.
#[test]
fn the_button_of_every_tax_and_its_answer_are_in_the_first_screen() {
    let Some((server, page)) = Page::served_without_key() else { return };
    for (width, height) in [(1280, 900), (360, 800)] {
        page.sized(width, height);
        page.visit("");
        page.give_key(&server.key);
        let taxes = page.run("return [...document.querySelectorAll('#tributo option')].map(({ value }) => value)", &[]);
        for tax in taxes.as_array().unwrap() {
            page.choose("#tributo", tax.as_str().unwrap());
            page.run("scrollTo(0, 0)", &[]);
            let (top, bottom) = page.span("#enviar");
            assert!(top > 0.0 && bottom <= f64::from(height), "{tax}, {width}: {top} to {bottom}");
        }
        page.example("icms");
        page.calculate();
        for css in ["#resposta h3", "#valor", "#resposta .regra .citacao"] {
            let (top, bottom) = page.span(css);
            assert!(top >= 0.0 && bottom <= f64::from(height), "{css}, {width}: {top} to {bottom}");
        }
        if width == 1280 {
            assert_eq!(page.text("scrollY"), "0", "nothing jumps");
            page.run("scrollTo(0, 300)", &[]);
            assert!(page.span("#valor").0 >= 0.0, "the answer stays beside the form");
        }
        page.go("#operacao", "#operacao-enviar");
        assert!(page.span("#operacao-enviar").1 <= f64::from(height), "{width}");
        page.assert_clean("in sight");
    }
}

#[test]
fn a_group_of_other_data_opens_for_what_it_holds_and_what_is_at_fault() {
    let Some((server, page)) = Page::served() else { return };
    let open = || page.text("document.querySelector('#campos details').open");
    page.choose("#tributo", "icms");
    assert_eq!(open(), "false");
    page.click("#exemplo");
    assert_eq!(open(), "true", "the example has a freight");
    page.click("#limpar");
    assert_eq!(open(), "false");
    page.visit("#calcular?tributo=icms&uf_origem=SP&uf_destino=SP&valor_produto=1.00&data_operacao=2026-03-10&frete=x");
    page.give_key(&server.key);
    page.run("document.querySelector('#campos details').open = false", &[]);
    page.calculate();
    assert_eq!(open(), "true", "the freight is at fault");
    assert_eq!(page.text("document.activeElement.id"), "campo-frete");
    page.assert_clean("a group");
}

/// A city was once a list of the browser's, which could neither grey a name nor be reached in the same way as a code.
#[test]
fn a_city_is_found_by_its_beginning_and_one_without_an_answer_leads_to_the_law_of_the_office() {
    let Some((_server, page)) = Page::served() else { return };
    let found = || {
        page.run("return [...document.querySelectorAll('#campo-municipio-codigos li')].map((one) => [one.querySelector('strong').textContent, one.className])", &[])
    };
    page.choose("#tributo", "iss");
    page.choose("#campo-uf", "SP");
    page.fill("#campo-municipio", "sao pau");
    page.wait_for("!document.getElementById('campo-municipio-codigos').hidden");
    assert_eq!(found()[0], json!(["São Paulo", ""]));
    page.press("\u{e015}\u{e007}");
    page.wait_for("document.getElementById('campo-municipio').value === 'São Paulo'");
    page.choose("#campo-uf", "MG");
    page.fill("#campo-municipio", "uber");
    page.wait_for("document.querySelector('#campo-municipio-codigos li')?.innerText.startsWith('Uberaba')");
    assert_eq!(found(), json!([["Uberaba", "sem"], ["Uberlândia", "sem"]]));
    page.click("#campo-municipio-codigos li");
    page.wait_for("document.querySelector('.sem-resposta button')");
    page.click(".sem-resposta button");
    page.wait_for("document.querySelector('#resposta form.lei')");
    assert_eq!(page.text("document.getElementById('lei-escopo.municipio').value"), "Uberaba");
    // Without a UF it is looked for in all, and brings its own.
    page.choose("#campo-uf", "");
    page.fill("#campo-municipio", "curit");
    page.wait_for("document.querySelector('#campo-municipio-codigos li')?.innerText.startsWith('Curitiba PR')");
    page.click("#campo-municipio-codigos li");
    page.wait_for("document.getElementById('campo-uf').value === 'PR'");
    assert_eq!(page.text("document.getElementById('campo-municipio').value"), "Curitiba");
    page.assert_clean("cities");
}

/// PIS and COFINS, CBS and IBS have most of their notices and reasons in common.
#[test]
fn what_several_taxes_of_an_operation_say_is_said_once() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#operacao", "#operacao-exemplo");
    page.click("#operacao-exemplo");
    page.calculate_operation();
    let script = "const texts = [...document.querySelectorAll('#operacao-resposta .aviso li')].map((one) => one.textContent); return texts.filter((text, at) => text.length > 60 && texts.indexOf(text) < at)";
    assert_eq!(page.run(script, &[]), json!([]), "nothing long is said twice");
    assert!(page.shown("#operacao-resposta").contains("Avisos de mais de um tributo"));
    page.choose("#operacao-regime_apuracao", "");
    page.calculate_operation();
    assert!(page.shown("[data-tributo=cofins]").contains("Pelo mesmo motivo de PIS"));
    page.assert_clean("said once");
}

/// A price table of ICMS-ST once had neither margin nor situation, and 188 times one sentence of 427 letters.
#[test]
fn a_list_to_try_says_of_each_product_what_became_of_it_and_each_cause_once() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#lista?tributo=icms_st", "#lista-exemplo");
    page.click("#lista-exemplo");
    page.wait_for("document.getElementById('lista-calcular')");
    page.click("#lista-calcular");
    page.wait_for("document.querySelector('.linhas-da-lista')");
    let cells = "[...document.querySelectorAll('.linhas-da-lista :is(thead tr, tbody tr:first-child)')].map((row) => [...row.children].map((cell) => cell.innerText))";
    let rows = page.run(&format!("return {cells}"), &[]);
    let cell = |name: &str| {
        let at = rows[0]
            .as_array()
            .unwrap()
            .iter()
            .position(|head| head == name)
            .unwrap_or_else(|| panic!("{name}: {rows}"));
        rows[1][at].as_str().unwrap().to_owned()
    };
    assert_eq!(cell("Situação"), "calculado");
    assert_eq!((cell("CEST da regra").len(), cell("MVA (%)").is_empty()), (7, false), "{rows}");
    let causes =
        page.run("return [...document.querySelectorAll('.causas li strong')].map((one) => Number(one.innerText))", &[]);
    let sum: i64 = causes.as_array().unwrap().iter().map(|one| one.as_i64().unwrap()).sum();
    assert_eq!(sum.to_string(), page.text("document.querySelectorAll('tr.recusada').length"));
    assert!(
        page.text("[...document.querySelectorAll('.porque')].every((one) => one.innerText.length < 260)") == "true"
    );
    page.assert_clean("a price table");
}

#[test]
fn a_proof_is_asked_for_printed_and_verified() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    page.example("ipva");
    page.begin();
    page.click("#prova");
    page.run("const make = URL.createObjectURL; URL.createObjectURL = (file) => { file.text().then((text) => { window.taken = text; }); return make.call(URL, file); }", &[]);
    page.calculate();
    assert!(page.shown(".prova").contains(page.answer()["prova"]["resumo"].as_str().unwrap()));
    page.click(".prova button");
    page.wait_for("window.taken");
    page.done(&Task("N12", "Um valor explicado ao fiscal, com a prova", 0));
    let file = dir.write("prova.jsonl", page.text("window.taken"));
    let done = taxd(&dir, ["verify", file.to_str().unwrap()]);
    assert!(done.stdout.contains("confere: 1;"), "{done:?}");
    page.assert_clean("a proof");
}

#[test]
fn a_gift_is_divided_among_several_each_with_its_tax() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=itcmd&uf=SP&fato_gerador=doacao&valor_base=1000000.01&data_fato_gerador=2026-03-10&valor_unidade_fiscal=38.42");
    page.give_key(&server.key);
    page.calculate();
    page.click("#resposta details:has(#divide-quinhoes) summary");
    page.fill("#divide-quinhoes", "4");
    page.press("\u{e007}");
    page.wait_for("document.querySelector('#resposta .comparacao')");
    let share = |base: &str| {
        let asked = json!({"tributo": "itcmd", "uf": "SP", "fato_gerador": "doacao", "valor_base": base,
            "data_fato_gerador": "2026-03-10", "valor_unidade_fiscal": "38.42"});
        server.post("/v1/calculate", asked.to_string()).json()["valor"]
            .as_str()
            .unwrap()
            .replace('.', "")
            .parse::<u64>()
            .unwrap()
    };
    let sum = share("250000.01") + 3 * share("250000.00");
    let told = page.shown("#resposta .comparacao");
    let wanted = reais(&json!(format!("{}.{:02}", sum / 100, sum % 100)));
    assert!(told.contains("3 quinhões, cada um") && told.contains(&wanted), "{wanted}: {told}");
    page.assert_clean("shares");
}
