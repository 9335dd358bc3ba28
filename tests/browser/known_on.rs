//! As known on a day, and two days side by side, in Calcular.

use jiff::{Timestamp, ToSpan as _};

use super::effort::Task;
use super::page::Page;
use super::paper::printed;

#[test]
fn a_case_is_calculated_as_known_on_a_day_and_says_so_on_screen_and_paper() {
    let Some((server, page)) = Page::served() else { return };
    page.example("icms");
    page.begin();
    page.click("#calcular-conhecido summary");
    page.fill("#campo-conhecido_em", "01/02/2001");
    page.calculate();
    // Before its first publication the server knew no rule.
    assert_eq!(page.shown("#resposta h3"), "Nesse dia o taxd ainda não conhecia nenhuma regra");
    let reason = page.shown(".razao");
    let first = "Em 01/02/2001 (hora de Brasília), o taxd ainda não conhecia nenhuma regra. A primeira publicação ";
    assert!(reason.starts_with(first), "{reason}");
    // The instant was once replaced by "as opções abaixo".
    assert!(
        reason.contains("publicação neste servidor é de ") && reason.contains("(hora de Brasília). Escolha"),
        "{reason}"
    );
    let link = page.text("location.hash");
    assert!(link.contains("conhecido_em=2001-02-01T23%3A59%3A59-03%3A00"), "{link}");
    let Some(pages) = printed(&page) else { return };
    assert!(pages[0].contains("Como se sabia em") && pages[0].contains("01/02/2001"), "{pages:#?}");

    // The first instant that is known is a button, which asks as known then.
    assert_eq!(page.shown("#campo-conhecido_em-falha"), "Antes da primeira publicação neste servidor.");
    assert!(page.shown(".candidatos").starts_with("Calcule com"), "{}", page.shown(".candidatos"));
    page.click(".candidatos button");
    page.wait_for("document.querySelector('#resposta .valor')");
    assert!(page.shown("#resposta .neutro").starts_with("Como se sabia em"), "{}", page.shown("#resposta"));
    page.done(&Task("23", "Como se sabia em outro dia (também N7)", 1));

    page.visit(&link);
    assert_eq!(page.text("document.getElementById('campo-conhecido_em').value"), "01/02/2001");
    page.give_key(&server.key);
    page.fill("#campo-conhecido_em", "");
    page.calculate();
    assert_eq!(
        page.text("document.querySelector('#resposta .neutro')?.innerText.includes('Como se sabia')"),
        "undefined"
    );

    let tomorrow = (Timestamp::now() + 48.hours()).strftime("%d/%m/%Y").to_string();
    page.fill("#campo-conhecido_em", &tomorrow);
    page.calculate();
    assert_eq!(page.text("document.activeElement.id"), "campo-conhecido_em");
    assert!(page.shown("#campo-conhecido_em-falha").contains("futuro"));
    page.assert_clean("as known");
}

#[test]
fn two_days_are_shown_side_by_side_and_the_link_keeps_both() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=cbs&data_operacao=2026-11-20&valor_operacao=1000.00&valor_icms=180.00&valor_iss=0.00&valor_pis=0.00&valor_cofins=0.00&valor_ipi=0.00&cumpre_obrigacoes_acessorias=false&optante_simples=false");
    page.give_key(&server.key);
    page.choose("#tributo", "ibs");
    page.calculate();
    page.begin();
    page.click("#resposta details:has(#outra-data_operacao) summary");
    page.fill("#outra-data_operacao", "15/01/2027");
    page.press("\u{e007}");
    page.wait_for("document.querySelector('.comparacao')");
    page.done(&Task("21", "Duas datas lado a lado", 1));
    let table = page.shown(".comparacao");
    for part in ["20/11/2026", "15/01/2027", "Diferença", "A recolher", "Regra"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let link = page.text("location.hash");
    assert!(link.contains("outra_data=2027-01-15"), "{link}");
    page.visit(&link);
    page.give_key(&server.key);
    page.calculate();
    page.wait_for("document.querySelector('.comparacao')");
    assert_eq!(page.shown(".comparacao"), table);
    page.assert_clean("two days");
}
