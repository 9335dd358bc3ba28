//! The name and description of an operation.

/// Name and description of an operation.
pub(super) struct OperationText {
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
}
