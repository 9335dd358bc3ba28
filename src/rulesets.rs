//! The built-in rule bundles, compiled into the binary from `rulesets/`.

use crate::admin::AdminError;
use crate::engine::{BundleFile, Engine, ImportOptions};

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

/// Publishes the built-in bundles and says how many versions they hold.
pub fn load(engine: &Engine) -> Result<usize, AdminError> {
    let files: Vec<BundleFile> = files().map(|(name, text)| BundleFile::unsigned(name, text)).collect();
    Ok(engine.import(&files, engine.now(), ImportOptions::default())?.publicadas.len())
}
