//! Every filter alone and with others.

use super::{COUNT, own_rules};
use crate::support::{DataDir, ids};

/// Query, and the versions that it lists, in whatever order.
const CASES: [(&str, &[&str]); 56] = [
    ("tributo=ipi", &["ipi-22030000-v1.0", "ipi-22030000-ex01-v1.0", "ipi-2204-v1.0"]),
    ("tributo=cofins", &[]),
    ("uf=AC", &["ipva-ac-v1.0", "ipva-ac-v1.1", "ipva-ac-v1.2", "icms-ac-am-v1.0"]),
    ("uf=AM", &["ipva-am-v1.0", "ipva-am-v1.1", "icms-ac-am-v1.0"]),
    ("uf=BA", &[]),
    ("uf_origem=AC", &["ipva-ac-v1.0", "ipva-ac-v1.1", "ipva-ac-v1.2", "icms-ac-am-v1.0"]),
    ("uf_origem=AM", &["ipva-am-v1.0", "ipva-am-v1.1"]),
    ("uf_destino=AM", &["ipva-am-v1.0", "ipva-am-v1.1", "icms-ac-am-v1.0"]),
    ("uf_origem=AC&uf_destino=AM", &["icms-ac-am-v1.0"]),
    ("uf_origem=AM&uf_destino=AC", &[]),
    ("uf=AC&uf_destino=AM", &["icms-ac-am-v1.0"]),
    ("municipio=Niter%C3%B3i", &["iss-niteroi-v1.0", "iss-niteroi-101-v1.0", "itbi-niteroi-v1.0"]),
    ("municipio=NITEROI", &["iss-niteroi-v1.0", "iss-niteroi-101-v1.0", "itbi-niteroi-v1.0"]),
    ("municipio=Niteroi&tributo=itbi", &["itbi-niteroi-v1.0"]),
    ("municipio=Niteroi&uf=SP", &[]),
    ("municipio=Bom+Jesus", &["iss-bj-pi-v1.0", "iss-bj-rs-v1.0"]),
    ("municipio=bom%20jesus&uf=PI", &["iss-bj-pi-v1.0"]),
    ("municipio=S%C3%A3o+Paulo", &[]),
    // Rules of the NCM, and rules without NCM of taxes that ask by it; not the one that excepts it.
    ("ncm=22030000", &["icms-ac-am-v1.0", "icms-sp-v1.0", "ipi-22030000-v1.0", "ipi-22030000-ex01-v1.0"]),
    ("ncm=22030001", &["icms-ac-am-v1.0", "icms-sp-v1.0", "icms-sp-2203-v1.0"]),
    ("ncm=22030000&uf=SP", &["icms-sp-v1.0"]),
    ("ncm=22030000&tributo=ipi", &["ipi-22030000-v1.0", "ipi-22030000-ex01-v1.0"]),
    ("ncm=01012100&tributo=ipi", &[]),
    ("cest=0302100", &["icms-st-sp-v1.0"]),
    ("cest=0302100&uf=AC", &[]),
    ("ex=01", &["ipi-22030000-ex01-v1.0"]),
    ("ex=1", &["ipi-22030000-ex01-v1.0"]),
    // With an NCM the line without Ex is considered too.
    ("ex=01&ncm=22030000&tributo=ipi", &["ipi-22030000-v1.0", "ipi-22030000-ex01-v1.0"]),
    ("ex=02&ncm=22030000&tributo=ipi", &["ipi-22030000-v1.0"]),
    ("item_lista_servico=1.01", &["iss-niteroi-v1.0", "iss-niteroi-101-v1.0", "iss-bj-pi-v1.0", "iss-bj-rs-v1.0"]),
    ("item_lista_servico=1.02&uf=RJ", &["iss-niteroi-v1.0", "iss-niteroi-101-v1.0"]),
    ("item_lista_servico=1.03&municipio=niteroi", &["iss-niteroi-v1.0"]),
    ("rule_code=ipva-ac", &["ipva-ac-v1.0", "ipva-ac-v1.1", "ipva-ac-v1.2"]),
    ("rule_code=ipva-nada", &[]),
    ("rule_id=ipva-ac-v1.1", &["ipva-ac-v1.1"]),
    ("rule_id=ipva-ac-v1.9", &[]),
    ("rule_code=ipva-am&rule_id=ipva-ac-v1.1", &[]),
    ("rule_code=ipva-ac&vigente_em=2022-12-31", &["ipva-ac-v1.0"]),
    ("rule_code=ipva-ac&vigente_em=2023-01-01", &["ipva-ac-v1.1"]),
    ("tributo=ipva&vigente_em=2021-12-31", &["ipva-ac-v1.0", "ipva-ro-v1.0", "ipva-am-v1.1"]),
    ("tributo=ipva&vigente_em=2019-12-31", &[]),
    ("tributo=ipva&situacao=vigente", &["ipva-ac-v1.1", "ipva-am-v1.1"]),
    ("inicia_ate=2099-01-01", &["ipva-ac-v1.2"]),
    ("inicia_ate=2098-12-31", &[]),
    ("termina_ate=2098-12-30", &[]),
    ("termina_ate=2098-12-31", &["ipva-ac-v1.1"]),
    ("termina_ate=2098-12-31&sem_sucessora=true", &[]),
    ("tributo=ipva&sem_sucessora=true", &["ipva-ro-v1.0"]),
    ("tributo=ipva&sucessao=sem_sucessora", &["ipva-ro-v1.0"]),
    ("tributo=ipva&sucessao=nova_versao", &["ipva-ac-v1.0", "ipva-ac-v1.1"]),
    ("sucessao=sem_figura", &[]),
    ("situacao=substituida", &["ipva-am-v1.0"]),
    ("conferencia=texto_legal", &["ipva-ac-v1.0"]),
    ("conferencia=fonte_unica&tributo=icms", &["icms-sp-v1.0"]),
    ("conferencia=fonte_unica&tributo=ipva", &[]),
    ("situacao=futura&uf=AC&tributo=ipva&rule_code=ipva-ac&vigente_em=2099-01-01", &["ipva-ac-v1.2"]),
];

