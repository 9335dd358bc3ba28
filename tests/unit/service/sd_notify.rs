//! The watchdog of the service manager hears of a service that answers, and of no other.

use std::time::Duration;

use taxd::service::ServiceManager;
use tempfile::TempDir;
use tokio::net::UnixDatagram;

const WATCHDOG: Duration = Duration::from_millis(20);

/// True if the manager hears twice, within fifty of its patiences, of a service that answers so.
fn is_told_of<F: Future<Output = bool>>(answers: impl Fn(Duration) -> F) -> bool {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("manager");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let manager = UnixDatagram::bind(&path).unwrap();
        let told = ServiceManager::new(path.as_os_str(), Some(WATCHDOG)).unwrap();
        let hearing = async {
            for _ in 0..2 {
                let mut message = [0; 64];
                let length = manager.recv(&mut message).await.unwrap();
                assert_eq!(message[..length], *b"WATCHDOG=1");
            }
        };
        tokio::select! {
            () = told.watch(answers) => panic!("it watches for ever"),
            heard = tokio::time::timeout(50 * WATCHDOG, hearing) => heard.is_ok(),
        }
    })
}

#[test]
fn a_service_that_answers_is_told_of() {
    assert!(is_told_of(|_| std::future::ready(true)));
}

#[test]
fn one_that_fails_or_hangs_is_not() {
    assert!(!is_told_of(|_| std::future::ready(false)));
    assert!(!is_told_of(|_| std::future::pending()));
}

#[test]
fn a_name_that_leads_nowhere_is_an_error() {
    for name in ["", "/nowhere/at/all", "@taxd-no-such-socket"] {
        assert!(ServiceManager::new(name.as_ref(), None).is_err(), "{name:?}");
    }
}
