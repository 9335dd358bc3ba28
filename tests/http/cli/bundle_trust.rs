//! Signed bundles: whose they are, who is trusted, and what is refused.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Done, OwnRules, bundle, rule, taxd, with};

fn version(versao: &str, rate: &str) -> Value {
    let rule = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": rate}));
    with(&rule, &json!({"versao": versao, "vigente_de": format!("202{}-01-01", &versao[2..])}))
}

/// A data directory with one rule, and two signers.
struct Signers {
    own: OwnRules,
    maria: PathBuf,
    outro: PathBuf,
}

impl Signers {
    fn new() -> Signers {
        let own = OwnRules::of(&[rule("t-ipva-am", "ipva", &json!({"uf": "AM"}), &json!({"aliquota": "7.00"}))]);
        let key = |name: &str| {
            let file = own.dir.path().with_file_name(name);
            taxd(&own.dir, ["bundle".as_ref(), "keygen".as_ref(), file.as_os_str()]).ok();
            file
        };
        let (maria, outro) = (key("maria"), key("outro"));
        Signers { own, maria, outro }
    }

    /// A bundle file of that version, signed by the key where one is given.
    fn file(&self, versao: &str, rate: &str, key: Option<&Path>) -> PathBuf {
        let file = self.own.dir.write(&format!("v{versao}.json"), bundle(&[version(versao, rate)]));
        if let Some(key) = key {
            let words = ["bundle".as_ref(), "sign".as_ref(), file.as_os_str(), "--key".as_ref(), key.as_os_str()];
            taxd(&self.own.dir, words).ok();
        }
        file
    }

    fn trust(&self, args: &[&str]) -> Done {
        taxd(&self.own.dir, ["bundle", "trust"].iter().chain(args))
    }

    fn trust_maria(&self) -> Value {
        let public = self.maria.with_extension("pub");
        self.trust(&["add", "Maria Souza", public.to_str().unwrap(), "--json"]).ok().json()
    }

    /// An import that must be refused, and leave nothing.
    #[track_caller]
    fn refused(&self, file: &Path, more: &[&str], named: &[&str]) {
        let before = self.count();
        let done = self.own.import(file, more);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
        for name in named.iter().chain(&["nothing was imported", file.to_str().unwrap()]) {
            assert!(done.stderr.contains(name), "{name}: {}", done.stderr);
        }
        assert_eq!(self.count(), before);
    }

    fn count(&self) -> usize {
        let listed = taxd(&self.own.dir, ["rules", "list", "--json"]).ok().json();
        listed["regras"].as_array().unwrap().len()
    }

    fn history(&self) -> Value {
        taxd(&self.own.dir, ["rules", "history", "t-ipva-ac", "--json"]).ok().json()["versoes"].clone()
    }
}

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
fn who_signed_is_kept_with_the_publication_running_or_stopped() {
    let s = Signers::new();
    s.trust_maria();
    let stopped = s.own.import(&s.file("1.0", "18.00", Some(&s.maria)), &["--json"]).ok().json();
    assert_eq!(stopped["assinaturas"][0]["assinado_por"], "Maria Souza", "{stopped}");
    let server = s.own.serve();
    let running = s.own.import(&s.file("1.1", "19.50", Some(&s.maria)), &["--require-signature"]).ok().stdout;
    assert!(running.contains("signed by Maria Souza"), "{running}");
    s.own.import(&s.file("1.2", "19.50", None), &[]).ok();
    // By a key that is not trusted, while none is required: taken, and nobody's.
    s.own.import(&s.file("1.3", "20.00", Some(&s.outro)), &[]).ok();
    let check = |place: &str| {
        let signers: Vec<Value> = s.history().as_array().unwrap().iter().map(|v| v["assinado_por"].clone()).collect();
        assert_eq!(signers, [json!(["Maria Souza"]), json!(["Maria Souza"]), json!([]), json!([])], "{place}");
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
    // The rules compiled in are signed by whoever made the binary.
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
    // Either it is kept, or the operator is told of it; it must not pass in silence.
    let kept = listed["keys"].as_array().map(Vec::len) == Some(1) && removed.code == 1;
    assert!(kept || removed.stderr.contains("require") || removed.stdout.contains("require"), "{removed:?} {listed}");
}
