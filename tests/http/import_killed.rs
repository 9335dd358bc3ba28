//! A large import that is killed at any moment: all of it is there, or none of it.

use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::json;

use crate::support::large::{EARLIER, LARGE, earlier_bundle, large_bundle, sale};
use crate::support::{DataDir, OwnRules, Server, program, taxd};

/// When it is killed, in thousandths of the import's duration: spread over it, more of them
/// towards the end, where the transaction is committed, and one when it is over.
const MOMENTS: [u32; 15] = [30, 110, 200, 300, 400, 500, 600, 700, 790, 860, 900, 930, 960, 985, 1100];

/// The data file after the earlier publication, its key, and how long the large import takes
/// on it.
struct Before {
    file: Vec<u8>,
    key: String,
    takes: Duration,
}

fn before() -> &'static Before {
    static BEFORE: OnceLock<Before> = OnceLock::new();
    BEFORE.get_or_init(|| {
        let own = OwnRules::none();
        own.import(&own.dir.write("earlier.json", earlier_bundle()), &[]).ok();
        let file = fs::read(own.dir.file()).unwrap();
        let large = own.dir.write("large.json", large_bundle());
        let start = Instant::now();
        own.import(&large, &[]).ok();
        Before { file, key: own.key, takes: start.elapsed() }
    })
}

/// A copy of the state before the import, and the import's file beside it.
fn copy() -> DataDir {
    let dir = DataDir::empty();
    fs::create_dir(dir.path()).unwrap();
    fs::write(dir.file(), &before().file).unwrap();
    dir.write("large.json", large_bundle());
    dir
}

fn large_file(dir: &DataDir) -> std::path::PathBuf {
    dir.path().with_file_name("large.json")
}

fn begin_import(dir: &DataDir) -> Child {
    Command::new(program())
        .env_clear()
        .args(["import", "--json", "--data"])
        .arg(dir.path())
        .arg(large_file(dir))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn moments() -> impl Iterator<Item = Duration> {
    MOMENTS.iter().map(|thousandths| before().takes * *thousandths / 1000)
}

/// Whether the import is there, by everything that shows it.
#[track_caller]
fn is_there(server: &Server, place: &str) -> bool {
    let data = &server.greeting[2];
    let all = data.contains(&format!(" {} rule versions", EARLIER + LARGE));
    assert!(all || data.contains(&format!(" {EARLIER} rule versions")), "{place}: {data}");
    let superseded = if all { ("2.00", "t-ipi-00000-v1.1") } else { ("1.00", "t-ipi-00000-v1.0") };
    for i in [0, EARLIER / 2, EARLIER - 1] {
        let answer = server.calculate(&sale(i)).envelope();
        assert_eq!(answer["valor"], superseded.0, "{place}: {i}");
        assert!(i > 0 || answer["regra"]["rule_id"] == superseded.1, "{place}: {answer}");
    }
    for i in [EARLIER, LARGE - 1] {
        let status = server.calculate(&sale(i)).status;
        assert_eq!(status, if all { 200 } else { 404 }, "{place}: {i}");
    }
    let closed = server.regras("vigente_em=2026-03-10&situacao=vigente&rule_code=t-ipi-04999");
    assert_eq!(closed[0]["rule_id"], if all { "t-ipi-04999-v1.1" } else { "t-ipi-04999-v1.0" }, "{place}");
    assert_eq!(events(server), if all { 2 * EARLIER + LARGE } else { EARLIER }, "{place}: changelog");
    all
}

/// How many events the changelog has, walked to its end.
fn events(server: &Server) -> usize {
    let mut path = "/v1/changelog?limit=500".to_owned();
    let mut count = 0;
    loop {
        let reply = server.get_own(&path);
        count += reply.json().as_array().unwrap().len();
        let Some(link) = reply.header("link") else { return count };
        link.trim_start_matches('<').split('>').next().unwrap().clone_into(&mut path);
    }
}

/// What the same import says where all or nothing was there.
#[track_caller]
fn completes(dir: &DataDir, was_there: bool, place: &str) {
    let file = large_file(dir);
    let report = taxd(dir, ["import".as_ref(), file.as_os_str(), "--json".as_ref()]).ok().json();
    let (new, moved, same) = if was_there { (0, 0, LARGE) } else { (LARGE, EARLIER, 0) };
    let count = |list: &str| report[list].as_array().unwrap().len();
    assert_eq!((count("publicadas"), count("substituidas")), (new, moved), "{place}");
    assert_eq!(report["inalteradas"], json!(same), "{place}");
}

#[test]
fn an_import_on_the_file_that_is_killed_is_there_entirely_or_not_at_all() {
    let mut outcomes = Vec::new();
    for moment in moments() {
        let place = format!("killed after {moment:?} of {:?}", before().takes);
        let dir = copy();
        let mut child = begin_import(&dir);
        thread::sleep(moment);
        child.kill().unwrap();
        let killed = child.wait().unwrap().code().is_none();
        let server = dir.serve_as(&before().key);
        let there = is_there(&server, &place);
        assert!(killed || there, "{place}: it had ended, and is not there");
        outcomes.push((killed, there));
        completes(&dir, there, &place);
        assert_eq!(server.calculate(&sale(LARGE - 1)).envelope()["valor"], "3.00", "{place}");
        assert_eq!(server.calculate(&sale(0)).envelope()["valor"], "2.00", "{place}");
    }
    assert!(outcomes.contains(&(true, false)), "some of the imports were killed on the way: {outcomes:?}");
}

#[test]
fn an_import_whose_server_is_killed_is_there_entirely_or_not_at_all() {
    let mut outcomes = Vec::new();
    for moment in moments() {
        let place = format!("server killed after {moment:?} of {:?}", before().takes);
        let dir = copy();
        let mut server = dir.serve_as(&before().key);
        let mut child = begin_import(&dir);
        thread::sleep(moment);
        assert_eq!(server.stop("KILL").code(), None);
        let told_done = child.wait().unwrap().success();
        // Completed on the file first, then looked at by a server, and again the same.
        let server = dir.serve_as(&before().key);
        let there = is_there(&server, &place);
        assert!(!told_done || there, "{place}: the caller was told that it is there");
        outcomes.push((told_done, there));
        drop(server);
        completes(&dir, there, &place);
        let server = dir.serve_as(&before().key);
        assert_eq!(server.calculate(&sale(LARGE - 1)).envelope()["valor"], "3.00", "{place}");
        assert_eq!(server.calculate(&sale(0)).envelope()["valor"], "2.00", "{place}");
    }
    assert!(outcomes.contains(&(false, false)), "some of the servers were killed on the way: {outcomes:?}");
}

#[test]
fn what_has_answered_once_is_there_after_the_server_was_killed_at_that_moment() {
    let dir = copy();
    let mut server = dir.serve_as(&before().key);
    let mut child = begin_import(&dir);
    let start = Instant::now();
    // The first answer by a new rule: the import has not yet been reported as done.
    while server.calculate(&sale(LARGE - 1)).status == 404 {
        assert!(start.elapsed() < Duration::from_mins(1), "the import does not end");
    }
    server.stop("KILL");
    child.wait().unwrap();
    let server = dir.serve_as(&before().key);
    assert!(is_there(&server, "killed when it had just answered"), "what was answered is gone");
    completes(&dir, true, "killed when it had just answered");
}
