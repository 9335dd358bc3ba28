//! The file of `--empresa`.

use taxd::features::audit::Companies;
use taxd_law::nfe::RegimeDasContribuicoes;

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
        company.preco_no_varejo(product, taxd_base::value::Date::parse(day).unwrap()).map(|price| price.to_string())
    };
    assert_eq!(company.regime_por_unidade, Some(true));
    assert_eq!(price("P1", "2025-12-31").as_deref(), Some("10.25"));
    assert_eq!(price("P1", "2026-01-01").as_deref(), Some("11.00"));
    assert_eq!(price("P2", "2026-01-01"), None);
    for wrong in ["preco = \"10,25\"\nproduto = \"P1\"", "preco = \"1.00\"", "produto = \"P1\"", "varejo = 1"] {
        assert!(
            Companies::parse(format!("[[empresa]]\n[[empresa.preco_venda_varejo]]\n{wrong}\n")).is_err(),
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
    let document = taxd_law::nfe::read(note.as_bytes()).unwrap().remove(0);
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
        let [(line, detail)] = Companies::parse(text("2026-01-01")).unwrap_err().try_into().unwrap();
        assert_eq!(line, 2, "{detail}");
        assert!(detail.contains("2026-01-01") && detail.contains("retire `ate`"), "{detail}");
        assert!(Companies::parse(text("2026-01-02")).is_ok(), "one day is a period");
    }
}

/// A firm keeps its clients in a sheet: the same facts as in TOML, as Excel in Brazil saves them.
#[test]
fn a_table_says_the_same_as_the_toml_file() {
    let table = "CNPJ;Razão social;UF;Município;Regime;IPI;Peças para autopropulsados;Regime especial: tributo;\
                 Regime especial: desde;Regime especial: até;Regime especial: descrição\r\n\
                 11.222.333/0001-81;Padaria São João;SP;São Paulo;Lucro presumido;não;;icms;01/01/2025;31/12/2026;TTD 409\r\n\
                 11.222.333/0001-81;;;;;;;iss;01/02/2025;;ISS fixo\r\n\
                 55666777;Usina;MG;Uberaba;lucro real;Sim;SIM;;;;\r\n\
                 44555666000181;Loja;SP;Santos;Simples Nacional;;;;;;\r\n";
    let toml = "[[empresa]]\ncnpj = \"11.222.333/0001-81\"\nnome = \"Padaria São João\"\n\
                regime_pis_cofins = \"cumulativo\"\ncontribuinte_ipi = false\n\
                [[empresa.regime_especial]]\ntributo = \"icms\"\ndesde = \"2025-01-01\"\nate = \"2026-12-31\"\n\
                descricao = \"TTD 409\"\n\
                [[empresa.regime_especial]]\ntributo = \"iss\"\ndesde = \"2025-02-01\"\ndescricao = \"ISS fixo\"\n\
                [[empresa]]\ncnpj = \"55666777\"\nnome = \"Usina\"\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = true\n\
                destinacao_autopropulsado = true\n\
                [[empresa]]\ncnpj = \"44555666000181\"\nnome = \"Loja\"\n";
    let wanted = Companies::parse(toml).unwrap();
    assert_eq!(Companies::parse(table), Ok(wanted.clone()));
    let (windows_1252, ..) = encoding_rs::WINDOWS_1252.encode(table);
    assert_eq!(Companies::parse(&windows_1252), Ok(wanted.clone()), "as Excel saves a CSV by default");
    assert_eq!(Companies::parse(format!("\u{feff}{table}")), Ok(wanted.clone()), "as Excel saves CSV UTF-8");
    assert_eq!(Companies::parse(table.replace(';', "\t")), Ok(wanted), "as a sheet is copied");
}

