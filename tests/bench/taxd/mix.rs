//! The mix of all taxes: the worked examples of the built-in bundles that have an answer, and the
//! example of every tax.

use std::collections::BTreeMap;

use taxd::core::engine::Engine;
use taxd::law::tax;

use crate::amounts::AMOUNTS;
use crate::template::{AMOUNTS_IN_ALL, Template};
use crate::worked_examples::worked_examples;

/// Smallest and largest amount; a payload of the mix has an answer for both.
const PROBED: [u64; 2] = [0, AMOUNTS_IN_ALL - 1];

/// Returns payloads that `engine` answers, at most `most` of each tax, with the taxes in turn.
pub fn templates(engine: &Engine, most: usize) -> Vec<Template> {
    let mut by_tax: BTreeMap<&str, Vec<Template>> = BTreeMap::new();
    let own = tax::REGISTRY.iter().map(|e| serde_json::from_str(e.exemplo).expect("an example is JSON"));
    for payload in own.chain(worked_examples()) {
        let Some(template) = Template::of(&payload) else { continue };
        let answered = PROBED.iter().all(|number| engine.calculate(&template.fresh(*number), false).is_ok());
        let of_tax = by_tax.entry(template.tributo).or_default();
        if answered && !of_tax.iter().any(|known| known.json == template.json) {
            of_tax.push(template);
        }
    }
    assert_eq!(
        by_tax.values().filter(|of_tax| !of_tax.is_empty()).count(),
        AMOUNTS.len(),
        "a tax has no example that is answered"
    );
    // Spreads over the examples of each tax, and repeats them if there are fewer than `most`.
    let pick = |i: usize, of_tax: &[Template]| of_tax[(i * of_tax.len().div_ceil(most)) % of_tax.len()].clone();
    (0..most).flat_map(|i| by_tax.values().map(move |of_tax| pick(i, of_tax))).collect()
}
