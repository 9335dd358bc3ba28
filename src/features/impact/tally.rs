//! The sums of an impact: calls and amounts by account, tax, month, change and rules.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use serde_json::Value;

use super::lines::{ImpactCalls, ImpactLine};
use crate::base::problem::guarded;
use crate::base::value::{Exact, Overflow, Timestamp};
use crate::core::calls::{Client, LoggedCall};
use crate::core::engine::{CallState, PayloadOutcome, ReplayedPayload, Replayer, RuleComparison, SituacaoChamada};
use crate::features::AdminError;
use crate::law::tax::Money;

const CALCULATE: &str = "/v1/calculate";
/// Statuses of calls whose payload was calculated, or refused because of what it says.
const CALCULATED: [u16; 3] = [200, 404, 422];
/// Fields that date a payload, in the order in which they are looked for.
const DATES: [&str; 4] = ["data_operacao", "data", "data_fato_gerador", "exercicio"];
/// Payloads whose outcome a thread remembers: an integration that repeats them pays once.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// What distinguishes the lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LineKey {
    nome: Arc<str>,
    conta: Arc<str>,
    change: Arc<Change>,
}

/// A change of the outcome of a payload, without the amounts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    tributo: String,
    mes: String,
    situacao: SituacaoChamada,
    before: Side,
    after: Side,
}

/// Rule and code of an outcome.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    rule: Option<String>,
    codigo: Option<&'static str>,
    status: u16,
}

/// Calls of a line, and their sums.
#[derive(Clone, Copy)]
struct Sums {
    calls: u64,
    before: Option<Exact>,
    after: Option<Exact>,
}

/// What came of a payload by the rules before and after, or of a call against what it was answered.
#[derive(Clone)]
enum Compared {
    Untouched,
    Same,
    Changed {
        change: Arc<Change>,
        before: Option<Money>,
        after: Option<Money>,
    },
    /// Of a call alone: it was answered by rules as they are now.
    AlreadySo,
    /// Of a call alone: the rules of its instant did not answer it.
    OfAnotherInstant,
    /// The calculation failed, or the log lacks what made the refusal.
    Incomparable,
}

/// The sums of a thread, or of all of them.
pub(super) struct Tally {
    calls: ImpactCalls,
    lines: BTreeMap<LineKey, Sums>,
    /// By the state that is compared with that of after: most calls are of one, so one text is one entry.
    remembered: LruCache<(CallState, Box<str>), Compared>,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally { calls: ImpactCalls::default(), lines: BTreeMap::new(), remembered: LruCache::new(REMEMBERED) }
    }
}

impl Tally {
    /// Calculates a call again and adds what came of it. Fails if the data file cannot be read.
    pub(super) fn replay(
        &mut self,
        comparison: &RuleComparison<'_>,
        replayer: &Replayer<'_>,
        client: &Client,
        call: &LoggedCall,
        is_test: bool,
    ) -> Result<(), AdminError> {
        if call.path != CALCULATE || !CALCULATED.contains(&call.status) {
            return Ok(());
        }
        if is_test {
            self.calls.de_teste += 1;
            return Ok(());
        }
        self.calls.count(Timestamp::from_millis(call.at_ms));
        let compared = self.compared(replayer, call, comparison.state_at(call.at_ms))?;
        match compared {
            Compared::Untouched => return Ok(()),
            Compared::Incomparable => self.calls.sem_comparacao += 1,
            Compared::AlreadySo => self.calls.ja_respondidas += 1,
            Compared::OfAnotherInstant => self.calls.de_outro_instante += 1,
            Compared::Same => {}
            Compared::Changed { change, before, after } => {
                self.calls.alteradas += 1;
                let (nome, conta) = (client.account.nome.as_str().into(), Arc::clone(&client.client_id));
                let one = Sums { calls: 1, before: before.map(exact), after: after.map(exact) };
                self.add_line(LineKey { nome, conta, change }, one);
            }
        }
        self.calls.alcancadas += 1;
        Ok(())
    }

    /// What came of a call. `state` is the one that answered it, or `None` if what it was answered does not matter.
    fn compared(
        &mut self,
        replayer: &Replayer<'_>,
        call: &LoggedCall,
        state: Option<CallState>,
    ) -> Result<Compared, AdminError> {
        let whole = self.seen(replayer, CallState::Before, &call.request)?;
        let of_call = match (&whole, state) {
            (Compared::Untouched, _) => return Ok(Compared::Untouched),
            (Compared::Incomparable, _) => return Ok(Compared::Incomparable),
            (_, Some(CallState::After)) => Compared::Same,
            (_, Some(between @ CallState::Between(_))) => self.seen(replayer, between, &call.request)?,
            (_, Some(CallState::Before) | None) => whole.clone(),
        };
        let shown = if matches!(of_call, Compared::Changed { .. }) { &of_call } else { &whole };
        let Compared::Changed { change: shown, before, .. } = shown else { return Ok(Compared::Same) };
        // A refusal without a rule may come from a part of the payload that the log does not keep, such as an unknown
        // field. If the rest of it is answered, it says nothing about the call.
        if call.status == 422 && call.rule_id.is_empty() && before.is_some() {
            return Ok(Compared::Incomparable);
        }
        Ok(match of_call {
            Compared::Incomparable => Compared::Incomparable,
            Compared::Changed { change, before, after } if state.is_none() || change.before.answered(call) => {
                Compared::Changed { change, before, after }
            }
            _ if shown.after.answered(call) => Compared::AlreadySo,
            _ => Compared::OfAnotherInstant,
        })
    }

