//! The built-in rule bundles, compiled into the binary from `rulesets/`, so that a new installation has rules. A version
//! that they have published never changes: a server that has it would refuse the whole import.

use crate::base::value::Clock;
use crate::engine::{BundleFile, Engine, ImportError, ImportOptions, Signed};
use crate::store::Store;

/// Name and text of every built-in bundle, sorted by name.
pub const BUNDLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundles.rs"));

/// Name and text of each file, as an import takes them.
pub fn files() -> impl Iterator<Item = (String, &'static str)> {
    BUNDLES.iter().map(|(name, text)| (format!("rulesets/{name}"), *text))
}

/// The signature of a built-in bundle, which has no signature file: that of the binary. `None` for any other text.
pub fn signed(text: &str) -> Option<Signed> {
    BUNDLES.iter().any(|(_, built_in)| *built_in == text).then(by_binary)
}

fn by_binary() -> Signed {
    Signed { by: Signed::BUILT_IN.to_owned(), key_id: None }
}

/// Publishes the built-in bundles. Returns the number of versions published. Fails with every fault of the bundles, or if
/// the clock or the store refuses.
pub fn load(engine: &Engine) -> Result<usize, ImportError> {
    publish(engine, ImportOptions::default())
}

/// An engine on the built-in rules, in memory. A wrong clock is accepted, because no later publication depends on it. The
/// worked examples were run by the tests of this binary, with these bundles.
pub fn in_memory(clock: Clock) -> Result<Engine, ImportError> {
    let engine = Engine::new(Store::in_memory()?, 0).with_clock(clock);
    publish(&engine, ImportOptions { accept_future_date: true, is_proven: true, dry_run: false })?;
    Ok(engine)
}

fn publish(engine: &Engine, options: ImportOptions) -> Result<usize, ImportError> {
    let file = |(name, text): (String, &'static str)| BundleFile {
        name,
        bytes: text.as_bytes().into(),
        signed: Some(by_binary()),
    };
    let files: Vec<BundleFile> = files().map(file).collect();
    Ok(engine.import(&files, engine.now(), options)?.publicadas.len())
}
