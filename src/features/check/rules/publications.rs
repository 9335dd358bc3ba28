//! Publications and their instants.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::base::value::Timestamp;
use crate::core::store::StoreResult;
use crate::features::check::file::{Area, Audit, Checker};

/// A publication as far as its versions are compared with it.
pub(super) struct Publication {
    /// When its versions were published.
    pub(super) at: Timestamp,
    /// How many bundles it had.
    pub(super) bundles: usize,
}

impl Publication {
    fn read(record: &[u8]) -> Result<Publication, String> {
        #[derive(Deserialize)]
        struct Record {
            publicado_em: String,
            #[serde(default)]
            pacotes: Vec<IgnoredAny>,
        }
        let record: Record = serde_json::from_slice(record).map_err(|error| error.to_string())?;
        Ok(Publication { at: Timestamp::parse(&record.publicado_em)?, bundles: record.pacotes.len() })
    }
}

/// Checks that every publication is there and has its instant. Returns them in their order, the first at 0, and
/// `None` in the place of one that cannot be read.
pub(super) fn check(audit: &Audit, checker: &mut Checker<'_>) -> StoreResult<Vec<Option<Publication>>> {
    let instants = audit.instants()?;
    checker.rows(instants.len() as u64)?;
    let mut publications = Vec::new();
    for (number, record) in audit.publications()? {
        checker.rows(1)?;
        while (publications.len() as u64) + 1 < number {
            checker.add(Area::Rules, format!("publication {} is missing", publications.len() + 1));
            publications.push(None);
        }
        let read = Publication::read(&record);
        if let Err(error) = &read {
            checker.add(Area::Rules, format!("publication {number} cannot be read: {error}"));
        }
        // Instants grow with the numbers, so both tables have the same order.
        if let Ok(Publication { at, .. }) = &read
            && instants.get(publications.len()) != Some(&(at.millis(), number))
        {
            let what = format!(
                "publication {number} is of {at}, and table instants has another one: `conhecido_em` may answer wrongly"
            );
            checker.add(Area::Rules, what);
        }
        publications.push(read.ok());
    }
    if instants.len() > publications.len() {
        checker.add(Area::Rules, "there are more instants than publications");
    }
    Ok(publications)
}
