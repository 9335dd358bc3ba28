//! Which version of an official table the files of codes follow.

use taxd_law::codes::{FILES, followed};

#[test]
fn a_file_that_follows_an_official_table_says_which_version_of_it() {
    let followed: Vec<_> = followed().collect();
    // A day that is mistyped would leave the file out of the list.
    let stated = FILES.iter().filter(|(_, text)| text.lines().any(|line| line.starts_with("# data: "))).count();
    assert_eq!(followed.len(), stated, "{followed:?}");
    let ncm = followed.iter().find(|table| table.nome == "NCM").unwrap();
    assert_eq!((ncm.arquivo, ncm.data.to_string().as_str()), ("tabelas/ncm.csv", "2026-08-13"));
    assert!(ncm.versao.contains("926/2026") && ncm.mudancas.len() == 1, "{ncm:?}");
}
