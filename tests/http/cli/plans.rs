//! `taxd plan` and the limits of `taxd account`, with the server running and stopped.

use serde_json::{Value, json};

use crate::support::{DataDir, Done, taxd};

/// Does the same on two equal directories, on one with a server running, and compares.
struct Both {
    running: DataDir,
    stopped: DataDir,
}

impl Both {
    /// What the command says, the same either way.
    #[track_caller]
    fn run(&self, args: &[&str]) -> Done {
        let (running, stopped) = (taxd(&self.running, args), taxd(&self.stopped, args));
        assert_eq!((running.code, &running.stdout, &running.stderr), (stopped.code, &stopped.stdout, &stopped.stderr));
        running
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        self.run(&[args, &["--json"]].concat()).ok().json()
    }
}

fn plan(name: &str, rate_limit: u32, monthly_quota: Option<u64>, webhook_endpoints: Option<u64>) -> Value {
    json!({"plan": name, "rate_limit": rate_limit, "monthly_quota": monthly_quota, "webhook_endpoints": webhook_endpoints})
}

#[test]
fn plans_are_shipped_listed_changed_and_made() {
    let both = Both { running: DataDir::ready(), stopped: DataDir::ready() };
    let _server = both.running.serve(&[]);
    let enterprise = plan("enterprise", 6_000_000, None, None);
    let (growth, scale) =
        (plan("growth", 6_000, Some(1_000_000), Some(5)), plan("scale", 60_000, Some(20_000_000), None));
    assert_eq!(both.json(&["plan", "list"]), json!([growth, scale, enterprise]));
    // Each limit alone, and none of them moves another; "unlimited" is not "unsaid".
    for (args, changed) in [
        (["--rate-limit", "7"], plan("scale", 7, Some(20_000_000), None)),
        (["--quota", "unlimited"], plan("scale", 7, None, None)),
        (["--endpoints", "9"], plan("scale", 7, None, Some(9))),
        (["--quota", "0"], plan("scale", 7, Some(0), Some(9))),
        (["--endpoints", "Unlimited"], plan("scale", 7, Some(0), None)),
    ] {
        assert_eq!(both.json(&[&["plan", "set", "scale"][..], &args].concat()), changed, "{args:?}");
    }
    let own = ["plan", "set", " Ouro_1 ", "--rate-limit", "50", "--quota", "unlimited", "--endpoints", "2"];
    assert_eq!(both.json(&own), plan("ouro_1", 50, None, Some(2)));
    let listed = both.json(&["plan", "list"]);
    assert_eq!(listed, json!([plan("scale", 7, Some(0), None), plan("ouro_1", 50, None, Some(2)), growth, enterprise]));
    let text = both.run(&["plan", "list"]).ok().stdout;
    let row = text.lines().find(|line| line.starts_with("ouro_1")).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["ouro_1", "50", "unlimited", "2"], "{text}");
}

#[test]
fn an_account_has_the_limits_of_its_plan_but_for_its_own() {
    let dir = DataDir::ready();
    let client_id = dir.account("Um", &["--plan", "Growth", "--quota", "unlimited"]).client_id;
    let check = |place: &str| {
        let set = |args: &[&str]| taxd(&dir, [&["account", "set", &client_id, "--json"], args].concat()).ok().json();
        for (args, limits) in [
            (&["--quota", "10"][..], (6_000, Some(10), Some(5))),
            (&["--quota", "unlimited", "--rate-limit", "8"], (8, None, Some(5))),
            (&["--plan", "scale"], (8, None, None)),
            (&["--endpoints", "1", "--rate-limit", "plan"], (60_000, None, Some(1))),
            (&["--quota", "plan"], (60_000, Some(20_000_000), Some(1))),
            (&["--plan", "growth", "--endpoints", "PLAN"], (6_000, Some(1_000_000), Some(5))),
        ] {
            let (rate_limit, monthly_quota, webhook_endpoints) = limits;
            let wanted = json!({"rate_limit": rate_limit, "monthly_quota": monthly_quota,
                "webhook_endpoints": webhook_endpoints});
            let changed = set(args);
            assert_eq!(changed["limits"], wanted, "{place} {args:?}: {changed}");
            assert_eq!(dir.shown(&client_id)["account"], changed, "{place} {args:?}");
        }
        assert_eq!(set(&["--name", " Dois "])["nome"], "Dois");
    };
    check("stopped");
    let server = dir.serve(&[]);
    check("running");
    drop(server);
    let listed = taxd(&dir, ["account", "list", "--json"]).ok().json();
    let account = listed.as_array().unwrap().iter().find(|a| a["client_id"] == client_id.as_str()).unwrap();
    assert_eq!((&account["nome"], &account["overrides"]), (&json!("Dois"), &json!({})));
}

#[test]
fn an_account_is_suspended_once_and_resumed() {
    let dir = DataDir::ready();
    let client_id = dir.account("Um", &[]).client_id;
    let run = |verb: &str| taxd(&dir, ["account", verb, &client_id, "--json"]).ok().json();
    let check = || {
        let first = run("suspend");
        assert!(first["suspended_at"].is_string(), "{first}");
        assert_eq!(run("suspend"), first, "since the first time");
        let text = taxd(&dir, ["account", "list"]).ok().stdout;
        let row = text.lines().find(|line| line.starts_with(&client_id)).unwrap();
        assert!(row.contains("suspended"), "{row}");
        for _ in 0..2 {
            assert_eq!(run("resume").get("suspended_at"), None);
        }
    };
    check();
    let _server = dir.serve(&[]);
    check();
}