#[test]
fn each_filter_lists_what_it_names_and_nothing_else() {
    let own = own_rules();
    let server = own.serve();
    let all = server.regras("");
    assert_eq!(all.len(), COUNT);
    for (query, expected) in CASES {
        let found = server.regras(query);
        let (mut shown, mut expected) = (ids(&found), expected.to_vec());
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shown, expected, "{query}");
        // A filtered listing shows the same records in the same order as the whole one.
        let among: Vec<_> = all.iter().filter(|r| found.contains(r)).cloned().collect();
        assert_eq!(among, found, "{query}");
    }
}

#[test]
fn the_situations_part_the_rules_between_them() {
    let own = own_rules();
    let server = own.serve();
    let mut counted = Vec::new();
    for (situacao, count) in [("vigente", 14), ("futura", 1), ("encerrada", 2), ("substituida", 1)] {
        let found = server.regras(&format!("situacao={situacao}"));
        assert!(found.iter().all(|r| r["situacao"] == situacao), "{situacao}");
        assert_eq!(found.len(), count, "{situacao}: {:?}", ids(&found));
        counted.extend(found);
    }
    assert_eq!(counted.len(), COUNT);
}

#[test]
fn words_of_the_citation_are_found_whatever_their_case_accents_and_order() {
    let own = own_rules();
    let server = own.serve();
    for q in ["Senado", "RESOLUCAO+22%2F1989", "federal+resolu%C3%A7%C3%A3o", "art.+1%C2%BA+senado"] {
        assert_eq!(ids(&server.regras(&format!("q={q}"))), ["icms-ac-am-v1.0"], "{q}");
    }
    assert_eq!(server.regras("q=senado+ipva").len(), 0, "every word must be there");
    assert_eq!(server.regras("q=lei+de+teste").len(), COUNT - 1);
    assert_eq!(server.regras("q=lei+de+teste&tributo=itbi").len(), 1);
    for wild in ["sen*do", "s.nado", "sen%25", "senado.*ipva", "%27+OR+1=1"] {
        assert_eq!(server.regras(&format!("q={wild}&tributo=ipva")).len(), 0, "{wild} is no pattern");
    }
}

#[test]
fn a_filter_lists_exactly_the_rules_that_a_calculation_could_have_taken() {
    let own = own_rules();
    let server = own.serve();
    let payload = serde_json::json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "ncm": "22030001",
                                     "valor_produto": "100.00", "data_operacao": "2026-01-01"});
    let answered = server.calculate(&payload).envelope()["regra"]["rule_id"].clone();
    let found = server.regras("tributo=icms&uf_origem=SP&uf_destino=SP&ncm=22030001&vigente_em=2026-01-01");
    assert!(ids(&found).contains(&answered.as_str().unwrap()), "{answered} is not in {:?}", ids(&found));
    let excepted = server.regras("tributo=icms&uf_origem=SP&uf_destino=SP&ncm=22030000&vigente_em=2026-01-01");
    let payload = crate::support::with(&payload, &serde_json::json!({"ncm": "22030000"}));
    assert_eq!([server.calculate(&payload).envelope()["regra"]["rule_id"].as_str().unwrap()], *ids(&excepted));
}

#[test]
fn a_tax_classification_lists_the_built_in_rule_of_it() {
    let dir = DataDir::ready();
    let listed = dir.serve(&[]).regras("tributo=cbs&classificacao_tributaria=200003");
    assert_eq!(ids(&listed), ["cbs-classificacao-200003-v1.0"]);
}
