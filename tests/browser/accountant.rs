//! What an accountant, who writes no JSON, reads on the page and needs of it.

use serde_json::json;

use super::page::{Page, reais};
use super::support::{DataDir, taxd};

/// The headline was once R$ 0,00 when R$ 66,97 goes on the invoice.
#[test]
fn cbs_and_ibs_show_what_to_itemise_beside_what_to_pay() {
    let Some((_server, page)) = Page::served() else { return };
    for tributo in ["cbs", "ibs"] {
        page.example(tributo);
        for (meets, waived) in [("true", " (dispensado)"), ("false", "")] {
            page.choose("#campo-cumpre_obrigacoes_acessorias", meets);
            page.calculate();
            let answer = page.answer();
            let shown = page.shown(".valores").replace('\n', " ");
            let wanted = format!(
                "A destacar {} A recolher{waived} {}",
                reais(&answer["detalhes"]["valor_destaque"]),
                reais(&answer["valor"])
            );
            assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), wanted.split_whitespace().collect::<Vec<_>>());
            assert_ne!(answer["detalhes"]["valor_destaque"], "0.00");
        }
    }
    page.assert_clean("two amounts");
}

/// The general rate was once shown as if it were the product's.
#[test]
fn a_general_rate_for_a_product_that_nobody_checked_has_a_badge_and_so_has_the_grade() {
    let Some((server, page)) = Page::served() else { return };
    let grades = json!({"texto_legal": "Texto ou tabela oficial lida", "fontes_concordes": "Fontes concordes", "fonte_unica": "Fonte única"});
    let meanings = server.get("/sandbox/dados.json", &[]).json()["graus"].clone();
    for ncm in ["96039000", ""] {
        page.example("icms");
        page.fill("#campo-ncm", ncm);
        page.calculate();
        let answer = page.answer();
        let badges = page.shown(".selos");
        let unknown = answer["detalhes"]["conferencia_produto"] == "nenhuma";
        assert_eq!(unknown, !ncm.is_empty(), "{answer}");
        assert_eq!(badges.contains("nenhuma regra deste produto foi conferida"), unknown, "{badges}");
        let grade = grades[answer["regra"]["conferencia"].as_str().unwrap()].as_str().unwrap();
        assert!(badges.contains(&format!("Conferência: {}", grade.to_lowercase())), "{badges}");
        // The grade had been a name alone, which nothing on the page explained.
        let card = page.shown(".regra");
        let meaning = meanings[answer["regra"]["conferencia"].as_str().unwrap()].as_str().unwrap();
        assert!(card.contains(&format!("{grade}: {meaning}.")), "{card}");
    }
    page.assert_clean("badges");
}

/// "Chave de acesso" is the 44-digit key of an NF-e to an accountant, and a good key once changed nothing on the page.
#[test]
fn a_good_key_shows_whose_it_is_and_what_is_left_and_hides_the_field() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::of(&server) else { return };
    assert!(!page.shown("body").contains("Chave de acesso"));
    page.give_key(&"4".repeat(44));
    assert!(page.shown("#chave-falha").contains("nota fiscal"), "{}", page.shown("#chave-falha"));
    page.give_key("svc_live_0000");
    assert!(page.shown("#chave-falha").contains("não é aceita"), "{}", page.shown("#chave-falha"));

    let account = dir.account("Escritório Sul", &[]);
    let create = ["key", "create", "--account", &account.client_id, "--kind", "test", "--name", "Maria", "--json"];
    let made = taxd(&dir, create).ok().json();
    page.give_key(made["key"].as_str().unwrap());
    assert_eq!(page.shown("#chave-nome"), "Escritório Sul, chave de Maria");
    assert_eq!(page.shown("#chave-cota"), "Restam 1.000 cálculos de 1.000 neste mês.");
    assert_eq!(page.text("document.getElementById('chave').offsetParent"), "null", "the field is hidden");
    assert_eq!(page.text("document.activeElement.id"), "chave-trocar");
    page.go("#regras", ".ficha");
    page.go("#mudancas", ".mudanca");
    page.go("#calcular", "#calcular:not([hidden])");
    page.example("ipi");
    page.calculate();
    assert_eq!(page.shown("#chave-cota"), "Restam 999 cálculos de 1.000 neste mês.");
    page.go("#consumo", ".cifras");
    let told = page.shown("#consumo-lista");
    assert!(told.contains("Cota da chave Maria") && told.contains("999"), "the service counts the same: {told}");
    assert!(page.shown(".chamada").contains("Maria"));
    page.assert_clean("a good key");
}

/// 230 pixels of nothing once opened in the form when municipalities were suggested, and each keystroke was spoken.
#[test]
fn suggestions_open_no_gap_and_typing_is_not_spoken() {
    let Some((_server, page)) = Page::served() else { return };
    page.example("itbi");
    let height = "document.getElementById('campos').offsetHeight";
    let before = page.text(height);
    page.fill("#campo-municipio", "sa");
    page.wait_for("document.querySelector('#campo-municipio-codigos li')");
    assert_eq!(page.text(height), before);
    let live = "document.querySelectorAll('#pedido output, #pedido [aria-live], #pedido [role=status]').length";
    assert_eq!(page.text(live), "0");
    page.assert_clean("suggestions");
}

#[test]
fn amounts_and_dates_are_asked_for_as_people_write_them() {
    let Some((server, page)) = Page::served() else { return };
    page.example("icms");
    page.fill("#campo-valor_produto", "mil");
    page.fill("#campo-data_operacao", "ontem");
    page.calculate();
    let told = page.shown("#resposta .falhas");
    assert!(told.contains("1.234,50") && told.contains("31/12/2026"), "{told}");
    assert!(!told.contains("AAAA") && !told.contains("1234.50") && !told.contains('`'), "{told}");
    assert_eq!(page.shown("#campo-valor_produto-falha"), "\"mil\" não serve. Escreva um número, como 1.234,50.");

    page.visit("#calcular?tributo=cbs&data_operacao=2019-11-20&valor_operacao=100.00&valor_icms=0&valor_iss=0&valor_pis=0&valor_cofins=0&valor_ipi=0&cumpre_obrigacoes_acessorias=true&optante_simples=false");
    page.give_key(&server.key);
    page.calculate();
    let told = page.shown("#resposta .razao");
    assert!(told.contains("20/11/2019") && !told.contains("2019-11-20"), "{told}");
    page.assert_clean("words");
}
