//! `taxd account` and `taxd key`, with the server running and stopped.

use serde_json::{Value, json};

use crate::support::{DataDir, taxd};

fn payload() -> String {
    json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"}).to_string()
}

#[test]
fn new_keys_of_a_running_server_work_at_once() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Escritório Ação & Cia", &["--plan", "scale"]);
    for kind in ["live", "test"] {
        let key = dir.new_key(&account.client_id, kind).key;
        assert!(key.starts_with(&format!("svc_{kind}_")) && key.len() > 40, "{key}");
        assert_eq!(server.post_as(&key, "/v1/calculate", payload()).envelope()["valor"], "3.90", "{kind}");
    }
}

#[test]
fn keys_made_while_stopped_work_when_it_starts() {
    let dir = DataDir::ready();
    let account = dir.account("Parado", &[]);
    let keys = ["live", "test"].map(|kind| dir.new_key(&account.client_id, kind).key);
    assert_ne!(keys[0][9..], keys[1][9..]);
    let server = dir.serve(&[]);
    for key in keys {
        assert_eq!(server.post_as(&key, "/v1/calculate", payload()).status, 200);
    }
}

#[test]
fn accounts_are_listed_the_same_either_way() {
    let dir = DataDir::ready();
    let made = ["Um", "Dois"].map(|name| dir.account(name, &["--plan", "scale"]).client_id);
    let stopped = taxd(&dir, ["account", "list", "--json"]).ok().json();
    let server = dir.serve(&[]);
    let running = taxd(&dir, ["account", "list", "--json"]).ok().json();
    drop(server);
    assert_eq!(stopped, running);
    let listed: Vec<&Value> = stopped.as_array().unwrap().iter().map(|a| &a["client_id"]).collect();
    assert_eq!(listed.len(), 4, "with the first account and the one of the tests");
    assert!(made.iter().all(|id| listed.contains(&&json!(id))), "{stopped}");
    let table = taxd(&dir, ["account", "list"]).ok().stdout;
    assert!(["CLIENT_ID", "Dois", "scale", &made[0]].iter().all(|text| table.contains(text)), "{table}");
}

#[test]
fn people_get_text_that_leads_on() {
    let dir = DataDir::ready();
    let told = taxd(&dir, ["account", "create", "Texto"]).ok().stdout;
    let next = told.lines().find(|l| l.contains("taxd key create")).unwrap_or_else(|| panic!("{told}"));
    let args = next.split("taxd ").nth(1).unwrap().split_whitespace();
    let told = taxd(&dir, args).ok().stdout;
    let key = told.lines().next().unwrap();
    assert!(key.starts_with("svc_live_") && told.contains("not shown again"), "{told}");
    assert_eq!(dir.serve(&[]).post_as(key, "/v1/calculate", payload()).status, 200);
}

#[test]
fn an_account_is_taken_by_its_name_wherever_one_is_named() {
    let dir = DataDir::ready();
    let id = dir.account("Filial Norte", &[]).client_id;
    let run = |args: &[&str]| taxd(&dir, args.iter().chain(&["--json"])).ok().json();
    let check = |place: &str, name: &str| {
        let key = run(&["key", "create", "--account", name, "--kind", "test"]);
        assert_eq!(key["client_id"], json!(id), "{place} {name}");
        for command in ["suspend", "resume"] {
            assert_eq!(run(&["account", command, name])["client_id"], json!(id), "{place} {command} {name}");
        }
        let set = run(&["account", "set", name, "--plan", "scale"]);
        assert_eq!((&set["client_id"], &set["plan"], &set["avisos"]), (&json!(id), &json!("scale"), &Value::Null));
        assert_eq!(run(&["account", "show", name])["account"]["client_id"], json!(id), "{place} {name}");
        let keys = run(&["key", "list", "--account", name]);
        assert_eq!(keys, run(&["key", "list", "--account", &id]), "{place} {name}");
        assert!(keys.as_array().unwrap().iter().all(|key| key["client_id"] == json!(id)), "{keys}");
        let made = run(&["subscription", "create", "--account", name, "--url", "https://erp.example/taxd"]);
        assert_eq!(made["client_id"], json!(id), "{place} {name}");
        let listed = run(&["subscription", "list", "--account", name]);
        assert_eq!(listed, run(&["subscription", "list", "--account", &id]), "{place} {name}");
        run(&["subscription", "remove", made["id"].as_str().unwrap()]);
    };
    check("stopped", "Filial Norte");
    let _server = dir.serve(&[]);
    check("running", " filial NORTE ");
}

/// Two accounts once got the same name without a warning, and the name then identified neither.
#[test]
fn a_name_that_another_account_has_is_warned_of_and_then_names_neither() {
    let dir = DataDir::ready();
    let first = dir.account("Filial Norte", &[]).client_id;
    let made = taxd(&dir, ["account", "create", "FILIAL norte", "--json"]).ok();
    let second = made.json()["client_id"].as_str().unwrap().to_owned();
    let warning = format!("the name \"FILIAL norte\" is also that of {first}");
    assert!(made.json()["avisos"][0].as_str().unwrap().starts_with(&warning), "{made:?}");
    assert!(made.stderr.starts_with("taxd: warning: ") && made.stderr.contains(&warning), "{made:?}");
    let refused = taxd(&dir, ["account", "suspend", "Filial Norte"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
    let told = ["2 accounts have the name", &first, &second];
    assert!(told.iter().all(|part| refused.stderr.contains(part)), "{refused:?}");
    for id in [&first, &second] {
        assert_eq!(taxd(&dir, ["account", "show", id, "--json"]).ok().json()["account"]["client_id"], json!(id));
    }
    // Another name ends it, and the old one back brings the warning back.
    let renamed = taxd(&dir, ["account", "set", &second, "--name", "Filial Sul", "--json"]).ok();
    assert_eq!((renamed.stderr.as_str(), &renamed.json()["avisos"]), ("", &Value::Null));
    assert_eq!(
        taxd(&dir, ["account", "show", "Filial Norte", "--json"]).ok().json()["account"]["client_id"],
        json!(first)
    );
    let back = taxd(&dir, ["account", "set", "Filial Sul", "--name", "Filial Norte"]).ok();
    assert!(back.stderr.contains("is also that of"), "{back:?}");
    let same = taxd(&dir, ["account", "set", &first, "--plan", "scale"]).ok();
    assert_eq!(same.stderr, "", "only a new name is warned of");
}
