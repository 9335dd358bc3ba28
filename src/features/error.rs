//! Why a command was refused or failed: one sentence for the operator and, for a document with
//! faults, each of them with its place.
//!
//! The error crosses the control socket, so it holds texts and no other module's error. This file
//! knows no command: every command knows it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::sentence::Sentence;
use crate::base::value::RandomFailed;
use crate::core::engine::{BundleFault, ImportError};
use crate::core::store::StoreError;

/// Why a command was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdminError {
    /// What is wrong and what to do, in one sentence.
    Refused(String),
    /// The data file could not be read or written; the cause.
    DataFile(String),
    /// A document has faults, and nothing was done.
    Faults {
        /// Which document, and what that means, in one sentence.
        message: String,
        faults: Vec<InputFault>,
    },
}

/// A fault of a bundle, of the configuration file or of a setting.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InputFault {
    /// The file; `None` for a flag or a variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The JSON path, the key of the setting, the flag or the variable.
    pub path: String,
    /// The stable code, which only faults of bundles have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo: Option<String>,
    /// What is wrong, and what is expected.
    pub detail: Sentence,
}

impl AdminError {
    /// A refusal or failure that one sentence explains.
    pub fn new(message: impl Into<String>) -> AdminError {
        AdminError::Refused(message.into())
    }

    /// The faults of bundles, because of which nothing was `done`.
    pub fn of_bundles(faults: Vec<BundleFault>, done: &str) -> AdminError {
        let plural = if faults.len() == 1 { "" } else { "s" };
        let message = format!("{} fault{plural} in the bundles; nothing was {done}", faults.len());
        AdminError::Faults { message, faults: faults.into_iter().map(InputFault::from).collect() }
    }

    /// The faults, if a document has any.
    pub fn faults(&self) -> &[InputFault] {
        match self {
            AdminError::Faults { faults, .. } => faults,
            AdminError::Refused(_) | AdminError::DataFile(_) => &[],
        }
    }
}

impl fmt::Display for AdminError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdminError::Refused(message) | AdminError::Faults { message, .. } => f.write_str(message),
            AdminError::DataFile(cause) => write!(f, "the data file: {cause}"),
        }
    }
}

impl From<RandomFailed> for AdminError {
    fn from(_: RandomFailed) -> Self {
        AdminError::new(
            "the system's random generator failed, so nothing was made; try again, and restart the machine if it fails again",
        )
    }
}

impl From<serde_json::Error> for AdminError {
    fn from(error: serde_json::Error) -> Self {
        AdminError::new(error.to_string())
    }
}

impl From<StoreError> for AdminError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Corrupt(_) | StoreError::Database(_) | StoreError::Disk(_) => {
                AdminError::DataFile(error.to_string())
            }
            sentence => AdminError::Refused(sentence.to_string()),
        }
    }
}

impl From<ImportError> for AdminError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Store(error) => error.into(),
            ImportError::Clock(error) => AdminError::Refused(error.to_string()),
            ImportError::Faults(faults) => AdminError::of_bundles(faults, "imported"),
        }
    }
}

impl From<BundleFault> for InputFault {
    fn from(fault: BundleFault) -> Self {
        InputFault {
            file: Some(fault.file),
            line: Some(fault.line),
            path: fault.path,
            codigo: Some(fault.codigo.as_str().to_owned()),
            detail: fault.detail,
        }
    }
}
