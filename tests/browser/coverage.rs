//! The part Cobertura, the suggestions of municipalities, and products without a rule.

use serde_json::json;

use super::page::{Page, reais};

fn today() -> taxd::base::value::Date {
    taxd::base::value::Timestamp::now().day()
}

#[test]
fn the_country_is_shown_by_tax_and_each_cell_leads_to_its_rules() {
    let Some((server, page)) = Page::served() else { return };
    page.open_part("tratamento", "cobertura");
    page.wait_for("document.querySelector('#cobertura-lista table')");
    let column = "[...document.querySelectorAll('#cobertura-lista table thead')[0].rows[0].cells].findIndex((cell) => cell.innerText === 'ISS')";
    let cell = |uf: &str| {
        let row = format!(
            "[...document.querySelectorAll('#cobertura-lista tbody')[0].rows].find((row) => row.cells[0].innerText === '{uf}')"
        );
        format!("{row}.cells[{column}]")
    };
    assert_eq!(
        page.text("document.querySelectorAll('#cobertura-lista tbody')[0].rows.length"),
        "28",
        "27 UFs and the country"
    );
    assert_eq!(page.text(&format!("{}.innerText", cell("SP"))), "◐ 2 de 645");
    page.run(&format!("{}.querySelector('a').click()", cell("SP")), &[]);
    page.wait_for("document.querySelector('.municipios')");
    let told = page.shown("#cobertura-municipios");
    for part in ["São Paulo", "recusa Campinas", "não quer dizer que não haja imposto"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    page.run(
        "[...document.querySelectorAll('.municipios a')].find((one) => one.innerText.includes('São Paulo')).click()",
        &[],
    );
    page.wait_for("location.hash.startsWith('#regras?') && document.querySelector('.ficha')");
    let rules = server.regras(&format!("tributo=iss&uf=SP&municipio=S%C3%A3o%20Paulo&vigente_em={}&limit=25", today()));
    assert_eq!(page.text("document.querySelectorAll('.ficha').length"), rules.len().to_string());
    page.run("history.back()", &[]);
    page.wait_for("document.querySelector('.municipios')");
    page.go("#cobertura?vigente_em=2000-01-01", "#cobertura-lista .vazio");
    assert_eq!(page.shown("#cobertura-lista .vazio"), "Nesse dia nenhuma UF tem regra.");
    page.assert_clean("coverage");
}

#[test]
fn municipalities_that_answer_are_suggested_first_and_the_others_say_why_not() {
    let Some((_server, page)) = Page::served() else { return };
    // What is offered for these letters, the first two.
    let of = |text: &str| {
        page.fill("#campo-municipio", text);
        page.click("#campo-municipio");
        page.wait_for(&format!("document.querySelector('#campo-municipio[aria-expanded=true]') && document.querySelector('#campo-municipio-codigos li').innerText.startsWith('{text}')"));
        page.run("return [...document.querySelectorAll('#campo-municipio-codigos li')].slice(0, 2).map((one) => one.innerText.trim())", &[])
    };
    let suggested = |tributo: &str| {
        page.example(tributo);
        of("")
    };
    let iss = suggested("iss");
    assert_eq!(iss, json!(["Atibaia", "São Paulo responde em parte"]));
    assert_eq!(of("Campina")[0], "Campinas sem resposta: valor não estabelecido");
    assert_eq!(of("Adamantin")[0], "Adamantina sem resposta: nenhuma regra do município");

    page.fill("#campo-municipio", "barueri");
    page.press("\u{e004}");
    page.wait_for("document.querySelector('.sem-resposta')");
    assert_eq!(page.shown(".sem-resposta p"), "Barueri: sem resposta: valor não estabelecido.");
    page.click("#limpar");
    assert_eq!(page.text("document.querySelector('.sem-resposta')"), "null");

    // ITBI with a part financed by SFH, and IPTU.
    for (tributo, others) in
        [("itbi", json!({"financiado_sfh": true, "valor_financiado": "300000.00"})), ("iptu", json!({}))]
    {
        assert_eq!(suggested(tributo)[0], "São Paulo", "a name that answers needs no word");
        page.fill("#campo-municipio", "São Paulo");
        for (name, value) in others.as_object().unwrap() {
            assert_eq!(&page.payload()[name], value, "{tributo}");
        }
        page.calculate();
        let answer = page.answer();
        assert!(page.shown("#resposta .valor").contains(&reais(&answer["valor"])), "{answer}");
    }
    page.assert_clean("suggestions");
}
