//! `taxd subscription`, with the server running and stopped.

use serde_json::json;

use super::delivery::{decoded, own_signature, standard_signature};
use crate::support::receiver::{Answer, Received, Receiver};
use crate::support::taxd;
use crate::support::webhooks::{Webhooks, ipi};

#[test]
fn a_subscription_is_made_listed_and_removed() {
    let hooks = Webhooks::new();
    let made = hooks.run(&[
        "subscription",
        "create",
        "--account",
        &hooks.client,
        "--url",
        "https://erp.example/hook?t=1",
        "--tributo",
        "icms",
        "--uf-origem",
        "SP",
    ]);
    assert_eq!(made["id"], "sub_1");
    let secret = made["secret"].as_str().unwrap();
    assert_eq!(decoded(secret).len(), 32, "256 bits");
    let other = hooks.subscribe("https://erp.example/other", &[]);
    assert_eq!(other.id, "sub_2");
    assert_ne!(other.secret, secret);
    let stopped = hooks.run(&["subscription", "list"]);
    assert_eq!(stopped.as_array().unwrap().len(), 2);
    let listed = hooks.listed("sub_1");
    let wanted = json!({"url": "https://erp.example/hook?t=1", "tributo": "icms", "uf_origem": "SP", "uf_destino": null, "pending": 0});
    for (name, value) in wanted.as_object().unwrap() {
        assert_eq!(&listed[name], value, "{name}: {listed}");
    }
    assert!(!stopped.to_string().contains(secret) && !stopped.to_string().contains("whsec_"), "{stopped}");
    let _server = hooks.serve();
    assert_eq!(hooks.run(&["subscription", "list"]), stopped, "the same with a server");
    assert_eq!(hooks.run(&["subscription", "list", "--account", &hooks.client]), stopped);
    hooks.run(&["subscription", "remove", "sub_2"]);
    assert_eq!(hooks.subscribe("https://erp.example/third", &[]).id, "sub_3", "no id is given twice");
    let text = taxd(&hooks.own.dir, ["subscription", "list"]).ok().stdout;
    assert!(["sub_1", "sub_3", "icms/SP/*", "https://erp.example/third"].iter().all(|t| text.contains(t)), "{text}");
}

#[test]
fn what_cannot_be_subscribed_is_refused_with_a_reason() {
    let hooks = Webhooks::new();
    let short = hooks.own.dir.write("short", "curto\n");
    let broken = hooks.own.dir.write("broken", "whsec_not base64 at all\n");
    let lines = hooks.own.dir.write("lines", "um segredo\nem duas linhas\n");
    let file = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let url = "https://erp.example/";
    let cases: [(&str, &[&str], &str); 13] = [
        ("http://erp.example/", &[], "https://"),
        ("erp.example", &[], "https://"),
        ("https://", &[], "--url"),
        ("https://user:pw@erp.example/", &[], "user name"),
        ("https://erp.example/#part", &[], "fragment"),
        ("https://erp.example/a b", &[], "not a URL"),
        (url, &["--tributo", "iva"], "icms_st"),
        (url, &["--uf-origem", "xx"], "--uf-origem"),
        (url, &["--uf-destino", "XX"], "--uf-destino"),
        (url, &["--secret-file", &file(&short)], "16 to 512"),
        (url, &["--secret-file", &file(&broken)], "base64"),
        (url, &["--secret-file", &file(&lines)], "one line"),
        (url, &["--secret-file", "/nowhere/secret"], "cannot read"),
    ];
    let _server = hooks.serve();
    for (url, options, reason) in cases {
        let base = ["subscription", "create", "--account", &hooks.client, "--url", url];
        let done = taxd(&hooks.own.dir, base.iter().chain(options));
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{url} {options:?}: {done:?}");
        assert!(done.stderr.contains(reason), "{url} {options:?}: {}", done.stderr);
        assert!(!done.stderr.contains("pw@"), "{}", done.stderr);
    }
    let others: [(&[&str], &str); 6] = [
        (&["subscription", "create", "--account", "acc_nobody", "--url", url], "taxd account list"),
        (&["subscription", "remove", "sub_9"], "taxd subscription list"),
        (&["subscription", "remove", "sub_01"], "taxd subscription list"),
        (&["subscription", "test", "sub_9"], "taxd subscription list"),
        (&["subscription", "rotate-secret", "other"], "taxd subscription list"),
        (&["subscription", "list", "--account", "acc_nobody"], "taxd account list"),
    ];
    for (args, reason) in others {
        let done = taxd(&hooks.own.dir, args);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{args:?}: {done:?}");
        assert!(done.stderr.contains(reason), "{args:?}: {}", done.stderr);
    }
    for overlap in ["-1h", "721h", "31d", "soon"] {
        let done = taxd(&hooks.own.dir, ["subscription", "rotate-secret", "sub_1", "--overlap", overlap]);
        assert_eq!(done.code, 2, "{overlap}: {done:?}");
    }
    assert_eq!(hooks.run(&["subscription", "list"]), json!([]));
}

