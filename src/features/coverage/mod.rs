//! What the rules answer, by tax and place: the coverage of the engine as Markdown, on the page and in `taxd rules coverage`.

pub mod markdown;
pub(crate) mod page;
