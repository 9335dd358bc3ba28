//! What the page reads of the calendar, the changes and the coverage: `/sandbox/v1/calendario`, `mudancas`, `cobertura`
//! and `municipios`.

use serde_json::{Value, json};

use crate::support::{DataDir, OwnRules, Server, ids, rule, taxd, with};

fn look(server: &Server, path: &str) -> Value {
    let reply = server.get_own(&format!("/sandbox/v1/{path}"));
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

/// Beer of SP ends with June 2098 and nothing answers then, beer of RJ returns to the general rule, and the IPVA of AC
/// has a new version.
fn own_rules() -> OwnRules {
    let beer = |uf: &str| {
        let escopo = json!({"uf": uf, "ncm": "2203"});
        let beer = rule(&format!("cerveja-{}", uf.to_lowercase()), "icms", &escopo, &json!({"aliquota": "25.00"}));
        with(&beer, &json!({"vigente_ate": "2098-07-01"}))
    };
    let ipva = rule("ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let general = rule("geral-rj", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "20.00"}));
    let own = OwnRules::of(&[beer("SP"), beer("RJ"), general, ipva.clone()]);
    let next = json!({"versao": "1.1", "vigente_de": "2098-07-02", "conteudo": {"aliquota": "2.50"}});
    own.publish(&[with(&ipva, &next)]);
    own
}

#[test]
fn the_calendar_has_days_groups_and_the_rules_of_a_group_and_takes_filters() {
    let own = own_rules();
    let server = own.serve();
    let all = "calendario?desde=2098-06-01&dias=60";
    let calendar = look(&server, all);
    let days: Vec<&Value> = calendar["dias"].as_array().unwrap().iter().collect();
    assert_eq!(days.len(), 2, "{calendar}");
    assert_eq!(
        (&days[0]["data"], &days[0]["terminam"], &days[0]["sem_sucessora"], &days[0]["sem_resposta_de"]),
        (&json!("2098-07-01"), &json!(2), &json!(1), &json!(["icms"]))
    );
    assert_eq!(
        (&days[1]["comecam"], &days[1]["nova_versao"], &days[1]["sem_resposta_de"]),
        (&json!(1), &json!(1), &json!([]))
    );
    let groups = calendar["grupos"].as_array().unwrap();
    let shown: Vec<(&str, &str)> =
        groups.iter().map(|group| (group["local"].as_str().unwrap(), group["sucessao"].as_str().unwrap())).collect();
    assert_eq!(shown, [("SP", "sem_sucessora"), ("RJ", "regra_geral"), ("AC", "nova_versao")]);

    let id = groups[0]["id"].as_str().unwrap();
    let rules = look(&server, &format!("{all}&grupo={id}"));
    assert_eq!((&rules["total"], &rules["proximo"]), (&json!(1), &Value::Null));
    assert_eq!(rules["regras"][0]["rule_id"], "cerveja-sp-v1.0");
    assert_eq!(look(&server, &format!("{all}&grupo=ffff"))["total"], 0, "a group that is gone is empty");

    for (filter, wanted) in [
        ("uf=RJ", vec!["RJ"]),
        ("tributo=ipva", vec!["AC"]),
        ("ncm=22030000", vec!["SP", "RJ"]),
        ("tipo=sem_sucessora", vec!["SP"]),
        ("tipo=comeca", vec!["AC"]),
        ("tipo=termina", vec!["SP", "RJ", "AC"]),
        ("tipo=sem_resposta", vec!["SP"]),
    ] {
        let found = look(&server, &format!("{all}&{filter}"));
        let places: Vec<&str> =
            found["grupos"].as_array().unwrap().iter().map(|g| g["local"].as_str().unwrap()).collect();
        assert_eq!(places, wanted, "{filter}");
    }
    assert_eq!(look(&server, &format!("{all}&tipo=comeca"))["dias"], calendar["dias"], "the days are of all kinds");
}

/// Of a rule that refuses already, nothing is lost when another one follows that refuses.
#[test]
fn only_a_rule_that_answers_loses_its_answer() {
    let of = |code: &str, uf: &str, versions: [Value; 2]| {
        let first = rule(code, "icms", &json!({"uf": uf}), &json!({"aliquota": versions[0]}));
        let next = json!({"versao": "2.0", "vigente_de": "2098-07-01", "conteudo": {"aliquota": versions[1]}});
        let reason = json!({"motivo": "Não conferida."});
        [with(&first, &reason), with(&with(&first, &next), &reason)]
    };
    let own = OwnRules::of(
        &[
            of("perde", "AC", [json!("19.00"), Value::Null]),
            of("recusa", "AL", [Value::Null, Value::Null]),
            of("ganha", "AM", [Value::Null, json!("20.00")]),
        ]
        .concat(),
    );
    let server = own.serve();
    let calendar = look(&server, "calendario?desde=2098-06-01&dias=60&tipo=sem_resposta");
    let day = &calendar["dias"][0];
    assert_eq!(
        (&day["terminam"], &day["nova_versao"], &day["sem_figura"], &day["sem_resposta"]),
        (&json!(3), &json!(2), &json!(1), &json!(1))
    );
    assert_eq!((&calendar["total"], &calendar["grupos"][0]["local"]), (&json!(1), &json!("AC")));
    for (filter, taxes) in [("", 1), ("tributo=icms", 1), ("tributo=iss", 0), ("uf=AL", 0)] {
        let found = look(&server, &format!("calendario?desde=2098-06-01&{filter}"));
        assert_eq!(found["figuras_nulas"].as_array().unwrap().len(), taxes, "{filter}");
    }
}

#[test]
fn changes_come_in_pages_the_latest_publication_first() {
    let own = own_rules();
    let server = own.serve();
    let page = look(&server, "mudancas");
    assert_eq!(
        page["resumo"],
        json!({"publicacoes": 2, "regras": 5, "retroativas": 4, "tributos": {"icms": 3, "ipva": 2}})
    );
    let of = |bundle: usize| page["pacotes"][bundle]["mudancas"].as_array().unwrap();
    assert_eq!(ids(of(0)), ["ipva-ac-v1.1"]);
    assert_eq!(ids(of(1)), ["cerveja-rj-v1.0", "cerveja-sp-v1.0", "geral-rj-v1.0", "ipva-ac-v1.0"]);
    let change = &of(0)[0];
    assert_eq!((&change["anterior"], &change["tipo"]), (&json!("ipva-ac-v1.0"), &json!("substituicao")));
    assert_eq!(
        change["campos"],
        json!([{"campo": "conteudo.aliquota", "rotulo": "Alíquota da categoria", "antes": "2,00 %", "depois": "2,50 %"}])
    );
    assert_eq!(page["instalacao"], Value::Null);
    for (filter, wanted) in [
        ("tipo=substituicao", vec!["ipva-ac-v1.1"]),
        ("tipo=publicacao&tributo=ipva", vec!["ipva-ac-v1.0"]),
        ("tipo=retroativa&uf=AC", vec!["ipva-ac-v1.0"]),
        ("vale_de=2098-07-02", vec!["ipva-ac-v1.1"]),
        ("vale_ate=2098-07-01&tributo=ipva", vec!["ipva-ac-v1.0"]),
        ("ncm=22030000&uf=SP", vec!["cerveja-sp-v1.0"]),
        ("desde=2200-01-01", vec![]),
        ("ate=2020-01-01", vec![]),
    ] {
        let found = look(&server, &format!("mudancas?{filter}"));
        let bundles = found["pacotes"].as_array().unwrap();
        let shown: Vec<&str> = bundles.iter().flat_map(|bundle| ids(bundle["mudancas"].as_array().unwrap())).collect();
        assert_eq!(shown, wanted, "{filter}");
    }
}

/// A version that begins when its bundle ends the one before closes none, and follows it all the same.
#[test]
fn a_version_that_follows_one_that_had_ended_is_a_replacement() {
    let first = rule("ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let ended = with(&first, &json!({"vigente_ate": "2022-01-01"}));
    let next = with(&first, &json!({"versao": "1.1", "vigente_de": "2022-01-01", "conteudo": {"aliquota": "3.00"}}));
    let own = OwnRules::of(&[ended, next]);
    let server = own.serve();
    for (tipo, wanted) in [("substituicao", "ipva-ac-v1.1"), ("publicacao", "ipva-ac-v1.0")] {
        let page = look(&server, &format!("mudancas?tipo={tipo}"));
        assert_eq!(ids(page["pacotes"][0]["mudancas"].as_array().unwrap()), [wanted], "{tipo}");
    }
}

/// A list of thousands of products had made a page of megabytes.
#[test]
fn a_long_value_is_cut_and_so_is_a_long_page() {
    let of = |i: usize| {
        let ncm: Vec<String> = (0..400).map(|j| (10_000_000 + i * 400 + j).to_string()).collect();
        rule(&format!("regra-{i:03}"), "icms", &json!({"uf": "AC", "ncm": ncm}), &json!({"aliquota": "5.00"}))
    };
    let first: Vec<Value> = (0..60).map(of).collect();
    let own = OwnRules::of(&first);
    let more: Vec<Value> = first
        .iter()
        .map(|rule| {
            let mut next = with(rule, &json!({"versao": "1.1", "vigente_de": "2024-01-01"}));
            next["escopo"]["ncm"].as_array_mut().unwrap().pop();
            next
        })
        .collect();
    own.publish(&more);
    let server = own.serve();
    let reply = server.get_own("/sandbox/v1/mudancas");
    assert!(reply.body.len() < 100_000, "{} bytes", reply.body.len());
    let page = reply.json();
    let change = &page["pacotes"][0]["mudancas"][0];
    let text = change["campos"][0]["depois"].as_str().unwrap();
    assert!(text.chars().count() == 301 && text.ends_with('…'), "{text}");
    let (mut cursor, mut seen) = (String::new(), Vec::new());
    loop {
        let page = look(&server, &format!("mudancas{cursor}"));
        for bundle in page["pacotes"].as_array().unwrap() {
            seen.extend(ids(bundle["mudancas"].as_array().unwrap()).into_iter().map(str::to_owned));
        }
        let Some(next) = page["proximo"].as_str() else { break };
        cursor = format!("?cursor={next}");
    }
    let versions = |version: &str| (0..60).map(|i| format!("regra-{i:03}-v{version}")).collect::<Vec<_>>();
    assert_eq!(seen, [versions("1.1"), versions("1.0")].concat());
}

#[test]
fn coverage_is_by_tax_and_uf_and_municipalities_that_answer_come_first() {
    let known = json!({"aliquota": "5.00"});
    let unknown = json!({"aliquota": null});
    let iss = |code: &str, municipio: &str, item: &str, conteudo: &Value| {
        let escopo = json!({"uf": "AC", "municipio": municipio, "item_lista_servico": item});
        with(&rule(code, "iss", &escopo, conteudo), &json!({"motivo": "Não conferida."}))
    };
    let own = OwnRules::of(&[
        rule("icms-ac", "icms", &json!({"uf": "AC"}), &json!({"aliquota": "19.00"})),
        iss("xapuri", "Xapuri", "1.01", &known),
        iss("brasileia-a", "Brasiléia", "1.01", &known),
        iss("brasileia-b", "Brasiléia", "1.02", &unknown),
        iss("feijo", "Feijó", "1.01", &unknown),
    ]);
    let server = own.serve();
    let coverage = look(&server, "cobertura");
    let tax = |name: &str| coverage["tributos"].as_array().unwrap().iter().find(|tax| tax["tributo"] == name).unwrap();
    assert_eq!(tax("icms")["ufs"]["AC"]["situacao"], "responde");
    assert_eq!(tax("ipva")["situacao"], "ausente");
    let cell = &tax("iss")["ufs"]["AC"];
    assert_eq!(cell["municipios"], json!({"responde": 1, "em_parte": 1, "recusa": 1, "total": 22}));
    assert_eq!((&cell["situacao"], &tax("iss")["municipal"]), (&json!("em_parte"), &json!(true)));
    let before = look(&server, "cobertura?vigente_em=2019-12-31");
    assert!(before["tributos"].as_array().unwrap().iter().all(|tax| tax["situacao"] == "ausente"), "{before}");

    let all = look(&server, "municipios?tributo=iss&uf=AC");
    let shown: Vec<(&str, &str)> = all
        .as_array()
        .unwrap()
        .iter()
        .take(5)
        .map(|one| (one["nome"].as_str().unwrap(), one["situacao"].as_str().unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            ("Xapuri", "responde"),
            ("Brasiléia", "em_parte"),
            ("Feijó", "recusa"),
            ("Acrelândia", "ausente"),
            ("Assis Brasil", "ausente")
        ]
    );
    assert_eq!(all.as_array().unwrap().len(), 22);
}

/// "ICMS-ST AC 131 de 132" had read as nearly all of the substitution, and all of it was car parts.
#[test]
fn substitution_is_counted_by_segment_and_a_national_rule_wherever_it_applies() {
    let margin = json!({"descricao": "Mercadoria", "criterio": "mva", "mva": "40.00", "aliquota_interna": "18.00"});
    let st = |code: &str, uf: &str, cest: &str, ncm: &str| {
        rule(code, "icms_st", &json!({"uf_destino": uf, "cest": cest, "ncm": ncm}), &margin)
    };
    let null = json!({"descricao": "Mercadoria", "criterio": "mva", "mva": null, "aliquota_interna": "18.00"});
    let unread = rule("nula", "icms_st", &json!({"uf_destino": "AC", "cest": "1700100", "ncm": "1704"}), &null);
    let own = OwnRules::of(&[
        st("freio", "AC", "0104200", "8708"),
        st("vela", "AC", "0101700", "8511"),
        with(&unread, &json!({"motivo": "Não conferida."})),
        st("tinta", "AL", "2400100", "3208"),
        rule("icms-ac", "icms", &json!({"uf": "AC"}), &json!({"aliquota": "19.00"})),
        rule("icms-pais", "icms", &json!({"ncm": "2710"}), &json!({"aliquota": "17.00"})),
    ]);
    let server = own.serve();
    let coverage = look(&server, "cobertura");
    let tax = |name: &str| coverage["tributos"].as_array().unwrap().iter().find(|tax| tax["tributo"] == name).unwrap();
    let acre = &tax("icms_st")["ufs"]["AC"];
    assert_eq!(acre["situacao"], "em_parte");
    assert_eq!(
        acre["segmentos"],
        json!({
            "responde": 1, "em_parte": 0, "recusa": 1, "total": 25,
            "situacoes": {"Autopeças": "responde", "Produtos alimentícios": "recusa"},
            "texto": "Autopeças: 2 sim; Produtos alimentícios: 1 nulo; outros 23 segmentos: sem regra",
        })
    );
    assert_eq!(
        tax("icms_st")["ufs"]["AL"]["segmentos"]["texto"],
        "Tintas e vernizes: 1 sim; outros 24 segmentos: sem regra"
    );
    let text = taxd(&own.dir, ["rules", "coverage"]).ok().stdout;
    assert!(
        text.contains("| AC | Autopeças: 2 sim; Produtos alimentícios: 1 nulo; outros 23 segmentos: sem regra |"),
        "{text}"
    );

    // A national rule applies in every UF of a tax of the UFs.
    let icms = tax("icms");
    assert_eq!(icms["ufs"].as_object().unwrap().len(), 27);
    assert_eq!((&icms["ufs"]["AC"]["regras"]["sim"], &icms["ufs"]["AC"]["nacionais"]), (&json!(2), &json!(1)));
    assert_eq!((&icms["ufs"]["TO"]["situacao"], &icms["ufs"]["TO"]["nacionais"]), (&json!("responde"), &json!(1)));
    assert!(text.lines().any(|line| line == "| TO | - | 1 sim (nacional) |"), "{text}");
}

/// The difference to the consumer had "no rule" in 21 UFs, although a national rule answers in all of them.
#[test]
fn the_national_rules_of_the_built_in_ones_answer_in_every_uf() {
    let server = DataDir::served();
    let coverage = look(&server, "cobertura?vigente_em=2026-11-25");
    let tax = |name: &str| coverage["tributos"].as_array().unwrap().iter().find(|tax| tax["tributo"] == name).unwrap();
    let cells = tax("icms_consumidor_final")["ufs"].as_object().unwrap();
    assert_eq!(cells.len(), 27);
    assert!(
        cells.values().all(|cell| ["responde", "em_parte"].contains(&cell["situacao"].as_str().unwrap())),
        "{cells:?}"
    );
    let acre = &tax("icms_st")["ufs"]["AC"];
    assert_eq!((&acre["situacao"], &acre["segmentos"]["total"]), (&json!("em_parte"), &json!(25)));
    let text = acre["segmentos"]["texto"].as_str().unwrap();
    assert!(text.starts_with("Autopeças: ") && text.contains("segmentos: sem regra"), "{text}");
    // Taxes of municipalities and of the whole country are counted as before.
    assert!(tax("iss")["ufs"]["SP"].get("nacionais").is_none() && tax("iss")["ufs"]["SP"]["municipios"].is_object());
    assert_eq!(tax("cbs")["ufs"], json!({}));
}

#[test]
fn the_pages_look_ups_check_the_key_and_revalidate_by_their_tag() {
    let server = DataDir::served();
    for path in ["calendario", "mudancas", "cobertura", "municipios?tributo=iss&uf=SP"] {
        let path = format!("/sandbox/v1/{path}");
        server.get(&path, &[]).problem(401, "chave_ausente");
        server.get_as("svc_live_000000", &path).problem(401, "chave_invalida");
        assert_eq!(server.post(&path, "{}").header("allow"), Some("GET, HEAD"), "{path}");
        let first = server.get_own(&path);
        assert_eq!(first.status, 200, "{path}: {}", first.text());
        assert!(first.body.len() < 1024 * 1024, "{path}: {} bytes", first.body.len());
        let tag = first.header("etag").unwrap();
        let again = server.get(&path, &[("X-API-Key", &server.key), ("If-None-Match", tag)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
    }
    let year = look(&server, "calendario?desde=2026-11-22&dias=366");
    assert!(year["dias"][0]["terminam"].as_u64().unwrap() > 1_000, "{year}");
}
