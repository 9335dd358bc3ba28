//! Requests to a server on this machine, with one key.

use std::time::Duration;

use serde_json::Value;

use super::certificates::ALL_VERSIONS;
use super::notes::form_of;
use super::{Raw, Reply};

/// Where the server listens, and the key that requests carry.
pub struct Client {
    /// Port it listens on.
    pub port: u16,
    /// Key that its requests carry.
    pub key: String,
    agent: ureq::Agent,
}

impl Client {
    pub fn new(port: u16, key: String, patience: Duration) -> Client {
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(patience));
        Client { port, key, agent: config.build().into() }
    }

    /// Opens a plain connection, for requests that ureq does not send.
    pub fn raw(&self) -> Raw {
        Raw::connect(self.port)
    }

    /// Opens a TLS connection.
    pub fn raw_tls(&self) -> Raw {
        Raw::connect_tls(self.port, ALL_VERSIONS).unwrap()
    }

    /// Returns the head of a calculation, without the empty line at its end.
    pub fn head(&self, more: &str) -> String {
        format!(
            "POST /v1/calculate HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\nContent-Type: application/json\r\n{more}",
            self.key
        )
    }

    /// Sends the head of a calculation and waits until the server asks for the body.
    #[track_caller]
    pub fn in_flight(&self, mut raw: Raw) -> Raw {
        raw.send(self.head("Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
        assert_eq!(raw.reply().status, 100, "the server waits for the body");
        raw
    }

    /// URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Asks for a calculation.
    pub fn calculate(&self, payload: &Value) -> Reply {
        self.post("/v1/calculate", payload.to_string())
    }

    /// Posts a body with the server's key.
    pub fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Reply {
        self.post_as(&self.key, path, body)
    }

    /// Posts a body with another key.
    pub fn post_as(&self, key: &str, path: &str, body: impl AsRef<[u8]>) -> Reply {
        let request = self.agent.post(self.url(path)).header("X-API-Key", key).content_type("application/json");
        Reply::of_ureq(request.send(body.as_ref()).unwrap())
    }

    /// Puts a body with another key.
    pub fn put_as(&self, key: &str, path: &str, body: impl AsRef<[u8]>) -> Reply {
        let request = self.agent.put(self.url(path)).header("X-API-Key", key).content_type("application/x-ndjson");
        Reply::of_ureq(request.send(body.as_ref()).unwrap())
    }

    /// Deletes with another key.
    pub fn delete_as(&self, key: &str, path: &str) -> Reply {
        Reply::of_ureq(self.agent.delete(self.url(path)).header("X-API-Key", key).call().unwrap())
    }

    /// Posts a form with another key.
    pub fn post_form(&self, key: &str, path: &str, files: &[(&str, &[u8])], texts: &[(&str, &str)]) -> Reply {
        let (content_type, body) = form_of(files, texts);
        let request = self.agent.post(self.url(path)).header("X-API-Key", key).content_type(content_type);
        Reply::of_ureq(request.send(body).unwrap())
    }

    /// Gets a path without a key.
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let request = headers.iter().fold(self.agent.get(self.url(path)), |r, (name, value)| r.header(*name, *value));
        Reply::of_ureq(request.call().unwrap())
    }

    /// Gets a path with a key.
    pub fn get_as(&self, key: &str, path: &str) -> Reply {
        self.get(path, &[("X-API-Key", key)])
    }

    /// Gets a path with the server's key.
    pub fn get_own(&self, path: &str) -> Reply {
        self.get_as(&self.key, path)
    }

    /// Gets the consumption of the account of a key (contract, section 2.5).
    #[track_caller]
    pub fn usage(&self, key: &str, recent: usize) -> Value {
        let reply = self.get_as(key, &format!("/v1/usage?recentes={recent}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }
}
