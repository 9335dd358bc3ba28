//! A machine without a browser.

use std::process::{Command, Output};

use super::driver::Driver;

#[test]
fn a_browser_starts_or_is_missing() {
    drop(Driver::start());
}

/// That test, run by this very program, where neither `chromium` nor `chromedriver` is to be found.
fn run_without_browser(in_ci: bool) -> Output {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args(["--exact", "missing::a_browser_starts_or_is_missing"]).env("PATH", "/nowhere");
    if in_ci {
        tests.env("CI", "true")
    } else {
        tests.env_remove("CI")
    };
    tests.output().unwrap()
}

/// The word was once printed where the harness keeps what passing tests print to itself: 18 tests
/// said "ok", and nobody that they had tested nothing.
#[test]
fn without_a_browser_the_tests_say_so_and_ci_fails() {
    let passed = run_without_browser(false);
    let told = String::from_utf8(passed.stderr).unwrap();
    assert!(passed.status.success() && told.contains("passed over: chromium is not there"), "{told}");
    let failed = run_without_browser(true);
    let told = String::from_utf8([failed.stdout, failed.stderr].concat()).unwrap();
    assert!(!failed.status.success() && told.contains("chromium is missing"), "{told}");
}
