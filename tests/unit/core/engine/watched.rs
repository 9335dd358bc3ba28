//! Kept lists: a made year of publications over five lists gives exactly the changes that calculating every line on
//! every day again after each publication gives, wherever the work is cut off, and whenever the process ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::value::{Clock, Date, Timestamp};
use taxd_core::engine::{Engine, ImportOptions, OpenQuestion};
use taxd_core::store::{Store, WatchedAnswer};
use taxd_core::watch::{AHEAD_DAYS, Changed, KeptListsState, catch_up, differences, put, remove};
use tempfile::TempDir;

use super::scoped_rules::{payloads, scopes};
use crate::property::cases;
use crate::support::{bundle, calculate, file, rule, with};

const CLIENT: &str = "acc_1";
const DAY_MS: u64 = 86_400_000;

/// Amount or code, and rule.
type Seen = (Result<String, String>, Option<String>);
/// List, line, first day, before and after.
type Found = (String, usize, String, Seen, Seen);

#[derive(Debug, Clone)]
enum Step {
    /// Days pass.
    Wait(u64),
    /// A version of the rule of that scope, that begins so many days before or after today.
    Publish(usize, i64),
    /// The process is killed after so many batches.
    Kill(usize),
    /// All work is done.
    CatchUp,
    /// The list is kept with these lines.
    Put(usize, Vec<usize>),
    Remove(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..40u64).prop_map(Step::Wait),
        6 => (0..10usize, -60..150i64).prop_map(|(scope, from)| Step::Publish(scope, from)),
        3 => (0..4usize).prop_map(Step::Kill),
        1 => Just(Step::CatchUp),
        2 => (0..5usize, proptest::collection::vec(0..24usize, 1..6)).prop_map(|(list, lines)| Step::Put(list, lines)),
        1 => (0..5usize).prop_map(Step::Remove),
    ];
    proptest::collection::vec(step, 10..30)
}

/// A process on the data file, and the clock of the machine.
struct Machine {
    dir: TempDir,
    now_ms: Arc<AtomicU64>,
    engine: Option<Engine>,
}

impl Machine {
    fn new() -> Machine {
        let now_ms = Arc::new(AtomicU64::new(Timestamp::parse("2026-01-10T08:00:00Z").unwrap().millis()));
        let mut machine = Machine { dir: TempDir::new().unwrap(), now_ms, engine: None };
        machine.restart();
        machine
    }

    fn restart(&mut self) {
        self.engine = None;
        let now_ms = Arc::clone(&self.now_ms);
        let clock = Clock::new(move || Timestamp::from_millis(now_ms.load(Ordering::SeqCst)).unwrap());
        self.engine = Some(Engine::new(Store::open(self.dir.path()).unwrap(), 0).with_clock(clock));
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    fn wait(&self, ms: u64) {
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
    }

    fn today(&self) -> Date {
        self.engine().now().day()
    }

    /// Works, up to that many batches of two lines.
    fn work(&self, batches: usize) {
        let mut left = batches;
        catch_up(self.engine(), 2, &mut || {
            left = left.saturating_sub(1);
            left == 0
        })
        .unwrap();
    }
}

/// The naive way: each line on each day.
struct NaiveLine {
    payload: Value,
    follows: bool,
    days: BTreeMap<Date, Seen>,
}

#[derive(Default)]
struct Naive {
    lists: BTreeMap<usize, Vec<NaiveLine>>,
    found: BTreeMap<usize, Vec<Found>>,
}

fn date_field(payload: &Value) -> &'static str {
    if payload["tributo"] == "iss" { "data" } else { "data_operacao" }
}

/// Each of the payloads without a date, and each with one.
fn lines() -> Vec<Value> {
    let dated = |(n, payload): (usize, Value)| {
        let day = format!("2026-{:02}-15", n % 12 + 1);
        with(&payload, &json!({ (date_field(&payload)): day }))
    };
    let undated = payloads().into_iter().map(|mut payload| {
        let date = date_field(&payload);
        payload.as_object_mut().unwrap().remove(date);
        payload
    });
    undated.chain(payloads().into_iter().enumerate().map(dated)).collect()
}

fn seen(engine: &Engine, line: &NaiveLine, day: Date) -> Seen {
    let mut payload = line.payload.clone();
    if line.follows {
        payload[date_field(&line.payload)] = json!(day.to_string());
    }
    match calculate(engine, &payload) {
        Ok(answer) => {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (Ok(text(&answer["valor"])), Some(text(&answer["regra"]["rule_id"])))
        }
        Err(problem) => (Err(problem.codigo.as_str().to_owned()), problem.regra.map(|regra| regra.rule_id.to_string())),
    }
}

fn differs(before: &Seen, after: &Seen) -> bool {
    match (&before.0, &after.0) {
        (Ok(_), Ok(_)) => before != after,
        (old, new) => old != new,
    }
}

