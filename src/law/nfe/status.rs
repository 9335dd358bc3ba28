//! Whether a document is valid: its protocol, and the events about it.

use std::collections::HashMap;

use super::xml::Element;

/// The three letters before the key in the `Id` of a document (`NFe`, `NFS`, `CTe`).
const KEY_PREFIX: usize = 3;
/// Where an event or a protocol has the key of its document.
const KEYS: [&str; 2] = ["chNFe", "chCTe"];
/// The kinds of event that cancel an NF-e: by its issuer, and by another document in its place. The first cancels a CT-e.
const CANCELLING: [&str; 2] = ["110111", "110112"];
/// The elements of the events that cancel an NFS-e of the national layout.
const CANCELLING_SERVICE: [&str; 4] = ["e101101", "e105102", "e105104", "e305101"];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocumentStatus {
    /// Authorised, or the file does not say otherwise.
    #[default]
    Valid,
    /// Cancelled, or replaced by another document.
    Cancelled,
    /// Its use was denied.
    Denied,
    /// Rejected: it was never authorised.
    Rejected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The access key of the document.
    pub key: String,
    /// The event is registered, and cancels the document.
    pub cancels: bool,
    /// The cancellation of a CF-e SAT, which is a document of its own.
    pub of_coupon: bool,
}

/// The access key of a document, from the `Id` of its element; empty if it has none.
pub(super) fn key(element: &Element<'_>) -> String {
    element.id.get(KEY_PREFIX..).unwrap_or_default().to_owned()
}

impl DocumentStatus {
    /// By `cStat` of a protocol (MOC, table of results).
    fn of_protocol(code: &str) -> DocumentStatus {
        match code {
            "101" | "151" | "155" => DocumentStatus::Cancelled,
            "110" | "205" | "301" | "302" | "303" => DocumentStatus::Denied,
            // From 201 on the table has the reasons of rejection.
            _ if code.parse::<u16>().is_ok_and(|code| code > 200) => DocumentStatus::Rejected,
            _ => DocumentStatus::Valid,
        }
    }
}

/// Whether an NFS-e of ABRASF has its cancellation, or what replaces it, beside it. Some systems write both into every
/// document, without content or with a `Sucesso` that is false.
pub(super) fn is_void(comp: &Element<'_>) -> bool {
    let groups = ["NfseCancelamento", "NfseSubstituicao"].into_iter().filter_map(|name| comp.first(name));
    groups.into_iter().any(|group| says_something(group) && !failed(group))
}

fn says_something(element: &Element<'_>) -> bool {
    element.children.iter().any(|child| !child.text.trim().is_empty() || says_something(child))
}

fn failed(element: &Element<'_>) -> bool {
    let is_false = |text: &str| text.eq_ignore_ascii_case("false") || text == "0";
    element.children.iter().any(|child| child.name == "Sucesso" && is_false(child.text.trim()) || failed(child))
}

fn key_of_another<'e>(element: &'e Element<'_>) -> Option<&'e str> {
    KEYS.iter().find_map(|name| element.at(name))
}

/// The protocols of a file: for each access key, the status of its document.
pub(super) fn protocols(element: &Element<'_>, found: &mut HashMap<String, DocumentStatus>) {
    if element.name == "infProt" {
        let key = key_of_another(element).unwrap_or_default().to_owned();
        found.insert(key, DocumentStatus::of_protocol(element.at("cStat").unwrap_or_default()));
    }
    element.outside_items().for_each(|child| protocols(child, found));
}

/// The events of a file, one for each document that they name. A request that no authority has answered cancels nothing.
pub(super) fn events(element: &Element<'_>, found: &mut Vec<Event>) {
    // A summary is written only of an event that is registered.
    let is_summary = element.name == "resEvento";
    if element.name == "CFeCanc" {
        let key = element.first("infCFe").map(key).unwrap_or_default();
        return add(Event { cancels: !key.is_empty(), key, of_coupon: true }, found);
    }
    // A CT-e in the place of another.
    if element.name == "infCteSub" {
        let key = element.at("chCte").unwrap_or_default().to_owned();
        return add(Event { cancels: !key.is_empty(), key, of_coupon: false }, found);
    }
    if element.name != "infEvento" && !is_summary {
        return element.outside_items().for_each(|child| events(child, found));
    }
    let (key, cancels) = match element.find("pedRegEvento/infPedReg") {
        // The national system writes this element only for what it has registered.
        Some(service) => {
            let cancels = CANCELLING_SERVICE.iter().any(|name| service.first(name).is_some());
            (service.at("chNFSe"), cancels)
        }
        None => {
            let registered = is_summary || matches!(element.at("cStat"), Some("135" | "136" | "155"));
            let kind = element.at("tpEvento").unwrap_or_default();
            (key_of_another(element), registered && CANCELLING.contains(&kind))
        }
    };
    // An event about a document that is not read (MDF-e) has another name for its key.
    let key = key.unwrap_or_default().to_owned();
    // Without a key it cancels nothing.
    add(Event { cancels: cancels && !key.is_empty(), key, of_coupon: false }, found);
}

fn add(event: Event, found: &mut Vec<Event>) {
    match found.iter_mut().find(|known| known.key == event.key) {
        Some(known) => known.cancels |= event.cancels,
        None => found.push(event),
    }
}
