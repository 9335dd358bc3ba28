//! Certificates and keys that cannot be used: the start is refused with the file and the reason.

use std::fs;
use std::path::Path;

use super::{Secured, text};
use crate::support::certificates::{issue, self_signed};
use crate::support::{Done, finish, serve_command, taxd};

fn refused(secured: &Secured, args: &[&str]) -> Done {
    finish(serve_command(&secured.dir.path(), args), b"")
}

#[track_caller]
fn refused_for(secured: &Secured, certificate: &Path, key: &Path, words: &[&str]) {
    let done = refused(secured, &["--tls-cert", text(certificate), "--tls-key", text(key)]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    for word in words {
        assert!(done.stderr.contains(word), "{word}: {}", done.stderr);
    }
}

#[test]
fn each_fault_is_reported_with_its_file() {
    let secured = Secured::new();
    let (cert, key) = (&secured.certificate, &secured.key);
    let (good_cert, good_key) = (fs::read_to_string(cert).unwrap(), fs::read_to_string(key).unwrap());
    let file = |name: &str, content: &str| secured.dir.write(name, content);
    let missing = secured.dir.path().join("nowhere.pem");
    refused_for(&secured, &missing, key, &["nowhere.pem", "cannot be read", "No such file"]);
    refused_for(&secured, cert, &missing, &["nowhere.pem", "cannot be read", "No such file"]);
    refused_for(&secured, &file("empty.pem", ""), key, &["empty.pem", "holds no certificate"]);
    refused_for(&secured, cert, &file("empty.pem", " \n"), &["empty.pem", "holds no private key"]);
    refused_for(&secured, key, cert, &["key.pem", "holds no certificate"]);
    let broken = good_cert.replacen('M', "*", 3);
    refused_for(&secured, &file("broken.pem", &broken), key, &["broken.pem", "not a PEM file"]);
    let cut = &good_cert[..good_cert.len() / 2];
    refused_for(&secured, &file("cut.pem", cut), key, &["cut.pem", "not a PEM file"]);
    let cut = &good_key[..good_key.len() / 2];
    refused_for(&secured, cert, &file("cut.key", cut), &["cut.key", "not a PEM file"]);
    let noise = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    refused_for(&secured, &file("noise.pem", noise), key, &["noise.pem", "not understood"]);
    let noise = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    refused_for(&secured, cert, &file("noise.key", noise), &["noise.key", "cannot be used"]);
    let encrypted = good_key.replace("PRIVATE", "ENCRYPTED PRIVATE");
    refused_for(&secured, cert, &file("secret.key", &encrypted), &["secret.key", "encrypted", "openssl pkey"]);
    let other = file("other.key", &issue(|_| {}).key.serialize_pem());
    refused_for(&secured, cert, &other, &["other.key", "not the key of the first certificate", "cert.pem"]);
    let wrong_order = self_signed(true).certificate.pem() + &good_cert;
    refused_for(&secured, &file("order.pem", &wrong_order), key, &["order.pem", "must be the server's own"]);
}

#[test]
fn one_of_the_two_alone_names_the_other() {
    let secured = Secured::new();
    for (given, other) in [("--tls-cert", "--tls-key"), ("--tls-key", "--tls-cert")] {
        let done = refused(&secured, &[given, text(&secured.certificate)]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
        assert!(done.stderr.contains(&format!("{other}: {given} is given without it")), "{}", done.stderr);
    }
}

#[test]
fn the_chain_is_shown_whole_and_other_things_in_the_file_are_passed_over() {
    let secured = Secured::new();
    let own = fs::read_to_string(&secured.certificate).unwrap();
    let key = fs::read_to_string(&secured.key).unwrap();
    // As some tools write it: all in one file, with words between.
    let all = format!("subject=CN = localhost\n{own}\nissuer\n{}\n{key}", self_signed(true).certificate.pem());
    fs::write(&secured.certificate, &all).unwrap();
    fs::write(&secured.key, &all).unwrap();
    super::still_well(&secured.serve(&[]));
}

#[test]
fn a_certificate_past_its_end_is_warned_of_and_counted() {
    let end = rcgen::date_time_ymd(2020, 1, 1);
    let secured = Secured::by(&issue(|params| params.not_after = end));
    let server = secured.serve(&[]);
    server.wait_for_log("the TLS certificate has expired");
    assert!(server.log().contains("names=localhost, 127.0.0.1"), "{}", server.log());
    let metrics = taxd(&secured.dir, ["metrics"]).ok().stdout;
    assert!(metrics.contains(&format!("taxd_tls_not_after_seconds {}\n", end.unix_timestamp())), "{metrics}");
    let status = taxd(&secured.dir, ["status", "--json"]).ok().json();
    assert_eq!(status["tls"]["not_after"], "2020-01-01T00:00:00.000Z");
    assert!(taxd(&secured.dir, ["status"]).ok().stdout.contains("certificate good until 2020-01-01"));
}
