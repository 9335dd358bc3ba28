//! A client of the API that knows only the contract: `/v1`, JSON bodies and the header `X-API-Key`.

use std::time::Duration;

use serde_json::Value;

/// Time after which a request fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client with one key.
pub struct Api {
    base_url: String,
    key: String,
    agent: ureq::Agent,
}

/// Status, headers and body.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub body: Vec<u8>,
}

impl Api {
    pub fn new(port: u16, key: &str) -> Api {
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        Api { base_url: format!("http://127.0.0.1:{port}"), key: key.to_owned(), agent: config.build().into() }
    }

    /// Returns a client of the same server with another key.
    pub fn with_key(&self, key: &str) -> Api {
        Api { base_url: self.base_url.clone(), key: key.to_owned(), agent: self.agent.clone() }
    }

    /// Sends a request with these headers alone.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answered {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base_url));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let sent = match body {
            "" => self.agent.run(request.body(()).unwrap()),
            body => self.agent.run(request.body(body.to_owned()).unwrap()),
        };
        let (head, mut body) = sent.unwrap().into_parts();
        Answered { status: head.status.as_u16(), headers: head.headers, body: body.read_to_vec().unwrap() }
    }

    /// Gets a path with the key.
    pub fn get(&self, path: &str) -> Answered {
        self.send("GET", path, &[("X-API-Key", &self.key)], "")
    }

    /// Posts a text to `/v1/calculate`.
    pub fn post(&self, body: &str) -> Answered {
        let headers = [("X-API-Key", self.key.as_str()), ("Content-Type", "application/json")];
        self.send("POST", "/v1/calculate", &headers, body)
    }

    /// Asks for a calculation.
    pub fn calculate(&self, payload: &Value) -> Answered {
        self.post(&payload.to_string())
    }

    /// Asks for a calculation that must succeed. Returns the envelope.
    #[track_caller]
    pub fn envelope(&self, payload: &Value) -> Value {
        self.calculate(payload).ok()
    }

    /// Asserts the amount and the named entries of `detalhes`. Returns the envelope.
    #[track_caller]
    pub fn shows(&self, payload: &Value, valor: &str, detalhes: &Value) -> Value {
        let envelope = self.envelope(payload);
        assert_eq!(envelope["valor"], valor, "{envelope}");
        for (name, wanted) in detalhes.as_object().unwrap() {
            assert_eq!(&envelope["detalhes"][name], wanted, "{name}: {envelope}");
        }
        envelope
    }

    /// Returns the status of a calculation.
    pub fn status(&self, payload: &Value) -> u16 {
        self.calculate(payload).status
    }
}

impl Answered {
    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns the body of a success.
    #[track_caller]
    pub fn ok(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, 200, "{json}");
        json
    }

    /// Returns the body of a refusal with this status.
    #[track_caller]
    pub fn refused(&self, status: u16) -> Value {
        let json = self.json();
        assert_eq!(self.status, status, "{json}");
        json
    }

    /// Returns the header of that name.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }
}
