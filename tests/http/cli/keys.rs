//! `taxd key`, with the server running and stopped.

use serde_json::{Value, json};

use crate::support::{DataDir, Key, taxd};

fn list(dir: &DataDir, client_id: &str) -> Vec<Value> {
    let keys = taxd(dir, ["key", "list", "--account", client_id, "--json"]).ok().json();
    keys.as_array().unwrap().clone()
}

/// State of a key by its id.
fn state(dir: &DataDir, client_id: &str, key: &Key) -> String {
    let keys = list(dir, client_id);
    let row = keys.iter().find(|row| row["key_id"] == key.key_id.as_str()).unwrap_or_else(|| panic!("{keys:?}"));
    row["state"].as_str().unwrap().to_owned()
}

#[test]
fn the_list_says_what_has_become_of_every_key_running_and_stopped() {
    let dir = DataDir::ready();
    let account = dir.account("Um", &[]);
    let client_id = &account.client_id;
    let mut server = dir.serve(&[]);
    let [rotated, ended, revoked] = [(); 3].map(|()| dir.new_key(client_id, "live"));
    let new = taxd(&dir, ["key", "rotate", &rotated.key_id, "--grace", "1h", "--json"]).ok().json();
    assert_eq!((&new["rotated"]["key_id"], &new["kind"]), (&json!(rotated.key_id), &json!("live")));
    assert_eq!(new["rotated"]["rotated_to"], new["key_id"]);
    let new = Key::of(&new);
    taxd(&dir, ["key", "rotate", &ended.key_id, "--grace", "0s"]).ok();
    taxd(&dir, ["key", "revoke", &revoked.key_id]).ok();
    server.get_as(&new.key, "/v1/usage");
    server.get_as(&rotated.key, "/v1/usage");
    server.get_as(&rotated.key, "/v1/usage");
    let running = list(&dir, client_id);
    for (key, wanted) in [
        (&account.live, "active"),
        (&rotated, "expiring"),
        (&ended, "expired"),
        (&revoked, "revoked"),
        (&new, "active"),
    ] {
        assert_eq!(state(&dir, client_id, key), wanted, "{running:?}");
    }
    let calls = |key: &Key| running.iter().find(|row| row["key_id"] == key.key_id.as_str()).unwrap()["calls"].clone();
    assert_eq!([calls(&new), calls(&rotated), calls(&revoked)], [json!(1), json!(2), json!(0)]);
    assert!(server.stop("TERM").success());
    assert_eq!(list(&dir, client_id), running, "the same from the file");
    let table = taxd(&dir, ["key", "list"]).ok().stdout;
    for text in ["KEY_ID", "expiring", "expired", "revoked", "active", &rotated.key_id] {
        assert!(table.contains(text), "{text}: {table}");
    }
    assert_eq!(running.len(), 6, "one of another account is not among them");
}

#[test]
fn a_grace_window_is_a_length_of_time() {
    let dir = DataDir::ready();
    let key_id = dir.account("Um", &[]).live.key_id;
    for grace in ["", "7", "x", "-1h", "1 fortnight", "1mo", "1y", "7 dias", "-7d", "1e3s", "9999999999999999999d"] {
        let done = taxd(&dir, ["key", "rotate", &key_id, &format!("--grace={grace}")]);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{grace}: {done:?}");
        assert!(done.stderr.contains("30m, 24h or 7d"), "{grace}: {}", done.stderr);
    }
    let done = taxd(&dir, ["key", "rotate", &key_id, "--grace", "367d"]);
    assert_eq!((done.code, done.stderr.contains("366 days")), (1, true), "{done:?}");
    assert_eq!(taxd(&dir, ["key", "list", "--json"]).ok().json().as_array().map(Vec::len), Some(4), "nothing was made");
    for grace in ["1d 12h", "90s", "PT1H", "366d"] {
        let key = dir.account("Outra", &[]).live.key_id;
        taxd(&dir, ["key", "rotate", &key, "--grace", grace]).ok();
    }
}

#[test]
fn a_key_that_is_not_there_is_refused_with_a_reason_and_never_repeated() {
    let dir = DataDir::ready();
    let account = dir.account("Um", &[]);
    let check = || {
        for verb in ["rotate", "revoke"] {
            let done = taxd(&dir, ["key", verb, "key_nobody"]);
            assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
            assert!(done.stderr.contains("key_nobody") && done.stderr.contains("taxd key list"), "{done:?}");
            let done = taxd(&dir, ["key", verb, &account.live.key]);
            assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
            assert!(done.stderr.contains("that is the key itself"), "{done:?}");
            assert!(!done.stderr.contains(&account.live.key[9..]), "{done:?}");
        }
        let done = taxd(&dir, ["key", "list", "--account", "acc_nobody"]);
        assert!(done.code == 1 && done.stderr.contains("taxd account list"), "{done:?}");
    };
    check();
    let _server = dir.serve(&[]);
    check();
    assert_eq!(state(&dir, &account.client_id, &account.live), "active");
}

/// Only ids once distinguished the keys of a firm's people.
#[test]
fn a_key_has_the_name_of_who_uses_it_in_the_list_the_log_and_the_consumption() {
    let dir = DataDir::ready();
    let account = dir.account("Escritório", &[]);
    let client_id = account.client_id.as_str();
    let mut server = dir.serve(&[]);
    let made = |kind: &str, name: &str| {
        taxd(&dir, ["key", "create", "--account", client_id, "--kind", kind, "--name", name, "--json"])
    };
    let maria = made("live", " Maria ").ok().json();
    assert_eq!(maria["name"], "Maria");
    let joao = made("test", "João").ok().json();
    let rotated = taxd(&dir, ["key", "rotate", joao["key_id"].as_str().unwrap(), "--json"]).ok().json();
    assert_eq!(rotated["name"], "João", "the new key is the same person's");
    let table = taxd(&dir, ["key", "list", "--account", client_id]).ok().stdout;
    assert!(table.contains("NAME") && table.contains("Maria") && table.contains("João"), "{table}");

    server.get_as(maria["key"].as_str().unwrap(), "/v1/usage");
    server.get_as(&account.live.key, "/v1/usage");
    let usage = server.get_as(rotated["key"].as_str().unwrap(), "/v1/usage").json();
    let own =
        json!({"nome": "João", "tipo": "test", "cota": {"mes": usage["cota"]["mes"], "limite": 1_000, "usada": 1}});
    assert_eq!(usage["chave"], own);
    let by: Vec<&str> =
        usage["recentes"].as_array().unwrap().iter().filter_map(|call| call["chave"].as_str()).collect();
    assert_eq!(by, [account.live.key_id.as_str(), "Maria"], "a key without a name is named by its id");
    let usage = server.get_as(maria["key"].as_str().unwrap(), "/v1/usage").json();
    assert_eq!((&usage["chave"]["nome"], &usage["chave"]["cota"]), (&json!("Maria"), &usage["cota"]));
    assert!(server.stop("TERM").success());
    assert!(server.log().contains("Maria"), "{}", server.log());

    let key = account.live.key.as_str();
    for (name, why) in [("", "1 to"), ("a\nb", "printable"), (&"x".repeat(500), "1 to"), (key, "may be a key")] {
        let refused = made("live", name);
        assert!(refused.code == 1 && refused.stdout.contains(why), "{name}: {refused:?}");
        assert!(!refused.stdout.contains(key), "{refused:?}");
    }
}
