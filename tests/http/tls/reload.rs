//! Certificates that are replaced while the server runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rcgen::KeyPair;
use taxd::base::value::sha256_hex;

use super::{Secured, still_well};
use crate::support::certificates::{Issued, issue};
use crate::support::{AtEnd, DataDir, Raw, Server};

fn fingerprint(issued: &Issued) -> String {
    sha256_hex(issued.certificate.der())
}

const IN_USE: &str = "TLS certificate in use";
const UNUSABLE: &str = "the certificate before them stays in use";

/// Waits for the news of it, and asks.
#[track_caller]
fn shows(server: &Server, issued: &Issued) {
    server.wait_for_log(&format!("sha256={}", fingerprint(issued)));
    assert_eq!(Raw::certificate_shown(server.port), issued.certificate.der().to_vec());
    still_well(server);
}

#[test]
fn files_that_are_rewritten_are_read_again_by_themselves() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    server.wait_for_log(IN_USE);
    let next = issue(|_| {});
    secured.write(&next);
    shows(&server, &next);
    assert!(!server.log().contains(UNUSABLE), "{}", server.log());
}

/// certbot's `live` folder holds links, each of which is replaced.
#[test]
fn links_that_lead_elsewhere_are_followed() {
    let secured = Secured::new();
    let archive = |name: &str, content: &str| secured.dir.write(name, content);
    let next = issue(|_| {});
    for (link, name, old, new) in [
        (&secured.certificate, "cert", fs::read_to_string(&secured.certificate).unwrap(), next.certificate.pem()),
        (&secured.key, "key", fs::read_to_string(&secured.key).unwrap(), next.key.serialize_pem()),
    ] {
        archive(&format!("{name}1.pem"), &old);
        archive(&format!("{name}2.pem"), &new);
        fs::remove_file(link).unwrap();
        symlink(link.with_file_name(format!("{name}1.pem")), link).unwrap();
    }
    let server = secured.serve(&[]);
    server.wait_for_log(IN_USE);
    for (link, name) in [(&secured.certificate, "cert"), (&secured.key, "key")] {
        let fresh = link.with_extension("new");
        symlink(link.with_file_name(format!("{name}2.pem")), &fresh).unwrap();
        fs::rename(fresh, link).unwrap();
    }
    shows(&server, &next);
}

#[test]
fn a_pair_that_cannot_be_used_is_reported_once_and_the_old_one_stays() {
    let first = issue(|_| {});
    let secured = Secured::by(&first);
    let server = secured.serve(&[]);
    server.wait_for_log(IN_USE);
    fs::write(&secured.key, KeyPair::generate().unwrap().serialize_pem()).unwrap();
    server.wait_for_log(UNUSABLE);
    assert!(server.log().contains("key.pem: this is not the key of the first certificate"), "{}", server.log());
    shows(&server, &first);
    fs::remove_file(&secured.key).unwrap();
    server.wait_for_logs(UNUSABLE, 2);
    assert!(server.log().contains("key.pem: it cannot be read"), "{}", server.log());
    shows(&server, &first);
    let next = issue(|_| {});
    secured.write(&next);
    shows(&server, &next);
    // The files were checked six times or more; two states of them were logged, each once.
    assert_eq!(server.log().matches(UNUSABLE).count(), 2, "{}", server.log());
}

#[test]
fn a_hangup_reads_them_at_once_and_fails_no_request() {
    let secured = Secured::new();
    let server = secured.serve(&[]);
    server.wait_for_log(IN_USE);
    let (done, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        // Also where something fails, so that the threads end.
        let _done = AtEnd(&done);
        // One that keeps its connection, and two that make one for each request.
        scope.spawn(|| {
            let mut kept = server.raw_tls();
            while !done.load(Ordering::Relaxed) {
                let answer = kept.send("GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n").reply();
                assert_eq!(answer.status, 200);
                answered.fetch_add(1, Ordering::Relaxed);
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    still_well(&server);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..8 {
            let next = issue(|_| {});
            secured.write(&next);
            server.signal("HUP");
            server.wait_for_log(&format!("sha256={}", fingerprint(&next)));
            let before = answered.load(Ordering::Relaxed);
            while answered.load(Ordering::Relaxed) < before + 6 {
                std::thread::yield_now();
            }
        }
    });
}

#[test]
fn a_hangup_without_tls_ends_nothing() {
    let server = DataDir::served();
    server.wait_for_log("started");
    server.signal("HUP");
    server.wait_for_log("no TLS files to read again");
    assert_eq!(server.get("/sandbox", &[]).status, 200);
}
