//! Rotation: both keys work during the grace window, and the old one ends by itself.

use std::time::Duration;

use serde_json::Value;
use taxd::features::Command;
use taxd::features::keys::KeyCommand;

use crate::support::{InProcess, Key};

const HOUR_MS: u64 = 60 * 60 * 1_000;
const BEGIN: &str = "2026-11-21T10:00:00Z";

fn rotate(server: &InProcess, key: &Key, grace_ms: u64) -> Key {
    Key::of(&server.admin(Command::Key(KeyCommand::Rotate { key_id: key.key_id.clone(), grace_ms })))
}

/// Why the key cannot be rotated.
fn refused(server: &InProcess, key: &Key) -> String {
    server
        .try_admin(Command::Key(KeyCommand::Rotate { key_id: key.key_id.clone(), grace_ms: HOUR_MS }))
        .unwrap_err()
        .to_string()
}

fn works(server: &InProcess, key: &Key) -> bool {
    let reply = server.get_as(&key.key, "/v1/regras");
    if reply.status != 200 {
        reply.problem(401, "chave_invalida");
    }
    reply.status == 200
}

/// State and end of the key, as the operator sees them.
fn listed(server: &InProcess, key: &Key) -> (String, Value) {
    let keys = server.admin(Command::Key(KeyCommand::List { account: Some(server.client_id.clone()) }));
    let row = keys.as_array().unwrap().iter().find(|row| row["key_id"] == key.key_id.as_str()).unwrap().clone();
    (row["state"].as_str().unwrap().to_owned(), row["expires_at"].clone())
}

#[test]
fn both_keys_work_during_the_grace_window_to_its_last_millisecond() {
    for kind in ["live", "test"] {
        let server = InProcess::start(BEGIN);
        let old = server.new_key(kind);
        assert_eq!(listed(&server, &old), ("active".to_owned(), Value::Null));
        let new = rotate(&server, &old, 2 * HOUR_MS);
        assert!(new.key.starts_with(&old.key[..9]) && new.key != old.key);
        assert_eq!(listed(&server, &old), ("expiring".to_owned(), "2026-11-21T12:00:00.000Z".into()));
        server.pass(Duration::from_millis(2 * HOUR_MS - 1));
        assert!(works(&server, &old) && works(&server, &new), "{kind}");
        server.pass(Duration::from_millis(1));
        assert!(!works(&server, &old) && works(&server, &new), "{kind}");
        assert_eq!(listed(&server, &old).0, "expired");
        assert_eq!(listed(&server, &new), ("active".to_owned(), Value::Null));
    }
}

#[test]
fn without_a_grace_window_the_old_key_ends_at_once() {
    let server = InProcess::start(BEGIN);
    let old = server.new_key("live");
    let new = rotate(&server, &old, 0);
    assert!(!works(&server, &old) && works(&server, &new));
}

#[test]
fn a_key_that_was_rotated_or_opens_nothing_cannot_be_rotated() {
    let server = InProcess::start(BEGIN);
    let (first, revoked) = (server.new_key("live"), server.new_key("test"));
    let second = rotate(&server, &first, HOUR_MS);
    let told = refused(&server, &first);
    assert!(told.contains(&second.key_id) && told.contains("rotated already"), "{told}");
    server.admin(Command::Key(KeyCommand::Revoke { key_id: revoked.key_id.clone() }));
    let told = refused(&server, &revoked);
    let next = format!("taxd key create --account {} --kind test", server.client_id);
    assert!(told.contains("has expired or was revoked") && told.contains(&next), "{told}");
    let told = refused(&server, &Key { key_id: "key_nobody".to_owned(), key: String::new() });
    assert!(told.contains("taxd key list"), "{told}");
    let told = refused(&server, &Key { key_id: second.key.clone(), key: String::new() });
    assert!(told.contains("key_id") && !told.contains(&second.key), "{told}");
    let keys = server.admin(Command::Key(KeyCommand::List { account: Some(server.client_id.clone()) }));
    assert_eq!(keys.as_array().map(Vec::len), Some(4), "nothing was made on the way: {keys}");
    assert!(works(&server, &first) && works(&server, &second) && !works(&server, &revoked));
}

#[test]
fn a_revoked_key_does_not_come_back_within_its_grace_window() {
    let server = InProcess::start(BEGIN);
    let old = server.new_key("live");
    let new = rotate(&server, &old, HOUR_MS);
    server.admin(Command::Key(KeyCommand::Revoke { key_id: old.key_id.clone() }));
    assert!(!works(&server, &old) && works(&server, &new));
    assert_eq!(listed(&server, &old).0, "revoked");
}

#[test]
fn the_grace_window_has_an_end() {
    let server = InProcess::start(BEGIN);
    let key = server.new_key("live");
    let day_ms = 24 * HOUR_MS;
    for grace_ms in [366 * day_ms + 1, u64::MAX] {
        let command = Command::Key(KeyCommand::Rotate { key_id: key.key_id.clone(), grace_ms });
        assert!(server.try_admin(command).unwrap_err().to_string().contains("366 days"));
    }
    rotate(&server, &key, 366 * day_ms);
    assert!(works(&server, &key));
}

#[test]
fn of_two_rotations_and_a_revocation_at_once_one_rotation_is_made_and_the_key_stays_revoked() {
    for _ in 0..20 {
        let server = InProcess::start(BEGIN);
        let key = server.new_key("live");
        let rotate = || {
            let command = Command::Key(KeyCommand::Rotate { key_id: key.key_id.clone(), grace_ms: HOUR_MS });
            server.try_admin(command).is_ok()
        };
        let rotated = std::thread::scope(|scope| {
            let rotations = [(); 2].map(|()| scope.spawn(rotate));
            server.admin(Command::Key(KeyCommand::Revoke { key_id: key.key_id.clone() }));
            rotations.map(|thread| thread.join().unwrap())
        });
        assert!(rotated != [true, true], "one key has two in its place");
        assert!(!works(&server, &key), "a revoked key came back");
    }
}
