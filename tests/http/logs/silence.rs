//! Of keys, secrets, payloads and headers nothing is in the log, however much is logged.

use serde_json::json;

use crate::support::receiver::{Answer, Receiver};
use crate::support::webhooks::Webhooks;
use crate::support::{Key, OwnRules, Server, bundle, examples, finish, program, rule, taxd, with};

/// Part of everything that must not be logged, and of every text composed of it.
const CANARY: &str = "canario7391";

/// Requests in every state of order with the canary in all their parts.
fn requests(key: &str) -> Vec<String> {
    let body = format!(r#"{{"tributo":"{CANARY}","ncm":"{CANARY}","{CANARY}":1}}"#);
    let head = format!(
        "Host: {CANARY}\r\nX-API-Key: {key}\r\nX-Request-Id: ação-{CANARY}\r\nUser-Agent: {CANARY}\r\nCookie: {CANARY}\r\n\
         Content-Type: application/json\r\nConnection: close\r\n"
    );
    let sized = |body: &str| format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    vec![
        format!("POST /v1/calculate HTTP/1.1\r\n{}", sized(&body)),
        format!("POST /v1/calculate HTTP/1.1\r\n{}", sized(&body[..40])),
        format!("POST /v1/calculate?{CANARY}={CANARY} HTTP/1.1\r\n{}", sized(&body)),
        format!("POST /v1/calculate?conhecido_em={CANARY} HTTP/1.1\r\n{}", sized(&body)),
        format!("POST /v1/{CANARY} HTTP/1.1\r\n{}", sized(&body)),
        format!("{CANARY} /v1/usage HTTP/1.1\r\n{}", sized("")),
        format!("GET /{CANARY} HTTP/1.1\r\n{}", sized("")),
        format!("GET /v1/regras?q={CANARY}&cursor={CANARY} HTTP/1.1\r\n{}", sized("")),
        format!("GET /v1/changelog?desde={CANARY} HTTP/1.1\r\n{}", sized("")),
        // A body that breaks off, one that is framed wrongly, and heads that are none.
        format!("POST /v1/calculate HTTP/1.1\r\n{head}Content-Length: 999\r\n\r\n{body}"),
        format!("POST /v1/calculate HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n{CANARY}\r\n"),
        format!("POST /v1/calculate HTTP/1.1\r\n{head}Content-Length: {CANARY}\r\n\r\n"),
        format!("{CANARY}\r\n\r\n"),
        format!("GET /v1/usage HTTP/9.9\r\nX-API-Key: {CANARY}\r\n\r\n"),
        format!("GET /v1/usage HTTP/1.1\r\n{CANARY}\r\n\r\n"),
    ]
}

/// Sends the canary in every input of a server. Returns the keys and secrets.
fn drive(hooks: &Webhooks, server: &Server) -> Vec<String> {
    let dir = &hooks.own.dir;
    let account = dir.account(CANARY, &[]);
    let other = dir.new_key(&account.client_id, "test");
    let rotated = Key::of(&taxd(dir, ["key", "rotate", &other.key_id, "--json"]).ok().json());
    for request in requests(&account.live.key) {
        let mut raw = server.raw();
        raw.send(&request).finish().read_to_close();
    }
    for example in examples(server) {
        let odd = with(&example, &json!({CANARY: CANARY, "observacao": CANARY, "ncm": CANARY}));
        server.post_as(&account.live.key, "/v1/calculate", odd.to_string());
        server.post_as(&account.live.key, "/v1/calculate", example.to_string());
    }
    for key in [format!("svc_live_{CANARY}"), CANARY.to_owned(), other.key.clone(), rotated.key.clone()] {
        server.post_as(&key, "/v1/calculate", json!({"tributo": CANARY}).to_string());
        taxd(dir, ["key", "revoke", &key]);
    }
    taxd(dir, ["account", "set", &account.client_id, "--name", &format!("outra {CANARY}")]).ok();
    let receiver = Receiver::start(|_, _| Answer::Status(500));
    let secret = format!("whsec_{CANARY}{CANARY}{CANARY}{CANARY}");
    let secret_file = dir.write("secret", &secret);
    let url = format!("{}?token={CANARY}", receiver.url());
    let made = hooks.subscribe(&url, &["--secret-file", secret_file.to_str().unwrap()]);
    let own = hooks.subscribe(&url, &[]);
    hooks.run(&["subscription", "rotate-secret", &made.id, "--overlap", "0s"]);
    let escopo = json!({"ncm": "99999999"});
    let told = json!({"situacao": "tributado", "aliquota": "5.00", "tabela_versao": CANARY});
    hooks.own.publish(&[rule("silencio", "ipi", &escopo, &told)]);
    server.wait_for_logs("a webhook endpoint takes no deliveries", 2);
    hooks.own.refused(&[rule("silencio", CANARY, &json!({"uf": CANARY}), &json!({"aliquota": CANARY}))]);
    taxd(dir, ["key", "revoke", &rotated.key_id]).ok();
    vec![account.live.key, other.key, rotated.key, secret, own.secret]
}

fn told_nothing(format: &str) {
    let hooks = Webhooks::new();
    let args = ["--webhook-ca", hooks.ca.to_str().unwrap(), "--log-format", format];
    let mut server = Server::start(&hooks.own.dir.path(), Some(&hooks.own.key), &args);
    let secrets = drive(&hooks, &server);
    assert!(server.stop("TERM").success());
    let log = server.log();
    assert!(log.contains("stopped") && log.contains(" revoked"), "the log was read to its end: {log}");
    assert!(log.contains("DEBUG"), "all levels are logged: {log}");
    for secret in secrets.iter().map(String::as_str).chain([CANARY]) {
        let found =
            log.lines().find(|line| line.contains(secret) || line.contains(secret.trim_start_matches("whsec_")));
        assert!(found.is_none(), "{secret}: {found:?}");
    }
}

#[test]
fn nothing_that_a_caller_sent_is_in_the_log_as_text() {
    told_nothing("text");
}

#[test]
fn nothing_that_a_caller_sent_is_in_the_log_as_json() {
    told_nothing("json");
}

#[test]
fn nothing_of_a_payload_is_in_the_log_of_a_command() {
    let own = OwnRules::none();
    let file = own.dir.write("canary.json", bundle(&[rule(CANARY, "ipva", &json!({"uf": CANARY}), &json!({}))]));
    for (args, input) in [
        (vec!["calc".to_owned()], format!("{{\"tributo\": \"{CANARY}\"}}\n{CANARY}\n")),
        (vec!["import".to_owned(), file.to_str().unwrap().to_owned()], String::new()),
    ] {
        let mut command = std::process::Command::new(program());
        command.env_clear().env("TAXD_DATA", own.dir.path()).env("TAXD_LOG", "trace").env("TAXD_LOG_FORMAT", "json");
        let done = finish(
            {
                command.args(&args);
                command
            },
            input.as_bytes(),
        );
        // The answer and the faults are the command's own output; the lines of its log are JSON.
        let logged = done.stderr.lines().filter(|line| line.starts_with('{'));
        assert!(!logged.clone().any(|line| line.contains(CANARY)), "{args:?}: {done:?}");
    }
}
