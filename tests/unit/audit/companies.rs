//! The file of `--empresa`.

use taxd::audit::Companies;
use taxd::nfe::RegimeDasContribuicoes;

#[test]
fn the_establishment_wins_over_the_company_and_the_company_over_all() {
    let text = "[[empresa]]\nregime_pis_cofins = \"cumulativo\"\n\
                [[empresa]]\ncnpj = \"11.222.333\"\ncontribuinte_ipi = true\n\
                [[empresa]]\ncnpj = \"11.222.333/0001-81\"\nregime_pis_cofins = \"nao_cumulativo\"\n";
    let companies = Companies::parse(text).unwrap();
    assert_eq!(companies.of("99888777000100").regime_pis_cofins, Some(RegimeDasContribuicoes::Cumulativo));
    let other = companies.of("11222333000262");
    assert_eq!(
        (other.regime_pis_cofins, other.contribuinte_ipi),
        (None, Some(true)),
        "nothing is taken from another entry"
    );
    assert_eq!(companies.of("11222333000181").regime_pis_cofins, Some(RegimeDasContribuicoes::NaoCumulativo));
}

#[test]
fn every_fault_of_the_file_is_reported_with_its_line() {
    let text = "titulo = 1\n[[empresa]]\ncnpj = \"123\"\nregime_pis_cofin = \"x\"\ncontribuinte_ipi = \"sim\"\n\
                [[empresa.regime_especial]]\ntributo = \"icmss\"\ndesde = \"2026-02-30\"\n";
    let mut faults = Companies::parse(text).unwrap_err();
    faults.sort();
    let lines: Vec<usize> = faults.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 3, 4, 5, 6, 7, 8], "{faults:?}");
    assert!(faults.iter().any(|(_, detail)| detail.contains("regime_pis_cofins")), "{faults:?}");
}
