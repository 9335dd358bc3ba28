//! `GET /sandbox/v1/codigos`: what the page looks up.

use serde_json::{Value, json};

use crate::support::{DataDir, Server};

fn ask(server: &Server, path: &str) -> (u16, Value) {
    let answer = server.get(path, &[("X-API-Key", server.key.as_str())]);
    (answer.status, answer.json())
}

#[test]
fn codes_are_found_by_words_or_by_their_beginning_and_use_no_call_up() {
    let server = DataDir::served();
    let used = || ask(&server, "/sandbox/v1/usage").1["cota"]["usada"].clone();
    let before = used();
    let (status, found) = ask(&server, "/sandbox/v1/codigos?tabela=servico&q=suporte%20tecnico");
    assert_eq!(status, 200);
    assert_eq!(
        found["codigos"],
        json!([{
            "codigo": "1.07",
            "texto": "Suporte técnico em informática, inclusive instalação, configuração e manutenção de programas de computação e bancos de dados.",
            "dentro_de": ["Serviços de informática e congêneres."],
        }])
    );
    assert_eq!(found["ha_mais"], false);
    for head in ["nome", "fonte", "cobre"] {
        assert!(found[head].as_str().is_some_and(|text| !text.is_empty()), "{head}: {found}");
    }
    let (_, found) = ask(&server, "/sandbox/v1/codigos?q=2202.10&limit=1");
    assert_eq!(found["codigos"][0]["codigo"], "22021000");
    let (_, found) = ask(&server, "/sandbox/v1/codigos?tabela=ncm&q=outros&limit=3");
    assert_eq!((found["codigos"].as_array().unwrap().len(), &found["ha_mais"]), (3, &json!(true)));
    let (_, found) = ask(&server, "/sandbox/v1/codigos?tabela=classificacao&codigo=200009");
    assert_eq!(found["codigos"][0]["texto"], "Fornecimento dos medicamentos registrados na Anvisa");
    let (_, found) = ask(&server, "/sandbox/v1/codigos?tabela=cest&codigo=01");
    assert_eq!((&found["codigos"], &found["sem_texto"]), (&json!([]), &Value::Null));
    // A CEST whose text is not in the table: its segment is known.
    for asked in ["codigo=0199800", "q=01.998.00"] {
        let (_, found) = ask(&server, &format!("/sandbox/v1/codigos?tabela=cest&{asked}"));
        assert_eq!(found["codigos"], json!([]));
        assert_eq!(found["sem_texto"], json!({"codigo": "0199800", "texto": "", "dentro_de": ["Autopeças"]}));
    }
    // The texts above an NCM are those of the nomenclature.
    let (_, found) = ask(&server, "/sandbox/v1/codigos?q=pneus&limit=1");
    assert_eq!(found["codigos"][0]["codigo"], "40111000");
    assert_eq!(found["codigos"][0]["dentro_de"][1], "Pneumáticos novos, de borracha.");
    let (_, found) = ask(&server, "/sandbox/v1/codigos?q=pneus%20de%20tit%C3%A2nio&limit=1");
    assert_eq!((&found["codigos"][0]["codigo"], &found["sem"]), (&json!("40111000"), &json!(["titanio"])));
    let (_, found) = ask(&server, "/sandbox/v1/codigos");
    assert_eq!(found["codigos"], json!([]));
    assert_eq!(used(), before);
}

#[test]
fn a_look_up_needs_a_key() {
    let server = DataDir::served();
    let path = "/sandbox/v1/codigos?q=a";
    assert_eq!(server.get(path, &[]).status, 401);
    assert_eq!(server.get(path, &[("X-API-Key", "svc_live_0000")]).status, 401);
}
