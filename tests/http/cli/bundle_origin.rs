//! The bundle and the signer of a version: kept with the publication, shown by
//! `rules history` and by the report of an import.

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::support::{Signers, taxd};

fn sha256(file: &std::path::Path) -> String {
    data_encoding::HEXLOWER.encode(digest(&SHA256, &std::fs::read(file).unwrap()).as_ref())
}

#[test]
fn each_version_has_the_bundle_that_brought_it_and_no_others_signer() {
    let s = Signers::new();
    let key_id = s.trust_maria()["key_id"].clone();
    let (signed, bare) = (s.file("1.0", "2.00", Some(&s.maria)), s.file("1.1", "3.00", None));
    let origin = |file: &std::path::Path, signer: Value, key_id: Value| {
        json!({"pacote": "teste", "versao": "1.0", "regras": 1, "file": file.to_str().unwrap(), "sha256": sha256(file),
            "assinado_por": signer, "key_id": key_id})
    };
    let origins = [origin(&bare, Value::Null, Value::Null), origin(&signed, json!("Maria Souza"), key_id.clone())];
    // In one import, the unsigned one first.
    let words = ["import".as_ref(), bare.as_os_str(), signed.as_os_str(), "--json".as_ref()];
    let report = taxd(&s.own.dir, words).ok().json();
    assert_eq!((&report["pacotes"], &report["avisos"]), (&json!(origins), &json!([])));
    // What was there already stays with the bundle that brought it.
    let again = s.file("1.0", "2.00", Some(&s.maria));
    std::fs::write(&again, format!("{}\n", std::fs::read_to_string(&again).unwrap())).unwrap();
    taxd(&s.own.dir, ["bundle".as_ref(), "sign".as_ref(), again.as_os_str(), "--key".as_ref(), s.maria.as_os_str()])
        .ok();
    s.own.import(&again, &[]).ok();
    let check = |place: &str| {
        let history = s.history();
        let got: Vec<&Value> = history.as_array().unwrap().iter().map(|version| &version["pacote"]).collect();
        assert_eq!(got, [&origins[1], &origins[0]], "{place}");
        let text = taxd(&s.own.dir, ["rules", "history", "t-ipva-ac"]).ok().stdout;
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (origin, by) in
            origins.iter().zip(["", &format!(", signed by Maria Souza (key {})", key_id.as_str().unwrap())])
        {
            let (file, hash) = (origin["file"].as_str().unwrap(), origin["sha256"].as_str().unwrap());
            let line = format!("in teste 1.0{by}: {file}, sha256 {hash}");
            assert!(lines.contains(&line.as_str()), "{place}: {line}\n{text}");
        }
    };
    check("stopped");
    let _server = s.own.serve();
    check("running");
}

#[test]
fn a_signature_by_a_stranger_is_warned_of_with_the_file_and_the_fingerprint() {
    let s = Signers::new();
    s.trust_maria();
    let (strange, bare) = (s.file("1.0", "2.00", Some(&s.outro)), s.file("1.1", "2.00", None));
    let sig = std::fs::read_to_string(strange.with_extension("json.sig")).unwrap();
    let warning = format!(
        "{}: signed by a key that is not trusted: fingerprint {}",
        strange.display(),
        sig.split_whitespace().nth(1).unwrap()
    );
    let check = |more: &[&str]| {
        let text = s.own.import(&strange, more).ok();
        assert_eq!(text.stderr, format!("taxd: warning: {warning}\n"));
        assert!(!text.stdout.contains(&warning), "it is shown once: {}", text.stdout);
        let done = s.own.import(&strange, &[more, &["--json"]].concat()).ok();
        assert_eq!(done.json()["avisos"], json!([warning]));
        assert_eq!(done.stderr, text.stderr);
    };
    check(&["--dry-run"]);
    let server = s.own.serve();
    check(&["--dry-run"]);
    check(&[]);
    drop(server);
    assert_eq!(s.history()[0]["pacote"]["assinado_por"], Value::Null, "it is nobody's");
    let quiet = s.own.import(&bare, &["--json"]).ok();
    assert_eq!((quiet.stderr.as_str(), &quiet.json()["avisos"]), ("", &json!([])));
    let checked = taxd(&s.own.dir, ["bundle".as_ref(), "check".as_ref(), strange.as_os_str()]).ok();
    assert!(checked.stderr.contains(&warning), "{checked:?}");
}
