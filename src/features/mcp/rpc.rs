//! JSON-RPC 2.0, a message a line.

use std::io::{self, BufRead, Read};

use serde_json::{Map, Value, json};

/// Most bytes of a message: a question has some hundred.
const MAX_LINE_BYTES: u64 = 1024 * 1024;

/// What is wrong with a message, by the codes of JSON-RPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RpcFault {
    NotJson = -32700,
    NotARequest = -32600,
    UnknownMethod = -32601,
    BadParameters = -32602,
}

/// What the other side sent.
#[derive(Debug)]
pub(super) enum Received {
    /// Nothing more.
    End,
    /// It needs no reply.
    Notification,
    Request {
        id: Value,
        method: String,
        params: Map<String, Value>,
    },
    /// It is not a request; the reply.
    Faulty(Value),
}

/// Reads the next message. Blank lines are passed over. A line that is too long is discarded to its end.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Received> {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(Received::End);
        }
        if !line.ends_with(b"\n") && u64::try_from(read).is_ok_and(|read| read == MAX_LINE_BYTES) {
            input.skip_until(b'\n')?;
            return Ok(Received::Faulty(failure(
                &Value::Null,
                RpcFault::NotARequest,
                "the message is longer than 1 MiB",
            )));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(message(&line));
        }
    }
}

fn message(line: &[u8]) -> Received {
    let faulty = |fault, detail: &str| Received::Faulty(failure(&Value::Null, fault, detail));
    let mut members = match serde_json::from_slice(line) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return faulty(RpcFault::NotARequest, "a message is a JSON object"),
        Err(error) => return faulty(RpcFault::NotJson, &format!("the line is not JSON: {error}")),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return faulty(RpcFault::NotARequest, "`jsonrpc` is \"2.0\"");
    }
    let id = members.remove("id");
    let Some(Value::String(method)) = members.remove("method") else {
        // An answer to a request: this program makes none.
        let is_answer = members.contains_key("result") || members.contains_key("error");
        return if is_answer { Received::Notification } else { faulty(RpcFault::NotARequest, "`method` is a text") };
    };
    let id = match id {
        None => return Received::Notification,
        Some(id @ (Value::String(_) | Value::Number(_))) => id,
        Some(_) => return faulty(RpcFault::NotARequest, "`id` is a text or a number"),
    };
    match members.remove("params") {
        None => Received::Request { id, method, params: Map::new() },
        Some(Value::Object(params)) => Received::Request { id, method, params },
        Some(_) => Received::Faulty(failure(&id, RpcFault::BadParameters, "`params` is an object")),
    }
}

pub(super) fn success(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(super) fn failure(id: &Value, fault: RpcFault, detail: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": fault as i32, "message": detail}})
}
