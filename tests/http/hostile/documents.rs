//! Bodies that are not the JSON object they should be.

use serde_json::json;

use super::{good, still_well};
use crate::support::DataDir;

#[test]
fn not_json_is_a_400_with_line_and_column() {
    let server = DataDir::served();
    let cases: [(&[u8], &str); 29] = [
        (b"", "linha 1, coluna 1"),
        (b" ", "linha 1, coluna 1"),
        (b" \r\n\t ", "linha 1, coluna 1"),
        (b"{", "linha 1"),
        (b"{\"tributo\":", "linha 1"),
        (b"{\n\"tributo\":\n\"icms\",\n}", "linha 4"),
        (b"{\"tributo\":'icms'}", "linha 1, coluna 12"),
        (b"{tributo:\"icms\"}", "linha 1, coluna 2"),
        (b"{\"valor\":NaN}", "linha 1"),
        (b"{\"valor\":Infinity}", "linha 1"),
        (b"{\"valor\":01}", "linha 1"),
        (b"{\"valor\":+1}", "linha 1"),
        (b"{\"valor\":.5}", "linha 1"),
        (b"{\"valor\":1.}", "linha 1"),
        (b"{\"valor\":1e999}", "linha 1"),
        (b"{} {}", "linha 1, coluna 4"),
        (b"{}\n\n x", "linha 3, coluna 2"),
        (b"{\"a\":1,}", "linha 1"),
        (b"[1,2", "linha 1"),
        (b"// icms\n{}", "linha 1"),
        // The mark that some editors write counts in no column; only one is passed over.
        (b"\xef\xbb\xbf{,}", "linha 1, coluna 2"),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", "linha 1, coluna 1"),
        (b"\xef\xbb\xbf{\n\"a\":\"\xff\"}", "linha 2, coluna 6"),
        (b"\xef\xbb\xbf", "linha 1, coluna 1"),
        (b"{\"a\":\"\n\"}", "linha"),
        (b"{\"a\":\"\\ud800\"}", "linha 1"),
        (b"{\"a\":\"\\ud800\\u0041\"}", "linha 1"),
        (b"{\"\\udc00\":\"a\"}", "linha 1"),
        (b"{\"a\":\"\\x41\"}", "linha 1"),
    ];
    for (body, place) in cases {
        let problem = server.post("/v1/calculate", body).problem(400, "json_invalido");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(place) && detail.contains("coluna "), "{}: {detail}", String::from_utf8_lossy(body));
    }
    still_well(&server);
}

#[test]
fn not_utf8_is_a_400_with_the_place() {
    let server = DataDir::served();
    let cases: [(&[u8], &str); 6] = [
        (b"\xff", "linha 1, coluna 1"),
        (b"{\"a\":\"\xc3\x28\"}", "linha 1, coluna 7"),
        (b"{\n \"a\": \"\xe2\x82\"}", "linha 2, coluna 8"),
        (b"{\"a\":\"\xed\xa0\x80\"}", "linha 1, coluna 7"),
        (b"{\"a\":\"\xc0\xaf\"}", "linha 1, coluna 7"),
        (b"\xff\xfe{\x00}\x00", "linha 1, coluna 1"),
    ];
    for (body, place) in cases {
        let problem = server.post("/v1/calculate", body).problem(400, "json_invalido");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(place) && detail.contains("UTF-8"), "{body:?}: {detail}");
    }
    still_well(&server);
}

#[test]
fn json_that_is_not_an_object_is_a_422() {
    let server = DataDir::served();
    for body in ["[]", "null", "true", "1", "-0", "1.5", "\"icms\"", "[{\"tributo\":\"icms\"}]"] {
        let problem = server.post("/v1/calculate", body).problem(422, "tipo_invalido");
        assert!(problem["detail"].as_str().unwrap().contains("objeto"), "{problem}");
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let server = DataDir::served();
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let bodies = [
        "[".repeat(10_000),
        "[".repeat(65_000),
        deep("[", "]", 10_000),
        deep("{\"a\":", "}", 5_000).replace(":}", ":1}"),
        format!("{{\"tributo\":\"icms\",\"x\":{}}}", deep("[", "]", 10_000)),
        format!("{{\"tributo\":{}}}", deep("[", "]", 10_000)),
    ];
    for body in bodies {
        server.post("/v1/calculate", body).problem(400, "json_invalido");
    }
    // A hundred levels in a field that the tax does not know are only ignored.
    let mut payload = good().to_string();
    payload.truncate(payload.len() - 1);
    let answer = server.post("/v1/calculate", format!("{payload},\"x\":{}}}", deep("[", "]", 100))).envelope();
    assert_eq!(answer["valor"], "180.00");
}

#[test]
fn repeated_keys_are_named_wherever_they_are() {
    let server = DataDir::served();
    let whole = good().to_string();
    let open = whole.trim_end_matches('}');
    let cases = [
        (format!("{open},\"valor_produto\":\"1000.00\"}}"), "valor_produto"),
        (format!("{open},\"valor_produto\":\"1.00\"}}"), "valor_produto"),
        (format!("{open},\"valor\\u005fproduto\":\"1.00\"}}"), "valor_produto"),
        (format!("{open},\"tributo\":\"icms\"}}"), "tributo"),
        (format!("{open},\"tributo\":\"ipi\"}}"), "tributo"),
        (format!("{open},\"nota\":1,\"nota\":1}}"), "nota"),
        (format!("{open},\"nota\":{{\"a\":1,\"a\":2}}}}"), "nota.a"),
        (format!("{open},\"nota\":[0,{{\"b\":{{\"a\":1,\"a\":2}}}}]}}"), "nota[1].b.a"),
        (format!("{open},\"\":1,\"\":2}}"), ""),
    ];
    for (body, place) in cases {
        server.post("/v1/calculate", body).refuses_field("chave_duplicada", place);
    }
    still_well(&server);
}

#[test]
fn what_is_echoed_stays_json() {
    let server = DataDir::served();
    for odd in
        ["\u{0}\u{1}\u{1f}", "\"}]", "</script><script>", "\u{2028}\u{feff}\u{202e}", "\r\nX-Evil: 1", "\u{10ffff}"]
    {
        let mut payload = good();
        payload[odd] = json!(odd);
        payload["data_operacao"] = json!(odd);
        payload["uf_origem"] = json!(odd);
        let answer = server.calculate(&payload);
        answer.problem(422, "payload_invalido");
        assert!(answer.header("x-evil").is_none());
    }
}
