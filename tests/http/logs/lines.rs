//! One line for each thing that an operator, or an auditor, would look for.

use serde_json::{Value, json};

use crate::support::{DataDir, Key, OwnRules, Server, Signers, bundle, program, rule, taxd};

/// The lines of info and above, each with its message, of a log in JSON.
fn told(log: &str) -> Vec<Value> {
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    lines.filter(|line: &Value| !matches!(line["level"].as_str(), Some("DEBUG" | "TRACE"))).collect()
}

fn messages(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["message"].as_str().unwrap()).collect()
}

/// Has the members of `wanted`.
#[track_caller]
fn assert_has(line: &Value, wanted: &Value) {
    for (name, value) in wanted.as_object().unwrap() {
        assert_eq!(&line[name], value, "{name}: {line}");
    }
}

fn stopped(mut server: Server) -> Vec<Value> {
    assert!(server.stop("TERM").success());
    told(&server.log())
}

#[test]
fn a_first_run_and_its_stop_are_logged_in_a_line_each() {
    let dir = DataDir::empty();
    let server = dir.serve(&["--log-format", "json", "--metrics-listen", "127.0.0.1:0"]);
    let payload = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "1.00", "data_operacao": "2026-03-10"});
    assert_eq!(server.calculate(&payload).status, 200);
    assert_eq!(server.post_as("svc_live_x", "/v1/calculate", "{}").status, 401);
    let port = server.port;
    let lines = stopped(server);
    let about = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let client_id = about(&lines[1], "client_id");
    let created = |line: &Value| format!("key {} of {client_id} created", about(line, "key_id"));
    let (live, test) = (created(&lines[2]), created(&lines[3]));
    let account = format!("account {client_id} created, plan growth");
    assert_eq!(messages(&lines), ["imported", &account, &live, &test, "started", "stopped"]);
    assert_ne!(live, test);
    // A version that two later ones of one import supersede is counted twice, as in the changelog.
    let planned = taxd(&DataDir::empty(), ["import", "--builtin", "--dry-run", "--json"]).ok().json();
    let superseded = planned["substituidas"].as_array().unwrap().len();
    assert_has(
        &lines[0],
        &json!({"level": "INFO", "signed_by": "taxd (built in)", "superseded": superseded, "unchanged": 0}),
    );
    assert!(lines[0]["bundles"].as_str().unwrap().ends_with(" more"), "{}", lines[0]);
    let rules = lines[0]["published"].as_u64().unwrap();
    assert!(rules > 10_000 && lines[0]["elapsed_ms"].as_u64().is_some_and(|ms| ms > 0), "{}", lines[0]);
    assert_has(
        &lines[4],
        &json!({"version": env!("CARGO_PKG_VERSION"), "address": format!("127.0.0.1:{port}"), "rules": rules,
            "data": dir.path().display().to_string()}),
    );
    assert!(lines[4]["schema"].is_u64() && lines[4]["metrics"].as_str().is_some_and(|a| a.starts_with("127.0.0.1:")));
    assert_has(&lines[5], &json!({"reason": "SIGTERM", "calls": 2}));
    assert!(lines[5]["uptime_s"].is_u64(), "{}", lines[5]);
}

#[test]
fn changes_of_accounts_keys_and_plans_are_logged_in_a_line_each_that_names_them() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--log-format", "json"]);
    let account = dir.account("Conta", &[]);
    let test = dir.new_key(&account.client_id, "test");
    let rotated = Key::of(&taxd(&dir, ["key", "rotate", &test.key_id, "--grace", "7d", "--json"]).ok().json());
    taxd(&dir, ["key", "revoke", &rotated.key_id]).ok();
    taxd(&dir, ["account", "set", &account.client_id, "--plan", "scale"]).ok();
    taxd(&dir, ["account", "suspend", &account.client_id]).ok();
    taxd(&dir, ["account", "resume", &account.client_id]).ok();
    taxd(&dir, ["plan", "set", "growth", "--rate-limit", "9000"]).ok();
    // What only shows changes nothing, and what is refused did nothing.
    taxd(&dir, ["account", "list"]).ok();
    assert_eq!(taxd(&dir, ["key", "revoke", "key_x"]).code, 1);
    let lines = stopped(server);
    let (id, live, old, new) = (&account.client_id, &account.live.key_id, &test.key_id, &rotated.key_id);
    let until = lines[4]["until"].as_str().unwrap();
    let rotation = format!("key {old} of {id} rotated to {new}, works until {until}");
    let wanted = [
        ("started".to_owned(), json!({})),
        (format!("account {id} created, plan growth"), json!({"client_id": id, "plan": "growth"})),
        (format!("key {live} of {id} created"), json!({"client_id": id, "key_id": live, "kind": "live"})),
        (format!("key {old} of {id} created"), json!({"client_id": id, "key_id": old, "kind": "test"})),
        (rotation, json!({"client_id": id, "key_id": old, "to": new, "kind": "test"})),
        (format!("key {new} of {id} revoked"), json!({"client_id": id, "key_id": new, "kind": "test"})),
        (format!("account {id} set, plan scale"), json!({"client_id": id, "plan": "scale"})),
        (format!("account {id} suspended, plan scale"), json!({"client_id": id})),
        (format!("account {id} resumed, plan scale"), json!({"client_id": id})),
        ("plan growth set".to_owned(), json!({"plan": "growth", "rate_limit": 9000})),
        ("stopped".to_owned(), json!({})),
    ];
    assert_eq!(messages(&lines), wanted.iter().map(|(message, _)| message.as_str()).collect::<Vec<_>>());
    for (line, (_, members)) in lines.iter().zip(&wanted) {
        assert_has(line, members);
    }
}

