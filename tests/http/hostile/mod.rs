//! Bad input of every kind: a 4xx that says what is wrong, never a 5xx, a hang, or a
//! silently wrong figure; and a server that is as well as before.

mod bodies;
mod connections;
mod damaged;
mod documents;
mod floods;
mod fuzz;
mod heads;
mod keys;
mod lists;
mod memory;
mod page_files;
mod requests;
mod upload_places;
mod values;

use serde_json::{Value, json};

use crate::support::{Server, examples};

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
