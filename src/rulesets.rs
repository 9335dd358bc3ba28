//! The built-in rule bundles, compiled into the binary from `rulesets/`.

use crate::admin::AdminError;
use crate::engine::{BundleFile, Engine, ImportOptions, Signed};

macro_rules! bundles {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every built-in bundle; a test holds the list against the folder.
        pub const BUNDLES: &[(&str, &str)] = &[ $( ($name, include_str!(concat!("../rulesets/", $name))), )* ];
    };
}

bundles! {
    "estadual/SP.json",
    "federal/cbs_ibs.json",
    "federal/icms_interestadual.json",
    "federal/ipi.json",
    "federal/pis_cofins.json",
    "federal/pis_cofins_especial.json",
    "municipal/SP-sao-paulo.json",
}

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
pub fn load(engine: &Engine) -> Result<usize, AdminError> {
    let file = |(name, text): (String, String)| {
        let signed = signed(&text);
        BundleFile { signed, ..BundleFile::unsigned(name, text) }
    };
    let files: Vec<BundleFile> = files().map(file).collect();
    Ok(engine.import(&files, engine.now(), ImportOptions::default())?.publicadas.len())
}
