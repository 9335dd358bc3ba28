//! The part Início: where work starts.

use super::effort::Task;
use super::page::Page;
use super::support::{OwnRules, rule, with};
use serde_json::json;

#[test]
fn the_start_asks_for_a_key_and_offers_samples_and_clients() {
    let Some((server, page)) = Page::served_without_key() else { return };
    page.visit_start();
    assert_eq!(page.text("document.title"), "Início · Calculadora taxd");
    for css in ["#inicio-termina", "#inicio-prazos"] {
        assert!(page.shown(css).contains("Informe a chave"), "{css}");
    }
    for (css, wanted) in
        [("#inicio-casos", "Calcular"), ("#inicio-arquivos", "Nenhum ainda"), ("#inicio-clientes", "Cadastrar")]
    {
        assert!(page.shown(css).contains(wanted), "{}", page.shown(css));
    }
    page.give_key(&server.key);
    page.wait_for("document.querySelector('#inicio-termina li') && document.querySelector('#inicio-prazos')");
    // A client has what ends in his State and, of his regime, in the whole country.
    page.run("localStorage.setItem('taxd-empresas', JSON.stringify([{ nome: 'Padaria', uf: 'MG', regime: 'simples_nacional' }])); localStorage.setItem('taxd-cliente', 'Padaria')", &[]);
    page.visit_start();
    page.give_key(&server.key);
    page.wait_for("document.querySelector('#inicio-termina p')");
    let told = page.shown("#inicio-termina");
    for part in [
        "MG, 31/12/2026: ",
        "Todo o país, 31/12/2026: ",
        "Simples Nacional",
        "Fora daqui, por não serem deste regime: ",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    page.run("localStorage.clear()", &[]);
    page.visit_start();
    page.give_key(&server.key);
    page.click(".inicio a[href^='#calcular?tributo=icms_st']");
    page.wait_for("document.activeElement.id === 'calcular-titulo'");
    page.calculate();
    assert_eq!(page.answer()["tributo"], "icms_st");

    page.visit_start();
    page.give_key(&server.key);
    page.click("#inicio-lista");
    page.wait_for("document.getElementById('lista-calcular')");
    page.click("#lista-calcular");
    page.wait_for("document.querySelector('.linhas-da-lista')");
    assert!(page.shown("#lista-resultado").contains("3 de 3 calculadas"), "{}", page.shown("#lista-resultado"));

    // What was done is there the next time: the names of the files, and the cases.
    page.run("localStorage.setItem('taxd-casos', JSON.stringify({ casos: [{ nome: 'Pastilhas', endereco: '#calcular?tributo=ipva' }] }))", &[]);
    page.visit_start();
    assert!(page.shown("#inicio-arquivos").contains("exemplo.csv"), "{}", page.shown("#inicio-arquivos"));
    page.click("#inicio-casos a");
    page.wait_for("document.getElementById('tributo').value === 'ipva'");
    page.assert_clean("the start");
}

/// Of 2,241 rules that ended with the year the page had said only that they ended.
#[test]
fn what_will_be_refused_in_the_state_of_a_client_is_said_first() {
    let soon = taxd::base::value::Timestamp::now().day().plus_days(20).to_string();
    let ends = rule("sabao-ac", "icms", &json!({"uf": "AC", "ncm": "3401"}), &json!({"aliquota": "18.00"}));
    let own = OwnRules::of(&[with(&ends, &json!({"vigente_ate": soon}))]);
    let server = own.serve();
    let Some(page) = Page::with_key(&server) else { return };
    page.run("localStorage.setItem('taxd-empresas', JSON.stringify([{ nome: 'Norte', uf: 'AC' }, { nome: 'Sul', uf: 'RS' }]))", &[]);
    page.visit_start();
    page.give_key(&server.key);
    page.wait_for("document.querySelectorAll('#inicio-termina li').length === 2");
    let told = page.shown("#inicio-termina");
    assert!(told.contains("AC, ") && told.contains("1 regra termina (ICMS); de 1 o taxd ainda não tem"), "{told}");
    assert!(told.contains("RS: nada termina"), "{told}");
    assert!(page.shown("#inicio-termina-titulo").contains("dos seus clientes: AC e RS"));
    page.begin();
    page.choose("#cliente", "Sul");
    page.wait_for("document.querySelectorAll('#inicio-termina li').length === 1");
    page.done(&Task("N6", "1º de janeiro de 2027 para um cliente", 1));
    assert!(page.shown("#inicio-termina-titulo").contains("de Sul"), "{}", page.shown("#inicio-termina-titulo"));
    page.assert_clean("what ends");
}
