//! `taxd bundle keygen | sign | check`: keys, signatures, and what a bundle would do.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{DataDir, Done, OwnRules, bundle, rule, taxd, with};

fn own_rule() -> Value {
    rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}))
}

fn taxd_nowhere<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Done {
    crate::support::taxd_nowhere(args, b"")
}

#[test]
fn a_pair_of_keys_is_made_once_and_the_private_one_is_its_owners_alone() {
    let dir = DataDir::empty();
    let file = dir.path().with_file_name("signer");
    let made = taxd_nowhere(["bundle".as_ref(), "keygen".as_ref(), file.as_os_str(), "--json".as_ref()]).ok().json();
    let public = file.with_extension("pub");
    assert_eq!((&made["private"], &made["public"]), (&json!(file), &json!(public)));
    assert_eq!(made["key_id"].as_str().map(str::len), Some(16), "{made}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let (private, shared) = (fs::read(&file).unwrap(), fs::read_to_string(&public).unwrap());
    assert_eq!(shared.lines().count(), 1);
    // A second time would lose the key that others trust.
    let again = taxd_nowhere(["bundle".as_ref(), "keygen".as_ref(), file.as_os_str()]);
    assert_eq!((again.code, again.stdout.as_str()), (1, ""), "{again:?}");
    assert!(again.stderr.contains("signer"), "{again:?}");
    assert_eq!((fs::read(&file).unwrap(), fs::read_to_string(&public).unwrap()), (private, shared));
}

/// With `--json` the command panicked after it had made the files.
#[test]
fn names_of_files_that_are_not_utf_8_are_shown_with_a_sign_in_place_of_what_is_not() {
    let dir = DataDir::empty();
    let name = |bytes: &[u8]| dir.path().with_file_name(OsStr::from_bytes(bytes));
    let (key, bundle_file) = (name(b"a\xff"), name(b"c\xff.json"));
    let shown = |file: &std::path::Path| json!(file.display().to_string());
    let made = taxd_nowhere(["bundle".as_ref(), "keygen".as_ref(), key.as_os_str(), "--json".as_ref()]).ok().json();
    assert_eq!((&made["private"], &made["public"]), (&shown(&key), &shown(&name(b"a\xff.pub"))));
    fs::write(&bundle_file, bundle(&[own_rule()])).unwrap();
    let args: [&OsStr; 6] = [
        "bundle".as_ref(),
        "sign".as_ref(),
        "--key".as_ref(),
        key.as_os_str(),
        bundle_file.as_os_str(),
        "--json".as_ref(),
    ];
    let signed = taxd_nowhere(args).ok().json();
    assert_eq!(signed, json!({"signatures": [shown(&name(b"c\xff.json.sig"))]}));
    let checked = taxd_nowhere(["bundle".as_ref(), "check".as_ref(), bundle_file.as_os_str(), "--json".as_ref()]);
    assert_eq!(checked.ok().json()["pacotes"][0]["file"], shown(&bundle_file));
    let settings = name(b"s\xff.toml");
    fs::write(&settings, "listen = \"127.0.0.1:0\"\n").unwrap();
    let args: [&OsStr; 5] =
        ["serve".as_ref(), "--check-config".as_ref(), "--json".as_ref(), "--config".as_ref(), settings.as_os_str()];
    assert_eq!(taxd_nowhere(args).ok().json()["file"], shown(&settings));
}

#[test]
fn a_pair_of_which_only_the_public_key_is_left_is_not_overwritten() {
    let dir = DataDir::empty();
    let file = dir.path().with_file_name("signer");
    taxd_nowhere(["bundle".as_ref(), "keygen".as_ref(), file.as_os_str()]).ok();
    fs::remove_file(&file).unwrap();
    let public = fs::read(file.with_extension("pub")).unwrap();
    let again = taxd_nowhere(["bundle".as_ref(), "keygen".as_ref(), file.as_os_str()]);
    assert_eq!(fs::read(file.with_extension("pub")).unwrap(), public, "a public key was overwritten: {again:?}");
    assert_eq!(again.code, 1);
    assert!(!file.exists(), "a private key without its public one was left");
}

#[test]
fn a_bundle_is_checked_without_any_data_directory() {
    let dir = DataDir::empty();
    let good = dir.write("good.json", bundle(&[own_rule()]));
    let report = taxd_nowhere(["bundle".as_ref(), "check".as_ref(), good.as_os_str(), "--json".as_ref()]).ok().json();
    assert_eq!(report["publicadas"][0]["rule_id"], "t-ipva-ac-v1.0");
    assert_eq!(report["dry_run"], true);
    let text = taxd_nowhere(["bundle".as_ref(), "check".as_ref(), good.as_os_str()]).ok().stdout;
    assert!(
        text.contains("t-ipva-ac-v1.0") && text.contains("2020-01-01") && text.contains("nothing written"),
        "{text}"
    );
    // It is checked against the built-in rules: a tie with one of them is reported.
    let tie = with(&own_rule(), &json!({"rule_code": "t-icms-sp", "tributo": "icms", "escopo": {"uf": "SP"}}));
    let done = taxd_nowhere(["bundle".as_ref(), "check".as_ref(), dir.write("tie.json", bundle(&[tie])).as_os_str()]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    assert!(done.stderr.contains("icms-sp-geral") && done.stderr.contains("tie.json:"), "{done:?}");
    // With a misspelt name it was checked against the built-in rules, and passed.
    let checked = taxd(&dir, ["bundle".as_ref(), "check".as_ref(), good.as_os_str()]);
    assert_eq!((checked.code, checked.stdout.as_str()), (1, ""), "{checked:?}");
    assert!(checked.stderr.contains("there is no taxd data in"), "{checked:?}");
    assert!(!dir.path().exists());
}

#[test]
fn a_check_is_against_the_rules_of_the_data_directory_and_writes_nothing() {
    let own = OwnRules::of(&[own_rule()]);
    let next = with(&own_rule(), &json!({"versao": "1.1", "vigente_de": "2024-01-01"}));
    let file = own.dir.write("next.json", bundle(std::slice::from_ref(&next)));
    let wrong = own.dir.write("wrong.json", bundle(&[with(&next, &json!({"versao": "0.9", "conteudo": {}}))]));
    let check =
        |more: &[&OsStr]| taxd(&own.dir, ["bundle".as_ref(), "check".as_ref()].into_iter().chain(more.iter().copied()));
    let both = |place: &str| {
        let report = check(&[file.as_os_str(), "--json".as_ref()]).ok().json();
        assert_eq!(report["substituidas"][0]["vigente_ate"], "2024-01-01", "{place}: {report}");
        let done = check(&[wrong.as_os_str()]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{place}: {done:?}");
        assert!(done.stderr.contains("wrong.json:") && done.stderr.contains("conteudo"), "{place}: {done:?}");
        let versions = taxd(&own.dir, ["rules", "list", "--json"]).ok().json();
        assert_eq!(versions["regras"].as_array().map(Vec::len), Some(1), "{place}: nothing was written");
    };
    both("stopped");
    let _server = own.serve();
    both("running");
}
