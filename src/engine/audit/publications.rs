//! Whether publications and instants agree.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::store::{Area, Audit, Findings, GoOn, StoreResult};
use crate::value::Timestamp;

/// A publication as far as its versions are compared with it.
pub(super) struct Publication {
    /// When it counts from.
    pub(super) at: Timestamp,
    /// The same as it is written.
    pub(super) publicado_em: String,
    /// How many bundles it had.
    pub(super) bundles: usize,
}

#[derive(Deserialize)]
struct Record {
    publicado_em: String,
    #[serde(default)]
    pacotes: Vec<IgnoredAny>,
}

/// The publications in their order, the first at 0; none in the place of one that cannot be read.
pub(super) fn look(audit: &Audit, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<Vec<Option<Publication>>> {
    let mut publications = Vec::new();
    for (number, record) in audit.publications()? {
        go_on(1)?;
        while (publications.len() as u64) + 1 < number {
            findings.add(Area::Rules, format!("publication {} is missing", publications.len() + 1));
            publications.push(None);
        }
        let read = serde_json::from_slice(&record).map_err(|error| error.to_string()).and_then(|record: Record| {
            let at = Timestamp::parse(&record.publicado_em)?;
            Ok(Publication { at, publicado_em: record.publicado_em, bundles: record.pacotes.len() })
        });
        match read {
            Ok(publication) => publications.push(Some(publication)),
            Err(error) => {
                findings.add(Area::Rules, format!("publication {number} cannot be read: {error}"));
                publications.push(None);
            }
        }
    }
    let instants = audit.instants()?;
    go_on(instants.len() as u64)?;
    for (i, publication) in publications.iter().enumerate() {
        let number = i as u64 + 1;
        let Some(publication) = publication else { continue };
        // Instants grow with the numbers, so that each stands where its publication does.
        if instants.get(i) != Some(&(publication.at.millis(), number)) {
            let what = format!(
                "publication {number} is of {}, and the instants do not say so: `conhecido_em` may answer wrongly",
                publication.publicado_em
            );
            findings.add(Area::Rules, what);
        }
    }
    if instants.len() > publications.len() {
        findings.add(Area::Rules, "there are more instants than publications");
    }
    Ok(publications)
}
