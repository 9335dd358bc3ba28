//! `GET /v1/correcoes`: what a publication changed in the answers that an account had been given.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{OwnRules, Server, bundle, rule, taxd, with};

fn rate(version: &str, from: &str, rate: &Value) -> Value {
    let general = rule("geral-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": rate}));
    with(&general, &json!({"versao": version, "vigente_de": from, "motivo": "Figura não conferida."}))
}

fn sale(day: &str, amount: &str) -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": amount, "data_operacao": day})
}

/// The page once every publication was looked through.
#[track_caller]
pub fn looked_through(server: &Server) -> Value {
    for _ in 0..1_200 {
        let page = server.get_own("/v1/correcoes").json();
        if page["pendentes"] == 0 {
            return page;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("it is not looked through:\n{}", server.log());
}

fn corrected(server: &Server, query: &str) -> Value {
    server.get_own(&format!("/v1/correcoes?{query}")).json()
}

/// A server whose publication 2 corrects what two accounts were answered, the key of the second one, and the page of the
/// first.
fn corrected_log() -> (OwnRules, Server, String, Value) {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", &json!("18.00"))]);
    let other = own.dir.account("Filial Norte", &["--plan", "enterprise"]);
    let test = own.dir.new_key(&other.client_id, "test");
    let server = own.serve();
    for (key, day, amount) in [
        (&own.key, "2026-03-10", "100.00"),
        (&own.key, "2026-04-10", "200.00"),
        (&own.key, "2026-04-11", "200.00"),
        (&own.key, "2026-05-10", "300.00"),
        (&own.key, "2028-12-31", "100.00"),
        (&other.live.key, "2026-04-10", "1000.00"),
        (&test.key, "2026-04-10", "100.00"),
    ] {
        assert_eq!(server.post_as(key, "/v1/calculate", sale(day, amount).to_string()).status, 200);
    }
    own.publish(&[rate("1.1", "2026-04-01", &json!("19.00")), rate("1.2", "2026-05-01", &Value::Null)]);
    // An answer of after the publication is right already.
    assert_eq!(server.calculate(&sale("2026-04-10", "200.00")).envelope()["valor"], "38.00");
    let page = looked_through(&server);
    (own, server, other.live.key, page)
}

#[test]
fn a_retroactive_publication_is_compared_with_the_log_of_each_account() {
    let (own, server, other, page) = corrected_log();
    assert_eq!((&page["pendentes"], page["correcoes"].as_array().unwrap().len()), (&json!(0), 1), "{page:#}");
    let one = &page["correcoes"][0];
    assert_eq!((&one["publicacao"], &one["total"]["diferenca"]), (&json!(2), &json!("4.00")), "{one:#}");
    let counted = ["alteradas", "de_dias_por_vir", "fora_do_registro", "guardadas"];
    assert_eq!(counted.map(|name| one["chamadas"][name].as_u64().unwrap()), [3, 1, 0, 3], "{one:#}");
    let of_month = |mes: &Value| ["mes", "chamadas", "diferenca", "passam_a_recusar"].map(|name| mes[name].clone());
    let months: Vec<_> = one["meses"].as_array().unwrap().iter().map(of_month).collect();
    let wanted =
        [[json!("2026-04"), json!(2), json!("4.00"), json!(0)], [json!("2026-05"), json!(1), json!("0.00"), json!(1)]];
    assert_eq!(months, wanted);

    // Each account has its own, and a test key is only counted.
    let others = server.get_as(&other, "/v1/correcoes").json();
    assert_eq!(others["correcoes"][0]["total"]["diferenca"], "10.00", "{others:#}");
    assert_eq!(others["correcoes"][0]["chamadas"]["de_teste"], 1);
    assert_eq!(corrected(&server, "desde=2099-01-01")["correcoes"], json!([]));
    assert_eq!(corrected(&server, "publicacao=1")["chamadas"], json!([]));
    server.get_own("/v1/correcoes?publicacao=0").refuses_field("parametro_invalido", "publicacao");
    let free = server.get_own("/sandbox/v1/correcoes").json();
    assert_eq!(free["correcoes"], page["correcoes"]);
    let status = taxd(&own.dir, ["status"]).ok().stdout;
    assert!(status.contains("4 answers of 2 accounts by publication 2"), "{status}");
    assert_eq!(taxd(&own.dir, ["check", "--json"]).ok().json()["findings"], json!([]));
}

#[test]
fn each_corrected_call_has_both_answers_with_their_proofs() {
    let (own, server, ..) = corrected_log();
    let first = corrected(&server, "publicacao=2&limit=2");
    let rest = corrected(&server, &format!("publicacao=2&limit=2&cursor={}", first["proximo"].as_str().unwrap()));
    assert_eq!((first["chamadas"].as_array().unwrap().len(), &rest["proximo"]), (2, &Value::Null), "{rest:#}");
    let calls: Vec<&Value> = [&first, &rest].iter().flat_map(|page| page["chamadas"].as_array().unwrap()).collect();
    let amounts: Vec<_> =
        calls.iter().map(|call| (call["valor_antes"].clone(), call["valor_depois"].clone())).collect();
    assert_eq!(amounts[0], (json!("36.00"), json!("38.00")));
    assert_eq!(amounts[2], (json!("54.00"), Value::Null));
    let line = |call: &Value, side: &str| {
        let (resposta, conhecido_em) = (&call[side]["resposta"], &call[side]["conhecido_em"]);
        format!("{}\n", json!({"payload": call["request"], "resposta": resposta, "conhecido_em": conhecido_em}))
    };
    let lines: String = calls.iter().flat_map(|call| ["antes", "depois"].map(|side| line(call, side))).collect();
    let file = own.dir.write("provas.jsonl", lines);
    let verified = taxd(&own.dir, ["verify", file.to_str().unwrap(), "--json"]).json();
    let counted = ["confere", "conferia", "adulterada"].map(|verdict| verified["resumo"][verdict].as_u64().unwrap());
    assert_eq!(counted, [3, 3, 0], "{verified:#}");
}

#[test]
fn what_is_published_without_a_server_is_looked_through_by_the_next_one_and_only_once() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", &json!("18.00"))]);
    let server = own.serve();
    for _ in 0..300 {
        assert_eq!(server.calculate(&sale("2026-04-10", "100.00")).status, 200);
    }
    own.dir.wait_until_logged();
    drop(server);
    own.import(&own.dir.write("a.json", bundle(&[rate("1.1", "2026-04-01", &json!("19.00"))])), &[]).ok();
    own.import(&own.dir.write("b.json", bundle(&[rate("1.2", "2026-04-01", &json!("20.00"))])), &[]).ok();
    for wait in [0, 1_100, 3_150] {
        let mut server = own.serve();
        std::thread::sleep(Duration::from_millis(wait));
        server.stop("KILL");
    }
    let server = own.serve();
    let page = looked_through(&server);
    let totals: Vec<_> = page["correcoes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["publicacao"].clone(), one["chamadas"]["alteradas"].clone(), one["total"]["diferenca"].clone()))
        .collect();
    // The second one is compared with what was answered, not with what the first one made of it.
    assert_eq!(totals, [(json!(3), json!(300), json!("600.00")), (json!(2), json!(300), json!("300.00"))]);
    assert_eq!(taxd(&own.dir, ["check", "--json"]).ok().json()["findings"], json!([]));
}
