//! The sums of an impact: calls and amounts by account, tax, month, change and rules.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::compared::{Compared, Comparer, is_calculation};
use super::counts::{Change, ImpactCalls, ImpactLine};
use crate::base::value::{Overflow, Timestamp};
use crate::core::calls::{Client, LoggedCall};
use crate::core::engine::{Replayer, RuleComparison};
use crate::features::AdminError;

/// What distinguishes the lines: the name of the account, its id, and the change.
type LineKey = (Arc<str>, Arc<str>, Arc<Change>);

/// The sums of a thread, or of all of them.
#[derive(Default)]
pub(super) struct Tally {
    calls: ImpactCalls,
    lines: BTreeMap<LineKey, ImpactLine>,
    comparer: Comparer,
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
        if !is_calculation(call) {
            return Ok(());
        }
        if is_test {
            self.calls.de_teste += 1;
            return Ok(());
        }
        self.calls.count(Timestamp::from_millis(call.at_ms));
        let compared = self.comparer.compared(replayer, call, comparison.state_at(call.at_ms))?;
        match compared {
            Compared::Untouched => return Ok(()),
            Compared::Incomparable => self.calls.sem_comparacao += 1,
            Compared::AlreadySo => self.calls.ja_respondidas += 1,
            Compared::OfAnotherInstant => self.calls.de_outro_instante += 1,
            Compared::Same => {}
            Compared::Changed { change, before, after } => {
                self.calls.alteradas += 1;
                let line = ImpactLine {
                    conta: Arc::clone(&client.client_id),
                    nome: client.account.nome.as_str().into(),
                    mudanca: change,
                    chamadas: 1,
                    valor_antes: before,
                    valor_depois: after,
                    diferenca: before.zip(after).map(|(before, after)| after.minus(before)).transpose()?,
                };
                self.add_line(line)?;
            }
        }
        self.calls.alcancadas += 1;
        Ok(())
    }

    fn add_line(&mut self, line: ImpactLine) -> Result<(), Overflow> {
        match self.lines.entry((Arc::clone(&line.nome), Arc::clone(&line.conta), Arc::clone(&line.mudanca))) {
            Entry::Occupied(mut known) => known.get_mut().add(&line)?,
            Entry::Vacant(new) => _ = new.insert(line),
        }
        Ok(())
    }

    /// Adds the sums of another thread.
    pub(super) fn add(&mut self, other: Tally) -> Result<(), Overflow> {
        self.calls.add(&other.calls);
        other.lines.into_values().try_for_each(|line| self.add_line(line))
    }

    /// The calls, and the lines in order.
    pub(super) fn into_parts(self) -> (ImpactCalls, Vec<ImpactLine>) {
        (self.calls, self.lines.into_values().collect())
    }
}