impl NaiveLine {
    fn of(engine: &Engine, payload: &Value, today: Date) -> NaiveLine {
        let follows = payload.get(date_field(payload)).is_none();
        let mut line = NaiveLine { payload: payload.clone(), follows, days: BTreeMap::new() };
        let first = if follows { today } else { Date::parse(payload[date_field(payload)].as_str().unwrap()).unwrap() };
        for ahead in 0..=if follows { AHEAD_DAYS } else { 0 } {
            let day = first.plus_days(ahead);
            line.days.insert(day, seen(engine, &line, day));
        }
        line
    }

    /// The changes on the days that come within reach today.
    fn reach(&mut self, engine: &Engine, today: Date) -> Vec<(Date, Seen, Seen)> {
        let mut changes = Vec::new();
        while self.follows && *self.days.last_key_value().unwrap().0 < today.plus_days(AHEAD_DAYS) {
            let (last, before) = self.days.last_key_value().map(|(day, seen)| (*day, seen.clone())).unwrap();
            let day = last.plus_days(1);
            let after = seen(engine, self, day);
            if differs(&before, &after) {
                changes.push((day, before, after.clone()));
            }
            self.days.insert(day, after);
        }
        changes
    }

    /// The changes by a publication, on the days that are within reach: a run of days with one change is one.
    fn publication(&mut self, engine: &Engine, today: Date) -> Vec<(Date, Seen, Seen)> {
        if self.follows {
            self.days = self.days.split_off(&today);
        }
        let mut changes: Vec<(Date, Seen, Seen)> = Vec::new();
        let mut run: Option<(Seen, Seen)> = None;
        for day in self.days.keys().copied().collect::<Vec<_>>() {
            let after = seen(engine, self, day);
            let before = self.days.insert(day, after.clone()).unwrap();
            let here = differs(&before, &after).then_some((before, after));
            if let Some((before, after)) = here.clone().filter(|_| here != run) {
                changes.push((day, before, after));
            }
            run = here;
        }
        changes
    }
}

impl Naive {
    fn each(&mut self, change: impl Fn(&mut NaiveLine) -> Vec<(Date, Seen, Seen)>) {
        for (list, lines) in &mut self.lists {
            for (line, place) in lines.iter_mut().zip(1..) {
                let changes = change(line).into_iter();
                let changes = changes.map(|(day, before, after)| (name(*list), place, day.to_string(), before, after));
                self.found.entry(*list).or_default().extend(changes);
            }
        }
    }
}

fn name(list: usize) -> String {
    format!("lista-{list}")
}

fn of_answer(answer: &WatchedAnswer) -> Seen {
    let outcome = match &answer.valor {
        Some(valor) => Ok(valor.clone()),
        None => Err(answer.codigo.unwrap().as_str().to_owned()),
    };
    (outcome, answer.rule_id.clone())
}

/// Every change that is written.
fn written(engine: &Engine) -> Vec<Found> {
    let reader = engine.store().read_watched().unwrap();
    let mut all = Vec::new();
    for list in reader.lists(CLIENT).unwrap() {
        for (_, change) in reader.changes(list.number, u64::MAX, None, usize::MAX).unwrap() {
            let (line, day) = (usize::try_from(change.linha).unwrap(), change.primeiro_dia.to_string());
            all.push((list.nome.clone(), line, day, of_answer(&change.antes), of_answer(&change.depois)));
        }
    }
    all.sort();
    all
}

fn publish(machine: &Machine, n: usize, scope: usize, from: i64) {
    let (tributo, escopo) = &scopes()[scope];
    let rate = format!("{}.00", n % 7 + 1);
    let content = match *tributo {
        "icms_st" => json!({"criterio": "mva", "descricao": "X", "mva": "80.00", "aliquota_interna": rate}),
        _ => json!({"aliquota": rate}),
    };
    let first = machine.engine().now().millis().checked_add_signed(from * i64::try_from(DAY_MS).unwrap()).unwrap();
    let first = Timestamp::from_millis(first).unwrap().day();
    let dates = json!({"versao": format!("1.{n}"), "vigente_de": first.to_string()});
    let rules = [with(&rule(&format!("regra-{scope}"), tributo, escopo, &content), &dates)];
    let files = [file("teste.json", &bundle(&rules).to_string())];
    let now = machine.engine().now();
    machine.engine().import(&files, now, ImportOptions { accept_future_date: true, ..Default::default() }).unwrap();
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn a_year_of_publications_gives_the_changes_that_calculating_everything_again_gives(steps in steps()) {
        let mut machine = Machine::new();
        let mut naive = Naive::default();
        let all = lines();
        for scope in 0..10 {
            machine.wait(1_000);
            publish(&machine, 0, scope, -300);
        }
        let first = (0..5).map(|list| Step::Put(list, (list * 5..list * 5 + 5).map(|n| n % all.len()).collect()));
        for (n, step) in first.chain(steps).enumerate() {
            machine.wait(1_000);
            let today = machine.today();
            match step {
                Step::Wait(days) => machine.wait(days * DAY_MS),
                Step::Publish(scope, from) => {
                    naive.each(|line| line.reach(machine.engine(), today));
                    publish(&machine, n + 1, scope, from);
                    naive.each(|line| line.publication(machine.engine(), today));
                }
                Step::Kill(batches) => {
                    machine.work(batches + 1);
                    machine.restart();
                }
                Step::CatchUp => machine.work(usize::MAX),
                Step::Put(list, lines) => {
                    let text: Vec<String> = lines.iter().map(|line| all[*line].to_string()).collect();
                    // A list that is kept again begins with what is done: lines that move lose no change, but its place.
                    machine.work(usize::MAX);
                    naive.each(|line| line.reach(machine.engine(), today));
                    put(machine.engine(), (CLIENT, &name(list)), text.join("\n").as_bytes(), &mut || Ok(())).unwrap();
                    let of = |line: &usize| NaiveLine::of(machine.engine(), &all[*line], today);
                    naive.lists.insert(list, lines.iter().map(of).collect());
                }
                Step::Remove(list) => {
                    let was = remove(machine.engine(), CLIENT, &name(list)).unwrap();
                    prop_assert_eq!(was, naive.lists.remove(&list).is_some());
                    naive.found.remove(&list);
                }
            }
        }
        machine.restart();
        machine.work(usize::MAX);
        let today = machine.today();
        naive.each(|line| line.reach(machine.engine(), today));
        let mut expected: Vec<Found> = naive.found.into_values().flatten().collect();
        expected.sort();
        prop_assert_eq!(written(machine.engine()), expected);
    }
}

