//! The hot paths, each in turn in one function that callgrind watches.

use std::hint::black_box;
use std::path::Path;

use taxd::admin::data_dir;
use taxd::engine::Engine;
use taxd::{rulesets, tax};

use crate::template::Template;

/// First argument of the process that is watched; the second is the data directory.
pub const ARGUMENT: &str = "paths";
/// The function that is watched, by its whole name.
pub const WATCHED: &str = concat!(module_path!(), "::watched_by_callgrind");
/// Calculations of one path.
pub const REPEATS: u32 = 64;
/// Calculations before they are counted: what is decoded once and kept is then there.
const WARM: u64 = 4;
/// Answers that are remembered: those of all that is asked here.
const CACHED: usize = 4_096;
const HIT: &str = "hit";

/// Makes the data directory: importing under callgrind would take minutes.
pub fn prepare(dir: &Path) {
    let engine = Engine::new(data_dir::open(dir).expect("a data file"), 0);
    rulesets::load(&engine).expect("the built-in rules load");
}

/// The paths in the order in which they are watched: a payload answered from memory, and for each
/// tax one that is calculated.
pub fn names() -> Vec<String> {
    std::iter::once(HIT).chain(examples().iter().map(|template| template.tributo)).map(str::to_owned).collect()
}

/// Is the process that is watched.
pub fn run(dir: &Path) {
    let engine = Engine::new(data_dir::open(dir).expect("the data file"), CACHED);
    let examples = examples();
    let repeated = examples[0].fresh(0);
    warm(&engine, &examples);
    watched_by_callgrind(&engine, &vec![repeated; REPEATS as usize]);
    for template in &examples {
        let payloads: Vec<Vec<u8>> = (WARM..WARM + u64::from(REPEATS)).map(|number| template.fresh(number)).collect();
        watched_by_callgrind(&engine, &payloads);
    }
}

/// The example of every tax.
fn examples() -> Vec<Template> {
    let example = |entry: &tax::Entry| Template::of(&serde_json::from_str(entry.exemplo).expect("an example is JSON"));
    tax::REGISTRY.iter().map(|entry| example(entry).expect("an example names its tax and its amount")).collect()
}

fn warm(engine: &Engine, examples: &[Template]) {
    for template in examples {
        for number in 0..WARM {
            engine.calculate(&template.fresh(number), false).expect("an example is answered");
        }
    }
}

/// A call as the server makes it, from the payload's bytes to the answer's.
#[inline(never)]
fn watched_by_callgrind(engine: &Engine, payloads: &[Vec<u8>]) {
    for payload in payloads {
        let answer = engine.calculate(black_box(payload), false).expect("an example is answered");
        black_box(answer.to_json());
    }
}
