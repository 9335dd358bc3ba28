//! Refusals that the shipped rules do not lead to, on rules of the test's own: imported
//! before the server starts, and while it runs.

use serde_json::{Value, json};

use crate::support::{OwnRules, Server, assert_rule, bundle, rule, with};

fn rules() -> String {
    let brackets = json!({"metodo": "marginal", "unidade": "unidade_fiscal", "unidade_nome": "UFEMG",
        "faixas": [{"ate": "1000.00", "aliquota": "2.00"}, {"ate": null, "aliquota": "4.00"}]});
    let margin =
        |about: &str| json!({"criterio": "mva", "descricao": about, "mva": "40.00", "aliquota_interna": "18.00"});
    let mut unknown = rule(
        "t-pis-nulo",
        "pis",
        &json!({"ncm": ["99030000"]}),
        &json!({"tipo": "aliquota_reduzida", "aliquota": null}),
    );
    unknown["motivo"] = json!("A lei do teste não foi lida.");
    bundle(&[
        rule(
            "t-st-pauta",
            "icms_st",
            &json!({"uf_destino": "MG", "ncm": ["22030000"]}),
            &json!({"criterio": "pauta", "descricao": "Cerveja", "pauta": "5.00", "unidade": "litro", "aliquota_interna": "18.00"}),
        ),
        rule(
            "t-st-um",
            "icms_st",
            &json!({"uf_destino": "MG", "ncm": ["21069090"], "cest": "1700100"}),
            &margin("Doce de leite"),
        ),
        rule(
            "t-st-dois",
            "icms_st",
            &json!({"uf_destino": "MG", "ncm": ["21069090"], "cest": "1700200"}),
            &margin("Sopa em pó"),
        ),
        rule(
            "t-pis-comprador",
            "pis",
            &json!({"ncm": ["99010000"]}),
            &json!({"tipo": "monofasico", "motivo_zero_revenda": "Concentrada na indústria",
                    "por_comprador": {"varejista_consumidor_final": "2.00", "demais": "3.00"}}),
        ),
        rule(
            "t-pis-marca",
            "pis",
            &json!({"ncm": ["99020000"]}),
            &json!({"tipo": "marcador_autopropulsado", "descricao": "Peças"}),
        ),
        unknown,
        rule("t-itcmd-mg", "itcmd", &json!({"uf": "MG"}), &brackets),
        rule(
            "t-ipva-mg",
            "ipva",
            &json!({"uf": "MG"}),
            &json!({"combustiveis": [
            {"combustivel": ["gasolina", "flex"], "aliquota": "4.00"},
            {"combustivel": ["eletrico"], "isento": true, "motivo_isencao": "Elétrico isento"}]}),
        ),
        rule(
            "t-ipva-moto",
            "ipva",
            &json!({"uf": "MG", "categoria_veiculo": ["motocicleta"]}),
            &json!({"faixas": [{"ate": "150", "aliquota": "1.00"}, {"ate": null, "aliquota": "2.00"}],
                    "faixas_por": "cilindrada_cm3", "metodo": "integral",
                    "isencao": {"limite": "5000.00", "modo": "total", "base_legal": "Lei da isenção"}}),
        ),
        rule(
            "t-ipva-taxi",
            "ipva",
            &json!({"uf": "MG", "categoria_veiculo": ["taxi"]}),
            &json!({"aliquota": "2.00",
                    "isencao": {"limite": "9000.00", "modo": "total", "base_legal": "Lei do táxi"},
                    "combustiveis": [{"combustivel": ["gnv"], "aliquota": "1.00",
                        "isencao": {"limite": "5000.00", "modo": "excedente", "base_legal": "Lei do gás"}}]}),
        ),
        rule(
            "t-itbi-uberaba",
            "itbi",
            &json!({"uf": "MG", "municipio": "Uberaba"}),
            &json!({"aliquota": "3.00", "base": "valor_venal_referencia"}),
        ),
        rule(
            "t-iss-uberaba",
            "iss",
            &json!({"uf": "MG", "municipio": "Uberaba"}),
            &json!({"aliquota": "5.00", "retido_na_fonte": true}),
        ),
    ])
}

/// A server that had the rules when it started, and one that got them while it ran.
fn both(check: impl Fn(&Server)) {
    let content = json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"});
    let unrelated = rule("t-ipi", "ipi", &json!({"ncm": ["99010000"]}), &content);
    let before = OwnRules::of(std::slice::from_ref(&unrelated));
    before.import(&before.dir.write("own.json", rules()), &[]).ok();
    check(&before.serve());

    let during = OwnRules::of(&[unrelated]);
    let server = during.serve();
    let file = during.dir.write("own.json", rules());
    let probe = json!({"tributo": "ipva", "uf": "MG", "categoria_veiculo": "automovel", "valor_venal": "1.00",
                       "combustivel": "flex", "data_fato_gerador": "2026-01-01"});
    server.calculate(&probe).problem(404, "regra_inexistente");
    during.import(&file, &[]).ok();
    assert_eq!(server.calculate(&probe).envelope()["valor"], "0.04");
    check(&server);
}

