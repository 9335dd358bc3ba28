//! The log of a panic: its place, and the words of its message that are in the source.

use std::process::Command;
use std::{env, thread};

use taxd_base::defect;
use taxd_base::problem::{Problem, guarded};

/// Set where this test runs itself: the hook that it tries is one for a whole process.
const INNER: &str = "TAXD_TEST_PANICS";
const CANARY: &str = "canario7391";

fn panic_in_every_way() {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).init();
    defect::log_panics();
    let payload = format!("{CANARY}é");
    let work = |payload: String| -> Result<(), Box<Problem>> {
        // What the standard library says of this quotes the text.
        let _ = payload[..=CANARY.len()].len();
        Ok(())
    };
    let problem = guarded(|| work(payload.clone())).unwrap_err();
    eprintln!("caught: {}", problem.cause.unwrap());
    let problem = guarded(|| -> Result<(), _> { panic!("words of the source") }).unwrap_err();
    eprintln!("caught: {}", problem.cause.unwrap());
    let nested = defect::caught(|| {
        let inner: Result<(), _> = defect::caught(|| panic!("inner"));
        assert!(inner.is_ok(), "outer {CANARY}");
    });
    eprintln!("caught: {}", nested.unwrap_err());
    let alone = thread::Builder::new().name("alone".to_owned()).spawn(move || work(payload).is_ok()).unwrap();
    assert!(alone.join().is_err());
}

#[test]
fn a_panic_is_logged_once_with_its_place_and_nothing_that_a_caller_sent() {
    if env::var_os(INNER).is_some() {
        return panic_in_every_way();
    }
    let name = "panics::a_panic_is_logged_once_with_its_place_and_nothing_that_a_caller_sent";
    let inner =
        Command::new(env::current_exe().unwrap()).args(["--exact", name, "--nocapture"]).env(INNER, "1").output();
    let inner = inner.unwrap();
    let told = String::from_utf8(inner.stderr).unwrap();
    assert!(inner.status.success(), "{told}");
    assert!(!told.contains(CANARY), "{told}");
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains("a panic at ") || line.contains("caught")).collect();
    let wanted = [
        ("caught: a panic at {}:", ""),
        ("caught: a panic at {}:", ": words of the source"),
        ("caught: a panic at {}:", ""),
        ("a thread panicked thread=\"alone\" defect=a panic at {}:", ""),
    ];
    assert_eq!(lines.len(), wanted.len(), "{told}");
    for (line, (begins, ends)) in lines.iter().zip(wanted) {
        let begins = begins.replace("{}", file!());
        assert!(line.contains(&begins) && line.ends_with(ends), "{line}");
    }
}
