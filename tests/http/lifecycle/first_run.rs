//! The first run, and that it happens once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::support::{DataDir, taxd};

#[test]
fn prints_the_address_the_key_and_a_call_that_works() {
    let dir = DataDir::empty();
    let server = dir.serve(&[]);
    let greeting = server.greeting.join("\n");
    assert_eq!(server.greeting[0], format!("taxd {} on http://127.0.0.1:{}", env!("CARGO_PKG_VERSION"), server.port));
    assert!(greeting.contains(&format!("http://127.0.0.1:{}/sandbox", server.port)), "{greeting}");
    let key = server.printed_key().expect("a key");
    assert!(key.starts_with("svc_test_"), "{greeting}");
    // A thousand calls end quickly, so there is a key for daily work too; each line says what its key is for.
    let keys: Vec<[&str; 2]> = server
        .greeting
        .windows(2)
        .filter(|lines| lines[1].trim().starts_with("svc_"))
        .map(|lines| [lines[0].trim(), lines[1].trim()])
        .collect();
    let [sandbox, live] = keys[..] else { panic!("two keys: {greeting}") };
    assert!(sandbox[0].starts_with("sandbox key, for trials (1000 calls a month)"), "{greeting}");
    assert!(live[0].starts_with("live key, for daily work") && live[1].starts_with("svc_live_"), "{greeting}");
    let call = server.greeting.last().unwrap();
    assert!(call.starts_with("curl "), "{greeting}");
    assert!(call.contains(&server.url("/v1/calculate")), "{call}");
    assert!(call.contains(&format!("-H 'X-API-Key: {key}'")), "{call}");
    assert!(call.contains("-H 'Content-Type: application/json'"), "{call}");
    // The payload as a shell would pass it: the text between the last quotes.
    let payload = call.split("-d '").nth(1).and_then(|rest| rest.strip_suffix('\'')).unwrap();
    assert!(!payload.contains('\''), "{payload}");
    let answer = server.post("/v1/calculate", payload).envelope();
    // The example is 1000.00 and 50.00 of freight inside São Paulo, 18%.
    assert_eq!(answer["valor"], "189.00");
    let accounts = [&key, live[1]].map(|key| server.usage(key, 1)["client_id"].take());
    assert_eq!(accounts[0], accounts[1], "both are keys of one account");
}

#[test]
fn happens_once() {
    let dir = DataDir::empty();
    let mut first = dir.serve(&[]);
    let key = first.key.clone();
    let live = first.greeting.iter().find_map(|line| line.trim().strip_prefix("svc_live_")).unwrap().to_owned();
    assert!(first.stop("TERM").success());
    let file = fs::read(dir.file()).unwrap();
    drop(first);

    let again = dir.serve_as(&key);
    assert_eq!(again.printed_key(), None, "{:?}", again.greeting);
    let payload =
        json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"});
    assert_eq!(again.calculate(&payload).envelope()["valor"], "3.90");
    assert_eq!(taxd(&dir, ["account", "list", "--json"]).ok().json().as_array().map(Vec::len), Some(1));
    drop(again);

    for secret in [key.as_bytes(), &key.as_bytes()["svc_test_".len()..], live.as_bytes()] {
        assert!(!file.windows(secret.len()).any(|w| w == secret), "the key is in the data file in clear");
    }
}

/// True where the group or others may do anything with it.
fn open_to_others(path: &Path) -> bool {
    !mode(path).is_multiple_of(0o100)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn nobody_else_may_look_into_the_directory() {
    let dir = DataDir::empty();
    let _server = dir.serve(&[]);
    assert_eq!(mode(&dir.path()), 0o700);
    assert_eq!(mode(dir.socket().parent().unwrap()), 0o700);
}

#[test]
fn nobody_else_may_connect_or_read_where_the_directory_was_there_and_open() {
    let dir = DataDir::empty();
    fs::create_dir(dir.path()).unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let _server = dir.serve(&[]);
    assert!(dir.socket().exists());
    assert!(!open_to_others(dir.socket().parent().unwrap()), "others may administer");
    // The file holds who the clients are, and what unlocks their keys to a patient guesser.
    assert!(!open_to_others(&dir.path()) || !open_to_others(&dir.file()), "others may read the data file");
}

#[test]
fn the_built_in_rules_are_not_loaded_over_the_operators_own() {
    let dir = DataDir::empty();
    let rule = crate::support::rule(
        "own",
        "ipi",
        &json!({"ncm": ["99"]}),
        &json!({"situacao": "aliquota_zero", "tabela_versao": "x"}),
    );
    let file = dir.write("own.json", crate::support::bundle(&[rule]));
    taxd(&dir, ["import".as_ref(), file.as_os_str()]).ok();
    let server = dir.serve(&[]);
    assert!(server.greeting[2].ends_with(", 1 rule versions"), "{:?}", server.greeting);
    assert!(server.printed_key().is_some(), "there was no account yet");
}

#[test]
fn keys_made_later_are_not_in_the_file_either() {
    let dir = DataDir::ready();
    let account = taxd(&dir, ["account", "create", "Contábil", "--json"]).ok().json();
    let client = account["client_id"].as_str().unwrap();
    let mut secrets = Vec::new();
    for kind in ["live", "test"] {
        let made = taxd(&dir, ["key", "create", "--account", client, "--kind", kind, "--json"]).ok().json();
        secrets.push(made["key"].as_str().unwrap()[9..].to_owned());
    }
    let file = fs::read(dir.file()).unwrap();
    assert!(file.windows(client.len()).any(|w| w == client.as_bytes()), "the scan finds what is there");
    for secret in &secrets {
        assert!(!file.windows(secret.len()).any(|w| w == secret.as_bytes()));
    }
}
