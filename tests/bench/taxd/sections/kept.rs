//! Calculations beside a publication that touches every line of kept lists, against the same publication without lists.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Fixture, Row, Subject, ratios};
use crate::fixture::{Home, import};
use crate::load::{Outcome, open_loop};
use crate::process::ask;
use crate::table::Wanted;

/// Accounts, and lines of each.
const ACCOUNTS: usize = 50;
const LINES: usize = 200;
/// Calculations a second at the same time, and for how long.
const CALLS_PER_SECOND: f64 = 500.0;
const TIME: Duration = Duration::from_secs(10);
/// Longest time after a publication until its changes are written.
const PATIENCE: Duration = Duration::from_mins(5);

fn ncm(line: usize) -> String {
    format!("10{line:06}")
}

/// A version of one rule of every product.
fn version(number: usize) -> String {
    let ncms: Vec<String> = (0..LINES).map(ncm).collect();
    let rule = json!({
        "rule_code": "b-guardadas", "versao": format!("1.{number}"), "tributo": "ipi", "escopo": {"ncm": ncms},
        "vigente_de": "2020-01-01", "vigente_ate": null, "citacao_legal": "Decreto de teste",
        "conteudo": {"situacao": "tributado", "aliquota": format!("{number}.00"), "tabela_versao": "TIPI de teste"},
    });
    json!({"pacote": "guardadas", "versao": "1", "descricao": "Linhas guardadas", "regras": [rule]}).to_string()
}

/// One list for each account.
fn keep(fixture: &Fixture, home: &Home) {
    let line = |n: usize| json!({"tributo": "ipi", "ncm": ncm(n), "valor_produto": "100.00"}).to_string();
    let lines: Vec<String> = (0..LINES).map(line).collect();
    let file = fixture.write("guardadas.jsonl", &lines.join("\n"));
    let file = file.to_str().expect("a path of UTF-8");
    for _ in 0..ACCOUNTS {
        let account = Home::of_new_account(home.dir.clone());
        ask(&home.dir, &["list", "put", "--account", &account.client_id, "tabela", file]);
    }
}

/// The changes that are written, over all accounts.
fn written(home: &Home) -> u64 {
    let accounts: Value = ask(&home.dir, &["account", "list"]);
    let ids = accounts.as_array().into_iter().flatten().filter_map(|account| account["client_id"].as_str());
    let lists = ids.map(|id| ask(&home.dir, &["list", "show", "--account", id]));
    lists.map(|lists| lists[0]["mudancas"].as_u64().unwrap_or_default()).sum()
}

/// Waits until the last publication is worked off, in the lists and in the log: what goes on would disturb the next load.
fn settle(home: &Home) -> Duration {
    let began = Instant::now();
    let is_done = |status: &Value| status["kept_lists"]["pending"] == 0 && status["corrections"]["pendentes"] == 0;
    while !is_done(&ask(&home.dir, &["status"])) {
        assert!(began.elapsed() < PATIENCE, "the work after a publication does not end");
        thread::sleep(Duration::from_millis(200));
    }
    began.elapsed()
}

pub fn run(fixture: &Fixture) -> Vec<Row> {
    // One round's ratio lies anywhere from a third to three: the slowest calls are few, and other things delay some.
    let rounds = fixture.either(15, 1);
    let prepare = |name: &str| {
        let home = fixture.copy(fixture.builtin(), name);
        ask(&home.dir, &["import", fixture.write("guardadas-1.json", &version(1)).to_str().expect("a path of UTF-8")]);
        home
    };
    let (with, without) = (prepare("kept"), prepare("kept-none"));
    keep(fixture, &with);
    let subjects = [&with, &without].map(|home| Subject::serve(fixture, home, true));
    let measure = |subject: &Subject, home: &Home, number: usize| {
        let bundle = fixture.write("guardadas-n.json", &version(number));
        thread::scope(|scope| {
            let load = scope.spawn(|| open_loop(subject.address, &subject.mix, CALLS_PER_SECOND, TIME));
            import(&home.dir, &bundle).finish("taxd import");
            let outcome = load.join().expect("the load");
            (outcome, settle(home))
        })
    };
    // Both read their rules, and a list that is not touched would make the figure one of nothing.
    for (subject, home) in subjects.iter().zip([&with, &without]) {
        measure(subject, home, 2);
    }
    let lines = u64::try_from(ACCOUNTS * LINES).expect("64 bits");
    assert_eq!(written(&with), lines, "every line is touched");
    let (mut beside, mut alone): (Vec<Outcome>, Vec<Outcome>) = (Vec::new(), Vec::new());
    let mut longest = Duration::ZERO;
    for round in 0..rounds {
        let [of_lists, of_none] = &subjects;
        alone.push(measure(of_none, &without, round + 3).0);
        let (outcome, after) = measure(of_lists, &with, round + 3);
        beside.push(outcome);
        longest = longest.max(after);
    }
    let changes = written(&with) - lines;
    let values = ratios(&beside, &alone, |outcome| outcome.latency_ms(0.99));
    let seconds = longest.as_secs_f64();
    let detail =
        format!("{changes} changes of {lines} lines in {rounds} rounds, done at most {seconds:.1} s after the load");
    vec![Row::new("p99 beside 10,000 kept lines that a publication touches", Wanted::AtMost(1.2), "x", values, detail)]
}
