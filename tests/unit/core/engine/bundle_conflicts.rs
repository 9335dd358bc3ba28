//! What an import refuses for what is published already, for its other rules, or for its examples.

use serde_json::{Value, json};

use crate::support::{engine, publish, rule, with};

/// The paths of the faults when `second` comes after `first`.
fn after(first: &[Value], second: &[Value]) -> Vec<String> {
    let engine = engine(0);
    publish(&engine, first).unwrap();
    let count = engine.rule_count().unwrap();
    let faults = publish(&engine, second).expect_err("the second bundle went through");
    assert_eq!(engine.rule_count().unwrap(), count, "something was published beside faults");
    faults.into_iter().map(|f| f.path).collect()
}

fn general(uf: &str, rate: &str) -> Value {
    rule(&format!("icms-{}", uf.to_lowercase()), "icms", &json!({"uf": uf}), &json!({"aliquota": rate}))
}

#[test]
fn a_published_version_is_never_rewritten() {
    for change in [
        json!({"conteudo": {"aliquota": "19.00"}}),
        json!({"citacao_legal": "Outra lei"}),
        json!({"vigente_de": "2021-01-01"}),
        json!({"vigente_ate": "2030-01-01"}),
        json!({"escopo": {"uf": "RJ"}}),
        json!({"avisos": ["Um aviso"]}),
    ] {
        let changed = with(&general("SP", "18.00"), &change);
        assert_eq!(after(&[general("SP", "18.00")], &[changed]), ["regras[0].versao"], "{change}");
    }
}

#[test]
fn a_version_never_comes_after_a_higher_one() {
    let higher = with(&general("SP", "18.00"), &json!({"versao": "1.10"}));
    let lower = with(&general("SP", "19.00"), &json!({"versao": "1.9", "vigente_de": "2026-01-01"}));
    assert_eq!(after(&[higher], &[general("RJ", "20.00"), lower]), ["regras[1].versao"]);
}

#[test]
fn a_version_that_is_twice_in_one_import_is_refused() {
    let twice = [general("SP", "18.00"), general("RJ", "20.00"), general("SP", "19.00")];
    let faults = publish(&engine(0), &twice).unwrap_err();
    assert_eq!(faults.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["regras[2].rule_code"]);
}

#[test]
fn two_codes_that_would_answer_the_same_on_some_day_are_refused() {
    let scope = json!({"uf": "SP", "ncm": ["2203", "2204"]});
    let first =
        with(&rule("primeiro", "icms", &scope, &json!({"aliquota": "18.00"})), &json!({"vigente_ate": "2026-01-01"}));
    let tie = |from: &str, escopo: Value| {
        let second = rule("segundo", "icms", &escopo, &json!({"aliquota": "19.00"}));
        with(&second, &json!({"vigente_de": from}))
    };
    // On the last day, inside a list, in one import or in two.
    let overlapping = tie("2025-12-31", json!({"uf": "SP", "ncm": ["2204", "2205"]}));
    assert_eq!(after(std::slice::from_ref(&first), std::slice::from_ref(&overlapping)), ["regras[0].escopo"]);
    assert_eq!(publish(&engine(0), &[overlapping.clone(), first.clone()]).unwrap_err().len(), 1);
    // An exception does not undo a tie.
    let excepted = tie("2025-12-31", json!({"uf": "SP", "ncm": ["2204"], "ncm_exceto": ["220410"]}));
    assert_eq!(after(std::slice::from_ref(&first), &[excepted]), ["regras[0].escopo"]);
    // The day after, under another length, or in another UF there is no tie.
    for free in [
        tie("2026-01-01", json!({"uf": "SP", "ncm": ["2204"]})),
        tie("2020-01-01", json!({"uf": "SP", "ncm": ["220410", "22"]})),
        tie("2020-01-01", json!({"uf": "RJ", "ncm": ["2203", "2204"]})),
    ] {
        assert!(publish(&engine(0), &[first.clone(), free]).is_ok());
    }
}

#[test]
fn an_example_that_fails_refuses_the_whole_import() {
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00",
        "data_operacao": "2026-03-10"});
    for (example, member) in [
        (json!({"payload": payload, "valor": "18.01"}), "valor"),
        (json!({"payload": payload, "valor": "18.00", "detalhes": {"base_calculo": "99.00"}}), "detalhes"),
        (json!({"payload": payload, "valor": "18.00", "detalhes": {"nada": "0"}}), "detalhes"),
        (json!({"payload": payload, "codigo": "regra_sem_conteudo"}), "codigo"),
        (json!({"payload": with(&payload, &json!({"uf_origem": "RJ"})), "valor": "18.00"}), "valor"),
        (json!({"payload": with(&payload, &json!({"uf_origem": "RJ"})), "codigo": "regra_sem_conteudo"}), "codigo"),
        (json!({"payload": payload}), "valor"),
        (json!({"payload": payload, "valor": "18.00", "rule_id": "outra-v1.0"}), "payload"),
    ] {
        let rules = [general("RJ", "20.00"), with(&general("SP", "18.00"), &json!({"exemplos": [example]}))];
        let engine = engine(0);
        let faults = publish(&engine, &rules).expect_err("a failing example went through");
        assert_eq!(engine.rule_count().unwrap(), 0);
        let wanted = format!("regras[1].exemplos[0].{member}");
        assert_eq!(faults.iter().map(|f| f.path.clone()).collect::<Vec<_>>(), [wanted], "{example}");
    }
}

