//! `taxd calc`: JSON lines, many of them, each answered in its place.

use std::ffi::OsStr;

use serde_json::{Value, json};

use crate::support::{DataDir, taxd, taxd_nowhere, taxd_with_input};

const LINES: usize = 10_000;

/// The line and what it comes to: an amount, or the code of its refusal.
fn line(i: usize) -> (String, Result<String, &'static str>) {
    match i % 5 {
        // 18% of i reais, in cents: exact, since 18 × i is whole.
        0..=2 => {
            let cents = 18 * i;
            let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP",
                                 "valor_produto": i.to_string(), "data_operacao": "2026-03-10"});
            (payload.to_string(), Ok(format!("{}.{:02}", cents / 100, cents % 100)))
        }
        3 => (format!("{{\"tributo\":\"icms\",\"nota\":{i}"), Err("json_invalido")),
        _ => (format!("{{\"tributo\":\"iof\",\"nota\":{i}}}"), Err("valor_invalido")),
    }
}

#[track_caller]
fn check(answers: &[Value], from: usize) {
    assert_eq!(answers.len(), LINES - from);
    for (i, answer) in (from..).zip(answers) {
        match line(i).1 {
            Ok(valor) => assert_eq!(answer["valor"], valor, "line {i}: {answer}"),
            Err(codigo) => assert_eq!(answer["codigo"], codigo, "line {i}: {answer}"),
        }
    }
}

fn input(from: usize, end: &str) -> String {
    (from..LINES).map(|i| line(i).0 + end).collect()
}

#[test]
fn ten_thousand_lines_in_order() {
    let dir = DataDir::ready();
    let text = input(0, "\n");
    let file = dir.write("lines.jsonl", &text);
    let by_file = taxd(&dir, [OsStr::new("calc"), file.as_os_str()]);
    assert_eq!(by_file.code, 1, "some were refused: {}", by_file.stderr);
    check(&by_file.json_lines(), 0);
    let by_stdin = taxd_with_input(&dir, ["calc"], input(0, "\r\n\n").trim_end().as_bytes());
    assert_eq!(by_stdin.stdout, by_file.stdout, "blank lines, CRLF and the missing last newline make no difference");

    let server = dir.serve(&[]);
    let running = taxd_with_input(&dir, ["calc"], text.as_bytes());
    assert_eq!((running.code, running.stdout == by_file.stdout), (1, true), "the running server answers otherwise");
    drop(server);
}

/// Sixteen megabytes of blank lines were a batch, and one without payloads ended the input.
#[test]
fn many_blank_lines_end_nothing() {
    let blanks = "\n".repeat(17 << 20);
    let text = format!("{}\n{blanks}{}\n", line(0).0, line(1).0);
    let done = taxd_nowhere(["calc"], text.as_bytes()).ok();
    assert_eq!(done.json_lines().len(), 2);
}

#[test]
fn a_faulty_first_line_is_its_own_fault_only() {
    let done = taxd_nowhere(["calc"], input(3, "\n").as_bytes());
    assert_eq!(done.code, 1);
    check(&done.json_lines(), 3);
}

#[test]
fn exit_0_only_when_every_line_was_answered() {
    let dir = DataDir::ready();
    let good: String = (0..3).map(|i| line(i).0 + "\n").collect();
    assert_eq!(taxd_with_input(&dir, ["calc"], good.as_bytes()).ok().json_lines().len(), 3);
    let last = good + &line(4).0;
    let done = taxd_with_input(&dir, ["calc"], last.as_bytes());
    assert_eq!((done.code, done.json_lines().len()), (1, 4));
}

#[test]
fn hostile_lines_are_answered_alike_by_the_file_and_by_the_server() {
    let dir = DataDir::ready();
    let (good, _) = line(1);
    let deep = b"[".repeat(20_000);
    let lines: [&[u8]; 9] = [
        good.as_bytes(),
        b"{\"tributo\":\"icms\",\"a\":\"\xff\"}",
        b"\xff\xfe",
        b"{\"a\":\"\\ud800\"}",
        b"{\"a\":\"\x00\"}",
        b"null",
        deep.as_slice(),
        // A file joined to others keeps its mark in the middle.
        b"\xef\xbb\xbf{}",
        good.as_bytes(),
    ];
    let input = lines.join(b"\n".as_slice());
    let stopped = taxd_with_input(&dir, ["calc"], &input);
    let codes: Vec<Value> = stopped.json_lines().into_iter().map(|a| a["codigo"].clone()).collect();
    let bad = json!("json_invalido");
    let wanted = [
        &Value::Null,
        &bad,
        &bad,
        &bad,
        &bad,
        &json!("tipo_invalido"),
        &bad,
        &json!("campo_obrigatorio"),
        &Value::Null,
    ];
    assert!(codes.iter().eq(wanted), "{codes:?}");
    let _server = dir.serve(&[]);
    let running = taxd_with_input(&dir, ["calc"], &input);
    let without_cached = |text: &str| text.replace("\"cached\":true", "\"cached\":false");
    assert_eq!(without_cached(&running.stdout), without_cached(&stopped.stdout));
}

/// A proof was in the answers of the API alone.
#[test]
fn an_answer_with_its_proof_is_verified() {
    let dir = DataDir::ready();
    let payload =
        r#"{"tributo":"icms","uf_origem":"SP","uf_destino":"SP","valor_produto":"10.00","data_operacao":"2026-03-10"}"#;
    let proven = taxd_with_input(&dir, ["calc", "--prova"], payload.as_bytes()).ok().json();
    assert_eq!(proven["prova"]["algoritmo"], "SHA-256");
    let line = format!("{{\"payload\":{payload},\"resposta\":{proven}}}\n");
    assert!(taxd_with_input(&dir, ["verify"], line.as_bytes()).ok().stdout.contains("confere: 1;"));
    let changed = line.replace("\"valor\":\"1.80\"", "\"valor\":\"1.81\"");
    let found = taxd_with_input(&dir, ["verify"], changed.as_bytes());
    assert!(changed != line && found.code == 1 && found.stdout.contains("adulterada: 1"), "{found:?}");
}
