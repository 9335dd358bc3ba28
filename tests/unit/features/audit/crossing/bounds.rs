//! A book that is larger than any: what is kept of it has a bound, and the report says what was left out.

use super::changes::right;
use super::run_over;

/// The details of what is said of books, after something is put before the end of a block.
fn said(block: &str, lines: &str) -> Vec<String> {
    let books = right().replacen(block, &[lines, block].concat(), 1);
    let lines = run_over(&[("efd.txt", books.as_bytes())]);
    let of_books = lines.iter().filter(|line| line.codigo == Some("registro_nao_lido"));
    of_books.map(|line| line.detalhe.clone()).collect()
}

#[test]
fn lines_of_no_document_are_kept_up_to_a_bound() {
    let long = format!("|E111|SP000001|{}|1,00|\n", "X".repeat(60_000));
    assert!(said("|E990|", &long.repeat(3)).is_empty());
    let lost = said("|E990|", &long.repeat(600));
    assert!(lost.len() == 1 && lost[0].contains("há linhas da EFD que não foram lidas"), "{lost:?}");
}

#[test]
fn lines_of_a_document_are_kept_up_to_a_bound() {
    let long = format!("|C170|1|P1|{}|1,00000|UN|1,00|0,00|0|000|2102||\n", "X".repeat(60_000));
    let lost = said("|C990|", &long.repeat(80));
    assert!(lost.len() == 1 && lost[0].contains("há linhas da EFD que não foram lidas"), "{lost:?}");
}

/// Registers of a name that no layout has are counted together.
#[test]
fn unknown_registers_are_counted_and_not_all_named() {
    let name = |at: usize| format!("|X{at:03}|\n");
    let named = said("|C990|", &(0..1_000).map(name).collect::<String>());
    assert!(named.len() == 1 && named[0].contains("X002 (1)") && !named[0].contains("X999"), "{named:?}");
}