fn answer(valor: &str) -> WatchedAnswer {
    serde_json::from_value(json!({"valor": valor, "rule_id": "r-v1.0"})).unwrap()
}

#[test]
fn a_run_of_days_with_one_change_is_one_change() {
    let span = |de: &str, valor: &str| serde_json::from_value(json!({"de": de, "resposta": answer(valor)})).unwrap();
    let before = [span("2026-01-01", "1.00"), span("2026-02-01", "2.00")];
    let after = [span("2026-01-10", "1.00"), span("2026-01-20", "3.00"), span("2026-02-10", "2.00")];
    let days = |changes: &[Changed]| changes.iter().map(|c| c.de.to_string()).collect::<Vec<_>>();
    let first = Date::parse("2026-01-10").unwrap();
    let found = differences(&before, &after, first);
    assert_eq!(days(&found), ["2026-01-20", "2026-02-01"]);
    assert_eq!((&found[1].antes, &found[1].depois), (&answer("2.00"), &answer("3.00")));
    assert!(differences(&before, &before, first).is_empty());
}

#[test]
fn a_list_that_is_kept_again_before_the_work_is_done_loses_no_change() {
    let machine = Machine::new();
    publish(&machine, 0, 0, -300);
    let line = lines()[0].to_string();
    let keep = |text: &str| put(machine.engine(), (CLIENT, "tabela"), text.as_bytes(), &mut || Ok(())).unwrap();
    assert_eq!(keep(&line).calculated, 1);
    machine.wait(1_000);
    publish(&machine, 1, 0, 10);
    machine.wait(1_000);
    assert_eq!(keep(&format!("{line}\n{}\n", lines()[1])).calculated, 1, "the first line keeps its answers");
    let state = || KeptListsState::read(machine.engine()).unwrap();
    let (lists, lines, pending, overdue_ms) = (1, 2, 1, Some(1_000));
    assert_eq!(state(), KeptListsState { lists, lines, pending, overdue_ms, failing: false });
    machine.work(usize::MAX);
    assert_eq!(state(), KeptListsState { lists, lines, ..KeptListsState::default() });
    let found = written(machine.engine());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].1, found[0].2.as_str()), (1, "2026-01-20"));
    machine.work(usize::MAX);
    assert_eq!(written(machine.engine()).len(), 1, "it is written once");
}

#[test]
fn lists_are_behind_from_the_start_of_a_day_that_is_not_worked_off() {
    let machine = Machine::new();
    publish(&machine, 0, 0, -300);
    let state = || KeptListsState::read(machine.engine()).unwrap();
    put(machine.engine(), (CLIENT, "tabela"), lines()[0].to_string().as_bytes(), &mut || Ok(())).unwrap();
    assert_eq!(state().overdue_ms, None, "nothing was worked off yet, and nothing waits");
    machine.work(usize::MAX);
    assert_eq!(state().overdue_ms, None);
    machine.wait(Timestamp::start_of(machine.today().next_day().unwrap()).millis() - machine.engine().now().millis());
    machine.wait(5_000);
    assert_eq!((state().pending, state().overdue_ms), (0, Some(5_000)));
    machine.work(usize::MAX);
    assert_eq!(state().overdue_ms, None);
}

/// A year that the calendar does not have ended the reading of a list in a panic.
#[test]
fn a_line_of_a_year_that_no_calendar_has_is_refused() {
    for year in [json!(10_000), json!(99_999), json!(-1), json!(i64::MAX)] {
        let line = json!({"tributo": "iptu", "uf": "SP", "municipio": "São Paulo", "uso_imovel": "residencial",
                          "valor_venal": "1.00", "exercicio": year});
        assert!(OpenQuestion::read(line.to_string().as_bytes()).is_err(), "{line}");
    }
}
