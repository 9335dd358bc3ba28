//! `--json` where a command is refused: one document, whatever the command.

use serde_json::json;

use crate::support::{DataDir, taxd};

#[test]
fn a_refusal_of_any_command_is_one_document_on_stdout_and_nothing_else() {
    let (dir, nowhere) = (DataDir::ready(), DataDir::empty());
    let broken = dir.write("broken.json", "{");
    let broken = broken.to_str().unwrap();
    let cases: [(&DataDir, &[&str], &str); 12] = [
        (&nowhere, &["rules", "list"], "there is no taxd data"),
        (&dir, &["rules", "list", "--tributo", "iof"], "--tributo"),
        (&dir, &["rules", "show", "nada-disso"], "nada-disso"),
        (&dir, &["rules", "history", "NÃO SERVE"], "NÃO SERVE"),
        (&dir, &["account", "create", "Conta", "--plan", "nenhum"], "nenhum"),
        (&dir, &["key", "create", "--account", "acc_x", "--kind", "live"], "acc_x"),
        (&dir, &["import", broken], "nothing was imported"),
        (&dir, &["import", "nowhere.json"], "nowhere.json"),
        (&dir, &["bundle", "check", broken], "nothing was imported"),
        (&dir, &["bundle", "sign", broken, "--key", broken], "private key"),
        (&dir, &["bundle", "keygen", "nowhere/key"], "nowhere/key"),
        (&dir, &["bundle", "trust", "remove", "Ninguém"], "Ninguém"),
    ];
    let check = |place: &str| {
        for (dir, args, told) in cases {
            let done = taxd(dir, args.iter().chain(&["--json"]));
            assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{place} {args:?}: {done:?}");
            let document = done.json();
            let sentence = document["erro"].as_str().unwrap_or_else(|| panic!("{place} {args:?}: {done:?}"));
            assert!(sentence.contains(told), "{place} {args:?}: {sentence}");
            let faulty = matches!(args, ["import" | "bundle", "check", ..] | ["import", ..]) && args.contains(&broken);
            assert_eq!(document.as_object().map(serde_json::Map::len), Some(1 + usize::from(faulty)), "{document}");
            assert_eq!(document["faults"][0]["codigo"], if faulty { json!("json_invalido") } else { json!(null) });
        }
    };
    check("stopped");
    let _server = dir.serve(&[]);
    check("running");
}

#[test]
fn wrong_usage_is_text_and_exit_2_and_without_the_option_nothing_is_on_stdout() {
    let dir = DataDir::ready();
    let usage = taxd(&dir, ["key", "create", "--json"]);
    assert_eq!((usage.code, usage.stdout.as_str()), (2, ""), "{usage:?}");
    assert!(usage.stderr.contains("Usage"), "{usage:?}");
    let text = taxd(&dir, ["rules", "show", "nada-disso"]);
    assert_eq!((text.code, text.stdout.as_str()), (1, ""), "{text:?}");
    assert!(text.stderr.starts_with("taxd: "), "{text:?}");
    // A name that looks like the option is a name.
    let named = taxd(&dir, ["account", "create", "--plan", "nenhum", "--", "--json"]);
    assert_eq!((named.code, named.stdout.as_str()), (1, ""), "{named:?}");
}
