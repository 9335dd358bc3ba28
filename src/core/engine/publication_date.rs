//! Dates publications, so that an answer about a past instant never changes.
//!
//! The instant of a publication is taken just before its commit. It is later than every instant that was
//! answered for; a query for that instant, or for a later one, waits until the commit is done. A query of
//! the changelog asks for now: it shows every event dated up to now, and later events are dated later, so a
//! poller that continues from the date of its last query misses none. The latest instant that was answered
//! for is kept in memory only: if the clock is set back and taxd restarts, a publication may be dated
//! before it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::base::problem::{Candidato, ErrorCode, FieldError, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::{Date, Timestamp};

/// How far ahead of the clock a publication may be dated in order to come after the last one: as far as an honest
/// correction sets a clock back.
const MAX_AHEAD_MS: u64 = DAY_MS;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Days after the last publication from which an import warns that the clock may be ahead: thirteen months, so that a
/// firm that imports once a year is not warned.
const WARN_AFTER_DAYS: u64 = 396;
/// Days after the last publication from which an import is refused: ten years.
const REFUSE_AFTER_DAYS: u64 = 3_653;

/// The instants of one data file, in milliseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct Instants {
    state: Mutex<State>,
    /// Wakes the threads that wait for the commit under way.
    committed: Condvar,
    /// Wakes the tasks that wait for it.
    committed_for_tasks: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The latest instant that was answered for.
    answered_ms: Option<u64>,
    /// The instant of the publication that is being committed.
    committing_ms: Option<u64>,
}

impl State {
    /// True while a publication of that instant, or of an earlier one, is being committed.
    fn is_committing(&self, asked_ms: u64) -> bool {
        self.committing_ms.is_some_and(|at| at <= asked_ms)
    }

    fn answer_for(&mut self, asked_ms: u64) {
        self.answered_ms = self.answered_ms.max(Some(asked_ms));
    }
}

/// A publication that is dated and not committed yet. Dropping it ends the wait for the commit, done or failed.
#[derive(Debug)]
pub(super) struct Committing<'i>(&'i Instants);

/// Why the clock is not trusted to date a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockFault {
    /// The first instant that a publication may have is too far ahead of the clock.
    Behind {
        /// The latest instant of a publication or of an answer.
        reached: Timestamp,
        now: Timestamp,
    },
    /// The clock is too far ahead of the last publication, or beyond the days of rules.
    Ahead { last: Option<Timestamp>, now: Timestamp },
}

impl std::fmt::Display for ClockFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClockFault::Behind { reached, now } => write!(
                f,
                "this publication would have to be dated after {reached}, more than a day ahead of this machine's clock ({now}), because an earlier publication or an answer of this server has that date; nothing was imported. If the clock is slow, correct it and import again. If it was fast before, restart the server, which forgets the dates of answers; if an earlier publication has that date, wait until then, or import with --accept-future-date, which dates it right after"
            ),
            ClockFault::Ahead { last, now } => {
                let last = last.map_or(String::new(), |last| format!(", and the last publication is of {last}"));
                write!(
                    f,
                    "this machine's clock says {now}{last}: it is probably far ahead, and the date of a publication can never be changed; nothing was imported. Correct the clock and import again; if it is right, import with --accept-future-date"
                )
            }
        }
    }
}

/// Compares the clock with the last publication. Fails if it is far ahead; returns a warning for the operator if it
/// may be. Nothing else can show this, because calls are logged by the same clock.
pub(super) fn check_ahead(now: Timestamp, last_ms: Option<u64>) -> Result<Option<String>, ClockFault> {
    let days = last_ms.map_or(0, |last_ms| now.millis().saturating_sub(last_ms) / DAY_MS);
    let last = last_ms.and_then(Timestamp::from_millis);
    let beyond_rules = now.millis() >= Timestamp::start_of(Date::LAST_OF_RULES).millis() + DAY_MS;
    match last {
        _ if beyond_rules || days >= REFUSE_AFTER_DAYS => Err(ClockFault::Ahead { last, now }),
        Some(last) if days >= WARN_AFTER_DAYS => Ok(Some(format!(
            "this machine's clock says {now}, {days} days after the last publication ({last}). If the clock is ahead, this publication is dated in the future, and later ones will be refused until then: correct the clock and restore the last backup"
        ))),
        _ => Ok(None),
    }
}

