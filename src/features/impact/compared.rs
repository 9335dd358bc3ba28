//! What came of a logged call: what it was answered, against what other rules give.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use serde_json::Value;

use super::counts::Change;
use crate::base::problem::{ErrorCode, guarded};
use crate::core::calls::LoggedCall;
use crate::core::engine::{CallState, PayloadOutcome, ReplayedPayload, Replayer};
use crate::features::AdminError;
use crate::law::tax::Money;

const CALCULATE: &str = "/v1/calculate";
/// Statuses of calls whose payload was calculated, or refused because of what it says.
const CALCULATED: [u16; 3] = [200, 404, 422];
/// Fields that date a payload, in the order in which they are looked for.
const DATES: [&str; 4] = ["data_operacao", "data", "data_fato_gerador", "exercicio"];
/// Payloads whose outcome a thread remembers: an integration that repeats them pays once.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// What came of a payload by the rules before and after, or of a call against what it was answered.
#[derive(Clone)]
pub(in crate::features) enum Compared {
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

/// Compares calls, and remembers the outcomes of their payloads.
pub(in crate::features) struct Comparer {
    /// By the state that is compared with that of after: most calls are of one, so one text is one entry.
    remembered: LruCache<(CallState, Box<str>), Compared>,
}

impl Default for Comparer {
    fn default() -> Comparer {
        Comparer { remembered: LruCache::new(REMEMBERED) }
    }
}

/// True if the log has what the call asked and what it was answered. One that supposed figures has another path in the log
/// ([`SUPOSTO`](crate::core::calls::SUPOSTO)): no publication changes what it was answered.
pub(in crate::features) fn is_calculation(call: &LoggedCall) -> bool {
    call.path == CALCULATE && CALCULATED.contains(&call.status)
}

impl Comparer {
    /// What one publication changed for a call that was answered by the rules of `state`. A call for which it changed
    /// nothing is not changed, although an earlier one may have changed it.
    pub(in crate::features) fn by_publication(
        &mut self,
        replayer: &Replayer<'_>,
        call: &LoggedCall,
        state: CallState,
    ) -> Result<Compared, AdminError> {
        match self.seen(replayer, CallState::Before, &call.request)? {
            Compared::Changed { .. } => self.compared(replayer, call, Some(state)),
            other => Ok(other),
        }
    }

    /// What came of a call. `state` is the one that answered it, or `None` if what it was answered does not matter.
    pub(in crate::features) fn compared(
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
            Compared::Changed { change, before, after }
                if state.is_none() || was_answered(call, change.regra_antes.as_ref(), change.codigo_antes.as_ref()) =>
            {
                Compared::Changed { change, before, after }
            }
            _ if was_answered(call, shown.regra_depois.as_ref(), shown.codigo_depois.as_ref()) => Compared::AlreadySo,
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
}

/// Rule and code of an outcome, and the amount of an answer.
fn side(outcome: &PayloadOutcome) -> (Option<String>, Option<String>, Option<Money>) {
    match outcome {
        PayloadOutcome::Answered { valor, rule_id } => (Some(rule_id.to_string()), None, Some(*valor)),
        PayloadOutcome::Refused { codigo, rule_id } => {
            (rule_id.as_ref().map(ToString::to_string), Some(codigo.as_str().to_owned()), None)
        }
    }
}

/// True if the call was answered by that rule, or refused with that code, as far as the log says.
fn was_answered(call: &LoggedCall, rule: Option<&String>, codigo: Option<&String>) -> bool {
    let status = codigo.and_then(|codigo| ErrorCode::from_name(codigo)).map_or(200, ErrorCode::status);
    status == call.status && rule.map_or("", String::as_str) == call.rule_id
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
        let (regra_antes, codigo_antes, before) = side(before);
        let (regra_depois, codigo_depois, after) = side(after);
        let day = day(&payload);
        // A year has four characters.
        let mes = if day.len() == 4 { day } else { day.get(..7).unwrap_or_default().to_owned() };
        let change = Change { tributo, mes, situacao, regra_antes, regra_depois, codigo_antes, codigo_depois };
        Ok(Compared::Changed { change: Arc::new(change), before, after })
    }
}

/// The day of the operation, or its year; empty if the payload has no date.
pub(in crate::features) fn day(payload: &Value) -> String {
    match DATES.iter().filter_map(|name| payload.get(name)).find(|date| !date.is_null()) {
        Some(Value::String(day)) => day.clone(),
        Some(Value::Number(year)) => year.to_string(),
        _ => String::new(),
    }
}
