//! What `TAXD_LOG` chooses.

use std::process::Command;

use crate::support::{Done, finish, program};

/// `taxd calc` without a data directory, which warns that there is none, and logs its import.
fn calc(log: &str) -> Done {
    let empty = tempfile::TempDir::new().unwrap();
    let mut command = Command::new(program());
    command.env_clear().current_dir(empty.path()).env("TAXD_LOG", log).arg("calc");
    finish(command, br#"{"tributo": "ipi", "ncm": "22030000", "valor_produto": "1.00", "data_operacao": "2026-03-10"}"#)
}

#[test]
fn a_level_or_levels_by_target_choose_what_is_logged() {
    for (asked, warns) in [("", true), ("warn", true), ("error", false), ("off", false), ("error,taxd=warn", true)] {
        let done = calc(asked);
        assert_eq!(done.code, 0, "{asked}: {done:?}");
        assert_eq!(done.stderr.contains("não há pasta de dados"), warns, "{asked}: {done:?}");
    }
}

#[test]
fn a_filter_that_cannot_be_read_is_reported_and_ignored() {
    for asked in ["loud", "taxd=loud", "info,verbose"] {
        let done = calc(asked);
        assert_eq!(done.code, 0, "{asked}: {done:?}");
        assert!(done.stderr.contains("TAXD_LOG is ignored"), "{asked}: {done:?}");
        assert!(done.stderr.contains("não há pasta de dados"), "{asked}: the usual is logged: {done:?}");
    }
}