#[track_caller]
fn refused_by(problem: &Value, code: &str) {
    assert_rule(&problem["regra"]);
    assert_eq!(problem["regra"]["rule_id"], format!("{code}-v1.0"));
    assert_eq!(problem["regra"]["citacao_legal"], format!("Lei de teste de {code}"));
    assert_eq!(
        (&problem["regra"]["vigente_de"], &problem["regra"]["vigente_ate"]),
        (&json!("2020-01-01"), &Value::Null)
    );
}

#[test]
fn a_price_list_without_a_quantity() {
    both(|server| {
        let beer = json!({"tributo": "icms_st", "ncm": "22030000", "uf_origem": "MG", "uf_destino": "MG",
                          "data_operacao": "2026-03-10", "valor_produto": "300.00"});
        let problem = server.calculate(&beer).refuses_field("quantidade_ausente", "quantidade");
        refused_by(&problem, "t-st-pauta");
        assert!(problem["detail"].as_str().unwrap().contains("litro"));
        // 5.00 × 100 = 500; 500 × 18% − 300 × 18% = 36.00.
        let answer = server.calculate(&with(&beer, &json!({"quantidade": "100"}))).envelope();
        assert_eq!((&answer["valor"], &answer["detalhes"]["base_metodo"]), (&json!("36.00"), &json!("pauta")));
        server.calculate(&with(&beer, &json!({"quantidade": "0"}))).refuses_field("valor_zero", "quantidade");
    });
}

#[test]
fn several_margins_without_a_cest() {
    both(|server| {
        let goods = json!({"tributo": "icms_st", "ncm": "21069090", "uf_origem": "MG", "uf_destino": "MG",
                           "data_operacao": "2026-03-10", "valor_produto": "100.00"});
        let problem = server.calculate(&goods).refuses_field("cest_necessario", "cest");
        let detail = problem["detail"].as_str().unwrap();
        for told in ["1700100", "Doce de leite", "1700200", "Sopa em pó"] {
            assert!(detail.contains(told), "{told}: {detail}");
        }
        let candidates = problem["candidatos"].as_array().unwrap();
        let codes: Vec<&Value> = candidates.iter().map(|candidate| &candidate["cest"]).collect();
        assert_eq!(codes, ["1700100", "1700200"]);
        assert!(candidates[1]["descricao"].as_str().unwrap().contains("Sopa em pó"), "{problem}");
        let answer = server.calculate(&with(&goods, &json!({"cest": "1700200"}))).envelope();
        assert_eq!(answer["regra"]["rule_id"], "t-st-dois-v1.0");
    });
}

#[test]
fn pis_by_buyer_marked_and_without_figure() {
    both(|server| {
        let goods = json!({"tributo": "pis", "regime_apuracao": "cumulativo", "valor_operacao": "100.00", "ncm": "99010000",
                           "valor_icms_destacado": "0", "data_operacao": "2026-03-10"});
        let problem = server.calculate(&goods).refuses_field("papel_na_cadeia_ausente", "papel_na_cadeia");
        refused_by(&problem, "t-pis-comprador");
        let maker = with(&goods, &json!({"papel_na_cadeia": "fabricante_importador"}));
        refused_by(&server.calculate(&maker).refuses_field("venda_a_ausente", "venda_a"), "t-pis-comprador");
        let sold = with(&maker, &json!({"venda_a": "demais"}));
        assert_eq!(server.calculate(&sold).envelope()["valor"], "3.00");

        let marked = with(&goods, &json!({"ncm": "99020000", "destinacao_autopropulsado": true}));
        let problem = server.calculate(&marked).refuses_field("destinacao_autopropulsado", "destinacao_autopropulsado");
        refused_by(&problem, "t-pis-marca");

        let unknown = with(&goods, &json!({"ncm": "99030000"}));
        let problem = server.calculate(&unknown).problem(422, "regra_sem_conteudo");
        refused_by(&problem, "t-pis-nulo");
        assert!(problem["detail"].as_str().unwrap().contains("A lei do teste não foi lida."));
    });
}