#[test]
fn the_plan_says_how_many_endpoints_an_account_has() {
    let hooks = Webhooks::new();
    let account = hooks.run(&["account", "create", "Pequena", "--plan", "growth"]);
    let client = account["client_id"].as_str().unwrap();
    let create = |n: usize| {
        let url = format!("https://erp.example/{n}");
        taxd(&hooks.own.dir, ["subscription", "create", "--account", client, "--url", &url, "--json"])
    };
    let ids: Vec<String> = (0..5).map(|n| create(n).ok().json()["id"].as_str().unwrap().to_owned()).collect();
    let sixth = create(5);
    assert_eq!(sixth.code, 1);
    let said = sixth.json()["erro"].to_string();
    assert!(said.contains("growth") && said.contains("may have 5"), "{said}");
    hooks.run(&["account", "set", client, "--endpoints", "6"]);
    create(5).ok();
    assert_eq!(create(6).code, 1);
    hooks.run(&["subscription", "remove", &ids[2]]);
    create(7).ok();
    for n in 0..7 {
        hooks.subscribe(&format!("https://erp.example/scale/{n}"), &[]);
    }
}

#[test]
fn a_removed_subscription_hears_nothing_more_and_leaves_nothing() {
    let hooks = Webhooks::new();
    let (gone, stays) = (Receiver::answering(200), Receiver::answering(200));
    let removed = hooks.subscribe(&gone.url(), &[]);
    hooks.subscribe(&stays.url(), &[]);
    hooks.own.publish(&[ipi(1), ipi(2)]);
    let told = hooks.run(&["subscription", "remove", &removed.id]);
    assert_eq!(told["pending_dropped"], 2);
    let _server = hooks.serve();
    hooks.own.publish(&[ipi(3)]);
    hooks.wait_for_state("delivered", 3);
    assert_eq!((gone.count(), stays.count()), (0, 3));
    assert_eq!(hooks.outbox(&[]).len(), 3);
}

#[test]
fn a_sample_shows_what_the_receiver_should_compute() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(202);
    let made = hooks.subscribe(&receiver.url(), &[]);
    let ca = hooks.ca.to_str().unwrap();
    for (place, args) in [("stopped", &["--webhook-ca", ca] as &[&str]), ("running", &[])] {
        let server = (place == "running").then(|| hooks.serve());
        let before = receiver.count();
        let told = hooks.run(&[&["subscription", "test", &made.id], args].concat());
        let request = receiver.wait_for(before + 1).pop().unwrap();
        assert_eq!((&told["outcome"], &told["delivered"]), (&json!("HTTP 202"), &json!(true)), "{place}");
        assert_eq!(told["body"].as_str().unwrap().as_bytes(), request.body, "{place}");
        assert_eq!(request.json()["acao"], "teste");
        assert_eq!(told["headers"]["X-Service-Signature"], own_signature(&request, &made.secret), "{place}");
        let standard = standard_signature(&request, &decoded(&made.secret));
        assert_eq!(told["headers"]["webhook-signature"], standard, "{place}");
        assert_eq!(told["headers"]["webhook-id"], request.header("webhook-id"), "{place}");
        assert!(told["latency_ms"].as_u64().is_some_and(|ms| ms < 10_000), "{told}");
        drop(server);
    }
    let text = taxd(&hooks.own.dir, ["subscription", "test", &made.id, "--webhook-ca", ca]).ok().stdout;
    assert!(text.starts_with("HTTP 202 in ") && text.contains("HMAC-SHA256"), "{text}");
    assert!(!text.contains(&made.secret), "{text}");
    let untrusted = taxd(&hooks.own.dir, ["subscription", "test", &made.id]);
    assert_eq!(untrusted.code, 1);
    assert!(untrusted.stdout.contains("certificate"), "{untrusted:?}");
    assert_eq!(hooks.outbox(&[]), Vec::<serde_json::Value>::new(), "a sample is no delivery");
}

