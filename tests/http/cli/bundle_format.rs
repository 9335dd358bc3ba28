//! `taxd bundle format`: one canonical text, and nothing of the bundle changed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::support::{DataDir, Done, bundle, rule, taxd_nowhere};

fn format(args: &[&OsStr]) -> Done {
    taxd_nowhere([OsStr::new("bundle"), OsStr::new("format")].iter().chain(args), b"")
}

/// A bundle as nobody should leave it: on one line, members in any order.
fn untidy() -> String {
    let mut rule = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let scope = rule.as_object_mut().unwrap().shift_remove("escopo").unwrap();
    rule["escopo"] = scope;
    let whole: Value = serde_json::from_str(&bundle(&[rule])).unwrap();
    let mut members: Vec<_> = whole.as_object().unwrap().clone().into_iter().collect();
    members.reverse();
    Value::Object(members.into_iter().collect()).to_string()
}

#[test]
fn a_bundle_is_put_in_order_once_and_says_the_same() {
    let dir = DataDir::empty();
    let file = dir.write("own.json", untidy());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let link = file.with_file_name("link.json");
    symlink(&file, &link).unwrap();
    let asked = format(&["--check".as_ref(), "--json".as_ref(), file.as_os_str()]);
    assert_eq!((asked.code, asked.json()), (1, json!({"files": [{"file": file, "changed": true}]})));
    assert_eq!(fs::read_to_string(&file).unwrap(), untidy(), "a check writes nothing");

    let done = format(&[link.as_os_str()]).ok();
    assert!(done.stdout.contains("formatted") && done.stdout.contains("link.json"), "{done:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("{\n  \"pacote\": "), "{text}");
    assert!(text.find("\"escopo\"") < text.find("\"vigente_de\""), "{text}");
    let same = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(same(&text), same(&untidy()));
    assert!(link.is_symlink(), "a link stays one");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    let beside = fs::read_dir(file.parent().unwrap()).unwrap().count();
    assert_eq!(beside, 2, "the file and its link, and no staged file");

    let again = format(&["--check".as_ref(), file.parent().unwrap().as_os_str()]).ok();
    assert!(again.stdout.contains("nothing to change"), "{again:?}");
    assert_eq!(format(&[file.as_os_str(), "--json".as_ref()]).ok().json()["files"][0]["changed"], false);
}

#[test]
fn a_signature_that_no_longer_fits_is_named() {
    let dir = DataDir::empty();
    let file = dir.write("own.json", untidy());
    dir.write("own.json.sig", "of the file as it was");
    let done = format(&[file.as_os_str()]).ok();
    assert!(done.stderr.contains("own.json.sig") && done.stderr.contains("sign it again"), "{done:?}");
    assert_eq!(format(&[file.as_os_str()]).ok().stderr, "");
}

#[test]
fn a_file_that_is_not_a_bundle_is_refused_with_its_faults_and_nothing_is_written() {
    let dir = DataDir::empty();
    let good = dir.write("good.json", untidy());
    let refused = |name: &str, text: &str, words: &[&str]| {
        let bad = dir.write(name, text);
        let done = format(&[good.as_os_str(), bad.as_os_str()]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{name}: {done:?}");
        assert!(words.iter().all(|word| done.stderr.contains(word)), "{name}: {done:?}");
        assert!(done.stderr.contains(&format!("{name}:")) && done.stderr.contains("nothing was written"), "{done:?}");
        assert_eq!(fs::read_to_string(bad).unwrap(), text, "{name}");
        assert_eq!(fs::read_to_string(&good).unwrap(), untidy(), "{name}");
    };
    refused("cut.json", &untidy()[..untidy().len() / 2], &["não é JSON"]);
    refused("list.json", "[1, 2]", &["Esperava"]);
    refused("empty.json", "{}", &["pacote", "versao", "descricao", "nenhuma regra"]);
    refused("twice.json", &untidy().replacen('{', "{\"pacote\": \"outro\",", 1), &["mais de uma vez"]);
    refused("unknown.json", &untidy().replacen('{', "{\"autor\": \"eu\",", 1), &["`autor` não existe"]);
    let document = format(&["--json".as_ref(), good.with_file_name("list.json").as_os_str()]);
    assert_eq!((document.code, document.json()["faults"].as_array().map(Vec::len)), (1, Some(1)), "{document:?}");
}
