//! `taxd calc` on a list: rows of a CSV or XLSX, and the same rows with their results.

use std::ffi::OsStr;
use std::path::Path;

use crate::support::{DataDir, taxd, taxd_with_input};

/// More rows than are calculated together.
const ROWS: usize = 20_000;

/// A row and its end in the output: every tenth has a text as its amount.
fn row(i: usize) -> (String, String) {
    let begin = format!("{i};Açougue {i};SP;sp");
    if i.is_multiple_of(10) {
        return (format!("{begin};{i} reais;10/03/2026"), "escreva o valor como 1.234,56.\"".to_owned());
    }
    let cents = 18 * i;
    (format!("{begin};{i},00;10/03/2026"), format!(";{},{:02};{i},00;18,00;", cents / 100, cents % 100))
}

fn list() -> String {
    let rows: String = (1..=ROWS).map(|i| row(i).0 + "\r\n").collect();
    format!("Nota;Cliente;uf_origem;uf_destino;valor_produto;data_operacao\r\n{rows}")
}

#[track_caller]
fn check(output: &str) {
    let mut lines = output.trim_start_matches('\u{feff}').lines();
    let header = lines.next().unwrap();
    assert!(
        header.starts_with("Nota;Cliente;uf_origem;uf_destino;valor_produto;data_operacao;taxd_linha;taxd_valor;"),
        "{header}"
    );
    assert!(header.ends_with(";taxd_erro"), "{header}");
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), ROWS);
    for (i, line) in (1..).zip(lines) {
        let (begin, result) = row(i);
        assert!(line.starts_with(&begin) && line[begin.len()..].contains(&result), "row {i}: {line}");
    }
}

#[test]
fn the_rows_come_back_in_order_with_their_results_here_and_by_the_server() {
    let dir = DataDir::ready();
    let file = dir.write("vendas.csv", list());
    let run =
        |dir: &DataDir| taxd(dir, [OsStr::new("calc"), file.as_os_str(), OsStr::new("--tributo"), OsStr::new("icms")]);
    let here = run(&dir);
    assert_eq!(here.code, 1, "{}", here.stderr);
    assert!(
        here.stderr.contains("2.000 de 20.000 linhas recusadas: 2.000 com `valor_produto` que não se lê"),
        "{}",
        here.stderr
    );
    check(&here.stdout);
    let windows: Vec<u8> = list().chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let by_stdin = taxd_with_input(&dir, ["calc", "--tributo", "icms"], &windows);
    assert!(by_stdin.stdout == here.stdout, "Windows-1252 on stdin differs");
    let server = dir.serve(&[]);
    assert!(run(&dir).stdout == here.stdout, "the running server answers otherwise");
    drop(server);
}

#[test]
fn an_xlsx_has_typed_cells_and_is_a_list_itself() {
    let dir = DataDir::ready();
    let text = "nota,tributo,uf_origem,uf_destino,ncm,valor_produto,data_operacao\n\
                7,icms,SP,SP,,100.00,2026-03-10\n8,ipi,,,22030000,100.00,2026-03-10\n";
    let file = dir.write("misto.csv", text);
    let calc = |file: &Path, out: &Path| {
        taxd(&dir, [OsStr::new("calc"), file.as_os_str(), OsStr::new("--out"), out.as_os_str()])
    };
    let (xlsx, again) = (dir.path().join("misto.xlsx"), dir.path().join("again.csv"));
    calc(&file, &xlsx).ok();
    calc(&xlsx, &again).ok();
    let again = std::fs::read_to_string(again).unwrap();
    let lines: Vec<&str> = again.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0].matches("taxd_valor").count(), 1, "results of the earlier run are replaced: {}", lines[0]);
    assert!(lines[1].starts_with("7;icms;SP;SP;;100,00;2026-03-10;2;18,00;100,00;18,00;"), "{}", lines[1]);
    assert!(lines[2].starts_with("8;ipi;;;22030000;100,00;2026-03-10;3;"), "{}", lines[2]);
}
