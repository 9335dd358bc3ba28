//! Signed bundles: whose they are, who is trusted, and what is refused.

use std::ffi::OsStr;

use serde_json::{Value, json};

use crate::support::{Signers, taxd};

#[test]
fn trusted_keys_are_added_listed_and_removed() {
    let s = Signers::new();
    let list = || s.trust(&["list", "--json"]).ok().json();
    assert_eq!(list(), json!({"require_signature": false, "keys": []}));
    let added = s.trust_maria();
    assert_eq!(list()["keys"], json!([{"name": "Maria Souza", "key_id": added["key_id"]}]));
    let text = s.trust(&["list"]).ok().stdout;
    assert!(text.contains("Maria Souza") && text.contains("signature required: no"), "{text}");
    // The private key, a bundle, a file that is not there: no key to trust.
    for file in [&s.maria, &s.file("1.0", "2.00", None), &s.maria.with_file_name("nowhere")] {
        let done = s.trust(&["add", "X", file.to_str().unwrap()]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    }
    let public = s.maria.with_extension("pub");
    for name in ["", "  ", "a\nb"] {
        assert_eq!(s.trust(&["add", name, public.to_str().unwrap()]).code, 1, "{name:?}");
    }
    let unknown = s.trust(&["remove", "Ninguém"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("Ninguém"), "{unknown:?}");
    assert_eq!(list()["keys"].as_array().map(Vec::len), Some(1));
    s.trust(&["remove", "Maria Souza"]).ok();
    assert_eq!(list()["keys"], json!([]));
}

#[test]
fn a_name_is_one_keys_and_a_key_has_one_name() {
    let s = Signers::new();
    let added = s.trust_maria();
    let path = |file: &std::path::Path| file.with_extension("pub").to_str().unwrap().to_owned();
    let (maria, outro) = (path(&s.maria), path(&s.outro));
    let check = |place: &str| {
        assert_eq!(s.trust_maria(), added, "{place}: the same again is no change");
        for (args, told) in [
            (["add", "Maria Souza", &outro], "trust remove"),
            (["add", " Maria Souza ", &outro], "trust remove"),
            (["add", "Outra", &maria], "Maria Souza"),
        ] {
            let done = s.trust(&args);
            assert!(done.code == 1 && done.stderr.contains(told), "{place} {args:?}: {done:?}");
        }
        let keys = s.trust(&["list", "--json"]).ok().json()["keys"].clone();
        assert_eq!(keys, json!([{"name": "Maria Souza", "key_id": added["key_id"]}]), "{place}");
    };
    check("stopped");
    let server = s.own.serve();
    check("running");
    drop(server);
    s.trust(&["remove", "Maria Souza"]).ok();
    s.trust(&["add", "Maria Souza", &outro]).ok();
    s.trust(&["add", "Maria, a primeira", &maria]).ok();
}

#[test]
fn who_signed_is_kept_with_the_publication_running_or_stopped() {
    let s = Signers::new();
    s.trust_maria();
    let stopped = s.own.import(&s.file("1.0", "18.00", Some(&s.maria)), &["--json"]).ok().json();
    assert_eq!(stopped["pacotes"][0]["assinado_por"], "Maria Souza", "{stopped}");
    let server = s.own.serve();
    let running = s.own.import(&s.file("1.1", "19.50", Some(&s.maria)), &["--require-signature"]).ok().stdout;
    assert!(running.contains("signed by Maria Souza"), "{running}");
    s.own.import(&s.file("1.2", "19.50", None), &[]).ok();
    // By a key that is not trusted, while none is required: taken, and nobody's.
    s.own.import(&s.file("1.3", "20.00", Some(&s.outro)), &[]).ok();
    let check = |place: &str| {
        let history = s.history();
        let signers: Vec<&Value> = history.as_array().unwrap().iter().map(|v| &v["pacote"]["assinado_por"]).collect();
        assert_eq!(signers, [&json!("Maria Souza"), &json!("Maria Souza"), &Value::Null, &Value::Null], "{place}");
        let text = taxd(&s.own.dir, ["rules", "history", "t-ipva-ac"]).ok().stdout;
        assert_eq!(text.matches("signed by Maria Souza").count(), 2, "{text}");
    };
    check("running");
    drop(server);
    check("stopped");
    // What was signed then stays so when the key is no longer trusted.
    s.trust(&["remove", "Maria Souza"]).ok();
    check("no longer trusted");
}

#[test]
fn a_file_changed_after_it_was_signed_is_refused_even_where_no_signature_is_required() {
    let s = Signers::new();
    s.trust_maria();
    let file = s.file("1.0", "2.00", Some(&s.maria));
    let text = std::fs::read_to_string(&file).unwrap();
    let sig = std::fs::read_to_string(file.with_extension("json.sig")).unwrap();
    let check = |place: &str| {
        for changed in [text.replace("2.00", "3.00"), format!("{text}\n"), text.replace('\n', "\r\n")] {
            assert_ne!(changed, text);
            std::fs::write(&file, changed).unwrap();
            s.refused(&file, &[], &["Maria Souza"]);
            s.refused(&file, &["--dry-run"], &["Maria Souza"]);
        }
        std::fs::write(&file, &text).unwrap();
        let beside = file.with_extension("json.sig");
        let flipped = if sig.trim_end().ends_with('0') { "1" } else { "0" };
        let cut = sig.trim_end();
        for damaged in ["", "nada", "\u{0}\u{1}", &cut[..cut.len() - 2], &format!("{}{flipped}", &cut[..cut.len() - 1])]
        {
            std::fs::write(&beside, damaged).unwrap();
            s.refused(&file, &[], &[]);
        }
        // Nor is it one of somebody else where it is none at all.
        for (from, to) in [(" ", " 00"), (" ", " x")] {
            std::fs::write(&beside, sig.replacen(from, to, 1)).unwrap();
            s.refused(&file, &[], &["damaged"]);
        }
        let words: Vec<&str> = sig.split_whitespace().collect();
        std::fs::write(&beside, format!("{} 0123456789abcdef {}", words[0], &words[2][..126])).unwrap();
        s.refused(&file, &[], &["damaged"]);
        std::fs::write(&beside, format!("{} {} {}", words[0], words[1].to_uppercase(), "00".repeat(64))).unwrap();
        s.refused(&file, &[], &["Maria Souza"]);
        std::fs::write(&beside, &sig).unwrap();
        assert_eq!(s.count(), 1, "{place}");
    };
    check("stopped");
    let _server = s.own.serve();
    check("running");
    s.own.import(&file, &[]).ok();
    assert_eq!(s.count(), 2, "the file as it was signed");
}

#[test]
fn a_signature_is_required_by_the_option_of_one_import() {
    let s = Signers::new();
    s.trust_maria();
    let (bare, strange) = (s.file("1.0", "2.00", None), s.file("1.1", "2.00", Some(&s.outro)));
    let check = || {
        s.refused(&bare, &["--require-signature"], &["not signed", ".sig"]);
        s.refused(&strange, &["--require-signature"], &["not trusted"]);
        s.refused(&bare, &["--require-signature", "--dry-run"], &["not signed"]);
    };
    check();
    let server = s.own.serve();
    check();
    drop(server);
    // One unsigned file among signed ones is enough.
    let signed = s.file("1.2", "2.00", Some(&s.maria));
    let words = ["import".as_ref(), signed.as_os_str(), bare.as_os_str(), OsStr::new("--require-signature")];
    assert_eq!(taxd(&s.own.dir, words).code, 1);
    assert_eq!(s.count(), 1);
    s.own.import(&signed, &["--require-signature"]).ok();
    assert_eq!(s.count(), 2);
}

#[test]
fn a_signature_can_be_required_of_every_import_until_further_notice() {
    let s = Signers::new();
    let none = s.trust(&["require", "on"]);
    assert!(
        none.code == 1 && none.stderr.contains("trust add"),
        "with no trusted key nothing could be imported: {none:?}"
    );
    s.trust_maria();
    assert_eq!(s.trust(&["require", "talvez"]).code, 2);
    s.trust(&["require", "on"]).ok();
    assert_eq!(s.trust(&["list", "--json"]).ok().json()["require_signature"], true);
    let (bare, strange) = (s.file("1.0", "2.00", None), s.file("1.1", "2.00", Some(&s.outro)));
    s.refused(&bare, &[], &["not signed"]);
    let server = s.own.serve();
    s.refused(&strange, &[], &["not trusted"]);
    drop(server);
    s.refused(&bare, &[], &["not signed"]);
    // The built-in rules are part of the binary and need no signature.
    taxd(&s.own.dir, ["import", "--builtin"]).ok();
    s.trust(&["require", "off"]).ok();
    s.own.import(&bare, &[]).ok();
    assert_eq!(s.history().as_array().map(Vec::len), Some(1));
}

#[test]
fn the_last_trusted_key_cannot_leave_a_requirement_that_nothing_meets() {
    let s = Signers::new();
    s.trust_maria();
    s.trust(&["require", "on"]).ok();
    let removed = s.trust(&["remove", "Maria Souza"]);
    let listed = s.trust(&["list", "--json"]).ok().json();
    // Either it is kept, or the operator gets a message.
    let kept = listed["keys"].as_array().map(Vec::len) == Some(1) && removed.code == 1;
    assert!(kept || removed.stderr.contains("require") || removed.stdout.contains("require"), "{removed:?} {listed}");
}
