//! `GET /v1/tratamento`, and the same by `taxd calc --tratamento`.

use serde_json::{Value, json};

use crate::support::{DataDir, Done, Server, taxd_nowhere};

/// The cells of a column of a CSV, whose texts in quotes may have a `;`.
fn cells(done: &Done, name: &str) -> Vec<String> {
    let row = |line: &str| -> Vec<String> {
        let outside = line
            .split('"')
            .enumerate()
            .map(|(i, part)| if i % 2 == 0 { part.replace(';', "\n") } else { part.to_owned() });
        outside.collect::<String>().split('\n').map(str::to_owned).collect()
    };
    let mut rows = done.stdout.trim_start_matches('\u{feff}').lines().map(row);
    let head = rows.next().unwrap();
    let place = head.iter().position(|one| one == name).unwrap_or_else(|| panic!("{name}: {done:?}"));
    rows.map(|row| row[place].clone()).collect()
}

fn treat(server: &Server, query: &str) -> Value {
    let reply = server.get_own(&format!("/v1/tratamento?{query}"));
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

/// The 200 purchases of a client in the Simples Nacional were refused 200 times: PIS and COFINS ask for a regime.
#[test]
fn a_product_is_treated_without_a_regime_and_each_part_cites_its_rule() {
    let server = DataDir::served();
    let found = treat(&server, "ncm=40111000&data=2026-03-10&uf_origem=MG&uf_destino=SP&cest=1600100&ex=00");
    let rules = ["pis-monofasico-pneus-v1.0", "cofins-monofasico-pneus-v1.0"];
    for (tributo, rule) in ["pis", "cofins"].into_iter().zip(rules) {
        assert_eq!(found[tributo]["situacao"], "monofasico");
        let regra = &found[tributo]["regimes"][0]["regra"];
        assert_eq!(regra["rule_id"], rule, "{found}");
        for name in ["citacao_legal", "vigente_de", "vigente_ate", "conferencia"] {
            assert!(regra.get(name).is_some(), "{name}: {regra}");
        }
    }
    assert_eq!((&found["uf_origem"], &found["cest"], found.get("ex")), (&json!("MG"), &json!("1600100"), None));
    assert_eq!(found["icms_interestadual"]["aliquota"], "12.00");
    assert_eq!(found["icms_st"]["situacao"], "sujeito", "{found}");
    // (1 + 46.68 %) × (1 − 12 %) ÷ (1 − 18 %), the margin adjusted between the UFs.
    let margins = (&found["icms_st"]["mva"], &found["icms_st"]["mva_aplicada"]);
    assert_eq!(margins, (&json!("46.68"), &json!("57.41")), "{found}");
    // What has no rule is refused as the tax would refuse it, and no other part suffers.
    let payload = json!({
        "tributo": "icms_st", "ncm": "49019900", "uf_origem": "SP", "uf_destino": "SP", "data_operacao": "2026-03-10",
        "valor_produto": "10.00",
    });
    let refused = server.post("/v1/calculate", payload.to_string()).problem(404, "regra_inexistente");
    let found = treat(&server, "ncm=49019900&data=2026-03-10&uf_destino=SP");
    let part = &found["icms_st"];
    assert_eq!(part["situacao"], "sem_regra");
    for name in ["codigo", "detail", "situacao_st", "status"] {
        assert_eq!(part["recusa"][name], refused[name], "{name}");
    }
}

#[test]
fn a_faulty_question_names_every_parameter_and_a_call_is_counted_and_needs_a_key() {
    let server = DataDir::served();
    let named = |query: &str| {
        let problem = server.get_own(&format!("/v1/tratamento{query}")).problem(422, "parametro_invalido");
        let mut named: Vec<String> =
            problem["erros"].as_array().unwrap().iter().map(|e| e["campo"].as_str().unwrap().to_owned()).collect();
        named.sort_unstable();
        named
    };
    assert_eq!(named(""), ["data", "ncm"]);
    assert_eq!(
        named("?ncm=1&data=2026-02-30&uf_origem=XX&uf_destino=sp&cest=1&ex=0001&regime=simples"),
        ["cest", "data", "ex", "ncm", "regime", "uf_destino", "uf_origem"]
    );
    assert_eq!(named("?ncm=33051000&data=2026-03-10&data=2026-03-11"), ["data"]);
    server.get("/v1/tratamento?ncm=33051000&data=2026-03-10", &[]).problem(401, "chave_ausente");
    assert_eq!(server.post("/v1/tratamento", "{}").header("allow"), Some("GET, HEAD"));
    let calls = || server.get_own("/v1/usage").json()["total_chamadas"].as_u64().unwrap();
    let before = calls();
    treat(&server, "ncm=33051000&data=2026-03-10");
    assert_eq!(calls(), before + 2, "the treatment and the earlier question about the consumption");
}

#[test]
fn calc_answers_the_same_of_json_lines_and_of_lists() {
    let server = DataDir::served();
    let line = json!({"ncm": "33051000", "data": "2026-03-10", "uf_destino": "SP", "cest": "2001800"});
    let done = taxd_nowhere(["calc", "--tratamento"], line.to_string().as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(done.json(), treat(&server, "ncm=33051000&data=2026-03-10&uf_destino=SP&cest=2001800"));
    let refused = taxd_nowhere(["calc", "--tratamento"], br#"{"ncm": "33051000"}"#);
    assert_eq!((refused.code, &refused.json()["codigo"]), (1, &json!("campo_obrigatorio")));

    // Columns by their labels; a row at fault has its error, and the others their treatment.
    let list = "Item;NCM;Data da operação;uf_destino\n\
                shampoo;33051000;10/03/2026;SP\narroz;1006.30.21;10/03/2026;SP\nnada;12;10/03/2026;SP\n";
    let done = taxd_nowhere(["calc", "--tratamento", "--list"], list.as_bytes());
    assert!(done.code == 1 && done.stderr.contains("1 de 3 linhas recusadas"), "{done:?}");
    let column = |name: &str| cells(&done, name);
    assert_eq!(column("Item"), ["shampoo", "arroz", "nada"]);
    assert_eq!(column("taxd_pis_situacao"), ["monofasico", "aliquota_zero", ""]);
    assert_eq!(column("taxd_pis_aliquota"), ["2,20", "0,00", ""]);
    assert_eq!(column("taxd_natureza_receita")[1], "4.3.13 105");
    assert_eq!(column("taxd_cbs_situacao"), ["ordinario", "diferenciado", ""]);
    assert!(done.stdout.lines().nth(3).is_some_and(|row| row.contains("`ncm`")), "{done:?}");
}

/// The withholdings of a service and the net to pay were in the answer of an operation, and not in a list of them.
#[test]
fn a_list_of_operations_has_what_the_taker_withholds() {
    let facts = "data_operacao;preco_servico;uf;municipio;item_lista_servico;cumpre_obrigacoes_acessorias;regime_vendedor;\
                 tomador;natureza_servico;servico_cedido;forma_contratacao;aliquota_nota\n\
                 15/04/2026;10.000,00;SP;São Paulo;7.10;sim;lucro_presumido;pessoa_juridica;limpeza;limpeza;cessao_mao_de_obra;5,00\n";
    let done = taxd_nowhere(["calc", "--operacao", "--list"], facts.as_bytes());
    let cell = |name: &str| cells(&done, name)[0].clone();
    // 1 % and 1 %, 0.65 % and 3 %, 11 % and 5 % of R$ 10.000,00.
    for (name, amount) in [
        ("taxd_irrf_servicos_valor", "100,00"),
        ("taxd_csll_retida_valor", "100,00"),
        ("taxd_pis_retido_valor", "65,00"),
        ("taxd_cofins_retida_valor", "300,00"),
        ("taxd_inss_retido_valor", "1100,00"),
        ("taxd_iss_retido_valor", "500,00"),
        ("taxd_retencoes", "2165,00"),
        ("taxd_liquido_a_pagar", "7835,00"),
    ] {
        assert_eq!(cell(name), amount, "{name}: {done:?}");
    }
}

#[test]
fn the_page_answers_a_list_of_products_and_gives_one_to_fill_in() {
    let server = DataDir::served();
    let list = "Item;NCM;Data da operação;UF de destino\npneu;4011.10.00;10/03/2026;SP\nnada;12;10/03/2026;SP\n";
    let lines = |body: &str| -> Vec<Value> {
        let reply = server.post("/sandbox/v1/lista?tributo=tratamento", body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let found = lines(list);
    let result = |row: usize, name: &str| {
        let columns = found[0]["resultado"].as_array().unwrap();
        found[row]["resultado"][columns.iter().position(|column| column["nome"] == name).unwrap()].clone()
    };
    assert_eq!(result(1, "taxd_pis_situacao"), "Monofásico", "as people call it");
    assert_eq!(result(1, "taxd_natureza_receita"), "4.3.10 003, 4.3.10 304");
    assert!(result(2, "taxd_erro").as_str().is_some_and(|text| text.contains("NCM")), "{:?}", found[2]);
    assert_eq!((&found[3]["total"]["calculadas"], &found[3]["total"]["recusadas"]), (&json!(1), &json!(1)));
    let model = server.get_own("/sandbox/v1/modelo?tributo=tratamento&formato=csv").text();
    assert!(model.contains("NCM do produto"), "{model}");
    assert_eq!(lines(&model)[2]["total"]["calculadas"], 1, "{model}");
}
