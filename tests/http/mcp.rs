//! `taxd mcp`: raw lines of the protocol. `tests/mcp/run` uses its own client.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::support::{DataDir, taxd_nowhere, taxd_with_input};

fn request(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

fn replies(dir: &DataDir, lines: &[String]) -> Vec<Value> {
    taxd_with_input(dir, ["mcp"], lines.join("\n").as_bytes()).ok().json_lines()
}

fn code(reply: &Value) -> i64 {
    reply["error"]["code"].as_i64().unwrap_or_default()
}

#[test]
fn it_greets_lists_and_ends_with_its_input() {
    let dir = DataDir::ready();
    let lines = [
        request(1, "initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        String::new(),
        request(2, "ping", &json!({})),
        json!({"jsonrpc": "2.0", "id": "três", "method": "tools/list"}).to_string(),
        json!({"jsonrpc": "2.0", "id": 9, "result": {}}).to_string(),
    ];
    let replies = replies(&dir, &lines);
    assert_eq!(replies.len(), 3, "{replies:#?}");
    let greeting = &replies[0]["result"];
    assert_eq!((&greeting["protocolVersion"], &greeting["serverInfo"]["name"]), (&json!("2025-06-18"), &json!("taxd")));
    assert_eq!(replies[1], json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    assert_eq!(replies[2]["id"], "três");
    let tools = replies[2]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["calculate", "explain", "treatment", "rules", "codes", "upcoming"]);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool:#}");
        for name in tool["inputSchema"]["required"].as_array().unwrap() {
            assert!(tool["inputSchema"]["properties"].get(name.as_str().unwrap()).is_some(), "{tool:#}");
        }
    }
    let nothing = taxd_nowhere(["mcp"], b"").ok();
    assert_eq!(nothing.stdout, "");
}

#[test]
fn a_line_that_is_not_a_request_is_refused_and_the_next_one_is_answered() {
    let dir = DataDir::ready();
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"{}\"}}", "x".repeat(3 << 20));
    let deep = "[".repeat(100_000);
    let faulty = [
        ("{", -32700),
        ("\u{0}", -32700),
        (&*deep, -32700),
        ("[]", -32600),
        ("{}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":3}", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        (&*long, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"guess\"}}", -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"codes\",\"arguments\":1}}",
            -32602,
        ),
    ];
    let lines: Vec<String> =
        faulty.iter().flat_map(|(line, _)| [(*line).to_owned(), request(7, "ping", &json!({}))]).collect();
    let replies = replies(&dir, &lines);
    assert_eq!(replies.len(), lines.len());
    for ((line, wanted), pair) in faulty.iter().zip(replies.chunks(2)) {
        let shown: String = line.chars().take(80).collect();
        assert_eq!(code(&pair[0]), *wanted, "{shown}: {}", pair[0]);
        assert_eq!(pair[1], json!({"jsonrpc": "2.0", "id": 7, "result": {}}), "after {shown}");
    }
    let mut cut = Vec::new();
    cut.write_all(request(1, "ping", &json!({})).as_bytes()).unwrap();
    assert_eq!(taxd_with_input(&dir, ["mcp"], &cut).ok().json_lines().len(), 1, "a last line without its end");
}

#[test]
fn a_tool_answers_as_its_command_does_and_a_refusal_keeps_its_reason() {
    let dir = DataDir::ready();
    let sale = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "RJ", "valor_produto": "1000.00",
                      "data_operacao": "2026-03-10"});
    let lines = [
        call(1, "calculate", &json!({"pedido": sale})),
        call(2, "calculate", &json!({"pedido": {"tributo": "icms"}})),
        call(3, "calculate", &json!({"pedido": sale, "supondo": "icms.x:1"})),
        call(4, "calculate", &json!({"pedido": sale, "supondo": "icms.aliquota:10"})),
        call(5, "calculate", &json!({"pedido": "icms"})),
        call(6, "codes", &json!({"words": "parafuso inox", "tabela": "ncm", "limit": 2})),
        call(7, "codes", &json!({"words": "x", "tabela": "nenhuma"})),
        call(8, "codes", &json!({})),
        call(9, "rules", &json!({"tributo": "icms", "cor": "azul"})),
        call(10, "rules", &json!({"uf": "São Paulo", "tributo": "ICMS", "sem_sucessora": false, "limit": 2})),
        call(11, "upcoming", &json!({"days": 10, "desde": "10/03/2026"})),
        call(12, "explain", &json!({"pedido": sale})),
    ];
    let here = replies(&dir, &lines);
    let text = |id: usize| here[id - 1]["result"]["content"][0]["text"].as_str().unwrap();
    let refused: Vec<bool> = here.iter().map(|reply| reply["result"]["isError"].as_bool().unwrap()).collect();
    let wanted = [false, true, true, false, true, false, true, true, true, false, false, false];
    assert_eq!(refused, wanted, "{here:#?}");

    let command = taxd_with_input(&dir, ["calc"], sale.to_string().as_bytes()).ok().json();
    assert_eq!(serde_json::from_str::<Value>(text(1)).unwrap(), command);
    assert!(text(2).contains("urn:taxd:erro:campo_obrigatorio") && text(2).contains("uf_origem"), "{}", text(2));
    assert!(text(3).contains("pode-se supor"), "{}", text(3));
    assert!(text(4).contains("suposicoes") && text(4).contains("Suposição, não é a lei"), "{}", text(4));
    assert!(text(5).contains("`pedido` is an object"), "{}", text(5));
    assert!(text(6).contains("7318"), "{}", text(6));
    assert!(text(7).contains("possible values"), "{}", text(7));
    assert!(text(8).contains("WORDS"), "{}", text(8));
    assert!(text(9).contains("no argument `cor`; it takes tributo"), "{}", text(9));
    let rules: Value = serde_json::from_str(text(10)).unwrap();
    assert_eq!(rules["regras"].as_array().unwrap().len(), 2, "{rules:#}");
    let explained: Value = serde_json::from_str(text(12)).unwrap();
    assert_eq!(explained["regras"][0]["rule_id"], explained["resposta"]["regra"]["rule_id"]);
    assert!(explained["resposta"]["detalhes"]["memoria"].is_array());

    let server = dir.serve(&[]);
    // What lies ahead has the instant at which it was asked.
    let undated = |replies: Vec<Value>| replies.into_iter().filter(|reply| reply["id"] != 11).collect::<Vec<_>>();
    assert_eq!(undated(replies(&dir, &lines)), undated(here), "by the server");
    drop(server);
}
