//! `taxd calc` on a list: where the result goes, and what is left if the work is broken off.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{DataDir, program, taxd};

fn list(rows: usize) -> String {
    let row = "SP;SP;100,00;10/03/2026\n";
    format!("uf_origem;uf_destino;valor_produto;data_operacao\n{}", row.repeat(rows))
}

fn command(dir: &DataDir, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env_clear().env("TAXD_DATA", dir.path()).args(args);
    command
}

/// The files beside the data directory whose name begins so.
fn beside(file: &Path, begin: &str) -> Vec<String> {
    let names = fs::read_dir(file.parent().unwrap()).unwrap();
    names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(begin))
        .collect()
}

/// Ctrl-C in a long list left half of it under the name of the whole.
#[test]
fn a_list_that_is_broken_off_leaves_nothing_under_its_name() {
    let dir = DataDir::ready();
    let file = dir.write("longa.csv", list(400_000));
    let out = file.with_file_name("pronta.csv");
    let mut running =
        command(&dir, &["calc", file.to_str().unwrap(), "--tributo", "icms", "--out", out.to_str().unwrap()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
    let begun = Instant::now();
    // The rows go to a file without a name.
    let open = format!("/proc/{}/fd", running.id());
    let has_rows = |entry: fs::DirEntry| {
        let is_unnamed = fs::read_link(entry.path())
            .is_ok_and(|path| path.starts_with(out.parent().unwrap()) && path.to_string_lossy().ends_with("(deleted)"));
        is_unnamed && fs::metadata(entry.path()).is_ok_and(|metadata| metadata.len() > 0)
    };
    while !fs::read_dir(&open).is_ok_and(|mut files| files.any(|entry| entry.is_ok_and(has_rows))) {
        assert!(begun.elapsed() < Duration::from_mins(1), "no rows were written");
        assert!(running.try_wait().unwrap().is_none(), "it ended before it was broken off");
        std::thread::sleep(Duration::from_millis(5));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(beside(&out, "pronta.csv"), Vec::<String>::new());
}

#[test]
fn a_list_appears_whole_and_nothing_else_is_left() {
    let dir = DataDir::ready();
    let file = dir.write("lista.csv", list(3));
    for name in ["a.csv", "a.xlsx"] {
        let out = file.with_file_name(name);
        taxd(&dir, ["calc", file.to_str().unwrap(), "--tributo", "icms", "--out", out.to_str().unwrap()]).ok();
        assert_eq!(beside(&out, name), [name]);
    }
}

#[test]
fn a_link_that_leads_nowhere_is_refused_before_the_work() {
    let dir = DataDir::ready();
    let file = dir.write("lista.csv", list(3));
    let out = file.with_file_name("link.csv");
    symlink(file.with_file_name("nowhere.csv"), &out).unwrap();
    let done = taxd(&dir, ["calc", file.to_str().unwrap(), "--tributo", "icms", "--out", out.to_str().unwrap()]);
    assert!(done.code == 1 && done.stderr.contains("is a link to a file that does not exist"), "{done:?}");
    assert!(fs::symlink_metadata(&out).is_ok_and(|there| there.is_symlink()));
}

/// `| head` ended with an error about a broken pipe.
#[test]
fn a_reader_that_goes_away_ends_the_work_quietly() {
    let dir = DataDir::ready();
    let file = dir.write("lista.csv", list(60_000));
    for args in [&["--tributo", "icms"][..], &["--operacao"]] {
        let mut running = command(&dir, &[&["calc", file.to_str().unwrap()], args].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The pipe holds less than the list.
        drop(running.stdout.take());
        let done = running.wait_with_output().unwrap();
        let stderr = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success() && !stderr.to_lowercase().contains("pipe"), "{args:?}: {stderr}");
    }
}

/// UF and date columns had to be added in Excel, and columns with other names renamed.
#[test]
fn a_price_table_is_calculated_with_what_all_rows_have_and_the_fields_of_its_columns() {
    let dir = DataDir::ready();
    let table = "Produto;Código;Preço\nParafuso;7318.15.00;1.000,00\nPorca;73181600;mil\nArruela;7318.22.00;10\n";
    let file = dir.write("tabela.csv", table);
    let calc = |options: &[&str]| {
        let fixed = ["calc", file.to_str().unwrap(), "--tributo", "icms"];
        taxd(&dir, fixed.iter().chain(options))
    };
    let all = ["--com", "uf_origem=SP", "--com", "UF-destino=SP", "--com", "data_operacao=10/3/26"];
    let columns = ["--coluna", "codigo=ncm", "--coluna", "C=valor_produto"];
    let with = |more: &[&str]| calc(&[&all[..], &columns[..], more].concat());
    let done = with(&[]);
    let lines: Vec<&str> = done.stdout.lines().collect();
    let head = "Produto;Código;Preço;data_operacao;uf_destino;uf_origem;taxd_linha;taxd_valor;";
    assert!(lines[0].trim_start_matches('\u{feff}').starts_with(head), "the columns keep their names: {}", lines[0]);
    let begin = "Parafuso;7318.15.00;1.000,00;2026-03-10;SP;SP;2;180,00;1000,00;18,00;";
    assert!(lines[1].starts_with(begin), "{}", lines[1]);
    let counted = "taxd: 1 de 3 linhas recusadas: 1 com `valor_produto` que não se lê\n";
    assert!(done.code == 1 && done.stderr.ends_with(counted), "{done:?}");
    // With --json the counts are the document, and the rows are in the file.
    let out = dir.path().join("saida.csv");
    let counts = with(&["--json", "--out", out.to_str().unwrap()]).json();
    let cause = serde_json::json!({"causa": "com `valor_produto` que não se lê", "linhas": 1});
    assert_eq!(counts, serde_json::json!({"linhas": 3, "calculadas": 2, "recusadas": 1, "causas": [cause]}));
    assert_eq!(std::fs::read_to_string(out).unwrap(), done.stdout);
    for (options, why) in [
        (&["--com", "uf_origen=SP"][..], "`uf_origen` não é um campo desta lista. Você quis dizer `uf_origem`?"),
        (&["--com", "ncm=1", "--coluna", "B=ncm"], "A coluna B já é o campo `ncm`"),
        (
            &["--coluna", "Nada=ncm"],
            "Nenhuma coluna se chama \"Nada\"; as colunas são: \"Produto\", \"Código\", \"Preço\".",
        ),
        (&["--coluna", "B=ncn"], "`ncn` não é um campo desta lista. Você quis dizer `ncm`?"),
        (&["--com", "frete"], "it takes two parts with = between them"),
    ] {
        let refused = calc(options);
        assert!(refused.code > 0 && refused.stdout.is_empty() && refused.stderr.contains(why), "{refused:?}");
    }
    let refused = calc(&["--json"]).json();
    assert!(refused["erro"].as_str().unwrap().contains("name a file for its rows with --out"), "{refused}");
}
