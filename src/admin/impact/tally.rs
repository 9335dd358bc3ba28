//! The sums of an impact: calls and amounts by account, tax, month, change and rules.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::admin::error::AdminError;
use crate::calls::{Client, LoggedCall};
use crate::engine::{PayloadOutcome, ReplayedPayload, Replayer, SituacaoChamada};
use crate::problem::guarded;
use crate::tax::Money;
use crate::value::{Exact, Overflow, Timestamp};

/// Path of a calculation.
const CALCULATE: &str = "/v1/calculate";
/// Statuses of calls whose payload was calculated, or refused because of what it says.
const CALCULATED: [u16; 3] = [200, 404, 422];
/// Fields that date a payload, in the order in which they are looked for.
const DATES: [&str; 4] = ["data_operacao", "data", "data_fato_gerador", "exercicio"];
/// Payloads whose outcome a thread remembers: an integration that repeats them pays once.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// The calls that were looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactCalls {
    /// Calculations in the log that were answered or refused because of what they say, without those of test keys.
    pub registradas: u64,
    /// The same of test keys, which are not compared.
    pub de_teste: u64,
    /// Those that look up a scope that the publication touches.
    pub alcancadas: u64,
    /// Those of them whose outcome changes.
    pub alteradas: u64,
    /// Those that cannot be compared: their refusal came from a part of the payload that the log does not keep, or
    /// their calculation failed.
    pub sem_comparacao: u64,
    /// The first call in the log.
    pub primeira: Option<Timestamp>,
    /// The last one.
    pub ultima: Option<Timestamp>,
}

/// Calls with one change. Amounts are decimals with two places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactLine {
    /// The account.
    pub conta: String,
    /// Its name.
    pub nome: String,
    pub tributo: String,
    /// Month of the operation, `AAAA-MM`; the year of a tax that is calculated by year. Empty if the payload has no
    /// date.
    pub mes: String,
    /// What changes.
    pub situacao: SituacaoChamada,
    /// The rule that answered or refused before.
    pub regra_antes: Option<String>,
    /// The rule that answers or refuses after.
    pub regra_depois: Option<String>,
    /// Why it was refused before.
    pub codigo_antes: Option<String>,
    /// Why it is refused after.
    pub codigo_depois: Option<String>,
    /// How many calls.
    pub chamadas: u64,
    /// Sum before; `None` if they were refused.
    pub valor_antes: Option<String>,
    /// Sum after; `None` if they are refused.
    pub valor_depois: Option<String>,
    /// The difference, if there are both.
    pub diferenca: Option<String>,
}

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
}

/// The outcome of a payload that was calculated again.
#[derive(Clone)]
enum Seen {
    Untouched,
    Same,
    Changed { change: Arc<Change>, before: Option<Money>, after: Option<Money> },
    Failed,
}

/// Calls of a line, and their sums.
#[derive(Clone, Copy)]
struct Sums {
    calls: u64,
    before: Option<Exact>,
    after: Option<Exact>,
}

/// The sums of a thread, or of all of them.
pub(super) struct Tally {
    calls: ImpactCalls,
    lines: BTreeMap<LineKey, Sums>,
    remembered: LruCache<Box<str>, Seen>,
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
        let seen = match self.remembered.get(call.request.as_str()) {
            Some(seen) => seen.clone(),
            None => {
                let seen = Seen::of(replayer, &call.request)?;
                self.remembered.put(call.request.as_str().into(), seen.clone());
                seen
            }
        };
        let Seen::Changed { change, before, after } = seen else {
            match seen {
                Seen::Same => self.calls.alcancadas += 1,
                Seen::Failed => self.calls.sem_comparacao += 1,
                Seen::Untouched | Seen::Changed { .. } => {}
            }
            return Ok(());
        };
        self.calls.alcancadas += 1;
        // A refusal without a rule may come from a part of the payload that the log does not keep, such as an unknown
        // field. If the rest of it is answered, it says nothing about the call.
        if call.status == 422 && call.rule_id.is_empty() && before.is_some() {
            self.calls.sem_comparacao += 1;
            return Ok(());
        }
        self.calls.alteradas += 1;
        let (nome, conta) = (client.account.nome.as_str().into(), Arc::clone(&client.client_id));
        let one = Sums { calls: 1, before: before.map(exact), after: after.map(exact) };
        self.add_line(LineKey { nome, conta, change }, one);
        Ok(())
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
        let lines =
            lines.map_err(|Overflow| AdminError::new("a sum of the impact has more digits than taxd writes"))?;
        Ok((self.calls, lines))
    }
}

fn exact(valor: Money) -> Exact {
    Exact::from(valor.decimal())
}

impl ImpactCalls {
    fn count(&mut self, at: Option<Timestamp>) {
        self.registradas += 1;
        self.extend(at, at);
    }

    fn extend(&mut self, first: Option<Timestamp>, last: Option<Timestamp>) {
        self.primeira = self.primeira.into_iter().chain(first).min();
        self.ultima = self.ultima.max(last);
    }

    fn add(&mut self, other: &ImpactCalls) {
        let ImpactCalls { registradas, de_teste, alcancadas, alteradas, sem_comparacao, primeira, ultima } = *other;
        self.registradas += registradas;
        self.de_teste += de_teste;
        self.alcancadas += alcancadas;
        self.alteradas += alteradas;
        self.sem_comparacao += sem_comparacao;
        self.extend(primeira, ultima);
    }
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
                (Side { rule: Some(rule_id.to_string()), codigo: None }, Some(*valor))
            }
            PayloadOutcome::Refused { codigo, rule_id } => {
                (Side { rule: rule_id.as_ref().map(ToString::to_string), codigo: Some(codigo.as_str()) }, None)
            }
        }
    }
}

impl Seen {
    /// Calculates a payload again. Fails if the data file cannot be read.
    fn of(replayer: &Replayer<'_>, request: &str) -> Result<Seen, AdminError> {
        let replayed = match guarded(|| replayer.replay(request.as_bytes())) {
            Ok(replayed) => replayed,
            Err(problem) => {
                let Some(cause) = &problem.cause else { return Err(AdminError::new(problem.detail)) };
                tracing::error!(cause, "a logged call could not be calculated again");
                return Ok(Seen::Failed);
            }
        };
        let (Some(situacao), ReplayedPayload::Touched { before, after }) = (replayed.situacao(), &replayed) else {
            return Ok(if replayed == ReplayedPayload::Untouched { Seen::Untouched } else { Seen::Same });
        };
        let payload: Value = serde_json::from_str(request)?;
        let tributo = payload.get("tributo").and_then(Value::as_str).unwrap_or_default().to_owned();
        let ((before, old), (after, new)) = (Side::of(before), Side::of(after));
        let change = Arc::new(Change { tributo, mes: month(&payload), situacao, before, after });
        Ok(Seen::Changed { change, before: old, after: new })
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
