//! Inputs other than ordinary files: pipes, devices, and lines without an end. What can be read is read within bounds,
//! and the rest is refused with a sentence that says what to do.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{RIGHT, taxd_nowhere};

const LIST: &str = "uf_origem;uf_destino;valor_produto;data_operacao\nSP;SP;1000,00;10/03/2026\n";

/// Opening it waits for a writer, for ever if none comes.
#[test]
fn a_named_pipe_is_refused_by_every_command_that_reads_a_file() {
    let dir = TempDir::new().unwrap();
    let pipe = |name: &str| {
        let pipe = dir.path().join(name);
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        pipe.display().to_string()
    };
    let (plain, table, bundle) = (pipe("a"), pipe("a.csv"), pipe("a.json"));
    let link = dir.path().join("link").display().to_string();
    std::os::unix::fs::symlink(&plain, &link).unwrap();
    let out = dir.path().join("out.json").display().to_string();
    for args in [
        vec!["audit", &plain],
        vec!["audit", &link],
        vec!["audit", "--empresa", &plain, &out],
        vec!["calc", &plain],
        vec!["calc", "--tributo", "icms", &table],
        vec!["verify", &plain],
        vec!["verify", "--tributo", "icms", &table],
        vec!["import", "--dry-run", &bundle],
        vec!["bundle", "check", &bundle],
        vec!["bundle", "from", "iss-nacional", &table, "--out", &out],
        vec!["bundle", "from", "tipi", &table, "--out", &out, "--a-partir-de", "2026-01-01"],
        vec!["bundle", "from", "cclasstrib", &table, "--out", &out],
    ] {
        let refused = taxd_nowhere(args.clone(), b"");
        assert!(refused.code != 0 && refused.stderr.contains("it is a named pipe"), "{args:?}: {refused:?}");
    }
    assert!(!Path::new(&out).exists());
}

/// The shell has opened it for its writer: `taxd calc <(...)`.
#[test]
fn a_pipe_of_the_shell_is_read_as_a_file_is() {
    let audit = taxd_nowhere(["audit", "/dev/stdin", "--format", "json"], RIGHT.as_bytes());
    assert!(audit.json_lines().iter().any(|line| line["veredito"] == "confere"), "{audit:?}");
    let list = taxd_nowhere(["calc", "--tributo", "icms", "/dev/stdin"], LIST.as_bytes());
    assert!(list.code == 0 && list.stdout.contains("180,00"), "{list:?}");
    let payload = r#"{"tributo":"icms","uf_origem":"SP","uf_destino":"SP","valor_produto":"1000.00","data_operacao":"2026-03-10"}"#;
    let calculated = taxd_nowhere(["calc", "/dev/stdin"], payload.as_bytes());
    assert!(calculated.code == 0 && calculated.stdout.contains("\"180.00\""), "{calculated:?}");
}

/// They were read into memory until it ended.
#[test]
fn what_never_ends_is_refused() {
    let audit = taxd_nowhere(["audit", "/dev/zero", "--format", "json"], b"");
    assert_eq!(audit.json_lines()[0]["codigo"], "arquivo_grande_demais", "{audit:?}");
    let calc = taxd_nowhere(["calc", "/dev/zero"], b"");
    assert!(calc.code == 1 && calc.stderr.contains("a line of the input has more than 1 MiB"), "{calc:?}");
    let companies = taxd_nowhere(["audit", "--empresa", "/dev/zero", "x.xml"], b"");
    assert!(companies.code == 1 && companies.stderr.contains("at most 16 MiB"), "{companies:?}");
}

/// One line of 40 MB took a gigabyte.
#[test]
fn an_official_table_of_one_long_line_is_refused() {
    let dir = TempDir::new().unwrap();
    let (table, out) = (dir.path().join("t.csv"), dir.path().join("out.json").display().to_string());
    let header = "codigo_ibge;uf;nome_municipio;codigo_servico;incidencia;aliquota;dt_ini;dt_fim\n";
    for content in [format!("{header}{}", "a;".repeat(1 << 20)), "a;".repeat(1 << 20)] {
        fs::write(&table, content).unwrap();
        let args = ["bundle", "from", "iss-nacional", &table.display().to_string(), "--out", &out];
        let refused = taxd_nowhere(args, b"");
        assert!(refused.code == 1 && refused.stderr.contains("a line of more than 64 KiB"), "{refused:?}");
    }
}

/// A faulty first line, before lines that are documents or before text alone.
#[test]
fn a_faulty_first_line_costs_no_more_than_a_payload_may_have() {
    let good = r#"{"tributo":"icms","uf_origem":"SP","uf_destino":"SP","valor_produto":"1000.00","data_operacao":"2026-03-10"}"#;
    let lines = format!("{{faulty\n{}", format!("{good}\n").repeat(12_000));
    assert!(lines.len() > 1 << 20);
    let done = taxd_nowhere(["calc"], lines.as_bytes());
    let answers = done.stdout.lines().collect::<Vec<_>>();
    assert_eq!(answers.len(), 12_001, "every line has its answer");
    assert!(answers[0].contains("json_invalido") && answers[1..].iter().all(|line| line.contains("\"180.00\"")));
    let text = taxd_nowhere(["calc"], "{\n\"a\":\n".repeat(200_000).as_bytes());
    assert!(text.code == 1 && text.stderr.contains("the first document of the input has more than 1 MiB"), "{text:?}");
}
