//! What a reader of lists and forms met: a question handed back, caution that nobody saw, a tax under another name.

use super::page::Page;
use super::sheet::{calculate, paste, saved};

/// The list asked whether the law of the city withholds, which is what one wanted to know, and for a State beside each city.
#[test]
fn services_that_were_taken_say_who_withholds_and_ask_of_the_city_only_where_its_law_decides() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#lista", "#lista-colar");
    let rows = "101\tSão Paulo\t11.02 Vigilância\t3.000,00\t10/3/26\n102\tCuritiba\t7.10 Limpeza\t2.000,00\t10/3/26\n103\t3550308\t1.07 Suporte\t900,00\t12/3/26\n";
    paste(&page, "iss_retido", &format!("Número\tMunicípio\tServiço\tvalor\tdata\n{rows}"));
    page.wait_for("document.getElementById('lista-todas-regime_prestador')");
    assert_eq!(page.text("document.getElementById('lista-todas-tomador').value"), "pessoa_juridica");
    assert_eq!(page.text("document.getElementById('lista-todas-lei_municipal_retem')"), "null");
    page.choose("#lista-todas-regime_prestador", "lucro_presumido");
    calculate(&page);
    let told = page.shown("#lista-resultado");
    for part in ["2 de 3 calculadas", "retido", "60,00", "50,00", "A lei do município manda o tomador reter?"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("lucro_presumido"), "{told}");
    page.click("#lista-resultado .sim-ou-nao button");
    page.wait_for("document.querySelector('#lista-resultado h3').innerText === '3 de 3 calculadas'");
    let told = page.shown("#lista-resultado");
    assert!(told.contains("26,10") && !told.contains("manda o tomador reter?"), "{told}");
    page.assert_clean("services that were taken");
}

/// Rows by the general rate of a State once looked as sure as rows by a rule of the product.
#[test]
fn rows_by_the_general_rate_say_so_beside_the_others_and_above_them() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#lista", "#lista-colar");
    let rows = "SP\tSP\t39269090\t100,00\t10/3/26\nSP\tSP\t22030000\t50,00\t10/3/26\n";
    paste(&page, "icms", &format!("UF de origem\tUF de destino\tNCM\tValor da operação\tData da operação\n{rows}"));
    calculate(&page);
    assert_eq!(page.shown("#lista-resultado h3"), "2 de 2 calculadas; 1 pela alíquota geral");
    let rows = page.shown("#lista-resultado tbody");
    assert!(rows.contains("pela alíquota geral") && rows.contains("calculado"), "{rows}");
    let above = page.shown(".causas");
    assert!(above.contains("Nenhuma regra do produto foi encontrada"), "{above}");
    page.click(".causas button");
    page.wait_for("document.querySelectorAll('#lista-resultado tbody tr').length === 1");
    page.assert_clean("general rates");
}

/// What Início shows first came after a reader had begun to type there, and its title took the focus.
#[test]
fn a_field_in_which_a_reader_types_at_once_keeps_the_focus() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#calcular", "#tributo");
    page.run(
        "const own = fetch; const held = new Promise((done) => { window.release = done; });
        window.fetch = async (...asked) => {
          const reply = await own(...asked);
          if (String(asked[0]).includes('calendario')) await held;
          return reply;
        };
        document.getElementById('inicio-termina').replaceChildren();",
        &[],
    );
    page.go("#inicio", "#inicio-procura");
    page.fill("#inicio-procura", "difal");
    page.run("window.release()", &[]);
    page.wait_for("document.getElementById('inicio-termina').children.length > 0");
    assert_eq!(page.text("document.activeElement.id"), "inicio-procura");
    page.press("\u{e007}");
    page.wait_for("!document.getElementById('calcular').hidden");
}

/// The DIFAL is a part of a tax with another name.
#[test]
fn a_tax_is_found_by_the_name_that_people_use_and_what_a_form_took_over_is_taken_away() {
    let Some((_server, page)) = Page::served() else { return };
    for (typed, tributo) in [
        ("difal", "icms_consumidor_final"),
        ("antecipação", "icms_st"),
        ("ICMS-ST", "icms_st"),
        ("retenção issqn", "iss_retido"),
    ] {
        page.go("#inicio", "#inicio-procura");
        page.fill("#inicio-procura", typed);
        page.press("\u{e007}");
        page.wait_for("!document.getElementById('calcular').hidden");
        assert_eq!(page.text("document.getElementById('tributo').value"), tributo, "{typed}");
    }
    // Of goods the codes are looked for.
    page.go("#inicio", "#inicio-procura");
    page.fill("#inicio-procura", "cerveja");
    page.press("\u{e007}");
    page.wait_for("document.getElementById('codigos-lista')?.textContent.includes('2203')");
    page.go("#calcular", "#tributo");
    page.choose("#tributo", "icms");
    page.fill("#campo-valor_produto", "1.000");
    page.choose("#tributo", "icms_st");
    assert!(page.shown("#campos .veio").contains("Valor do produto"), "{}", page.shown("#campos .veio"));
    page.click("#campos .veio button");
    assert_eq!(page.text("document.getElementById('campo-valor_produto').value"), "");
    page.choose("#tributo", "icms");
    assert_eq!(page.text("document.getElementById('campo-valor_produto').value"), "");
    page.assert_clean("other names");
}

/// Rules were read page by page, and could not be taken along.
#[test]
fn rules_are_gone_through_by_numbers_and_saved_as_one_file() {
    let Some((server, page)) = Page::served() else { return };
    page.go("#regras?tributo=iss&uf=SP", ".ficha");
    page.click(".paginas [aria-label='Página 2']");
    page.wait_for("document.querySelector('.paginas [aria-current]')?.innerText === '2'");
    let total = server.regras("tributo=iss&uf=SP&limit=500").len();
    let csv = String::from_utf8(saved(&page, "Baixar CSV")).unwrap();
    assert_eq!(csv.trim_end().lines().count(), total + 1, "{csv}");
    page.assert_clean("pages of rules");
}
