//! The rule codes that a misspelt one may mean.

use super::{Engine, version};
use crate::base::document::edits;
use crate::store::StoreResult;

/// Most codes that a refusal names.
const MAX_NEAR: usize = 3;

impl Engine {
    /// The published codes that begin with `code`, or else those with the fewest edits from it; at most three, in
    /// order. Reads every version, so it is only for refusals.
    pub fn codes_near(&self, code: &str) -> StoreResult<Vec<String>> {
        let mut near: Vec<(usize, String)> = Vec::new();
        let mut failed = None;
        self.store.read_journal()?.each_version(1, |_, record, _| match version::read(record) {
            Err(error) => failed = Some(error),
            Ok(record) => {
                let begins = record.rule_code.starts_with(code).then_some(0);
                let edits = begins.or_else(|| edits(code, &record.rule_code));
                near.extend(edits.map(|edits| (edits, record.rule_code.into_owned())));
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        near.sort_unstable();
        near.dedup();
        let nearest = near.first().map(|(edits, _)| *edits);
        Ok(near.into_iter().filter(|(edits, _)| Some(*edits) == nearest).map(|(_, code)| code).take(MAX_NEAR).collect())
    }
}
