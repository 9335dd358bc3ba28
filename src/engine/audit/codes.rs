//! Whether the ends of versions are those that they come to when the versions of each code follow
//! one another again.

use std::collections::HashMap;

use crate::rule::{Timeline, Vigencia};
use crate::store::{Area, Audit, Findings, GoOn, Journal, State, StoreResult};
use crate::value::{Date, RuleCode, RuleId};

/// A version whose end another one moved.
pub(super) struct Closed {
    /// Number of the version that was published.
    pub(super) by: u64,
    /// Number of the one that it closed.
    pub(super) number: u64,
    /// The end that it has from then on.
    pub(super) ate: Option<Date>,
    /// True where it never answers again.
    pub(super) retroactive: bool,
}

/// Every closing there ever was, by the number of the version that closed.
pub(super) fn look(audit: &Audit, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<Vec<Closed>> {
    let journal = audit.journal()?;
    let mut closings = Vec::new();
    let mut code: Option<(RuleCode, Vec<(u64, RuleId)>)> = None;
    audit.each_code(|row, number| {
        go_on(1)?;
        let (of, versao) = match row {
            Ok(row) => row,
            Err(error) => {
                findings.add(Area::Rules, format!("the code of version {number}: {error}"));
                return Ok(());
            }
        };
        let rule_id = RuleId { code: of.clone(), versao };
        match &mut code {
            Some((same, versions)) if *same == of => versions.push((number, rule_id)),
            before => {
                if let Some((_, versions)) = before.replace((of, vec![(number, rule_id)])) {
                    replay(&journal, versions, &mut closings, findings);
                }
            }
        }
        Ok(())
    })?;
    if let Some((_, versions)) = code {
        replay(&journal, versions, &mut closings, findings);
    }
    // Stable: those of one version stay in their order.
    closings.sort_by_key(|closed| closed.by);
    Ok(closings)
}

/// Lets the versions of a code follow one another, and compares what comes of them with their states.
fn replay(journal: &Journal, versions: Vec<(u64, RuleId)>, closings: &mut Vec<Closed>, findings: &mut Findings) {
    let mut known: Vec<(u64, RuleId, State)> = Vec::with_capacity(versions.len());
    for (number, rule_id) in versions {
        match journal.state(number) {
            Ok(state) => known.push((number, rule_id, state)),
            Err(error) => findings.add(Area::Rules, format!("{rule_id}: {error}")),
        }
    }
    // Numbers are given in the order of publication.
    known.sort_by_key(|(number, ..)| *number);
    let mut timeline = Timeline::default();
    let mut closed_by = HashMap::new();
    for (number, _, state) in &known {
        for closing in timeline.publish(*number, state.declared()) {
            closed_by.insert(closing.id, *number);
            closings.push(Closed {
                by: *number,
                number: closing.id,
                ate: closing.after.ate,
                retroactive: closing.is_retroactive(),
            });
        }
    }
    for (number, rule_id, state) in &known {
        let due = timeline.vigencia(*number).unwrap_or(state.vigencia);
        if due != state.vigencia {
            let what = format!(
                "{rule_id} answers {}, and by the versions that followed it should {}",
                days(state.vigencia),
                days(due)
            );
            findings.add(Area::Rules, what);
        }
        if closed_by.get(number).copied().unwrap_or_default() != state.superseded_by {
            findings.add(Area::Rules, format!("{rule_id} does not name the version that last moved its end"));
        }
    }
}

/// When a version answers, in words.
pub(super) fn days(vigencia: Vigencia) -> String {
    match vigencia.ate {
        _ if vigencia.is_empty() => "on no day".to_owned(),
        Some(ate) => format!("from {} until before {ate}", vigencia.de),
        None => format!("from {} on", vigencia.de),
    }
}
