//! Bundles of official tables.

mod cclasstrib;
mod iss_nacional;
mod tipi;

use serde_json::Value;
use taxd::features::sources::InstalledVersion;
use taxd_base::value::Date;
use taxd_core::engine::{Engine, Filter};

/// Every rule version of a tax, as a listing shows it.
fn listed_values(engine: &Engine, tributo: &str) -> Vec<Value> {
    let mut filter = Filter::default();
    filter.set("tributo", tributo).unwrap();
    let page = engine.regras(&filter, Date::parse("2026-11-22").unwrap(), 0, usize::MAX).unwrap();
    page.items.iter().map(|rule| serde_json::from_str(rule).unwrap()).collect()
}

fn listed(engine: &Engine, tributo: &str) -> Vec<InstalledVersion> {
    listed_values(engine, tributo).into_iter().map(|rule| serde_json::from_value(rule).unwrap()).collect()
}
