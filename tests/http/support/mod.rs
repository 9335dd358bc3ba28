//! Shared by all tests: data directories, servers, clients, and the command line.

mod accounts;
mod at_end;
mod bundle;
pub mod certificates;
mod client;
mod command;
mod crowd;
mod data_dir;
pub mod golden;
mod in_process;
pub mod large;
mod notes;
mod own_rules;
mod raw;
pub mod receiver;
mod reply;
mod server;
mod signers;
mod small_disk;
pub mod webhooks;

pub use accounts::{Account, Key};
pub use at_end::AtEnd;
pub use bundle::{bundle, rule};
pub use client::Client;
pub use command::{Done, finish, program, taxd, taxd_nowhere, taxd_with_input};
pub use crowd::Crowd;
pub use data_dir::{DataDir, live_key};
pub use in_process::InProcess;
pub use notes::{COMPANY, RIGHT, SEEDS, Seed, form_of, zip_of};
pub use own_rules::{OwnRules, ids};
pub use raw::Raw;
pub use reply::{Reply, assert_rule, code_of};
pub use server::{Server, serve_command};
pub use signers::Signers;
pub use small_disk::SmallDisk;

use serde_json::{Value, json};

/// What the sandbox page knows of each tax. A tax that is declared as another (`como`) is sent without the members
/// that it shares; they are added here.
pub fn declared_taxes(client: &Client) -> Vec<Value> {
    let sent = client.get("/sandbox/tributos.json", &[]).json();
    let sent = sent.as_array().unwrap();
    let own = |tax: &Value| sent.iter().find(|other| other["tributo"] == tax["como"]).map_or(json!({}), Value::clone);
    sent.iter().map(|tax| with(&own(tax), tax)).collect()
}

/// Returns the examples of the taxes that the sandbox serves.
pub fn examples(client: &Client) -> Vec<Value> {
    declared_taxes(client).into_iter().map(|tax| tax["exemplo"].clone()).collect()
}

/// Returns `base` with the members of `changes`. A null member is removed.
pub fn with(base: &Value, changes: &Value) -> Value {
    let mut out = base.clone();
    let members = out.as_object_mut().expect("a payload is an object");
    for (name, value) in changes.as_object().expect("changes are an object") {
        if value.is_null() {
            members.remove(name);
        } else {
            members.insert(name.clone(), value.clone());
        }
    }
    out
}

/// The answer without its sentences and the mark of the cache: a person reads other words than a program, of the same.
pub fn without_sentences(answer: &Value) -> Value {
    const LEFT_OUT: [&str; 6] = ["avisos", "cached", "descricao", "detail", "detalhe", "motivo"];
    match answer {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
            kept.map(|(name, value)| (name.clone(), without_sentences(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_sentences).collect(),
        other => other.clone(),
    }
}
