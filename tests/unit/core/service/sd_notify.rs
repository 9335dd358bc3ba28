//! The watchdog message is sent for a service that answers, and for no other.

use std::time::Duration;

use taxd_core::service::ServiceManager;
use tempfile::TempDir;
use tokio::net::UnixDatagram;

const WATCHDOG: Duration = Duration::from_millis(20);

/// True if the manager gets two watchdog messages within fifty intervals from a service that answers so.
fn is_reported<F: Future<Output = bool>>(answers: impl Fn(Duration) -> F) -> bool {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("manager");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let manager = UnixDatagram::bind(&path).unwrap();
        let client = ServiceManager::new(path.as_os_str(), Some(WATCHDOG)).unwrap();
        let hearing = async {
            for _ in 0..2 {
                let mut message = [0; 64];
                let length = manager.recv(&mut message).await.unwrap();
                assert_eq!(message[..length], *b"WATCHDOG=1");
            }
        };
        tokio::select! {
            () = client.watch(answers) => panic!("it watches for ever"),
            heard = tokio::time::timeout(50 * WATCHDOG, hearing) => heard.is_ok(),
        }
    })
}

#[test]
fn a_service_that_answers_is_reported() {
    assert!(is_reported(|_| std::future::ready(true)));
}

#[test]
fn one_that_fails_or_hangs_is_not() {
    assert!(!is_reported(|_| std::future::ready(false)));
    assert!(!is_reported(|_| std::future::pending()));
}

#[test]
fn a_path_without_a_socket_is_an_error() {
    for name in ["", "/nowhere/at/all", "@taxd-no-such-socket"] {
        assert!(ServiceManager::new(name.as_ref(), None).is_err(), "{name:?}");
    }
}
