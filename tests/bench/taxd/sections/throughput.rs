//! Throughput and p99 at 32 connections, and the share of the call log in the processor time.

use std::time::Duration;

use super::{Fixture, Row, Subject, middle, ratios};
use crate::load::{Mix, Outcome};
use crate::process::Cpu;
use crate::rules::{MILLION, sales};
use crate::table::{Wanted, number};
use crate::template::Template;

/// Number of payloads that ask for different rules: more than the engine keeps decoded.
const SPREAD: usize = 60_000;
/// Time for the log writer to empty its queue, so that its work counts for its own subject and not for the next.
const LOG_REST: Duration = Duration::from_secs(1);

/// Figures of one subject, round by round.
#[derive(Default)]
struct Rounds {
    outcomes: Vec<Outcome>,
    cpu: Vec<Cpu>,
}

pub fn run(fixture: &Fixture) -> Vec<Row> {
    let (builtin, million) = (fixture.builtin(), &fixture.million().home);
    let full = Subject::serve(fixture, &fixture.copy(builtin, "full"), true);
    let cached = Subject::serve(fixture, &fixture.copy(builtin, "cached"), false);
    let large = Subject::serve(fixture, &fixture.copy(million, "large"), true);
    let spread: Vec<Template> = sales(SPREAD, MILLION).iter().filter_map(Template::of).collect();
    let spread = Subject::on(&fixture.copy(million, "spread"), Mix::new(&spread, &million.key, true));
    let bare = Subject::bare(&full);
    let subjects = [&bare, &cached, &full, &large, &spread];
    let [bare, cached, full, large, spread] = in_turns(subjects, fixture.either(7, 2), fixture.either(4, 1));

    let rate = |name: &str, wanted, of: &Rounds, to: &Rounds| {
        let (of_rate, to_rate) = (middle(&of.outcomes, Outcome::rate), middle(&to.outcomes, Outcome::rate));
        let detail = format!("{} against {} calls/s", number(of_rate), number(to_rate));
        Row::new(name, wanted, "", ratios(&of.outcomes, &to.outcomes, Outcome::rate), detail)
    };
    let cost = |name: &str, bound, of: &Rounds| {
        let ratio = of.cpu_us() / bare.cpu_us();
        let detail = format!("{} against {} µs", number(of.cpu_us()), number(bare.cpu_us()));
        Row::new(name, Wanted::AtMost(bound), "", vec![ratio], detail)
    };
    let tail = |name: &str, wanted, of: &Rounds| {
        let p99 = |outcome: &Outcome| outcome.latency_ms(0.99);
        let detail =
            format!("{} against {} ms", number(middle(&of.outcomes, p99)), number(middle(&bare.outcomes, p99)));
        Row::new(name, wanted, "", ratios(&of.outcomes, &bare.outcomes, p99), detail)
    };
    let log = |name: &str, of: &Rounds| {
        let shares = of.cpu.iter().map(|cpu| 100.0 * cpu.call_log.as_secs_f64() / cpu.all.as_secs_f64()).collect();
        Row::new(name, Wanted::AtMost(4.0), "%", shares, "of taxd's processor time is the log writer's".to_owned())
    };
    vec![
        rate("throughput, payload repeated", Wanted::AtLeast(0.85), &cached, &bare),
        rate("throughput, every payload new", Wanted::AtLeast(0.65), &full, &bare),
        rate("the same with 1,000,000 rules more, against without", Wanted::AtLeast(0.90), &large, &full),
        rate(
            "icms_st alone, all over the 1,000,000 rules, against the mix without them",
            Wanted::Nothing,
            &spread,
            &full,
        ),
        cost("processor time of a call, payload repeated", 1.25, &cached),
        cost("processor time of a call, every payload new", 1.7, &full),
        tail("p99 at 32 connections, payload repeated", Wanted::AtMost(1.5), &cached),
        tail("p99 at 32 connections, every payload new", Wanted::AtMost(2.0), &full),
        log("call log, payload repeated", &cached),
        log("call log, every payload new", &full),
    ]
}

/// Loads the subjects in turns. The first round warms them up and is not counted.
fn in_turns<const N: usize>(subjects: [&Subject; N], rounds: usize, seconds: u64) -> [Rounds; N] {
    let mut all: [Rounds; N] = std::array::from_fn(|_| Rounds::default());
    for subject in subjects {
        subject.saturate(Duration::from_secs(seconds.min(2)));
    }
    for _ in 0..rounds {
        for (subject, of_subject) in subjects.iter().zip(&mut all) {
            let before = subject.process.cpu();
            of_subject.outcomes.push(subject.saturate(Duration::from_secs(seconds)));
            std::thread::sleep(LOG_REST);
            of_subject.cpu.push(subject.process.cpu().since(before));
        }
    }
    all
}

impl Rounds {
    /// Processor time of the server per call, in microseconds.
    #[expect(clippy::cast_precision_loss, reason = "a figure to be shown")]
    fn cpu_us(&self) -> f64 {
        let cpu: Duration = self.cpu.iter().map(|cpu| cpu.all).sum();
        let calls: u64 = self.outcomes.iter().map(|outcome| outcome.ok).sum();
        cpu.as_secs_f64() * 1e6 / calls as f64
    }
}
