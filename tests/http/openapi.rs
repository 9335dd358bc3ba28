//! `taxd openapi`: the description is the recorded one, its examples hold, and what the service
//! answers is described.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use crate::support::{DataDir, taxd};

/// If set, the recorded description is rewritten.
const REWRITE: &str = "TAXD_REWRITE_GOLDEN";

/// As it is printed, without a data directory.
fn printed() -> String {
    taxd(&DataDir::empty(), ["openapi"]).ok().stdout
}

fn description() -> Value {
    serde_json::from_str(&printed()).unwrap()
}

fn members<'v>(value: &'v Value, pointer: &str) -> &'v Map<String, Value> {
    value.pointer(pointer).and_then(Value::as_object).unwrap_or_else(|| panic!("no object at {pointer}"))
}

/// Resolves a reference.
fn resolved<'v>(description: &'v Value, value: &'v Value) -> &'v Value {
    match value["$ref"].as_str() {
        Some(link) => description.pointer(link.trim_start_matches('#')).unwrap_or_else(|| panic!("{link}")),
        None => value,
    }
}

/// The first member of an answer that its schema does not name; of schemas distinguished by
/// `tributo`, that of the answer counts.
fn undescribed(description: &Value, schemas: &[&Value], value: &Value, at: &str) -> Option<String> {
    let mut flat: Vec<&Value> = Vec::new();
    let mut open: Vec<&Value> = schemas.to_vec();
    while let Some(schema) = open.pop() {
        let schema = resolved(description, schema);
        flat.push(schema);
        open.extend(schema["allOf"].as_array().into_iter().flatten());
        open.extend(schema["anyOf"].as_array().into_iter().flatten());
        if let Some(link) = value["tributo"].as_str().and_then(|t| schema["discriminator"]["mapping"][t].as_str()) {
            open.push(description.pointer(link.trim_start_matches('#')).unwrap());
        }
    }
    match value {
        Value::Object(object) => object.iter().find_map(|(name, inner)| {
            let named: Vec<&Value> = flat.iter().filter_map(|s| s["properties"].get(name)).collect();
            if named.is_empty() {
                // An object of which nothing is said may hold anything: a logged payload.
                let free = flat.iter().any(|s| s["type"] == "object") && flat.iter().all(|s| s["properties"].is_null());
                return (!free).then(|| format!("{at}.{name}"));
            }
            undescribed(description, &named, inner, &format!("{at}.{name}"))
        }),
        Value::Array(items) => {
            let inner: Vec<&Value> = flat.iter().filter_map(|s| s.get("items")).collect();
            items.iter().find_map(|item| undescribed(description, &inner, item, &format!("{at}[]")))
        }
        _ => None,
    }
}

#[test]
fn the_description_is_the_recorded_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/openapi.json");
    let printed = printed();
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let first = printed.lines().zip(recorded.lines()).enumerate().find(|(_, (now, then))| now != then);
    assert!(
        printed == recorded,
        "`taxd openapi` prints another description than tests/golden/openapi.json, first at {first:?}; where that is meant, run this test with {REWRITE}=1"
    );
}

#[test]
fn every_example_is_answered_as_it_says() {
    let server = DataDir::served();
    let description = description();
    let operation = &description["paths"]["/v1/calculate"]["post"];
    let requests = members(operation, "/requestBody/content/application~1json/examples");
    let answers = members(operation, "/responses/200/content/application~1json/examples");
    assert_eq!((requests.len(), answers.len()), (20, 20));
    for (name, request) in requests {
        assert_eq!(server.calculate(&request["value"]).envelope(), answers[name]["value"], "{name}");
    }
    let mut asked = 0;
    let refusals = members(&description, "/components/examples").iter();
    for (codigo, example) in refusals.filter(|(name, _)| !["consumo", "correcoes"].contains(&name.as_str())) {
        let wanted = &example["value"];
        assert_eq!((wanted["codigo"].as_str(), &wanted["title"]), (Some(codigo.as_str()), &example["summary"]));
        assert!(wanted["detail"].as_str().is_some_and(|detail| detail.len() > 20), "{wanted}");
        let Some(payload) = example["description"].as_str() else { continue };
        let payload = payload.split('`').nth(1).unwrap();
        let mut given = server.post("/v1/calculate", payload).json();
        given["request_id"] = wanted["request_id"].clone();
        assert_eq!(given, *wanted, "{payload}");
        asked += 1;
    }
    assert!(asked > 35, "{asked} refusals were asked for");
}

