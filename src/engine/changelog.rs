//! Changelog events, as they are kept (contract, section 2.6).

use serde::Serialize;

use crate::rule::{Closing, Escopo};
use crate::value::{Data, Instante, RuleId, Tributo};

/// The members that every changelog event has (contract, section 2.6).
fn event_of(rule_id: &RuleId, tributo: Tributo, escopo: &Escopo, tipo: &str) -> serde_json::Value {
    serde_json::json!({
        "rule_id": rule_id,
        "tributo": tributo,
        "uf_origem": escopo.uf_origem,
        "uf_destino": escopo.uf_destino,
        "municipio": escopo.municipio,
        "vigente_de": null,
        "publicado_em": null,
        "tipo": tipo,
    })
}

/// The event of a version that was published.
pub(super) fn publication_event(
    rule_id: &RuleId,
    tributo: Tributo,
    escopo: &Escopo,
    vigente_de: Data,
) -> serde_json::Value {
    let mut event = event_of(rule_id, tributo, escopo, "publicacao");
    set(&mut event, "vigente_de", &vigente_de);
    event
}

/// The event of a version whose end was moved by another.
pub(super) fn closing_event(
    rule_id: &RuleId,
    tributo: Tributo,
    escopo: &Escopo,
    closing: &Closing<u64>,
    tipo: &str,
    by: &RuleId,
) -> serde_json::Value {
    let mut event = event_of(rule_id, tributo, escopo, tipo);
    set(&mut event, "vigente_de", &closing.after.de);
    set(&mut event, "vigente_ate", &closing.after.ate);
    set(&mut event, "rule_code", rule_id.code.as_str());
    set(&mut event, "substituida_por", by);
    event
}

/// Notes when an event was published: known only when all the work of a publication is done.
pub(super) fn date(event: &mut serde_json::Value, published_at: Instante) {
    set(event, "publicado_em", &published_at);
}

fn set<T: Serialize + ?Sized>(event: &mut serde_json::Value, name: &str, value: &T) {
    if let (Some(members), Ok(value)) = (event.as_object_mut(), serde_json::to_value(value)) {
        members.insert(name.to_owned(), value);
    }
}
