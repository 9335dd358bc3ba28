//! Bundle files in canonical form.

use super::bundle_faults::{BundleFault, BundleFile, FaultsByFile};
use crate::base::document::{Faults, JsonFault};
use crate::law::rule::bundle::{self, RawBundle};

/// The canonical text of each file, in their order. Fails with every fault of form of every file; what a scope,
/// a content or an example says is not checked.
pub fn canonical_texts(files: &[BundleFile]) -> Result<Vec<String>, Vec<BundleFault>> {
    let mut faults = FaultsByFile::new(files);
    let mut texts = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let mut found = Faults::default();
        match canonical_text(&file.bytes, &mut found) {
            Ok(text) => texts.push(text),
            Err(fault) => faults.not_json(file, &fault),
        }
        faults.take(index, found);
    }
    faults.check()?;
    Ok(texts)
}

fn canonical_text(bytes: &[u8], found: &mut Faults) -> Result<String, JsonFault> {
    bundle::read(RawBundle::read(bytes)?, found, &mut |_, _| {})?;
    RawBundle::read(bytes)?.canonical_text()
}