    /// A payload by the rules of a state and by those of after.
    fn seen(&mut self, replayer: &Replayer<'_>, state: CallState, request: &str) -> Result<Compared, AdminError> {
        let key = (state, Box::from(request));
        if let Some(seen) = self.remembered.get(&key) {
            return Ok(seen.clone());
        }
        let seen = Compared::of(replayer, state, request)?;
        self.remembered.put(key, seen.clone());
        Ok(seen)
    }

    fn add_line(&mut self, key: LineKey, more: Sums) {
        self.lines.entry(key).and_modify(|sums| *sums = sums.plus(more)).or_insert(more);
    }

    /// Adds the sums of another thread.
    pub(super) fn add(&mut self, other: Tally) {
        self.calls.add(&other.calls);
        for (key, sums) in other.lines {
            self.add_line(key, sums);
        }
    }

    /// The report: the calls, and the lines in order. Fails if a sum has more digits than the service writes.
    pub(super) fn into_report(self) -> Result<(ImpactCalls, Vec<ImpactLine>), AdminError> {
        let lines = self.lines.into_iter().map(|(key, sums)| key.line(sums)).collect::<Result<_, Overflow>>();
        let lines = lines.map_err(|Overflow| {
            AdminError::new(
                "a sum of the impact has more digits than taxd writes; compare fewer bundles, or a shorter time",
            )
        })?;
        Ok((self.calls, lines))
    }
}

fn exact(valor: Money) -> Exact {
    Exact::from(valor.decimal())
}

impl Sums {
    fn plus(self, more: Sums) -> Sums {
        let sum = |one: Option<Exact>, other: Option<Exact>| Some(one? + other?);
        Sums {
            calls: self.calls + more.calls,
            before: sum(self.before, more.before),
            after: sum(self.after, more.after),
        }
    }
}

impl LineKey {
    fn line(self, sums: Sums) -> Result<ImpactLine, Overflow> {
        let Change { tributo, mes, situacao, before, after } = (*self.change).clone();
        let shown = |sum: Option<Exact>| sum.map(|sum| Money::rounded(sum).map(|sum| sum.to_string())).transpose();
        let difference = sums.before.zip(sums.after).map(|(before, after)| after - before);
        Ok(ImpactLine {
            conta: self.conta.to_string(),
            nome: self.nome.to_string(),
            tributo,
            mes,
            situacao,
            regra_antes: before.rule,
            regra_depois: after.rule,
            codigo_antes: before.codigo.map(str::to_owned),
            codigo_depois: after.codigo.map(str::to_owned),
            chamadas: sums.calls,
            valor_antes: shown(sums.before)?,
            valor_depois: shown(sums.after)?,
            diferenca: shown(difference)?,
        })
    }
}

impl Side {
    /// Rule and code, and the amount of an answer.
    fn of(outcome: &PayloadOutcome) -> (Side, Option<Money>) {
        match outcome {
            PayloadOutcome::Answered { valor, rule_id } => {
                (Side { rule: Some(rule_id.to_string()), codigo: None, status: 200 }, Some(*valor))
            }
            PayloadOutcome::Refused { codigo, rule_id } => {
                let rule = rule_id.as_ref().map(ToString::to_string);
                (Side { rule, codigo: Some(codigo.as_str()), status: codigo.status() }, None)
            }
        }
    }

    /// True if the call was answered like this, as far as the log says.
    fn answered(&self, call: &LoggedCall) -> bool {
        self.status == call.status && self.rule.as_deref().unwrap_or_default() == call.rule_id
    }
}

impl Compared {
    /// Calculates a payload again. Fails if the data file cannot be read.
    fn of(replayer: &Replayer<'_>, state: CallState, request: &str) -> Result<Compared, AdminError> {
        let replay = || match state {
            CallState::Between(seen) => replayer.replay_between(request.as_bytes(), seen),
            CallState::Before | CallState::After => replayer.replay(request.as_bytes()),
        };
        let replayed = match guarded(replay) {
            Ok(replayed) => replayed,
            Err(problem) => {
                let Some(cause) = &problem.cause else { return Err(AdminError::new(problem.detail)) };
                tracing::error!(cause, "a logged call could not be calculated again");
                return Ok(Compared::Incomparable);
            }
        };
        let (Some(situacao), ReplayedPayload::Touched { before, after }) = (replayed.situacao(), &replayed) else {
            return Ok(if replayed == ReplayedPayload::Untouched { Compared::Untouched } else { Compared::Same });
        };
        let payload: Value = serde_json::from_str(request)?;
        let tributo = payload.get("tributo").and_then(Value::as_str).unwrap_or_default().to_owned();
        let ((before, old), (after, new)) = (Side::of(before), Side::of(after));
        let change = Arc::new(Change { tributo, mes: month(&payload), situacao, before, after });
        Ok(Compared::Changed { change, before: old, after: new })
    }
}

/// The month of the operation, or its year.
fn month(payload: &Value) -> String {
    match DATES.iter().filter_map(|name| payload.get(name)).find(|date| !date.is_null()) {
        Some(Value::String(day)) => day.get(..7).unwrap_or_default().to_owned(),
        Some(Value::Number(year)) => year.to_string(),
        _ => String::new(),
    }
}
