//! Refusals in Calcular, as an accountant reads them: what is missing, what comes near, and where to look.

use super::page::Page;

#[test]
fn a_case_without_rule_says_so_once_and_names_the_nearest_rules_by_their_law() {
    let Some((server, page)) = Page::served() else { return };
    // An NCM that the TIPI does not have, beside one that it has.
    page.visit("#calcular?tributo=ipi&ncm=22030001&valor_produto=100.00&data_operacao=2026-03-10");
    page.give_key(&server.key);
    page.calculate();
    let reason = page.shown(".razao");
    assert_eq!(reason, "Nenhuma regra de IPI vale em 10/03/2026 para NCM 22030001.");
    assert!(page.shown("#resposta").contains("Não quer dizer que não haja imposto"), "{}", page.shown("#resposta"));
    page.click(".porque-falta summary");
    let rest = page.shown(".porque-falta");
    assert!(!rest.contains("ipi-22030000"), "the list below says it: {rest}");
    assert!(rest.contains("A falta de regra no taxd não quer dizer que não haja imposto"), "{rest}");
    assert_eq!(page.text("document.querySelector('.conselho')"), "null");
    let near = page.shown(".proximas li");
    assert!(near.contains("(TIPI) — vale para NCM 22030000; responde de 01/08/2022"), "{near}");
    assert_eq!(page.text("document.querySelector('.proximas a').hash"), "#regras?rule_code=ipi-22030000");
    page.assert_clean("near rules");

    // Rules of other goods are not near, and the way to the rules keeps the UF.
    page.visit("#calcular?tributo=icms_st&uf_origem=SP&uf_destino=MG&ncm=22021000&valor_produto=100.00&data_operacao=2026-11-20");
    page.give_key(&server.key);
    page.calculate();
    assert_eq!(page.text("document.querySelector('.proximas')"), "null");
    page.click(".porque-falta summary");
    let said = page.shown("#resposta");
    assert_eq!(said.matches("A falta de regra no taxd não quer dizer").count(), 1, "{said}");
    let link = "document.querySelector('#resposta a[href^=\"#regras\"]')";
    assert_eq!(page.text(&format!("{link}.hash")), "#regras?tributo=icms_st&uf=MG");
    assert_eq!(page.text(&format!("{link}.textContent")), "Ver as regras publicadas de ICMS-ST em MG");

    // The tax that calculates the case is known by the code of the refusal: a sentence had been searched for its name.
    page.visit("#calcular?tributo=icms&uf_origem=SP&uf_destino=SP&valor_produto=100.00&data_operacao=2026-11-20&destinatario_consumidor_final=true");
    page.give_key(&server.key);
    page.calculate();
    assert_eq!(page.shown("#resposta a.botao[href^='#calcular']"), "Calcular ICMS ao consumidor final");
    page.visit("#calcular?tributo=icms_consumidor_final&uf_origem=SP&uf_destino=RJ&ncm=27101259&valor_produto=100.00&data_operacao=2026-03-10");
    page.give_key(&server.key);
    page.calculate();
    assert_eq!(page.shown("#resposta a.botao[href^='#calcular']"), "Calcular ICMS");
}

/// A financed part was answered with the whole rate, and the fifth sentence below said that the financing might be by the
/// SFH, with which the tax is another.
#[test]
fn a_financed_amount_asks_first_whether_it_is_by_the_sfh() {
    let Some((server, page)) = Page::served() else { return };
    page.visit("#calcular?tributo=itbi&uf=SP&municipio=São Paulo&valor_transacao=600000.00&valor_financiado=300000.00&data=2026-11-20");
    page.give_key(&server.key);
    let left = page.shown("#chave-cota");
    page.calculate();
    assert_eq!(page.shown("#resposta h3"), "Falta informar: Há financiamento pelo SFH?");
    assert!(page.shown("#campo-financiado_sfh-falha").starts_with("Diga se o financiamento é pelo SFH"));
    assert_eq!(page.text("document.activeElement.id"), "campo-financiado_sfh");
    assert_eq!(page.shown("#chave-cota"), left, "nothing was asked of the service");
    assert_eq!(page.text("document.querySelector('.valor')"), "null");
    page.choose("#campo-financiado_sfh", "false");
    page.calculate();
    assert_eq!(page.shown(".valor"), "R$\u{a0}18.000,00");
    page.choose("#campo-financiado_sfh", "true");
    page.calculate();
    assert_eq!(page.shown(".valor"), "R$\u{a0}14.975,80");
    // A remark of the rule is read once, though the answer has it in two places.
    let answer = page.shown("#resposta");
    assert_eq!(answer.matches("STJ, Tema 1113").count(), 1, "{answer}");
    page.assert_clean("the kind of financing");
}

#[test]
fn words_of_a_list_are_read_as_people_write_them() {
    let Some((server, page)) = Page::served() else { return };
    page.visit(
        "#calcular?tributo=ipva&uf=AL&categoria_veiculo=automovel&valor_venal=85000.00&data_fato_gerador=2026-01-01",
    );
    page.give_key(&server.key);
    page.calculate();
    let reason = page.shown(".razao");
    assert!(reason.contains("“GNV”, “Elétrico”") && !reason.contains("gnv"), "{reason}");
    page.choose("#campo-combustivel", "gnv");
    page.calculate();
    assert!(page.shown(".componentes").contains("GNV"), "{}", page.shown(".componentes"));
}

/// A value in the middle of a sentence was once replaced by "as opções abaixo". A list that the page shows below is
/// left out with what introduces it, and a value within a sentence stays.
#[test]
fn a_reason_without_its_list_is_a_whole_sentence() {
    let Some((server, page)) = Page::served() else { return };
    let st = "#calcular?tributo=icms_st&valor_produto=100.00&data_operacao=2026-11-20";
    for (address, reason) in [
        (
            format!("{st}&uf_origem=MG&uf_destino=SP&ncm=87083090"),
            "No NCM 87083090, a regra do taxd é só a de mercadoria fora da substituição. Informe o “CEST”; outra mercadoria do NCM pode estar no regime.",
        ),
        (
            format!("{st}&uf_origem=SP&uf_destino=SP&ncm=17049010"),
            "O NCM 17049010 tem 3 regras; informe o “CEST” da mercadoria.",
        ),
    ] {
        page.visit(&address);
        page.give_key(&server.key);
        page.calculate();
        assert_eq!(page.shown(".razao"), reason);
        assert!(page.shown(".candidatos").contains("CEST"));
    }
    page.assert_clean("reasons");
}
