//! The file of `--empresa`.

use taxd::features::audit::Companies;
use taxd::law::nfe::RegimeDasContribuicoes;

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

/// Cigarettes: a treatment by unit that the maker chooses, and a price at retail, which no document has.
#[test]
fn what_the_laws_of_cigarettes_ask_for_comes_from_the_file() {
    let text = "[[empresa]]\nregime_especial_por_unidade = true\n\
                [[empresa.preco_venda_varejo]]\nproduto = \"P1\"\npreco = \"10.25\"\nate = 2025-12-31\n\
                [[empresa.preco_venda_varejo]]\nproduto = \"P1\"\npreco = \"11.00\"\ndesde = 2026-01-01\n";
    let company = Companies::parse(text).unwrap().of("");
    let price = |product: &str, day: &str| {
        company.preco_no_varejo(product, taxd::base::value::Date::parse(day).unwrap()).map(|price| price.to_string())
    };
    assert_eq!(company.regime_por_unidade, Some(true));
    assert_eq!(price("P1", "2025-12-31").as_deref(), Some("10.25"));
    assert_eq!(price("P1", "2026-01-01").as_deref(), Some("11.00"));
    assert_eq!(price("P2", "2026-01-01"), None);
    for wrong in ["preco = \"10,25\"\nproduto = \"P1\"", "preco = \"1.00\"", "produto = \"P1\"", "varejo = 1"] {
        assert!(
            Companies::parse(&format!("[[empresa]]\n[[empresa.preco_venda_varejo]]\n{wrong}\n")).is_err(),
            "{wrong}"
        );
    }
}

/// Beer in SP, as the maker's choice by unit is asked of fuels: the payload has what the file says.
#[test]
fn the_choices_of_the_company_reach_the_questions() {
    use super::documents::{Note, sale};
    use taxd::features::audit::{self, PlannedLine};

    let text = "[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\nregime_especial_por_unidade = false\n\
                [[empresa.preco_venda_varejo]]\nproduto = \"P1\"\npreco = \"10.25\"\n";
    let company = Companies::parse(text).unwrap().of("");
    let note = Note { items: vec![sale()], ..Note::default() }.xml();
    let document = taxd::law::nfe::read(note.as_bytes()).unwrap().remove(0);
    let payloads: Vec<serde_json::Value> = audit::plan("nota.xml", 1, &document, &company)
        .into_iter()
        .filter_map(|line| match line {
            PlannedLine::Question(question) => serde_json::to_value(&question.payload).ok(),
            PlannedLine::Ready(_) => None,
        })
        .collect();
    let of = |tributo: &str| payloads.iter().find(|payload| payload["tributo"] == tributo).unwrap();
    // Ten units.
    assert_eq!(of("ipi")["preco_venda_varejo"], "102.50");
    for tributo in ["ipi", "pis", "cofins"] {
        assert_eq!(of(tributo)["regime_especial"], false, "{tributo}");
    }
}

/// From July 2026 on a CNPJ may have letters.
#[test]
fn a_cnpj_with_letters_is_known() {
    let companies = Companies::parse("[[empresa]]\ncnpj = \"12.abc.345/01DE-35\"\ncontribuinte_ipi = true\n").unwrap();
    assert_eq!(companies.of("12ABC34501DE35").contribuinte_ipi, Some(true));
}

/// Both once passed, and the treatment was silently never applied.
#[test]
fn a_period_that_ends_before_it_begins_is_refused_with_line_and_remedy() {
    let special = "tributo = \"icms\"\n";
    let price = "produto = \"P1\"\npreco = \"1.00\"\n";
    for (table, fields) in [("regime_especial", special), ("preco_venda_varejo", price)] {
        let text = |ate: &str| format!("[[empresa]]\n[[empresa.{table}]]\n{fields}desde = 2026-01-02\nate = {ate}\n");
        let [(line, detail)] = Companies::parse(&text("2026-01-01")).unwrap_err().try_into().unwrap();
        assert_eq!(line, 2, "{detail}");
        assert!(detail.contains("2026-01-01") && detail.contains("retire `ate`"), "{detail}");
        assert!(Companies::parse(&text("2026-01-02")).is_ok(), "one day is a period");
    }
}
