//! `GET /v1/changelog` (contract, sections 2.6 and 4.3).

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::{OwnRules, Server, bundle, ids, rule, with};

const PATH: &str = "/v1/changelog";

/// IPVA rules of the first states, all of one version.
fn ipvas(versao: &str, de: &str) -> Vec<Value> {
    ["AC", "AL", "AM", "AP", "BA", "CE", "DF"]
        .iter()
        .map(|uf| {
            let code = format!("ipva-{}", uf.to_lowercase());
            let rule = rule(&code, "ipva", &json!({"uf": uf}), &json!({"aliquota": "2.00"}));
            with(&rule, &json!({"versao": versao, "vigente_de": de}))
        })
        .collect()
}

/// Three publications: 7 events, then 14, then 14 with retroactive ones.
fn three_publications() -> OwnRules {
    let own = OwnRules::of(&ipvas("1.0", "2020-01-01"));
    own.publish(&ipvas("1.1", "2023-01-01"));
    own.publish(&ipvas("2.0", "2023-01-01"));
    own
}

fn instants(events: &[Value]) -> Vec<&str> {
    events.iter().map(|e| e["publicado_em"].as_str().unwrap()).collect()
}

/// All pages by their `Link` headers, each page being full but the last.
#[track_caller]
fn walk(server: &Server, query: &str, limit: usize) -> Vec<Value> {
    let mut path = format!("{PATH}?{query}&limit={limit}");
    let mut all = Vec::new();
    loop {
        let reply = server.get_own(&path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let page = reply.json().as_array().unwrap().clone();
        let full = page.len() == limit;
        all.extend(page);
        let Some(link) = reply.header("link") else { return all };
        assert!(full, "a page before the last is full");
        let (target, rel) = link.split_once(">; ").unwrap_or_else(|| panic!("{link}"));
        assert_eq!(rel, "rel=\"next\"");
        target.strip_prefix('<').unwrap_or_else(|| panic!("{link}")).clone_into(&mut path);
        assert!(path.starts_with(PATH), "{path}");
    }
}

#[test]
fn the_latest_comes_first_and_a_publication_keeps_one_order() {
    let own = three_publications();
    let server = own.serve();
    let events = server.changelog("");
    assert_eq!(events.len(), 7 + 14 + 14);
    let instants = instants(&events);
    assert!(instants.windows(2).all(|pair| pair[0] >= pair[1]), "{instants:?}");
    assert_eq!(instants.iter().collect::<HashSet<_>>().len(), 3, "one instant a publication");
    let tipos =
        |events: &[Value]| events.iter().map(|e| e["tipo"].as_str().unwrap().to_owned()).collect::<HashSet<_>>();
    assert_eq!(tipos(&events[..14]), ["publicacao", "substituicao_retroativa"].map(str::to_owned).into());
    assert_eq!(tipos(&events[14..28]), ["publicacao", "substituicao"].map(str::to_owned).into());
    assert_eq!(tipos(&events[28..]), ["publicacao"].map(str::to_owned).into());
    assert_eq!(server.changelog(""), events);
    drop(server);
    let server = own.serve();
    assert_eq!(server.changelog(""), events, "after a restart");
    own.publish(&[rule("ipva-to", "ipva", &json!({"uf": "TO"}), &json!({"aliquota": "1.00"}))]);
    let later = server.changelog("");
    assert_eq!((ids(&later[..1]), &later[1..]), (vec!["ipva-to-v1.0"], events.as_slice()));
}

#[test]
fn links_reach_every_event_once_whatever_the_page() {
    let own = three_publications();
    let server = own.serve();
    let whole = server.changelog("limit=500");
    for limit in [1, 2, 7, 14, 34, 35, 36] {
        assert_eq!(walk(&server, "", limit), whole, "{limit} a page");
    }
    let today = instants(&whole)[0][..10].to_owned();
    // Both publications may lie on two days where midnight comes between; then fewer remain.
    let of_today: Vec<Value> =
        whole.iter().filter(|e| e["publicado_em"].as_str().unwrap() >= today.as_str()).cloned().collect();
    assert_eq!(walk(&server, &format!("desde={today}"), 3), of_today);
}

#[test]
fn a_publication_between_two_pages_moves_no_event() {
    let own = three_publications();
    let server = own.serve();
    let whole = server.changelog("limit=500");
    let first = server.get_own(&format!("{PATH}?limit=10"));
    let link = first.header("link").unwrap();
    own.publish(&[rule("ipva-to", "ipva", &json!({"uf": "TO"}), &json!({"aliquota": "1.00"}))]);
    let path = link.trim_start_matches('<').split('>').next().unwrap();
    let second = server.get_own(path).json();
    assert_eq!(second.as_array().unwrap()[..], whole[10..20]);
}

#[test]
fn desde_is_a_day_in_utc_and_that_day_is_in() {
    let own = three_publications();
    let server = own.serve();
    let all = server.changelog("");
    let (first_day, last_day) = (&instants(&all)[34][..10], &instants(&all)[0][..10]);
    assert_eq!(server.changelog(&format!("desde={first_day}")), all);
    assert!(ids(&server.changelog(&format!("desde={last_day}"))).contains(&all[0]["rule_id"].as_str().unwrap()));
    assert_eq!(server.changelog("desde=2020-01-01"), all);
    let tomorrow = jiff::civil::Date::strptime("%Y-%m-%d", last_day).unwrap().tomorrow().unwrap();
    assert_eq!(server.changelog(&format!("desde={tomorrow}")), Vec::<Value>::new());
    assert_eq!(server.changelog("desde=2199-12-31"), Vec::<Value>::new());
}

#[test]
fn the_limit_is_a_hundred_or_a_given_one_from_1_to_500() {
    let rules: Vec<Value> = (0..501)
        .map(|i| {
            let conteudo = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "t"});
            rule(&format!("ipi-2203{i:04}"), "ipi", &json!({"ncm": format!("2203{i:04}")}), &conteudo)
        })
        .collect();
    let own = OwnRules::of(&rules);
    let server = own.serve();
    assert_eq!(server.changelog("").len(), 100);
    assert_eq!(server.changelog("limit=1").len(), 1);
    assert_eq!(server.changelog("limit=500").len(), 500);
    let all = walk(&server, "", 500);
    assert_eq!((all.len(), ids(&all).into_iter().collect::<HashSet<_>>().len()), (501, 501));
}

