//! The first step of a publication: which versions of an import are new, and which were published before.

use super::bundle_faults::FaultsByFile;
use super::reading::Bundles;
use super::version::{self, Restated};
use crate::base::problem::ErrorCode;
use crate::base::value::RuleId;
use crate::store::{RuleTables, RuleWriter, StoreResult};

/// The versions of an import that were published before.
#[derive(Default)]
pub(super) struct Known {
    pub(super) unchanged: usize,
    pub(super) other_notes: OtherNotes,
}

/// The unchanged versions whose notes on how their figures were established differ from the published ones.
#[derive(Default)]
pub(super) struct OtherNotes {
    count: usize,
    first: Option<RuleId>,
}

impl OtherNotes {
    /// A warning that the published notes stay.
    pub(super) fn warning(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        let more = if self.count > 1 { format!(" and {} more", self.count - 1) } else { String::new() };
        Some(format!(
            "{first}{more}: already published with another source, grade or conditions of its warnings (fonte, conferencia, avisos[].condicao); its figures are the same, and what was published stays. To change these too, publish a higher version number"
        ))
    }
}

/// Numbers the versions that are new, and counts those that were published before. Reports a version that was
/// published with other content, and one that is lower than a published version of its code.
pub(super) fn number_new_versions(
    writer: &mut RuleWriter<'_>,
    bundles: &mut Bundles<'_>,
    faults: &mut FaultsByFile<'_>,
) -> StoreResult<Known> {
    let mut before = Known::default();
    let mut number = writer.next_version();
    let mut first = 0;
    while let Some(row) = bundles.index.get(first) {
        let group = bundles.index.of_code_at(first);
        first = group.end;
        let known = writer.versions_of(&bundles.index.rule_code(row)?)?;
        for i in group {
            let Some(row) = bundles.index.get(i).copied() else { continue };
            let versao = row.versao;
            if let Some(there) = known.binary_search_by_key(&versao, |v| v.versao).ok().and_then(|at| known.get(at)) {
                let restated = version::restated(&writer.record(there.number)?, &bundles.rule(&row)?.record)?;
                before.unchanged += usize::from(restated != Restated::Other);
                if restated == Restated::OtherNotes {
                    before.other_notes.count += 1;
                    before.other_notes.first.get_or_insert(bundles.index.rule_id(&row)?);
                } else if restated == Restated::Other {
                    let detail = format!(
                        "{} já foi publicada com outro conteúdo, e o publicado não se reescreve; publique a mudança com um número de versão maior.",
                        bundles.index.rule_id(&row)?
                    );
                    faults.at(row.file(), row.location(), "versao", ErrorCode::ValorInvalido, detail);
                }
            } else if let Some(last) = known.last().map(|v| v.versao).filter(|last| *last > versao) {
                let detail = format!("A versão {versao} vem depois da {last}, já publicada; use um número maior.");
                faults.at(row.file(), row.location(), "versao", ErrorCode::ValorInvalido, detail);
            } else if let Some(row) = bundles.index.get_mut(i) {
                row.number = number;
                row.follows = !known.is_empty();
                number += 1;
            }
        }
    }
    Ok(before)
}
