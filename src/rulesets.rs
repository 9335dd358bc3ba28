//! The built-in rule bundles, compiled into the binary from `rulesets/`.

use crate::engine::{BundleFile, Engine, ImportError, ImportOptions, Signed};
use crate::store::Store;
use crate::value::Clock;

/// Name and text of every built-in bundle, sorted by name.
pub const BUNDLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundles.rs"));

/// Name and text of each file, as an import takes them.
pub fn files() -> impl Iterator<Item = (String, String)> {
    BUNDLES.iter().map(|(name, text)| (format!("rulesets/{name}"), (*text).to_owned()))
}

/// Who signs a bundle that is compiled in, in the file's place: whoever made the binary. `None`
/// where the text is no such bundle.
#[must_use]
pub fn signed(text: &str) -> Option<Signed> {
    let known = BUNDLES.iter().any(|(_, built_in)| *built_in == text);
    known.then(|| Signed { by: "taxd (built in)".to_owned(), key_id: None })
}

/// Publishes the built-in bundles and says how many versions they hold.
pub fn load(engine: &Engine) -> Result<usize, ImportError> {
    publish(engine, ImportOptions::default())
}

/// An engine on the built-in rules that keeps nothing, so the clock matters to no later publication.
pub fn in_memory(clock: Clock) -> Result<Engine, ImportError> {
    let engine = Engine::new(Store::in_memory()?, 0).with_clock(clock);
    publish(&engine, ImportOptions { accept_future_date: true, ..ImportOptions::default() })?;
    Ok(engine)
}

fn publish(engine: &Engine, options: ImportOptions) -> Result<usize, ImportError> {
    let file = |(name, text): (String, String)| {
        let signed = signed(&text);
        BundleFile { signed, ..BundleFile::unsigned(name, text) }
    };
    let files: Vec<BundleFile> = files().map(file).collect();
    Ok(engine.import(&files, engine.now(), options)?.publicadas.len())
}