#[test]
fn an_event_has_the_members_of_the_contract_and_no_other() {
    let ended = with(
        &rule("itbi-niteroi", "itbi", &json!({"uf": "RJ", "municipio": "niteroi"}), &json!({"aliquota": "2.00"})),
        &json!({"vigente_ate": "2030-01-01"}),
    );
    let conteudo = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "t"});
    let own = OwnRules::of(&[
        ended.clone(),
        rule("icms-ac-am", "icms", &json!({"uf_origem": "AC", "uf_destino": "AM"}), &json!({"aliquota": "12.00"})),
        rule("ipi-22030000", "ipi", &json!({"ncm": "22030000"}), &conteudo),
        rule("ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"})),
    ]);
    own.publish(&[with(&ended, &json!({"versao": "1.1", "vigente_de": "2025-01-01"}))]);
    own.publish(&[with(&ended, &json!({"versao": "1.2", "vigente_de": "2025-01-01"}))]);
    let server = own.serve();
    let events = server.changelog("");
    let of = |id: &str, tipo: &str| {
        let event = events.iter().find(|e| e["rule_id"] == id && e["tipo"] == tipo);
        let event = event.unwrap_or_else(|| panic!("no {tipo} of {id}"));
        let at = event["publicado_em"].as_str().unwrap();
        assert!(at.len() == 24 && at.ends_with('Z') && at.parse::<jiff::Timestamp>().is_ok(), "{at}");
        with(event, &json!({"publicado_em": null}))
    };
    let published = |id: &str, tributo: &str, origem: Value, destino: Value, municipio: Value, de: &str| {
        json!({"rule_id": id, "tributo": tributo, "uf_origem": origem, "uf_destino": destino, "municipio": municipio,
               "vigente_de": de, "tipo": "publicacao"})
    };
    let (rj, niteroi, none) = (json!("RJ"), json!("Niterói"), Value::Null);
    let expected = [
        published("ipi-22030000-v1.0", "ipi", none.clone(), none.clone(), none.clone(), "2020-01-01"),
        published("icms-ac-am-v1.0", "icms", json!("AC"), json!("AM"), none.clone(), "2020-01-01"),
        published("ipva-ac-v1.0", "ipva", json!("AC"), json!("AC"), none, "2020-01-01"),
        published("itbi-niteroi-v1.0", "itbi", rj.clone(), rj.clone(), niteroi.clone(), "2020-01-01"),
        published("itbi-niteroi-v1.1", "itbi", rj.clone(), rj, niteroi, "2025-01-01"),
    ];
    for event in &expected {
        assert_eq!(of(event["rule_id"].as_str().unwrap(), "publicacao"), *event);
    }
    let closed = |base: &Value, tipo: &str, by: &str| {
        with(
            base,
            &json!({"tipo": tipo, "vigente_ate": "2025-01-01", "rule_code": "itbi-niteroi", "substituida_por": by}),
        )
    };
    let cut = closed(&expected[3], "substituicao", "itbi-niteroi-v1.1");
    assert_eq!(of("itbi-niteroi-v1.0", "substituicao"), cut);
    let replaced = closed(&expected[4], "substituicao_retroativa", "itbi-niteroi-v1.2");
    assert_eq!(of("itbi-niteroi-v1.1", "substituicao_retroativa"), replaced);
    assert_eq!(events.len(), 5 + 1 + 2);
}

