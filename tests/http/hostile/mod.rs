//! Bad input of every kind: a 4xx that says what is wrong, never a 5xx, a hang, or a
//! silently wrong figure; and a server that is as well as before.

mod bodies;
mod connections;
mod documents;
mod floods;
mod fuzz;
mod heads;
mod keys;
mod requests;
mod values;

use serde_json::{Value, json};

use crate::support::Server;

/// A payload that the built-in rules answer with 180.00.
fn good() -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
           "data_operacao": "2026-03-10"})
}

/// The server answers a good payload as ever.
#[track_caller]
fn still_well(server: &Server) {
    assert_eq!(server.calculate(&good()).envelope()["valor"], "180.00");
}

/// The examples of the twelve taxes, as the sandbox serves them.
fn examples(server: &Server) -> Vec<Value> {
    let taxes = server.get("/sandbox/tributos.json", &[]).json();
    taxes.as_array().unwrap().iter().map(|t| serde_json::from_str(t["exemplo"].as_str().unwrap()).unwrap()).collect()
}