#[test]
fn imports_and_their_trusted_keys_are_logged_in_a_line_each() {
    let s = Signers::new();
    let server = Server::start(&s.own.dir.path(), Some(&s.own.key), &["--log-format", "json"]);
    let key_id = s.trust_maria()["key_id"].clone();
    let trusted = format!("bundle key {} trusted as Maria Souza", key_id.as_str().unwrap());
    let signed = s.file("1.1", "2.00", Some(&s.maria));
    s.own.import(&signed, &["--dry-run"]).ok();
    s.own.import(&signed, &[]).ok();
    s.own.import(&signed, &[]).ok();
    s.own.import(&s.file("1.2", "3.00", None), &[]).ok();
    s.refused(&s.file("1.3", "4.00", None), &["--require-signature"], &[]);
    let broken = rule("canario", "ipva", &json!({"uf": "XX"}), &json!({"aliquota": "canario"}));
    s.own.refused(&[broken]);
    s.trust(&["remove", "Maria Souza"]).ok();
    let lines = stopped(server);
    let wanted = [
        ("started".to_owned(), json!({"rules": 1})),
        (trusted, json!({"name": "Maria Souza", "key_id": key_id})),
        (
            "imported".to_owned(),
            json!({"bundles": "teste 1.0", "signed_by": "Maria Souza", "published": 1, "superseded": 0, "unchanged": 0}),
        ),
        ("imported".to_owned(), json!({"signed_by": "Maria Souza", "published": 0, "unchanged": 1})),
        ("imported".to_owned(), json!({"signed_by": "nobody", "published": 1, "superseded": 1})),
        ("an import was refused".to_owned(), json!({"level": "INFO"})),
        ("an import was refused".to_owned(), json!({"reason": "faults in the bundles: 2"})),
        ("bundle key Maria Souza no longer trusted".to_owned(), json!({"name": "Maria Souza"})),
        ("stopped".to_owned(), json!({})),
    ];
    assert_eq!(messages(&lines), wanted.iter().map(|(message, _)| message.as_str()).collect::<Vec<_>>(), "{lines:#?}");
    for (line, (_, members)) in lines.iter().zip(&wanted) {
        assert_has(line, members);
    }
    assert!(!lines.iter().any(|line| line.to_string().contains("canario")), "what a refused bundle holds is not told");
}

#[test]
fn a_server_that_cannot_start_says_so_in_the_form_of_its_log() {
    let own = OwnRules::none();
    let server = own.serve();
    let args = ["serve", "--listen", "127.0.0.1:0", "--log-format", "json"];
    let second = taxd(&own.dir, args);
    assert_eq!(second.code, 1);
    let lines = told(&second.stderr);
    assert_eq!(lines.len(), 1, "{second:?}");
    assert_has(&lines[0], &json!({"level": "ERROR", "message": "failed"}));
    assert!(lines[0]["error"].as_str().unwrap().contains("already running"), "{second:?}");
    drop(server);
}

#[test]
fn a_command_on_the_file_itself_logs_its_change_if_asked_to() {
    let own = OwnRules::none();
    let file = own
        .dir
        .write("own.json", bundle(&[rule("proprio", "ipva", &json!({"uf": "AM"}), &json!({"aliquota": "7.00"}))]));
    let quiet = taxd(&own.dir, ["key".as_ref(), "list".as_ref()] as [&std::ffi::OsStr; 2]).ok();
    assert_eq!(quiet.stderr, "");
    let mut command = std::process::Command::new(program());
    command.env_clear().env("TAXD_DATA", own.dir.path()).env("TAXD_LOG", "info").env("TAXD_LOG_FORMAT", "json");
    command.arg("import").arg(file);
    let lines = told(&crate::support::finish(command, b"").ok().stderr);
    assert_eq!(messages(&lines), ["imported"]);
}