#[test]
fn fiscal_units_fuel_and_reference_value() {
    both(|server| {
        let gift = json!({"tributo": "itcmd", "uf": "MG", "fato_gerador": "doacao", "valor_base": "10000.00",
                          "data_fato_gerador": "2026-03-10"});
        let problem = server.calculate(&gift).refuses_field("unidade_fiscal_ausente", "valor_unidade_fiscal");
        refused_by(&problem, "t-itcmd-mg");
        assert!(problem["detail"].as_str().unwrap().contains("UFEMG"));
        // 1,000 units × 5.00 = 5,000 at 2% = 100; the other 5,000 at 4% = 200.
        let answer = server.calculate(&with(&gift, &json!({"valor_unidade_fiscal": "5.00"}))).envelope();
        assert_eq!(answer["valor"], "300.00");
        assert_eq!(answer["detalhes"]["faixas"].as_array().unwrap().len(), 2);

        let car = json!({"tributo": "ipva", "uf": "MG", "categoria_veiculo": "automovel", "valor_venal": "100.00",
                         "data_fato_gerador": "2026-01-01"});
        refused_by(&server.calculate(&car).refuses_field("combustivel_ausente", "combustivel"), "t-ipva-mg");
        let diesel = with(&car, &json!({"combustivel": "diesel"}));
        refused_by(&server.calculate(&diesel).refuses_field("regra_sem_conteudo", "combustivel"), "t-ipva-mg");
        let electric = server.calculate(&with(&car, &json!({"combustivel": "eletrico"}))).envelope();
        assert_eq!((&electric["valor"], &electric["detalhes"]["isento"]), (&json!("0.00"), &json!(true)));

        let bike = with(&car, &json!({"categoria_veiculo": "motocicleta", "valor_venal": "5000.01"}));
        refused_by(&server.calculate(&bike).refuses_field("campo_obrigatorio", "cilindrada_cm3"), "t-ipva-moto");
        let answer = server.calculate(&with(&bike, &json!({"cilindrada_cm3": 151}))).envelope();
        assert_eq!((&answer["valor"], &answer["detalhes"]["faixas"][0]["faixa"]), (&json!("100.00"), &json!(2)));
        // An electric one has no displacement: a refusal asked for a value that its document does not have.
        let electric = with(&bike, &json!({"combustivel": "eletrico"}));
        refused_by(&server.calculate(&electric).refuses_field("regra_sem_conteudo", "combustivel"), "t-ipva-moto");
        // What is exempt at any displacement is answered without it.
        let cheap = server.calculate(&with(&bike, &json!({"valor_venal": "5000.00"}))).envelope();
        assert_eq!(cheap["detalhes"]["motivo_isencao"], "Lei da isenção");

        // The fuel's exemption of a part hid the category's of the whole.
        let taxi = with(&car, &json!({"categoria_veiculo": "taxi", "combustivel": "gnv", "valor_venal": "9000.00"}));
        let answer = server.calculate(&taxi).envelope();
        assert_eq!((&answer["valor"], &answer["detalhes"]["motivo_isencao"]), (&json!("0.00"), &json!("Lei do táxi")));
        let answer = server.calculate(&with(&taxi, &json!({"valor_venal": "9000.01"}))).envelope();
        assert_eq!((&answer["valor"], &answer["detalhes"]["motivo_isencao"]), (&json!("40.00"), &json!("Lei do gás")));

        let sale = json!({"tributo": "itbi", "uf": "MG", "municipio": "uberaba", "valor_transacao": "1.00",
                          "data": "2026-03-20"});
        let problem = server.calculate(&sale).refuses_field("campo_obrigatorio", "valor_venal_referencia");
        refused_by(&problem, "t-itbi-uberaba");

        let service = json!({"tributo": "iss", "uf": "MG", "municipio": "Uberaba", "item_lista_servico": "1.01",
                             "preco_servico": "100.00", "data": "2026-03-20"});
        assert_eq!(server.calculate(&service).envelope()["detalhes"]["retido_na_fonte"], true);
    });
}

#[test]
fn the_largest_values_are_answered_to_the_cent() {
    both(|server| {
        // 1,000 units of 10^15 each, squared by nothing: the limit itself has 19 digits and fits;
        // the tax on the largest base is still written exactly.
        let gift = json!({"tributo": "itcmd", "uf": "MG", "fato_gerador": "doacao", "data_fato_gerador": "2026-03-10",
                          "valor_base": "999999999999999.9999999999", "valor_unidade_fiscal": "999999999999999.9999999999"});
        // All of it lies in the first bracket: 2% = 19,999,999,999,999.999999999998, so 20 trillion.
        assert_eq!(server.calculate(&gift).envelope()["valor"], "20000000000000.00");
        let beer = json!({"tributo": "icms_st", "ncm": "22030000", "uf_origem": "MG", "uf_destino": "MG",
                          "data_operacao": "2026-03-10", "valor_produto": "1.00",
                          "quantidade": "999999999999999.9999999999"});
        // 5 × (10^15 − 10^-10) × 18% − 0.18 = 9 × 10^14 − 0.18 − 9 × 10^-11, rounded to cents.
        assert_eq!(server.calculate(&beer).envelope()["valor"], "899999999999999.82");
    });
}