#[test]
fn an_unchanged_changelog_is_not_sent_again_and_a_changed_one_is() {
    let own = three_publications();
    let server = own.serve();
    let ask = |query: &str, tag: &str| {
        server.get(&format!("{PATH}{query}"), &[("X-API-Key", &server.key), ("If-None-Match", tag)])
    };
    let first = server.get_own(PATH);
    let tag = first.header("etag").unwrap().to_owned();
    let same = ask("", &tag);
    assert_eq!((same.status, same.body.len(), same.header("etag")), (304, 0, Some(tag.as_str())));
    assert_eq!(ask("?limit=3", &tag).status, 200, "another query is another document");
    ask("?limit=0", &tag).problem(422, "parametro_invalido");
    let file = own.dir.write("old.json", bundle(&ipvas("2.0", "2023-01-01")));
    own.import(&file, &[]).ok();
    own.import(&own.dir.write("new.json", bundle(&ipvas("2.1", "2024-01-01"))), &["--dry-run"]).ok();
    assert_eq!(ask("", &tag).status, 304, "nothing was published");
    own.publish(&ipvas("2.1", "2024-01-01"));
    let changed = ask("", &tag);
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    assert_eq!(changed.json().as_array().map(Vec::len), Some(49));
}

#[test]
fn another_data_file_has_other_tags_also_after_as_many_publications() {
    let [one, other] =
        ["AC", "AM"].map(|uf| OwnRules::of(&[rule("ipva", "ipva", &json!({"uf": uf}), &json!({"aliquota": "1.00"}))]));
    let [one, other] = [one.serve(), other.serve()];
    for path in [PATH, "/v1/regras"] {
        let tag = one.get_own(path).header("etag").unwrap().to_owned();
        let ask = |server: &Server| server.get(path, &[("X-API-Key", &server.key), ("If-None-Match", &tag)]);
        assert_eq!((ask(&one).status, ask(&other).status), (304, 200), "{path}");
    }
}

#[test]
fn faulty_parameters_are_named_and_a_key_is_required() {
    let own = OwnRules::none();
    let server = own.serve();
    let problem = server.get_own(&format!("{PATH}?desde=x&limit=x&cursor=x&nada=x")).problem(422, "parametro_invalido");
    let mut named: Vec<&str> =
        problem["erros"].as_array().unwrap().iter().map(|e| e["campo"].as_str().unwrap()).collect();
    named.sort_unstable();
    assert_eq!(named, ["cursor", "desde", "limit", "nada"]);
    server.get(PATH, &[]).problem(401, "chave_ausente");
    server.get(PATH, &[("X-API-Key", "svc_test_x")]).problem(401, "chave_invalida");
    let reply = server.post(PATH, "{}");
    reply.problem(405, "metodo_nao_permitido");
    assert_eq!(reply.header("allow").map(|a| a.contains("GET")), Some(true));
}

/// The filters of listings choose the events of the rules that they name; without one the answer is what it was.
#[test]
fn the_filters_of_rules_choose_events_also_over_pages() {
    let own = three_publications();
    let beer = |uf: &str| {
        rule(
            &format!("cerveja-{}", uf.to_lowercase()),
            "icms",
            &json!({"uf": uf, "ncm": "2203"}),
            &json!({"aliquota": "25.00"}),
        )
    };
    own.publish(&[beer("AC"), beer("SP")]);
    let server = own.serve();
    let all = server.changelog("");
    let naive = |wanted: &dyn Fn(&Value) -> bool| all.iter().filter(|e| wanted(e)).cloned().collect::<Vec<_>>();
    assert_eq!(server.changelog("tributo=ipva"), naive(&|e| e["tributo"] == "ipva"));
    assert_eq!(server.changelog("uf=AC"), naive(&|e| e["uf_origem"] == "AC"));
    assert_eq!(server.changelog("uf=AC").len(), 1 + 2 + 2 + 1);
    assert_eq!(ids(&server.changelog("ncm=22030000")), ["cerveja-sp-v1.0", "cerveja-ac-v1.0"]);
    assert_eq!(ids(&server.changelog("ncm=22030000&uf=SP&tributo=icms")), ["cerveja-sp-v1.0"]);
    assert!(server.changelog("ncm=22040000").is_empty());
    assert_eq!(walk(&server, "uf=AC&tributo=ipva", 2), naive(&|e| e["uf_origem"] == "AC" && e["tributo"] == "ipva"));
    assert_eq!(walk(&server, "tributo=ipva", 35), naive(&|e| e["tributo"] == "ipva"));
    let faulty = server.get_own(&format!("{PATH}?tributo=ipvaa&uf=XX&ncm=1")).problem(422, "parametro_invalido");
    assert_eq!(faulty["erros"].as_array().unwrap().len(), 3, "{faulty}");
    let tag = |query: &str| server.get_own(&format!("{PATH}?{query}")).header("etag").unwrap().to_owned();
    assert_ne!(tag("uf=AC"), tag("uf=SP"));
}
