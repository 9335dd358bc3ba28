//! A count of an account's calls, kept by the test beside the service's own.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::good;
use crate::support::{Client, Reply};

/// Members of a payload that no tax of the contract has.
const FOREIGN: [&str; 2] = ["cliente", "observacao"];

/// The calls made through it, in their order, as `recentes` must show them.
pub struct Ledger<'s> {
    client: &'s Client,
    key: String,
    rows: Vec<Value>,
}

impl<'s> Ledger<'s> {
    /// Of an account that has made no call.
    pub fn new(client: &'s Client, key: &str) -> Ledger<'s> {
        Ledger { client, key: key.to_owned(), rows: Vec::new() }
    }

    /// Of an account that has made these calls.
    pub fn resume(client: &'s Client, key: &str, rows: Vec<Value>) -> Ledger<'s> {
        Ledger { rows, ..Ledger::new(client, key) }
    }

    /// The calls, to go on with them on another server.
    pub fn rows(self) -> Vec<Value> {
        self.rows
    }

    /// How many calls were made.
    pub fn calls(&self) -> usize {
        self.rows.len()
    }

    fn note(&mut self, reply: &Reply, resumo: &str, request: &Value) {
        let answer: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let row = json!({
            "status_code": reply.status,
            "cached": answer["cached"] == true,
            "rule_id": answer["regra"]["rule_id"].as_str().unwrap_or_default(),
            "resumo": resumo,
            "request": request,
        });
        self.rows.push(row);
    }

    /// Asks for a calculation whose payload has only fields of its tax, or foreign ones.
    pub fn calculate(&mut self, payload: &Value) -> Reply {
        let mut request = payload.clone();
        for name in FOREIGN {
            request.as_object_mut().unwrap().remove(name);
        }
        let resumo = format!("POST /v1/calculate ({})", payload["tributo"].as_str().unwrap());
        self.post("/v1/calculate", &payload.to_string(), &resumo, &request)
    }

    /// Posts a body of which `request` is kept.
    pub fn post(&mut self, path: &str, body: &str, resumo: &str, request: &Value) -> Reply {
        let reply = self.client.post_as(&self.key, path, body);
        self.note(&reply, resumo, request);
        reply
    }

    /// Gets a path.
    pub fn get(&mut self, path: &str) -> Reply {
        self.get_with(path, &[])
    }

    /// The same with more headers.
    pub fn get_with(&mut self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let reply = self.client.get(path, &[headers, &[("X-API-Key", &self.key)]].concat());
        let resumo = format!("GET {}", path.split('?').next().unwrap());
        self.note(&reply, &resumo, &json!({}));
        reply
    }

    /// Gets a path, and how long that took.
    pub fn timed_get(&mut self, path: &str) -> Duration {
        let start = Instant::now();
        self.get(path);
        start.elapsed()
    }

    /// A calculation whose body comes that much later than its head; how long it took.
    pub fn slow_calculate(&mut self, pause: Duration) -> Duration {
        let (payload, start) = (good(), Instant::now());
        let body = payload.to_string();
        let head = self.client.head(&format!("Expect: 100-continue\r\nContent-Length: {}\r\n\r\n", body.len()));
        let mut raw = self.client.raw();
        raw.send(head.replace(&self.client.key, &self.key));
        assert_eq!(raw.reply().status, 100);
        std::thread::sleep(pause);
        let reply = raw.send(body).reply();
        let took = start.elapsed();
        self.note(&reply, "POST /v1/calculate (ipi)", &payload);
        took
    }

    /// The service's count is this one; it is a call itself, counted in the next one.
    #[track_caller]
    pub fn check(&mut self) -> Value {
        let usage = self.client.usage(&self.key, 50);
        self.check_shown(&usage);
        let reply = Reply { status: 200, headers: Vec::new(), body: Vec::new() };
        self.note(&reply, "GET /v1/usage", &json!({}));
        usage
    }

    /// A document of consumption with 50 calls says what this one says.
    #[track_caller]
    pub fn check_shown(&self, usage: &Value) {
        let classes =
            |class: u64| self.rows.iter().filter(|r| r["status_code"].as_u64().unwrap() / 100 == class).count();
        assert_eq!([&usage["total_chamadas"], &usage["chamadas_24h"]], [self.calls(), self.calls()], "{usage}");
        let counted = json!({"sucesso_2xx": classes(2), "nao_modificado_3xx": classes(3),
            "erro_cliente_4xx": classes(4), "erro_servidor_5xx": classes(5)});
        assert_eq!(usage["status"], counted);
        let used = self.rows.iter().filter(|r| ![401, 403, 429].map(Value::from).contains(&r["status_code"])).count();
        // The call that asks was admitted before it is answered.
        let asked = usage["cota"]["usada"].as_u64().unwrap() - used as u64;
        assert!(asked <= 1, "{used} of {}", usage["cota"]);
        let shown = usage["recentes"].as_array().unwrap();
        assert_eq!(shown.len(), self.calls().min(50));
        for (shown, wanted) in shown.iter().zip(self.rows.iter().rev()) {
            let mut shown = shown.clone();
            for varying in ["created_at", "latency_ms", "chave"] {
                assert!(shown.as_object_mut().unwrap().remove(varying).is_some_and(|v| !v.is_null()), "{shown}");
            }
            assert_eq!(&shown, wanted);
        }
    }
}
