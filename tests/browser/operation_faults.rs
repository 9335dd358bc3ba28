//! Operations that lack something, in the part Operação: what is missing is shown at once, in the words of the form.

use serde_json::{Value, json};

use super::operation::sale;
use super::page::Page;
use super::support::with;

const BARE: [&str; 3] = ["papel_na_cadeia", "regime_apuracao", "cumpre_obrigacoes_acessorias"];

/// A sale without what three kinds of taxes need.
pub fn bare() -> Value {
    let mut facts = sale();
    for name in BARE {
        facts.as_object_mut().unwrap().remove(name);
    }
    facts
}

impl Page {
    fn invalid_fields(&self) -> String {
        self.text("[...document.querySelectorAll('#operacao [aria-invalid]')].map((field) => field.name).join(' ')")
    }
}

/// A field was once named otherwise than in the form, in a sentence that was there twice; no field was marked, and each
/// was asked for only after the one before had been given.
#[test]
fn all_that_is_missing_is_marked_at_once_in_the_words_of_the_form() {
    let Some((_server, page)) = Page::served() else { return };
    page.sized(1280, 900);
    page.operation(&bare());
    page.calculate_operation();
    assert_eq!(page.text("document.activeElement.id"), "operacao-contribuinte_ipi", "in a group that was closed");
    assert_eq!(page.invalid_fields(), "regime_apuracao cumpre_obrigacoes_acessorias contribuinte_ipi");
    assert_eq!(page.shown("#operacao-regime_apuracao-falha"), "Falta informar este campo.");

    let told = page.shown("#operacao-resposta");
    assert!(!told.contains("“Contribuinte IPI”") && !told.contains("do contribuinte”"), "{told}");
    let once = "de que ele se segue";
    assert_eq!(told.matches(once).count(), 1, "{told}");
    let summary = page.shown("#operacao-resposta > .aviso");
    for line in [
        "O vendedor é contribuinte do IPI, para IPI",
        // Also those that need the amount of such a tax.
        "Regime de apuração de PIS e COFINS, para PIS",
        "O contribuinte cumpre as obrigações acessórias de CBS e IBS, para CBS e IBS",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
    page.run("document.querySelectorAll('#operacao-campos details').forEach((one) => { one.open = false; })", &[]);
    page.click("[data-tributo=ipi] .falhas a");
    assert_eq!(page.text("document.activeElement.id"), "operacao-contribuinte_ipi", "a link opens the group");

    // On a phone the form is above the answer: it shows the amounts, which link to what is missing.
    page.sized(360, 800);
    page.calculate_operation();
    assert_eq!(page.text("document.activeElement.closest('section, div').id"), "operacao-resposta");
    assert_eq!(page.invalid_fields(), "regime_apuracao cumpre_obrigacoes_acessorias contribuinte_ipi");

    page.choose("#operacao-contribuinte_ipi", "true");
    page.choose("#operacao-regime_apuracao", "nao_cumulativo");
    page.choose("#operacao-cumpre_obrigacoes_acessorias", "true");
    page.calculate_operation();
    assert!(!page.shown("#operacao-resposta").contains("Falta informar"), "one round was enough");
    assert_eq!(page.invalid_fields(), "");
    page.assert_clean("what is missing");
}

/// What the taxes need was once known only after Calcular, and the buyer of single-phase goods only after the role of the
/// seller had been given and calculated with; a sale without a UF said nothing of the rest.
#[test]
fn the_form_says_what_the_taxes_need_before_it_calculates() {
    let Some((server, page)) = Page::served() else { return };
    let used = || server.get_own("/sandbox/v1/usage").json()["chave"]["cota"]["usada"].clone();
    let before = used();
    let lacking = "[...document.querySelectorAll('#operacao .falta')].filter((note) => note.textContent).map((note) => note.closest('.campo').querySelector('[name]').name).join(' ')";
    let says = |names: &str| page.wait_for(&format!("{lacking} === '{names}'"));
    page.operation(&with(
        &bare(),
        &json!({"ncm": "22030000", "papel_na_cadeia": "fabricante_importador", "uf_destino": ""}),
    ));
    // The UF has a mark of its own.
    let all = "regime_apuracao cumpre_obrigacoes_acessorias venda_a";
    says(all);
    assert_eq!(page.shown("#operacao-regime_apuracao-falta"), "Falta informar, para PIS e COFINS.");
    assert_eq!(page.text("document.getElementById('operacao-regime_apuracao').ariaRequired"), "true");
    page.click("#operacao-enviar");
    page.wait_for("document.querySelector('#operacao-resposta .recusa')");
    let told = page.shown("#operacao-resposta");
    assert!(told.contains("UF de destino") && told.contains("Comprador, para PIS e COFINS"), "{told}");
    assert_eq!(page.invalid_fields(), format!("uf_destino {all}"));

    // As known on a day before all rules, no rule asks for the buyer.
    page.click("#operacao-conhecido summary");
    page.fill("#operacao-conhecido_em", "01/02/2001\u{e004}");
    says("regime_apuracao cumpre_obrigacoes_acessorias");
    page.fill("#operacao-conhecido_em", "\u{e004}");
    says(all);

    page.choose("#operacao-uf_destino", "MG");
    page.choose("#operacao-papel_na_cadeia", "revenda");
    says("regime_apuracao cumpre_obrigacoes_acessorias");
    page.click("#operacao-exemplo");
    says("");
    page.choose("#operacao-tipo", "preco_servico");
    page.fill("#operacao-preco_servico", "");
    page.click("#operacao-enviar");
    page.wait_for("document.activeElement.id === 'operacao-preco_servico'");
    assert_eq!(used(), before, "to be asked for facts uses no quota up");
    page.assert_clean("needs");
}

/// The headline once was a whole figure although a tax had none.
#[test]
fn the_headline_of_an_incomplete_operation_says_that_it_is_the_least_and_what_it_lacks() {
    let Some((_server, page)) = Page::served() else { return };
    page.operation(&bare());
    page.calculate_operation();
    let headline = page.shown("#operacao-resposta .valores").replace('\u{a0}', " ");
    let lines: Vec<&str> = headline.lines().filter(|line| !line.is_empty()).collect();
    let wanted = [
        "O comprador paga, no mínimo",
        "R$ 1.000,00",
        "sem IPI e ICMS-ST",
        "Quem vende recolhe, no mínimo",
        "R$ 120,00",
        "sem IPI, ICMS-ST, PIS, COFINS, CBS e IBS",
    ];
    assert_eq!(lines.iter().map(|line| line.trim()).collect::<Vec<_>>(), wanted);
    page.operation(&with(&sale(), &json!({"substituicao_tributaria": false})));
    page.calculate_operation();
    let headline = page.shown("#operacao-resposta .valores");
    assert!(!headline.contains("no mínimo") && !headline.contains("sem "), "{headline}");
    page.assert_clean("the least");
}

/// A candidate of one tax is chosen in its refusal, as in Calcular.
#[test]
fn a_candidate_of_a_refused_tax_fills_the_form_and_calculates() {
    let Some((_server, page)) = Page::served() else { return };
    page.operation(&with(&sale(), &json!({"ncm": "17049010", "uf_destino": "SP"})));
    page.calculate_operation();
    assert_eq!(page.invalid_fields(), "cest");
    assert!(page.shown("[data-tributo=icms_st]").contains("Sem valor"));
    let chosen = page.shown("[data-tributo=icms_st] .candidatos strong");
    page.click("[data-tributo=icms_st] .candidatos button");
    page.wait_for("document.querySelector('[data-tributo=icms_st] dl')");
    let cest = page.text("document.getElementById('operacao-cest').value");
    assert!(cest.len() == 7 && chosen.replace('.', "").contains(&cest), "{cest}: {chosen}");
    assert_eq!(page.invalid_fields(), "");
    page.assert_clean("a candidate");
}
