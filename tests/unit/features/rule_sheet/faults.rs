//! Faults of a table: each with its row, its column, and what to do.

use serde_json::json;

use super::texts;

const HEADER: &[&str] = &[
    "rule_code",
    "versao",
    "tributo",
    "escopo.uf",
    "escopo.ncm",
    "vigente_de",
    "citacao_legal",
    "conteudo.aliquota",
    "conteudo.faixas[].ate",
    "conteudo.faixas[].aliquota",
    "conteudo.metodo",
    "# notas",
];
/// Columns of a tax with no `ncm` in its scope.
const ITCMD: &[&str] =
    &["r-itcmd", "1.0", "itcmd", "SP", "", "01/02/2026", "Lei 1", "", "1.000,50", "2,00%", "marginal", "x"];

fn faults(rows: &[&[&str]]) -> Vec<(u32, Option<usize>, String)> {
    let faults = texts(rows).expect_err("the table was read");
    faults.into_iter().map(|fault| (fault.row, fault.column, fault.detail)).collect()
}

#[test]
fn brackets_are_read_down_the_rows_with_comments_between() {
    let header: Vec<&str> = HEADER.iter().copied().filter(|name| *name != "escopo.ncm").collect();
    let row = |row: &[&'static str]| [&row[..4], &row[5..]].concat();
    let below = row(&["", "", "", "", "", "", "", "", "null", "4", "", ""]);
    let made = texts(&[&["# um comentário"], &header, &row(ITCMD), &["# outro"], &below, &row(ITCMD)])
        .unwrap_or_else(|f| panic!("{f:#?}"));
    assert_eq!(made.rules.len(), 2);
    let expected = json!({
        "rule_code": "r-itcmd", "versao": "1.0", "tributo": "itcmd", "escopo": {"uf": "SP"}, "vigente_de": "2026-02-01",
        "citacao_legal": "Lei 1",
        "conteudo": {"faixas": [{"ate": "1000.50", "aliquota": "2.00"}, {"ate": null, "aliquota": "4.00"}], "metodo": "marginal"},
    });
    assert_eq!(made.rules[0], expected);
    let place = |path| made.place(0, path).unwrap();
    assert_eq!(place("conteudo.faixas[1].aliquota"), (5, Some(8), "conteudo.faixas[].aliquota".to_owned()));
    assert_eq!(place("conteudo.aliquota"), (3, Some(6), "conteudo.aliquota".to_owned()));
    assert_eq!(place("conteudo.isencao"), (3, None, "conteudo.isencao".to_owned()));
    assert_eq!(made.place(1, "escopo.uf").unwrap().0, 6);
}

#[test]
fn every_fault_is_reported_at_once_with_its_place() {
    let bad = &["r-x", "1.0", "itcmd", "SP", "2203", "31/02/2026", "Lei 1", "1.234", "", "", "", ""];
    let found = faults(&[HEADER, bad]);
    let at: Vec<_> = found.iter().map(|(row, column, _)| (*row, *column)).collect();
    assert_eq!(at, [(2, Some(4)), (2, Some(5)), (2, Some(7))], "{found:#?}");
    assert!(found[0].2.contains("A coluna escopo.ncm não existe"), "{found:#?}");
    assert!(found[1].2.contains("como 20/11/2026") && found[2].2.contains("ambíguo"), "{found:#?}");
}

#[test]
fn the_rows_of_a_rule_are_distinguished_from_strays() {
    let header: &[&str] = &["rule_code", "tributo", "vigente_de", "conteudo.faixas[].ate", "exemplos[].valor"];
    let found = faults(&[header, &["", "itcmd"], &["a-b", "itcmd", "01/01/2026", "5"], &["", "", "02/01/2026", ""]]);
    assert_eq!(found.iter().map(|(row, column, _)| (*row, *column)).collect::<Vec<_>>(), [(2, Some(0)), (4, Some(2))]);
    assert!(found[0].2.contains("falta o rule_code") && found[1].2.contains("primeira linha da regra"));
    let no_name = faults(&[&["rule_code", "tributo"], &["a-b", "itcmd", "", "solto"]]);
    assert_eq!((no_name[0].0, no_name[0].1), (2, Some(3)));
    assert!(no_name[0].2.contains("sem nome"));
}

#[test]
fn a_header_that_is_not_one_says_where_to_begin() {
    assert!(faults(&[&["a", "b"], &["1", "2"]])[0].2.contains("taxd bundle template"));
    assert!(faults(&[])[0].2.contains("taxd bundle template"));
    assert!(faults(&[&["rule_code", "tributo"]])[0].2.contains("nenhuma regra"));
    let header: &[&str] = &["rule_code", "tributo", "conteudo.aliquot", "versao", "versao"];
    let found = faults(&[header, &["a-b", "itcmd", "1", "1.0", "1.0"]]);
    assert!(
        found[0].2.contains("Você quis dizer conteudo.aliquota?") && found[1].2.contains("se repete"),
        "{found:#?}"
    );
    let unknown = faults(&[&["rule_code", "tributo"], &["a-b", "icm"]]);
    assert!(unknown[0].2.contains("Você quis dizer `icms`?"), "{unknown:#?}");
    let missing = faults(&[&["rule_code"], &["a-b"]]);
    assert!(missing[0].1.is_none() && missing[0].2.contains("Falta o tributo"), "{missing:#?}");
}

/// The empty columns of another tax, as in a table that several taxes share, were columns that do not exist.
#[test]
fn an_empty_column_of_a_tax_that_the_table_does_not_have_is_not_a_fault() {
    let header: Vec<&str> = [HEADER, &["conteudo.mva", "conteudo.mvaa"]].concat();
    let row = [ITCMD, &["", ""]].concat();
    let found = faults(&[&header, &row]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].2.contains("conteudo.mvaa") && found[0].0 == 1, "{found:?}");
    let filled = [ITCMD, &["40", ""]].concat();
    let found = faults(&[&header, &filled]);
    assert!(
        found.iter().any(|(row, column, why)| (*row, *column) == (2, Some(12)) && why.contains("itcmd")),
        "{found:?}"
    );
}
