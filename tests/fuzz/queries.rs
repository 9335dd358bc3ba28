//! Queries of the largest size that is read.

use super::Input;

/// Room for the query in the largest head that is read: 16 KiB with the path and the usual headers.
const MAX_BYTES: usize = 15 * 1024;

const PATHS: [&str; 5] = ["/v1/regras", "/v1/changelog", "/v1/usage", "/v1/calculate", "/v1/tratamento"];

fn filled(part: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0.. {
        let next = part(i);
        if text.len() + next.len() > MAX_BYTES {
            break;
        }
        text.push_str(&next);
    }
    text
}

/// Every one at every address.
pub fn queries() -> Vec<Input> {
    let long = |part: &str, parameters: usize| {
        let value = part.repeat(MAX_BYTES / parameters / part.len() - 8);
        move |i: usize| format!("p{i:02}={value}&")
    };
    let one = |name: &str, part: &str| format!("{name}={}", part.repeat((MAX_BYTES - name.len()) / part.len() - 1));
    let mut cases = vec![
        ("different parameters", filled(|i| format!("{i:x}&"))),
        ("one parameter again and again", filled(|_| "a&".to_owned())),
        ("a filter again and again", filled(|_| "uf=SP&".to_owned())),
        ("nothing again and again", filled(|_| "&".to_owned())),
        ("fifty long parameters", (0..50).map(long("a", 50)).collect()),
        ("fifty long parameters with escapes", (0..50).map(long("%20", 50)).collect()),
        ("one long name", one("", "a")),
        ("bytes that are no UTF-8", one("q", "%ff")),
    ];
    let parameters = [
        "tributo",
        "uf",
        "uf_origem",
        "municipio",
        "ncm",
        "ex",
        "item_lista_servico",
        "rule_code",
        "rule_id",
        "vigente_em",
        "situacao",
        "q",
        "limit",
        "cursor",
        "desde",
        "recentes",
        "memoria",
        "conhecido_em",
    ];
    for name in parameters {
        cases.push((name, one(name, "a")));
        cases.push((name, one(name, "1")));
        cases.push((name, one(name, "%C3%A3+")));
    }
    let municipality = "x".repeat(60);
    cases.push(("a municipality", format!("uf=MG&municipio={municipality}")));
    let input = |path: &str, name: &str, query: &str| {
        let body = (path == "/v1/calculate").then(|| b"{}".to_vec());
        Input { name: format!("{path}: {name}"), path: format!("{path}?{query}"), body }
    };
    PATHS.iter().flat_map(|path| cases.iter().map(move |(name, query)| input(path, name, query))).collect()
}
