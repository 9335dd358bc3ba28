//! `GET /sandbox/v1/procura`: the rules of a product, the closest first, with their count.

use serde_json::{Value, json};

use crate::support::{DataDir, Server};

fn ask(server: &Server, query: &str) -> (u16, Value) {
    let answer = server.get(&format!("/sandbox/v1/procura?{query}"), &[("X-API-Key", server.key.as_str())]);
    (answer.status, answer.json())
}

fn found(server: &Server, query: &str) -> Value {
    let (status, found) = ask(server, query);
    assert_eq!(status, 200, "{query}: {found}");
    found
}

/// How many digits of the NCM a rule names; 0 for a rule of all products.
fn digits(rule: &Value, ncm: &str) -> usize {
    let prefixes = [rule["ncm"].as_array().cloned().unwrap_or_default(), vec![rule["ncm"].clone()]].concat();
    let prefixes = prefixes.iter().filter_map(Value::as_str).filter(|prefix| ncm.starts_with(prefix));
    prefixes.map(str::len).max().unwrap_or_default()
}

#[test]
fn the_rules_of_a_product_come_before_those_of_all_products_and_are_counted() {
    let server = DataDir::served();
    let of = |found: &Value| -> Vec<usize> {
        found["regras"].as_array().unwrap().iter().map(|rule| digits(rule, "22030000")).collect()
    };
    let country = of(&found(&server, "ncm=22030000&limit=500"));
    assert!(country[0] == 8 && country.windows(2).all(|pair| pair[0] >= pair[1]), "{country:?}");
    let all = found(&server, "ncm=22030000&uf=SP&limit=500");
    let (rules, of) = (all["regras"].as_array().unwrap(), of(&all));
    assert!(of[0] == 4 && of.windows(2).all(|pair| pair[0] >= pair[1]), "{of:?}");
    let general = of.iter().filter(|digits| **digits == 0).count();
    assert!(general > 0, "{of:?}");
    assert_eq!((&all["total"], &all["gerais"]), (&json!(of.len()), &json!(general)));
    // The same rules as those of the API, in another order.
    let mut ids: Vec<&str> = rules.iter().map(|rule| rule["rule_id"].as_str().unwrap()).collect();
    let listed = server.regras("ncm=22030000&uf=SP&limit=500");
    let mut expected: Vec<&str> = listed.iter().map(|rule| rule["rule_id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    // Pages are parts of it.
    for (page, from) in [(1, 0), (2, 7)] {
        let part = found(&server, &format!("ncm=22030000&uf=SP&limit=7&pagina={page}"));
        assert_eq!(part["regras"].as_array().unwrap()[..], rules[from..from + 7]);
        assert_eq!((&part["total"], &part["gerais"]), (&all["total"], &all["gerais"]));
    }
    let beyond = found(&server, "ncm=22030000&uf=SP&limit=500&pagina=1000000");
    assert_eq!((&beyond["regras"], &beyond["total"]), (&json!([]), &all["total"]));
    // A rule of a service before those of all services.
    let service = found(&server, "item_lista_servico=1.07&limit=500");
    let named: Vec<bool> =
        service["regras"].as_array().unwrap().iter().map(|rule| !rule["item_lista_servico"].is_null()).collect();
    assert!(named[0] && named.windows(2).all(|pair| pair[0] >= pair[1]), "{named:?}");
}

/// `lei complementar 214`, `lei 6.374/89` and `convênio 15/23` once found nothing, and `374` found 6.374.
#[test]
fn the_rules_of_a_law_are_found_however_its_number_is_written() {
    let server = DataDir::served();
    let total = |q: &str| found(&server, &format!("q={q}&limit=1"))["total"].as_u64().unwrap();
    for (number, ways) in [
        ("6.374/1989", &["6374", "6.374", "lei+6.374", "Lei+n%C2%BA+6.374", "lei+6374/1989", "lei+6.374/89"][..]),
        ("214/2025", &["lc+214/2025", "LC+n%C2%BA+214/2025", "lei+complementar+214/2025", "lc+214/25"]),
        ("15/2023", &["conv%C3%AAnio+15/2023", "convenio+icms+15/23", "Conv%C3%AAnio+n%C2%BA+15/2023"]),
    ] {
        let first = total(ways[0]);
        assert!(first > 0, "{number}");
        for way in ways {
            assert_eq!(total(way), first, "{way}");
            let rules = found(&server, &format!("q={way}&limit=50"));
            for rule in rules["regras"].as_array().unwrap() {
                assert!(rule["citacao_legal"].as_str().unwrap().contains(number), "{way}: {rule}");
            }
        }
    }
    assert_eq!(total("374"), 0, "a part of a number is another number");
    assert_eq!(server.regras("q=lei+6.374/89&limit=500").len(), server.regras("q=6374&limit=500").len());
}

#[test]
fn the_search_of_rules_needs_a_key_and_revalidates_by_its_tag() {
    let server = DataDir::served();
    assert_eq!(server.get("/sandbox/v1/procura", &[]).status, 401);
    // A list that has not changed is not sent again.
    let key = ("X-API-Key", server.key.as_str());
    let answer = server.get("/sandbox/v1/procura?ncm=22030000", &[key]);
    let tag = answer.header("etag").unwrap();
    assert_eq!(server.get("/sandbox/v1/procura?ncm=22030000", &[key, ("If-None-Match", tag)]).status, 304);
}