impl Instants {
    fn state(&self) -> MutexGuard<'_, State> {
        // Two independent numbers, so a poisoned lock can be used.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Call this before the snapshot that answers for `instant` is opened: no publication that is missing in the
    /// snapshot will be dated at that instant or before. Waits for a commit under way.
    pub(super) fn answer_for(&self, instant: Timestamp, now: Timestamp) {
        let asked_ms = instant.millis();
        let committing = |state: &mut State| state.is_committing(asked_ms);
        let mut state = self.committed.wait_while(self.state(), committing).unwrap_or_else(PoisonError::into_inner);
        // Never record an instant later than now: answers about the future are not promised to stay true.
        state.answer_for(asked_ms.min(now.millis()));
    }

    /// The same for an instant that is not in the future. Does not block the thread: the commit of a large
    /// publication takes seconds.
    pub(super) async fn answer_for_by_task(&self, asked: impl Fn() -> Timestamp) {
        loop {
            // Created before the check, so that a commit that ends after the check wakes this task.
            let committed = self.committed_for_tasks.notified();
            {
                let mut state = self.state();
                // Evaluated after the wait: if now is asked for, it is the time at which the snapshot is opened.
                let asked_ms = asked().millis();
                if !state.is_committing(asked_ms) {
                    state.answer_for(asked_ms);
                    return;
                }
            }
            committed.await;
        }
    }

    /// Fails if a publication after `last_ms` would be dated too far ahead of the clock.
    pub(super) fn check_behind(&self, now: Timestamp, last_ms: Option<u64>) -> Result<(), ClockFault> {
        let reached = last_ms.max(self.state().answered_ms).and_then(Timestamp::from_millis);
        match reached.filter(|reached| reached.millis() > now.millis().saturating_add(MAX_AHEAD_MS)) {
            Some(reached) => Err(ClockFault::Behind { reached, now }),
            None => Ok(()),
        }
    }

    /// The instant of a publication that is about to be committed: now, or the first instant after the last
    /// publication and after every instant that was answered for.
    pub(super) fn date(&self, now: Timestamp, last_ms: Option<u64>) -> (Timestamp, Committing<'_>) {
        let mut state = self.state();
        let after = last_ms.max(state.answered_ms).map_or(0, |reached| reached + 1);
        let at = Timestamp::from_millis(now.millis().max(after)).unwrap_or(now);
        state.committing_ms = Some(at.millis());
        (at, Committing(self))
    }
}

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        self.0.state().committing_ms = None;
        self.0.committed.notify_all();
        self.0.committed_for_tasks.notify_waiters();
    }
}

/// The parameter that names the instant.
const CONHECIDO_EM: &str = "conhecido_em";

/// The refusal of an answer as known at `instant`, when `first` was the first publication and came later. A payload that
/// no rule answered is refused for the instant then: other fields would not help. Other refusals stay as they are.
pub(super) fn refusal_before_first(problem: Box<Problem>, instant: Timestamp, first: Timestamp) -> Box<Problem> {
    if problem.codigo != ErrorCode::RegraInexistente {
        return problem;
    }
    let detail = Sentence::of(|to| {
        let (instant, first) = (instant.read_by(to), first.read_by(to));
        format!(
            "Em {instant}, o taxd ainda não conhecia nenhuma regra. A primeira publicação neste servidor é de {first}. Escolha esse instante ou um posterior."
        )
    });
    let erro = FieldError { campo: CONHECIDO_EM.to_owned(), codigo: problem.codigo, detail: detail.clone() };
    let first = Candidato::of_field(CONHECIDO_EM, &first, "a primeira publicação neste servidor");
    Box::new(Problem {
        detail,
        campo: Some(CONHECIDO_EM.to_owned()),
        erros: vec![erro],
        candidatos: vec![first],
        ..*problem
    })
}
