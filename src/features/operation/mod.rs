//! Every tax of one operation, on the page.

pub(crate) mod page;
