//! 404: no rule for the request, or no such address.

use serde_json::json;

use crate::support::{DataDir, OwnRules, rule, with};

#[test]
fn no_version_covers_the_date() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["cbs", "ibs"] {
        let payload = json!({
            "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
            "valor_cofins": "0", "valor_ipi": "0", "optante_simples": false, "cumpre_obrigacoes_acessorias": false,
            "data_operacao": "2026-12-31"
        });
        assert_eq!(server.calculate(&payload).status, 200);
        for date in ["2025-12-31", "2027-01-01"] {
            let answer = server.calculate(&with(&payload, &json!({"data_operacao": date})));
            let problem = answer.problem(404, "regra_inexistente");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(tributo) && detail.contains(date), "{detail}");
            assert!(detail.contains("2026-01-01"), "the nearest validity is named: {detail}");
            assert!(problem.get("regra").is_none(), "no rule refused: {problem}");
        }
    }
}

#[test]
fn no_rule_for_the_discriminators() {
    let content = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"});
    let own = OwnRules::of(&[rule("t-ipi", "ipi", &json!({"ncm": ["99010000"]}), &content)]);
    let server = own.serve();
    let payloads = [
        (
            json!({"tributo": "ipva", "uf": "AC", "categoria_veiculo": "automovel", "valor_venal": "1.00",
                "data_fato_gerador": "2026-01-01"}),
            "AC",
        ),
        (
            json!({"tributo": "itcmd", "uf": "AC", "fato_gerador": "doacao", "valor_base": "1.00",
                "data_fato_gerador": "2026-01-01"}),
            "AC",
        ),
        (
            json!({"tributo": "iss", "uf": "RJ", "municipio": "Niterói", "item_lista_servico": "1.01",
                "preco_servico": "1.00", "data": "2026-01-01"}),
            "Niterói",
        ),
        (
            json!({"tributo": "iptu", "uf": "RJ", "municipio": "Niterói", "uso_imovel": "residencial",
                "valor_venal": "1.00", "exercicio": 2026}),
            "Niterói",
        ),
        (
            json!({"tributo": "itbi", "uf": "RJ", "municipio": "Niterói", "valor_transacao": "1.00",
                "data": "2026-01-01"}),
            "Niterói",
        ),
        (
            json!({"tributo": "icms", "uf_origem": "AC", "uf_destino": "AC", "valor_produto": "1.00",
                "data_operacao": "2026-01-01"}),
            "AC",
        ),
        (
            json!({"tributo": "icms_st", "ncm": "19053100", "uf_origem": "AC", "uf_destino": "AC",
                "valor_produto": "1.00", "data_operacao": "2026-01-01"}),
            "19053100",
        ),
        (
            json!({"tributo": "ipi", "ncm": "00000000", "valor_produto": "1.00", "data_operacao": "2026-01-01"}),
            "00000000",
        ),
        (
            json!({"tributo": "pis", "regime_apuracao": "cumulativo", "valor_operacao": "1.00",
                "valor_icms_destacado": "0", "data_operacao": "1990-01-01"}),
            "1990-01-01",
        ),
    ];
    for (payload, named) in payloads {
        let problem = server.calculate(&payload).problem(404, "regra_inexistente");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(named), "{named} is not named: {detail}");
    }
}

#[test]
fn no_such_address() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for path in ["/", "/v2/calculate", "/sandbox/", "/sandbox/../taxd.redb", "/metrics", "/health", "/control.sock"] {
        server.get(path, &[]).problem(404, "rota_inexistente");
    }
    let key = [("X-API-Key", server.key.as_str())];
    for path in ["/v1", "/v1/", "/v1/calculate/", "/v1/Calculate", "/v1/nada"] {
        server.get(path, &key).problem(404, "rota_inexistente");
        server.get(path, &[]).problem(401, "chave_ausente");
    }
}
