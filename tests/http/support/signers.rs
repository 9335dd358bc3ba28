//! Versions of one rule, and two signers of its bundles.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Done, OwnRules, bundle, rule, taxd, with};

fn version(versao: &str, rate: &str) -> Value {
    let rule = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": rate}));
    with(&rule, &json!({"versao": versao, "vigente_de": format!("202{}-01-01", &versao[2..])}))
}

/// A data directory with one rule, and two signers.
pub struct Signers {
    pub own: OwnRules,
    pub maria: PathBuf,
    pub outro: PathBuf,
}

impl Signers {
    pub fn new() -> Signers {
        let own = OwnRules::of(&[rule("t-ipva-am", "ipva", &json!({"uf": "AM"}), &json!({"aliquota": "7.00"}))]);
        let key = |name: &str| {
            let file = own.dir.path().with_file_name(name);
            taxd(&own.dir, ["bundle".as_ref(), "keygen".as_ref(), file.as_os_str()]).ok();
            file
        };
        let (maria, outro) = (key("maria"), key("outro"));
        Signers { own, maria, outro }
    }

    /// Writes a bundle of that version, signed if a key is given.
    pub fn file(&self, versao: &str, rate: &str, key: Option<&Path>) -> PathBuf {
        let file = self.own.dir.write(&format!("v{versao}.json"), bundle(&[version(versao, rate)]));
        if let Some(key) = key {
            let words = ["bundle".as_ref(), "sign".as_ref(), file.as_os_str(), "--key".as_ref(), key.as_os_str()];
            taxd(&self.own.dir, words).ok();
        }
        file
    }

    pub fn trust(&self, args: &[&str]) -> Done {
        taxd(&self.own.dir, ["bundle", "trust"].iter().chain(args))
    }

    pub fn trust_maria(&self) -> Value {
        let public = self.maria.with_extension("pub");
        self.trust(&["add", "Maria Souza", public.to_str().unwrap(), "--json"]).ok().json()
    }

    /// Imports a file that must be refused and change nothing.
    #[track_caller]
    pub fn refused(&self, file: &Path, more: &[&str], named: &[&str]) {
        let before = self.count();
        let done = self.own.import(file, more);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
        for name in named.iter().chain(&["nothing was imported", file.to_str().unwrap()]) {
            assert!(done.stderr.contains(name), "{name}: {}", done.stderr);
        }
        assert_eq!(self.count(), before);
    }

    pub fn count(&self) -> usize {
        let listed = taxd(&self.own.dir, ["rules", "list", "--json"]).ok().json();
        listed["regras"].as_array().unwrap().len()
    }

    pub fn history(&self) -> Value {
        taxd(&self.own.dir, ["rules", "history", "t-ipva-ac", "--json"]).ok().json()["versoes"].clone()
    }
}