/// Generated clients once lost every answer of success: `const` without a type, three schemas with one title,
/// a property that two parts of an `allOf` declare. A tag with an accent made a class `ClculoApi`.
#[test]
fn generators_of_clients_find_types_and_names() {
    let description = description();
    for operation in members(&description, "/paths").values().flat_map(|path| path.as_object().unwrap().values()) {
        assert!(operation["tags"][0].as_str().is_some_and(str::is_ascii), "{}", operation["tags"]);
    }
    let schemas = members(&description, "/components/schemas");
    let mut titles = BTreeSet::new();
    for (name, schema) in schemas {
        assert!(schema["title"].as_str().is_none_or(|title| titles.insert(title)), "{name} has a title of another");
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(object) => {
                    assert!(!object.contains_key("const"), "{name}: {value}");
                    assert!(!object.contains_key("enum") || object["type"] == "string", "{name}: {value}");
                    // A condition is for validators; generators pass over it.
                    open.extend(object.iter().filter(|(keyword, _)| *keyword != "if").map(|(_, inner)| inner));
                }
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
        let parts: Vec<&Value> =
            schema["allOf"].as_array().into_iter().flatten().map(|part| resolved(&description, part)).collect();
        let declared: Vec<&String> =
            parts.iter().filter_map(|p| p["properties"].as_object()).flat_map(Map::keys).collect();
        let twice: Vec<_> =
            declared.iter().filter(|one| declared.iter().filter(|other| other == one).count() > 1).collect();
        assert!(twice.iter().all(|name| **name == "tributo"), "{name} declares {twice:?} twice");
    }
}

#[test]
fn every_code_and_every_address_is_there() {
    let description = description();
    let addresses: Vec<&String> = members(&description, "/paths").keys().collect();
    let of_lists = ["/v1/listas", "/v1/listas/{nome}", "/v1/listas/{nome}/mudancas"];
    let others = ["/v1/calculate", "/v1/regras", "/v1/changelog", "/v1/usage", "/v1/tratamento", "/v1/correcoes"];
    assert_eq!(addresses, [others.as_slice(), &of_lists].concat());
    let mut linked = BTreeSet::new();
    let mut open = vec![&description["paths"], &description["components"]["responses"]];
    while let Some(value) = open.pop() {
        linked.extend(value["$ref"].as_str().and_then(|link| link.strip_prefix("#/components/examples/")));
        match value {
            Value::Object(object) => open.extend(object.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    let examples: BTreeSet<&str> = members(&description, "/components/examples").keys().map(String::as_str).collect();
    assert_eq!(linked, examples, "an example that no answer shows, or an answer without it");
    let codes = description["components"]["schemas"]["Codigo"]["enum"].as_array().unwrap();
    assert_eq!(codes.len() + 2, examples.len(), "each code has an example, and consumption and corrections have one");
}

#[test]
fn nothing_is_answered_that_is_not_described() {
    let server = DataDir::served();
    let description = description();
    let schema = |path: &str, method: &str| {
        let place =
            format!("/paths/{}/{method}/responses/200/content/application~1json/schema", path.replace('/', "~1"));
        description.pointer(&place).unwrap_or_else(|| panic!("{place}"))
    };
    for request in
        members(&description, "/paths/~1v1~1calculate/post/requestBody/content/application~1json/examples").values()
    {
        let answer = server.post("/v1/calculate?memoria=true", request["value"].to_string()).envelope();
        assert_eq!(undescribed(&description, &[schema("/v1/calculate", "post")], &answer, ""), None, "{answer}");
    }
    let taxes = members(&description, "/paths/~1v1~1calculate/post/requestBody/content/application~1json/examples");
    for tax in taxes.keys() {
        let page = server.get_own(&format!("/v1/regras?limit=500&tributo={tax}")).json();
        assert!(page["regras"].as_array().is_some_and(|rules| !rules.is_empty()), "{tax}");
        assert_eq!(undescribed(&description, &[schema("/v1/regras", "get")], &page, tax), None);
    }
    for path in ["/v1/changelog", "/v1/usage"] {
        let answer = server.get_own(path).json();
        assert_eq!(undescribed(&description, &[schema(path, "get")], &answer, path), None, "{answer}");
    }
    for product in
        ["ncm=40111000&cest=1600100&uf_origem=MG&uf_destino=SP", "ncm=10063021", "ncm=22030000&uf_destino=BA"]
    {
        let answer = server.get_own(&format!("/v1/tratamento?data=2026-03-10&{product}")).json();
        assert_eq!(undescribed(&description, &[schema("/v1/tratamento", "get")], &answer, product), None, "{answer}");
    }
    let refusal = server.post("/v1/calculate", r#"{"tributo": "icms_st"}"#).json();
    let problem = &description["components"]["schemas"]["Problema"];
    assert_eq!(undescribed(&description, &[problem], &refusal, ""), None, "{refusal}");
    let probe = serde_json::json!({"tributo": "icms", "detalhes": {"nada": 1}});
    let found = undescribed(&description, &[schema("/v1/calculate", "post")], &probe, "");
    assert_eq!(found.as_deref(), Some(".detalhes.nada"), "the check sees what it should");
}
