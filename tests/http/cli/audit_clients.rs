//! `taxd audit --relatorio`: a spreadsheet and a message for each client of the firm.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;
use taxd::sheet::{Row, read, worksheets};
use tempfile::TempDir;

use super::audit::RIGHT;
use crate::support::{Done, taxd_nowhere};

const CLIENTS: &str = "CNPJ;Nome;Regime\n11222333;Padaria São José/Filhos \"..\\;Lucro real\n";

/// Notes of a client with two establishments, the first with an error, and one of a supplier.
fn month() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("notas")).unwrap();
    let write = |name: &str, xml: &str| fs::write(dir.path().join("notas").join(name), xml).unwrap();
    let wrong = RIGHT.replace("<pICMS>18.00</pICMS><vICMS>180.00", "<pICMS>12.00</pICMS><vICMS>120.00");
    assert_ne!(wrong, RIGHT);
    for number in 1..=9 {
        write(&format!("{number}.xml"), &wrong.replace("<mod>", &format!("<nNF>{number}</nNF><mod>")));
    }
    write("filial.xml", &RIGHT.replace("11222333000181", "11222333000262"));
    write("fornecedor.xml", &RIGHT.replace("11222333000181", "55666777000181"));
    fs::write(dir.path().join("clientes.csv"), CLIENTS).unwrap();
    dir
}

fn audit(dir: &Path, options: &[&str]) -> Done {
    let [notes, clients] = ["notas", "clientes.csv"].map(|name| dir.join(name).display().to_string());
    let args = ["audit", &notes, "--empresa", &clients].into_iter().chain(options.iter().copied());
    taxd_nowhere(args, b"")
}

fn rows(file: &Path, sheet: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut take = |row: Row| {
        rows.push(row.cells.iter().map(|cell| cell.text().unwrap_or_default().into_owned()).collect());
        ControlFlow::Continue(())
    };
    read(File::open(file).unwrap(), Some(sheet), &mut take).unwrap();
    rows
}

#[test]
fn each_client_has_a_spreadsheet_that_opens_on_what_to_correct_and_a_message() {
    let dir = month();
    let out = dir.path().join("relatorios/2025-03");
    let done = audit(dir.path(), &["--relatorio", &out.display().to_string()]);
    assert_eq!(done.code, 0, "a person must check the differences: {done:?}");
    assert!(done.stdout.contains("11.222.333") && done.stdout.contains("Padaria São José"), "{done:?}");
    assert!(done.stderr.contains("emitentes sem relatório: 1;"), "{done:?}");
    let names: BTreeSet<String> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let stem = "11222333-padaria-sao-jose-filhos";
    assert_eq!(names, BTreeSet::from([format!("{stem}.txt"), format!("{stem}.xlsx")]));
    let xlsx = out.join(format!("{stem}.xlsx"));
    let sheets: Vec<String> = worksheets(File::open(&xlsx).unwrap()).unwrap().into_iter().flatten().collect();
    assert_eq!(sheets, ["O que corrigir", "Por produto", "Linhas", "Não conferido"]);
    let causes = rows(&xlsx, "O que corrigir");
    let of = |row: &[String], name: &str| row[causes[0].iter().position(|head| head == name).unwrap()].clone();
    let icms = causes.iter().find(|row| of(row, "Tributo") == "ICMS").unwrap();
    let shown = ["Notas", "Números", "A menor (R$)"].map(|name| of(icms, name));
    assert_eq!(shown, ["9", "1, 2, 3, 4, 5, 6 e mais 3", "540.00"], "nine notes with one cause are one row");
    let lines = rows(&xlsx, "Linhas");
    assert!(lines.iter().any(|row| row.iter().any(|cell| cell.ends_with("filial.xml"))));
    assert!(!lines.iter().any(|row| row.iter().any(|cell| cell.ends_with("fornecedor.xml"))), "another company's");
    let message = fs::read_to_string(out.join(format!("{stem}.txt"))).unwrap();
    assert!(message.contains("9 notas (1, 2, 3, 4, 5, 6 e mais 3), de 10/03/2025. R$ 540,00 a menos."), "{message}");
    assert!(!message.contains('`') && !message.contains("fornecedor"), "{message}");
    let printed = audit(dir.path(), &["--format", "mensagem"]);
    assert!(printed.stdout.starts_with(&message), "{printed:?}");
}

#[test]
fn a_report_is_never_overwritten_and_its_list_is_json_if_asked_for() {
    let dir = month();
    let out = dir.path().join("saida").display().to_string();
    let done = audit(dir.path(), &["--relatorio", &out, "--json"]);
    let list: Value = serde_json::from_str(done.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&list["empresa"], &list["causas"]), (&"11.222.333".into(), &3.into()), "{list}");
    let before = fs::read(list["arquivo"].as_str().unwrap()).unwrap();
    let again = audit(dir.path(), &["--relatorio", &out]);
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("is not empty, and a report is never overwritten"), "{again:?}");
    assert_eq!(fs::read(list["arquivo"].as_str().unwrap()).unwrap(), before);
    let both = audit(dir.path(), &["--relatorio", &out, "--format", "csv"]);
    assert_eq!(both.code, 2, "{both:?}");
}

#[test]
fn a_client_without_a_document_has_a_line_that_says_so() {
    let dir = month();
    let more = "22333444000181;Sem Movimento;Lucro real\n77666555;Filial Parada;Lucro real\n";
    fs::write(dir.path().join("clientes.csv"), format!("{CLIENTS}{more}")).unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    let done = audit(dir.path(), &["--relatorio", &out("a")]);
    let line = |of: &str| done.stdout.lines().find(|line| line.contains(of)).unwrap_or_default().to_owned();
    for (name, cnpj) in [("Sem Movimento", "22.333.444/0001-81"), ("Filial Parada", "77.666.555")] {
        assert!(line(name).contains(cnpj) && line(name).ends_with("sem documentos nesta conferência"), "{done:?}");
    }
    assert!(done.stderr.contains("emitentes sem relatório: 1"), "{done:?}");
    assert_eq!(fs::read_dir(dir.path().join("a")).unwrap().count(), 2);
    let listed = audit(dir.path(), &["--relatorio", &out("b"), "--json"]).stdout;
    let list: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((list.len(), &list[1]["motivo"]), (3, &"sem documentos nesta conferência".into()), "{listed}");
    assert!(list[0].get("motivo").is_none() && list[1].get("arquivo").is_none(), "{listed}");
}

/// With `--so-divergencias` a client whose notes are right has no files: it was counted as missing in the list of clients.
#[test]
fn a_client_of_whom_nothing_differs_has_a_line_that_says_so() {
    let dir = month();
    for number in 1..=9 {
        fs::remove_file(dir.path().join(format!("notas/{number}.xml"))).unwrap();
    }
    let facts = "CNPJ;Nome;Regime;IPI\n11222333;Padaria;Lucro real;não\n";
    fs::write(dir.path().join("clientes.csv"), facts).unwrap();
    let out = dir.path().join("saida").display().to_string();
    let done = audit(dir.path(), &["--relatorio", &out, "--so-divergencias"]);
    let line = done.stdout.lines().find(|line| line.contains("Padaria")).unwrap_or_default();
    assert!(line.contains("nada a corrigir") && done.stderr.contains("emitentes sem relatório: 1"), "{done:?}");
}
