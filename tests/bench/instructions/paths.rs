//! The hot paths, one after the other, inside one function that callgrind watches.

use std::hint::black_box;
use std::path::Path;

use taxd::core::engine::Engine;
use taxd::core::rulesets;
use taxd::features::control::data_dir;
use taxd::law::tax;

use crate::template::Template;

/// First argument of the watched process; the second is the data directory.
pub const ARGUMENT: &str = "paths";
/// Full name of the watched function.
pub const WATCHED: &str = concat!(module_path!(), "::watched_by_callgrind");
/// Counted calculations of each path.
pub const REPEATS: u32 = 64;
/// Calculations of each path before the counted ones. They fill the caches of decoded rules.
const WARM: u64 = 4;
/// Answers that the cache has room for: more than these paths ask for.
const CACHED: usize = 4_096;
const HIT: &str = "hit";

/// Creates the data directory in an unwatched process: an import under callgrind would take minutes.
pub fn prepare(dir: &Path) {
    let engine = Engine::new(data_dir::open(dir).expect("a data file"), 0);
    rulesets::load(&engine).expect("the built-in rules load");
}

/// The paths in the order of their counts: an answer from the cache, then one calculation of each tax.
pub fn names() -> Vec<String> {
    std::iter::once(HIT).chain(examples().iter().map(|template| template.tributo)).map(str::to_owned).collect()
}

/// Runs the watched process.
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

/// Calculates as the server does, from the bytes of the payload to the bytes of the answer.
#[inline(never)]
fn watched_by_callgrind(engine: &Engine, payloads: &[Vec<u8>]) {
    for payload in payloads {
        let answer = engine.calculate(black_box(payload), false).expect("an example is answered");
        black_box(answer.to_json());
    }
}