#[test]
fn a_null_figure_needs_its_reason_in_every_member() {
    let scope = json!({"uf": "SP"});
    let municipal = json!({"uf": "SP", "municipio": "São Paulo"});
    for (tributo, scope, content) in [
        ("icms", &scope, json!({"aliquota": null})),
        ("icms", &scope, json!({"aliquota": "18.00", "fcp": null})),
        ("ipva", &scope, json!({"combustiveis": [{"combustivel": "flex", "aliquota": null}]})),
        ("itcmd", &scope, json!({"metodo": "integral", "faixas": [{"ate": null, "aliquota": null}]})),
        ("itbi", &municipal, json!({"aliquota": "3.00", "sfh": {"aliquota": "0.50", "limite_imovel": null}})),
    ] {
        let mut bare = rule("nula", tributo, scope, &content);
        bare.as_object_mut().unwrap().remove("motivo");
        let faults = publish(&engine(0), &[bare.clone()]).expect_err("a null figure without reason went through");
        assert_eq!(faults.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["regras[0].motivo"], "{content}");
        assert!(publish(&engine(0), &[with(&bare, &json!({"motivo": "Não conferida."}))]).is_ok(), "{content}");
    }
    // The open end of the last bracket is not a figure.
    let open = json!({"metodo": "integral", "faixas": [{"ate": null, "aliquota": "4.00"}]});
    let mut whole = rule("aberta", "itcmd", &scope, &open);
    whole.as_object_mut().unwrap().remove("motivo");
    assert!(publish(&engine(0), &[whole]).is_ok());
}

#[test]
fn a_validity_has_at_least_one_day() {
    let dated = |ate: &str| with(&general("SP", "18.00"), &json!({"vigente_de": "2026-01-01", "vigente_ate": ate}));
    for ate in ["2025-12-31", "2026-01-01"] {
        let faults = publish(&engine(0), &[dated(ate)]).expect_err("a rule that answers on no day went through");
        assert_eq!(faults.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["regras[0].vigente_ate"], "{ate}");
    }
    assert!(publish(&engine(0), &[dated("2026-01-02")]).is_ok());
}

#[test]
fn a_scope_that_no_lookup_asks_for_is_refused() {
    let rate = json!({"aliquota": "5.00"});
    let ordinary = json!({"tipo": "ordinario", "aliquota": "1.65"});
    let zero = json!({"tipo": "aliquota_zero", "motivo_zero": "Lei"});
    let margin = json!({"criterio": "mva", "descricao": "X", "mva": "40.00", "aliquota_interna": "18.00"});
    let refusal = json!({"recusa": {"hipoteses": [{"reducao": "60.00", "anexo": "I", "descricao": "X"}]}});
    let fixed = json!({"fixo": {"periodicidade": "mensal", "metodo": "marginal",
        "faixas": [{"ate": null, "valor_por_profissional": "100.00"}]}});
    let municipal = json!({"uf": "SP", "municipio": "São Paulo"});
    for (tributo, escopo, conteudo) in [
        ("icms", json!({}), &rate),
        ("icms", json!({"uf_origem": "SP"}), &rate),
        ("icms", json!({"uf_destino": "SP"}), &rate),
        ("icms", json!({"uf_origem": "SP", "uf_destino": "MG", "ncm": "2203"}), &rate),
        ("icms", json!({"uf": "SP", "origem_mercadoria": "importada"}), &rate),
        ("icms", json!({"origem_mercadoria": "nacional"}), &rate),
        ("icms_st", json!({"ncm": "2203"}), &margin),
        ("icms_st", json!({"uf_origem": "SP", "ncm": "2203"}), &margin),
        ("pis", json!({}), &ordinary),
        ("pis", json!({"ncm": "2203"}), &ordinary),
        ("cofins", json!({"regime_apuracao": "cumulativo"}), &zero),
        ("cbs", json!({"ncm": "2203"}), &rate),
        ("cbs", json!({}), &refusal),
        ("ibs", json!({"ncm": "2203", "item_lista_servico": "8.01"}), &refusal),
        ("iss", municipal.clone(), &fixed),
        ("iss", with(&municipal, &json!({"regime": "sociedade_uniprofissional"})), &rate),
    ] {
        let faults = publish(&engine(0), &[rule("morta", tributo, &escopo, conteudo)]);
        let paths: Vec<String> = faults.map_or_else(|f| f.into_iter().map(|f| f.path).collect(), |_| Vec::new());
        let told = !paths.is_empty() && paths.iter().all(|p| p.starts_with("regras[0].escopo"));
        assert!(told, "{tributo} {escopo}: {paths:?}");
    }
}
