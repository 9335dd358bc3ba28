//! Ordinary tasks of an accountant that no other file here has: a car's IPVA, and CBS of a year to come.

use super::page::Page;
use super::support::DataDir;

/// 1,9 % of 85.000,00: the rate of Paraná from 2026 on.
#[test]
fn the_ipva_of_a_car_in_parana_is_one_amount_with_its_law() {
    let server = DataDir::served();
    let Some(page) = Page::with_key(&server) else { return };
    page.choose("#tributo", "ipva");
    page.choose("#campo-uf", "PR");
    page.choose("#campo-categoria_veiculo", "automovel");
    page.fill("#campo-valor_venal", "85.000,00");
    page.choose("#campo-combustivel", "flex");
    page.fill("#campo-data_fato_gerador", "01/01/2026");
    page.calculate();
    let told = page.shown("#resposta");
    assert!(told.contains("R$\u{a0}1.615,00") && told.contains("1,90%") && told.contains("Lei"), "{told}");
    page.assert_clean("ipva");
}

/// The rate of 2027 was not established in November 2026: the page says what is missing and who sets it, and no amount.
#[test]
fn cbs_of_january_2027_says_who_sets_its_rate() {
    let server = DataDir::served();
    let Some(page) = Page::with_key(&server) else { return };
    page.example("cbs");
    page.fill("#campo-data_operacao", "15/01/2027");
    page.calculate();
    let told = page.shown("#resposta");
    assert!(told.contains("Senado Federal") && told.contains("2027"), "{told}");
    assert!(!told.contains("R$\u{a0}0,00"), "{told}");
    page.assert_clean("cbs of 2027");
}
