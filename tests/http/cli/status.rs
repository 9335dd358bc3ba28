//! `taxd status`, with the server running and stopped.

use serde_json::{Value, json};

use crate::support::{DataDir, examples, taxd};

fn status(dir: &DataDir) -> Value {
    taxd(dir, ["status", "--json"]).ok().json()
}

#[test]
fn it_counts_what_the_server_does() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&["--cache-entries", "100"]);
    let account = dir.account("Um", &[]);
    taxd(&dir, ["account", "suspend", &dir.account("Dois", &[]).client_id]).ok();
    let examples = examples(&server);
    for _ in 0..3 {
        for example in &examples {
            assert_eq!(server.post_as(&account.live.key, "/v1/calculate", example.to_string()).status, 200);
        }
    }
    server.get_as("svc_live_x", "/v1/usage");
    dir.wait_until_logged();
    // The rows of a list seldom repeat: they neither use the result cache nor evict from it.
    let list = dir.write("lista.csv", "uf_origem;uf_destino;valor_produto;data_operacao\nSP;SP;7,00;10/03/2026\n");
    taxd(&dir, ["calc", list.to_str().unwrap(), "--tributo", "icms"]).ok();
    let running = status(&dir);
    assert_eq!(running["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(running["accounts"], json!({"total": 4, "suspended": 1, "calls": 60}));
    assert_eq!(running["cache"], json!({"hits": 40, "misses": 20, "entries": 20}));
    assert_eq!(running["log"], json!({"pending": 0, "lost": 0, "failing": false}));
    assert_eq!(running["refused_keys"], json!({"mistyped": 1, "unknown": 0}));
    assert!(running["uptime_s"].as_u64().is_some_and(|s| s < 600) && running["started_at"].is_string(), "{running}");
    let by_tax = running["rules"]["by_tax"].as_object().unwrap();
    let sum: u64 = by_tax.values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!((running["rules"]["versions"].as_u64(), by_tax.len()), (Some(sum), 20), "{running}");
    assert!(server.greeting[2].contains(&format!("{sum} rule versions")), "{:?}", server.greeting);
    assert!(["file_bytes", "free_bytes"].iter().all(|of| running["disk"][of].as_u64() > Some(0)), "{running}");
    let text = taxd(&dir, ["status"]).ok().stdout;
    for part in
        ["up for", "60 calls in all", "answered 66 % of 60 calculations; holds 20", "0 to write, 0 lost", "1 mistyped"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }

    assert!(server.stop("TERM").success());
    let stopped = status(&dir);
    assert_eq!((&stopped["running"], &stopped["uptime_s"]), (&json!(false), &Value::Null));
    for same in ["rules", "accounts", "log"] {
        assert_eq!(stopped[same], running[same], "{same}");
    }
    assert_eq!(stopped["cache"], json!({"hits": 0, "misses": 0, "entries": 0}));
    assert!(taxd(&dir, ["status"]).ok().stdout.contains("not running"));
}
