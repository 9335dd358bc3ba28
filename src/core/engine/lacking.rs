//! Warns of new rules that cannot answer yet, because another rule that they need is missing.
//!
//! This is not a fault: an operator may load the files in any order, and the other rule may come later.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, hash_map};

use super::bundle_faults::BundleFile;
use super::import_index::{ImportIndex, ImportRow};
use crate::base::value::{Date, RuleId, Uf};
use crate::law::rule::{Chave, Vigencia};
use crate::law::tax;
use crate::store::{RuleTables, RuleWriter, StoreResult};

/// The rules of one file that lack another rule.
struct Lacking {
    /// One of them, and a key without a rule on a day.
    example: (RuleId, Chave, Date),
    rules: usize,
    pairs: BTreeSet<(Option<Uf>, Option<Uf>)>,
}

/// A sentence for each file whose new rules lack another rule on some of their days.
pub(super) fn warnings(writer: &RuleWriter<'_>, index: &ImportIndex, files: &[BundleFile]) -> StoreResult<Vec<String>> {
    let mut needs = Needs::default();
    let mut found: BTreeMap<usize, Lacking> = BTreeMap::new();
    for row in index.entering() {
        let missing = needs.missing(writer, index, row)?;
        let Some((chave, day)) = missing.first() else { continue };
        let lacking = match found.entry(row.file()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(first) => {
                let example = (index.rule_id(row)?, chave.clone(), *day);
                first.insert(Lacking { example, rules: 0, pairs: BTreeSet::new() })
            }
        };
        lacking.rules += 1;
        lacking.pairs.extend(missing.iter().map(|(chave, _)| (chave.uf_origem, chave.uf_destino)));
    }
    let name = |file: usize| files.get(file).map(|file| file.name.as_str()).unwrap_or_default();
    Ok(found.iter().map(|(file, lacking)| lacking.sentence(name(*file))).collect())
}

impl Lacking {
    fn sentence(&self, file: &str) -> String {
        let (rule_id, chave, day) = &self.example;
        let uf = |uf: Option<Uf>| uf.map_or("any UF", Uf::as_str);
        let (from, to, tributo) = (uf(chave.uf_origem), uf(chave.uf_destino), chave.tributo);
        let more = match (self.rules, self.pairs.len()) {
            (1, 1) => String::new(),
            (rules, pairs) => format!("; rules of this file that lack one: {rules}, pairs of UFs: {pairs}"),
        };
        format!(
            "{file}: {rule_id} needs a rule of {tributo} from {from} to {to} beside it, and there is none on {day}{more}; until a bundle with it is imported, those operations are refused as regra_inexistente"
        )
    }
}

/// A key without a rule, and the first such day.
type Missing = (Chave, Date);

/// Results so far: many rules of an import apply between the same UFs on the same days.
#[derive(Default)]
struct Needs {
    /// What the rules of a jurisdiction lack that answer from a day until another.
    missing: HashMap<(u32, Date, Option<Date>), Vec<Missing>>,
    /// The validities under a key, in order.
    answering: HashMap<Vec<u8>, Vec<Vigencia>>,
}

impl Needs {
    /// The keys that the rule needs and that have no rule on some of its days.
    fn missing(&mut self, writer: &RuleWriter<'_>, index: &ImportIndex, row: &ImportRow) -> StoreResult<&[Missing]> {
        let days = Vigencia { ate: row.ate, ..row.vigencia };
        let first = match self.missing.entry((row.jurisdiction, days.de, days.ate)) {
            hash_map::Entry::Occupied(known) => return Ok(known.into_mut()),
            hash_map::Entry::Vacant(first) => first,
        };
        let jurisdiction = index.jurisdiction(row.jurisdiction)?;
        let mut missing = Vec::new();
        let needed = tax::find(jurisdiction.tributo.as_str()).map(|entry| entry.needs);
        for chave in needed
            .map(|keys| keys(jurisdiction.location.uf_origem, jurisdiction.location.uf_destino))
            .unwrap_or_default()
        {
            let answering = match self.answering.entry(chave.bytes()) {
                hash_map::Entry::Occupied(known) => known.into_mut(),
                hash_map::Entry::Vacant(first) => {
                    let mut answering = writer.validities(&chave.bytes())?;
                    answering.sort_unstable_by_key(|vigencia| vigencia.de);
                    first.insert(answering)
                }
            };
            missing.extend(first_without(days, answering).map(|day| (chave, day)));
        }
        Ok(first.insert(missing))
    }
}

/// The first of the days on which no rule answers; `answering` is in order.
fn first_without(days: Vigencia, answering: &[Vigencia]) -> Option<Date> {
    let mut day = days.de;
    for vigencia in answering {
        if vigencia.de > day {
            break;
        }
        // A rule without an end answers on all later days.
        day = day.max(vigencia.ate?);
    }
    days.ate.is_none_or(|ate| day < ate).then_some(day)
}
