//! Bundles of official tables.

mod iss_nacional;
