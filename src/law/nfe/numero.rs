//! The number and series of a document.

use serde::Serialize;

/// Most characters of each that are kept: the longest official one, of an NFS-e of ABRASF, has 15.
const MAX_CHARS: usize = 15;

/// The number and series, as the document writes them. Empty without one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DocumentNumber {
    /// The number.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub numero: String,
    /// The series.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub serie: String,
}

impl DocumentNumber {
    pub(super) fn of(numero: Option<&str>, serie: Option<&str>) -> DocumentNumber {
        let short = |text: Option<&str>| text.unwrap_or_default().trim().chars().take(MAX_CHARS).collect();
        DocumentNumber { numero: short(numero), serie: short(serie) }
    }
}