#[test]
fn a_suspended_account_hears_of_nothing_that_is_published_meanwhile() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    hooks.subscribe(&receiver.url(), &[]);
    let _server = hooks.serve();
    hooks.run(&["account", "suspend", &hooks.client]);
    hooks.own.publish(&[ipi(1)]);
    hooks.run(&["account", "resume", &hooks.client]);
    hooks.own.publish(&[ipi(2)]);
    assert_eq!(hooks.wait_for_state("delivered", 1)[0]["rule_id"], "w-ipi-00002-v1.0");
    assert_eq!((hooks.outbox(&[]).len(), receiver.count()), (1, 1));
}

/// Pending deliveries were attempted while their account was suspended.
#[test]
fn what_was_pending_when_an_account_was_suspended_waits_until_it_is_resumed() {
    const PENDING: usize = 40;
    let hooks = Webhooks::new();
    // The first attempt stays under way until the test ends it.
    let (open, gate) = std::sync::mpsc::channel();
    let gate = std::sync::Mutex::new(gate);
    let receiver = Receiver::start(move |_, nth| {
        if nth == 0 {
            gate.lock().unwrap().recv().unwrap();
        }
        Answer::Status(200)
    });
    hooks.subscribe(&receiver.url(), &["--tributo", "ipi"]);
    let server = hooks.serve();
    hooks.own.publish(&(1..=PENDING).map(ipi).collect::<Vec<_>>());
    receiver.wait_for(1);
    hooks.run(&["account", "suspend", &hooks.client]);
    open.send(()).unwrap();
    hooks.wait_for_state("delivered", 1);
    // Another account still receives what is published.
    let other = taxd(&hooks.own.dir, ["account", "create", "Outra", "--plan", "scale", "--json"]).ok().json();
    let heard = Receiver::answering(200);
    let id = other["client_id"].as_str().unwrap();
    hooks.run(&["subscription", "create", "--account", id, "--url", &heard.url()]);
    hooks.own.publish(&[ipi(900)]);
    hooks.wait_for_state("delivered", 2);
    assert_eq!(heard.count(), 1);
    let pending = hooks.outbox(&["--state", "pending"]);
    assert_eq!((pending.len(), receiver.count()), (PENDING - 1, 1));
    assert!(pending.iter().all(|d| d["account_suspended"] == true && d["attempts"] == 0), "{pending:?}");
    let text = taxd(&hooks.own.dir, ["outbox", "list", "--state", "pending"]).ok().stdout;
    assert!(text.contains("pending (account suspended)"), "{text}");
    let text = taxd(&hooks.own.dir, ["subscription", "list"]).ok().stdout;
    assert!(text.contains(&format!("{} (suspended)", hooks.client)), "{text}");
    assert_eq!(hooks.run(&["status"])["outbox"]["overdue_ms"], serde_json::Value::Null, "nothing is late");
    // Also after a restart.
    drop(server);
    let _server = hooks.serve();
    hooks.own.publish(&[ipi(901)]);
    heard.wait_for(2);
    assert_eq!(receiver.count(), 1);
    hooks.run(&["account", "resume", &hooks.client]);
    let all = receiver.wait_for(PENDING);
    let codes: std::collections::BTreeSet<String> = all.iter().map(Received::rule_id).collect();
    assert_eq!((all.len(), codes.len()), (PENDING, PENDING), "each once, and nothing of what was published meanwhile");
    hooks.wait_for_state("delivered", PENDING + 2);
}
