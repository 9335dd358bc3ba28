//! An answer of the service, and checks that every answer of a kind must pass.

use serde_json::Value;

/// Status, headers and body.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub(super) fn of_ureq(response: ureq::http::Response<ureq::Body>) -> Reply {
        let (head, mut body) = response.into_parts();
        Reply {
            status: head.status.as_u16(),
            headers: head
                .headers
                .iter()
                .map(|(n, v)| (n.as_str().to_owned(), String::from_utf8_lossy(v.as_bytes()).into_owned()))
                .collect(),
            body: body.with_config().limit(1 << 30).read_to_vec().unwrap(),
        }
    }

    /// Returns the header of that name. Fails if there is more than one.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name));
        let value = found.next().map(|(_, v)| v.as_str());
        assert!(found.next().is_none(), "{name} is there twice: {self:?}");
        value
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a body is UTF-8")
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns the members of the rate limit: `RateLimit-Limit`, `-Remaining`, `-Reset`.
    #[track_caller]
    pub fn limits(&self) -> [u64; 3] {
        ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map(|name| {
            let text = self.header(name).unwrap_or_else(|| panic!("no {name}: {self:?}"));
            text.parse().unwrap_or_else(|e| panic!("{name}: {e}: {text}"))
        })
    }

    /// Checks a refusal over a limit. Returns the seconds of `Retry-After`, which `RateLimit-Reset` repeats.
    #[track_caller]
    pub fn retry_after(&self, codigo: &str) -> u64 {
        self.problem(429, codigo);
        let seconds = self.header("retry-after").and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("{self:?}"));
        let [_, remaining, reset] = self.limits();
        assert_eq!((remaining, reset), (0, seconds), "{self:?}");
        seconds
    }

    /// Checks and returns the envelope of a result (contract, section 2.2).
    #[track_caller]
    pub fn envelope(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, 200, "{json}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert!(self.header("x-request-id").is_some_and(|id| !id.is_empty()));
        assert!(json["tributo"].is_string() && json["valor"].is_string(), "{json}");
        assert_cents(&json["valor"]);
        assert_rule(&json["regra"]);
        assert!(json["detalhes"].is_object() && json["cached"].is_boolean(), "{json}");
        let sentences = |name: &str| json.get(name).map(|list| list.as_array().map(Vec::len));
        assert_eq!(sentences("condicoes_dos_avisos"), sentences("avisos"), "{json}");
        json
    }

    /// Checks and returns the problem document of a refusal (design, section 2).
    #[track_caller]
    pub fn problem(&self, status: u16, codigo: &str) -> Value {
        let json = self.json();
        assert_eq!((self.status, json["codigo"].as_str()), (status, Some(codigo)), "{json}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(json["type"], format!("urn:taxd:erro:{codigo}"));
        assert_eq!(json["status"], status);
        for member in ["title", "detail"] {
            assert!(json[member].as_str().is_some_and(|t| t.len() > 5), "{member}: {json}");
        }
        assert_eq!(json["request_id"].as_str(), self.header("x-request-id"), "{json}");
        assert!(json["request_id"].as_str().is_some_and(|id| !id.is_empty()), "{json}");
        json
    }

    /// Checks a refusal of one field of the payload.
    #[track_caller]
    pub fn refuses_field(&self, codigo: &str, campo: &str) -> Value {
        // A municipality that the UF lacks has no rule.
        let status = if codigo == "municipio_desconhecido" { 404 } else { 422 };
        let json = self.problem(status, codigo);
        assert_eq!(json["campo"], campo, "{json}");
        let erros = json["erros"].as_array().unwrap_or_else(|| panic!("no erros: {json}"));
        assert_eq!(erros.len(), 1, "{json}");
        assert_eq!((&erros[0]["campo"], &erros[0]["codigo"]), (&Value::from(campo), &Value::from(codigo)), "{json}");
        assert!(erros[0]["detail"].as_str().is_some_and(|t| t.len() > 5), "{json}");
        json
    }
}

/// Returns whether the value is a decimal string with two places.
#[track_caller]
pub fn assert_cents(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("not a string: {value}"));
    let (integer, cents) = text.split_once('.').unwrap_or_else(|| panic!("no cents: {text}"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    assert!(digits(integer) && digits(cents) && cents.len() == 2, "{text}");
}

/// Checks the cited rule: four members, none empty, and how well its figures are established, if it says so.
#[track_caller]
pub fn assert_rule(rule: &Value) {
    let id = rule["rule_id"].as_str().unwrap_or_else(|| panic!("no rule_id: {rule}"));
    let version = id.rsplit_once("-v").map(|(_, v)| v.split('.').all(|n| n.parse::<u32>().is_ok()));
    assert_eq!(version, Some(true), "{id}");
    assert!(rule["citacao_legal"].as_str().is_some_and(|t| t.len() > 5), "{rule}");
    let date = |v: &Value| v.as_str().is_some_and(|d| d.len() == 10 && d.as_bytes()[4] == b'-');
    assert!(date(&rule["vigente_de"]), "{rule}");
    assert!(rule["vigente_ate"].is_null() || date(&rule["vigente_ate"]), "{rule}");
    let members = 4 + usize::from(rule.get("conferencia").is_some());
    assert_eq!(
        rule.as_object().map(serde_json::Map::len),
        Some(members),
        "vigente_ate is there even when null: {rule}"
    );
}

/// Returns the code of the cited rule, without its version: a built-in rule can get a newer version.
#[track_caller]
pub fn code_of(answer: &Value) -> &str {
    let id = answer["regra"]["rule_id"].as_str().unwrap_or_else(|| panic!("no rule: {answer}"));
    id.rsplit_once("-v").map_or(id, |(code, _)| code)
}
