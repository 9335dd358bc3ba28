//! `taxd calc`: one payload.

use std::ffi::OsStr;

use serde_json::{Value, json};

use crate::support::{DataDir, bundle, code_of, rule, taxd, taxd_nowhere, taxd_with_input};

fn payload() -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
           "data_operacao": "2026-03-10"})
}

#[test]
fn one_payload_by_file_by_stdin_and_pretty_printed() {
    let dir = DataDir::ready();
    let (plain, pretty) = (payload().to_string(), serde_json::to_string_pretty(&payload()).unwrap());
    let forms = [
        plain.clone(),
        format!("{plain}\n"),
        format!("\n\n  {plain}\r\n"),
        pretty.clone(),
        pretty.replace('\n', "\r\n"),
        format!("\n{pretty}\n\n"),
        // As editors on Windows write it.
        format!("\u{feff}{plain}"),
        format!("\u{feff}{pretty}\r\n"),
        format!("\u{feff}\r\n{plain}\r\n"),
    ];
    for form in forms {
        let file = dir.write("payload.json", &form);
        let by_file = taxd(&dir, [OsStr::new("calc"), file.as_os_str()]).ok();
        let by_stdin = taxd_with_input(&dir, ["calc"], form.as_bytes()).ok();
        let by_dash = taxd_with_input(&dir, ["calc", "-"], form.as_bytes()).ok();
        assert_eq!(by_file.json_lines().len(), 1, "{form:?}");
        assert_eq!(by_file.json()["valor"], "180.00", "{form:?}");
        assert_eq!((&by_file.stdout, &by_file.stdout), (&by_stdin.stdout, &by_dash.stdout));
    }
}

#[test]
fn without_a_data_directory_the_built_in_rules_answer() {
    let done = taxd_nowhere(["calc"], payload().to_string().as_bytes()).ok();
    assert_eq!(code_of(&done.json()), "icms-sp-geral");
    assert!(done.stderr.contains("o cálculo é pelas regras embutidas"), "{done:?}");
}

/// A misspelt name was answered by the built-in rules, with a warning in the log and exit status 0.
#[test]
fn a_data_directory_that_is_named_and_is_not_there_is_an_error() {
    let dir = DataDir::empty();
    let (input, missing) = (payload().to_string(), dir.path());
    let by_option = taxd_nowhere(["calc".as_ref(), "--data".as_ref(), missing.as_os_str()], input.as_bytes());
    let by_variable = taxd_with_input(&dir, ["calc"], input.as_bytes());
    // A directory without the data file, as where the one above it was named, is none either.
    let above = missing.parent().unwrap();
    let empty = taxd_nowhere(["calc".as_ref(), "--data".as_ref(), above.as_os_str()], input.as_bytes());
    for (done, named) in [(by_option, missing.as_path()), (by_variable, &missing), (empty, above)] {
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
        for told in ["there is no taxd data in", named.to_str().unwrap(), "--data", "TAXD_DATA", "built-in"] {
            assert!(done.stderr.contains(told), "{told}: {done:?}");
        }
    }
    assert!(!missing.exists(), "calc made a data directory");
}

#[test]
fn with_a_data_directory_its_own_rules_answer_running_or_not() {
    let dir = DataDir::empty();
    let own = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let file = dir.write("own.json", bundle(&[own]));
    taxd(&dir, [OsStr::new("import"), file.as_os_str()]).ok();
    let car = json!({"tributo": "ipva", "uf": "AC", "categoria_veiculo": "taxi", "valor_venal": "100.00",
                     "data_fato_gerador": "2026-01-01"})
    .to_string();
    let check = |place: &str| {
        assert_eq!(taxd_with_input(&dir, ["calc"], car.as_bytes()).ok().json()["valor"], "2.00", "{place}");
        let done = taxd_with_input(&dir, ["calc"], payload().to_string().as_bytes());
        assert_eq!(
            (done.code, &done.json()["codigo"]),
            (1, &json!("regra_inexistente")),
            "{place}: no built-in rule helps out"
        );
    };
    check("stopped");
    let _server = dir.serve(&[]);
    check("running");
}
