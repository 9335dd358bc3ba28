//! A server that is suspended: its socket still takes connections, and nothing behind it answers.

use std::time::{Duration, Instant};

use taxd::law::tax::REGISTRY;

use crate::support::{DataDir, taxd};

/// Every command once waited for ever, and a hanging health check is useless to a supervisor.
#[test]
fn every_command_that_needs_a_suspended_server_gives_up_after_five_seconds_and_says_so() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let backup = dir.write("earlier.redb", "");
    std::fs::remove_file(&backup).unwrap();
    taxd(&dir, ["backup", backup.to_str().unwrap()]).ok();
    server.signal("STOP");
    let unanswered = "has not answered for 5 seconds, so nothing was done";
    let commands: [(&[&str], &str); 8] = [
        (&["health"], unanswered),
        (&["status"], unanswered),
        (&["account", "list"], unanswered),
        (&["account", "create", "Nenhuma"], unanswered),
        (&["import", "--builtin"], unanswered),
        (&["check"], unanswered),
        (&["restore", "--force", backup.to_str().unwrap()], "a taxd is running on"),
        (&["serve", "--listen", "127.0.0.1:0"], "a server is already running on"),
    ];
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for (args, sentence) in commands {
            let dir = &dir;
            scope.spawn(move || {
                let done = taxd(dir, args);
                assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{args:?}: {done:?}");
                assert!(done.stderr.contains(sentence), "{args:?}: {done:?}");
            });
        }
        // What only reads does not need it.
        scope.spawn(|| {
            let payload = dir.write("one.json", REGISTRY[0].exemplo);
            let done = taxd(&dir, ["calc", payload.to_str().unwrap()]).ok();
            assert!(done.stdout.starts_with(r#"{"tributo":"#), "{done:?}");
            taxd(&dir, ["backup", dir.path().with_file_name("new.redb").to_str().unwrap()]).ok();
        });
        scope.spawn(|| {
            let done = taxd(&dir, ["health", "--json"]);
            assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
            assert!(done.json()["erro"].as_str().unwrap().contains(unanswered), "{done:?}");
        });
    });
    let waited = begin.elapsed();
    assert!((Duration::from_secs(5)..Duration::from_secs(30)).contains(&waited), "{waited:?}");
    server.signal("CONT");
    let accounts = taxd(&dir, ["account", "list"]).ok().stdout;
    assert!(!accounts.contains("Nenhuma"), "nothing was done, also not later:\n{accounts}");
    taxd(&dir, ["health"]).ok();
}