#[test]
fn a_table_has_months_prices_and_choices_a_row_each() {
    let table = "cnpj,regime_pis_cofins,regime,simples_nacional_mes,simples_nacional_receita_bruta_12_meses,\
                 simples_nacional_anexo_servicos,preco_venda_varejo_produto,preco_venda_varejo_preco\n\
                 11222333,cumulativo,Lucro real,03/2026,\"300.000,00\",III,P1,\"10,25\"\n\
                 11222333,,,2026-04,\"310.000,50\",,,\n\
                 11222333,,,01/05/2026,\"320.000,00\",,,\n\
                 11222333,,,jun/26,\"330.000,00\",,,\n";
    let company = Companies::parse(table).unwrap().of("11222333000181");
    assert_eq!(company.regime_pis_cofins, Some(RegimeDasContribuicoes::Cumulativo), "what is said of them comes first");
    let months: Vec<(String, String)> =
        company.simples.iter().map(|of| (of.mes.to_string(), of.receita_bruta_12_meses.to_string())).collect();
    let wanted = [
        ("2026-03-01", "300000.00"),
        ("2026-04-01", "310000.50"),
        ("2026-05-01", "320000.00"),
        ("2026-06-01", "330000.00"),
    ];
    assert_eq!(months, wanted.map(|(month, amount)| (month.to_owned(), amount.to_owned())));
    assert_eq!(company.precos_no_varejo[0].preco.to_string(), "10.25");
}

#[test]
fn every_fault_of_a_table_is_reported_with_its_line_and_column() {
    let faults = |rows: &str| -> Vec<String> {
        let table =
            format!("CNPJ;Regime;IPI;Regime especial: tributo;Regime especial: desde;Regime especial: até\n{rows}");
        let faults = Companies::parse(table).unwrap_err();
        faults.into_iter().map(|(line, detail)| format!("{line}: {}", detail.as_str())).collect()
    };
    for (rows, wanted) in [
        ("1234567000195;;;;;\n", "2: coluna \"CNPJ\": o CNPJ tem 14 posições"),
        ("11222333;lucro;;;;\n", "2: coluna \"Regime\": escreva um de: Simples Nacional"),
        ("11222333;;talvez;;;\n", "2: coluna \"IPI\": \"talvez\" não serve"),
        ("11222333;;;icms;31/02/2026;\n", "2: coluna \"Regime especial: desde\""),
        ("11222333;;;icms;01/02/2026;01/01/2026\n", "2: o período nunca vale"),
        ("11222333;;;;01/02/2026;\n", "2: um regime especial tem `tributo`"),
        (";real;;;;\n", "2: a linha não tem CNPJ"),
        ("11222333;real;;;;\n11222333;presumido;;;;\n", "3: coluna \"Regime\": a linha 2 diz outra coisa"),
    ] {
        let found = faults(rows);
        assert!(found.iter().any(|fault| fault.starts_with(wanted)), "{wanted}: {found:?}");
    }
    for (head, wanted) in [
        ("Cliente;Regime\n", "1: falta a coluna CNPJ, com os 14 algarismos ou os 8 da raiz"),
        ("CNPJ;Regimes\n", "1: não há a coluna \"Regimes\". Você quis dizer \"regime\"?"),
        ("CNPJ;Observações\n", "1: não há a coluna \"Observações\"."),
        ("CNPJ;IPI;contribuinte_ipi\n", "1: a coluna \"contribuinte_ipi\" está duas vezes"),
    ] {
        let [(line, detail)] = Companies::parse(head).unwrap_err().try_into().unwrap();
        assert_eq!(format!("{line}: {}", detail.as_str()), wanted);
    }
    let [(line, detail)] = Companies::parse(b"PK\x03\x04\xff\xfe").unwrap_err().try_into().unwrap();
    assert!(line == 1 && detail.contains("CSV"), "{detail:?}");
}

/// A correction below the first row was once left out without a word.
#[test]
fn a_month_twice_is_a_fault() {
    let month = "[[empresa.simples_nacional]]\nmes = \"2026-03\"\nreceita_bruta_12_meses = \"300000.00\"\n";
    let faults = Companies::parse(format!("[[empresa]]\ncnpj = \"11222333\"\n{month}{month}")).unwrap_err();
    assert!(faults.iter().any(|(_, detail)| detail.contains("duas vezes o mesmo mês")), "{faults:?}");
}

/// A table of the whole size that the page takes: each row was once compared with all others.
#[test]
fn many_companies_are_read_at_once() {
    let rows: Vec<String> = (0..29_000).map(|number| format!("{number:08}")).collect();
    assert!(Companies::parse(format!("CNPJ\n{}", rows.join("\n"))).is_ok());
}
