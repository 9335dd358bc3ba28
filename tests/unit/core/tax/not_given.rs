//! What an answer says of optional fields that were not given, against a second implementation that looks at every
//! rule.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use taxd_base::value::Timestamp;
use taxd_core::engine::Engine;

use crate::property::cases;
use crate::support::{calculate, engine, engine_with, publish, rule, with};

const NCM: &str = "22030000";
const PREFIXES: [&str; 6] = ["22", "2203", "220300", "22030000", "2204", "22030001"];
const EXS: [&str; 4] = ["01", "02", "03", "10"];
const DAYS: [&str; 4] = ["2021-01-01", "2023-01-01", "2025-01-01", "2027-01-01"];

/// A line of the TIPI with an exception.
#[derive(Debug, Clone)]
struct Line {
    ncm: &'static str,
    exceto: Option<&'static str>,
    ex: &'static str,
    de: &'static str,
    ate: Option<&'static str>,
}

impl Line {
    fn reaches(&self, day: &str) -> bool {
        NCM.starts_with(self.ncm)
            && !self.exceto.is_some_and(|exceto| NCM.starts_with(exceto))
            && self.de <= day
            && self.ate.is_none_or(|ate| day < ate)
    }

    fn rule(&self, code: &str) -> Value {
        let scope = json!({"ncm": self.ncm, "ncm_exceto": self.exceto, "ex": self.ex});
        let days = json!({"vigente_de": self.de, "vigente_ate": self.ate});
        with(&rule(code, "ipi", &scope, &tipi()), &days)
    }
}

fn tipi() -> Value {
    json!({"situacao": "tributado", "aliquota": "10.00", "tabela_versao": "TIPI de teste"})
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let one = (select(&PREFIXES), proptest::option::of(select(&PREFIXES)), select(&EXS), 0..3usize, any::<bool>());
    let one = one.prop_map(|(ncm, exceto, ex, de, open)| {
        let exceto = exceto.filter(|exceto| exceto.starts_with(ncm) && *exceto != ncm);
        Line { ncm, exceto, ex, de: DAYS[de], ate: (!open).then_some(DAYS[de + 1]) }
    });
    proptest::collection::vec(one, 0..10).prop_map(|mut lines| {
        lines.sort_by_key(|line| (line.ncm, line.ex));
        lines.dedup_by_key(|line| (line.ncm, line.ex));
        lines
    })
}

fn ipi(day: &str) -> Value {
    json!({"tributo": "ipi", "ncm": NCM, "valor_produto": "100.00", "data_operacao": day})
}

/// The sentences on fields that were not given.
fn said(answer: &Value) -> Vec<String> {
    let all = answer["avisos"].as_array().into_iter().flatten().map(|aviso| aviso.as_str().unwrap());
    let own: Vec<String> =
        all.filter(|aviso| aviso.starts_with("Há regra mais específica")).map(ToOwned::to_owned).collect();
    if !own.is_empty() {
        let last = answer["condicoes_dos_avisos"].as_array().unwrap();
        assert!(last.len() >= own.len() && last[last.len() - own.len()..].iter().all(|c| c == "campo"), "{answer}");
    }
    own
}

fn expected(lines: &[Line], day: &str) -> Vec<String> {
    let mut exs: Vec<&str> = lines.iter().filter(|line| line.reaches(day)).map(|line| line.ex).collect();
    exs.sort_unstable();
    exs.dedup();
    let sentence = format!(
        "Há regra mais específica para o NCM {NCM} com Ex {}: informe `ex`, se couber à operação.",
        exs.join(", ")
    );
    if exs.is_empty() { Vec::new() } else { vec![sentence] }
}

/// The answer of the published rules, read without anything that is kept in memory.
fn afresh(engine: &Engine, payload: &Value) -> Value {
    let now = Timestamp::parse("2030-01-01T00:00:00.000Z").unwrap();
    let answer = engine.calculate_at(payload.to_string().as_bytes(), false, Some(now)).unwrap();
    serde_json::from_slice(&answer.to_json()).unwrap()
}

proptest! {
    #![proptest_config(cases(128))]

    /// Asked between publications of an engine that keeps answers and lists, and of rules that are read again.
    #[test]
    fn the_exceptions_of_an_ncm_are_named_if_none_was_given(lines in lines()) {
        let engine = engine(64);
        publish(&engine, &[rule("capitulo", "ipi", &json!({"ncm": "22"}), &tipi())]).unwrap();
        for n in 0..=lines.len() {
            for day in ["2022-05-05", "2024-05-05", "2026-05-05"] {
                let wanted = expected(&lines[..n], day);
                let kept = calculate(&engine, &ipi(day)).unwrap();
                prop_assert_eq!(said(&kept), wanted.clone(), "{} lines, {}", n, day);
                prop_assert_eq!(said(&calculate(&engine, &ipi(day)).unwrap()), wanted.clone());
                // An answer for an instant dates the publications after it, so it comes last.
                if n == lines.len() {
                    prop_assert_eq!(said(&afresh(&engine, &ipi(day))), wanted);
                }
                // An exception that is given is not asked for.
                prop_assert_eq!(said(&calculate(&engine, &with(&ipi(day), &json!({"ex": "7"}))).unwrap()), Vec::<String>::new());
            }
            if let Some(line) = lines.get(n) {
                publish(&engine, &[line.rule(&format!("linha-{n}"))]).unwrap();
            }
        }
    }
}

/// A sentence that was kept after its rule ended would send the caller to a rule that is not there.
#[test]
fn the_sentence_goes_with_the_end_of_its_rule() {
    let engine = engine(64);
    let line = Line { ncm: NCM, exceto: None, ex: "01", de: "2021-01-01", ate: None };
    publish(&engine, &[rule("capitulo", "ipi", &json!({"ncm": "22"}), &tipi()), line.rule("excecao")]).unwrap();
    let asked = || calculate(&engine, &ipi("2026-05-05")).unwrap();
    assert_eq!((said(&asked()).len(), asked()["cached"].as_bool()), (1, Some(true)));
    let moved =
        with(&Line { ncm: "22040000", ..line }.rule("excecao"), &json!({"versao": "1.1", "vigente_de": "2026-01-01"}));
    publish(&engine, &[moved]).unwrap();
    let after = asked();
    assert_eq!((said(&after).len(), after["cached"].as_bool()), (0, Some(false)));
}

#[test]
fn five_exceptions_are_listed_and_the_others_counted_in() {
    let exs = (1..=7).map(|n| Line {
        ncm: NCM,
        exceto: None,
        ex: ["01", "02", "03", "04", "05", "06", "07"][n - 1],
        de: DAYS[0],
        ate: None,
    });
    let mut rules: Vec<Value> = exs.enumerate().map(|(i, line)| line.rule(&format!("linha-{i}"))).collect();
    rules.push(rule("capitulo", "ipi", &json!({"ncm": "22"}), &tipi()));
    let answer = calculate(&engine_with(&rules), &ipi("2026-05-05")).unwrap();
    assert!(said(&answer)[0].contains("com Ex 01, 02, 03, 04, 05 e outros:"), "{answer}");
}

/// One sentence a field, and none when no rule is there on the day.
#[test]
fn each_field_has_one_sentence_where_a_rule_is_there() {
    let zero = json!({"tipo": "aliquota_zero", "motivo_zero": "x"});
    let ordinary = json!({"tipo": "ordinario", "aliquota": "1.65"});
    let basket = json!({"recusa": {"hipoteses": [{"reducao": "60.00", "anexo": "x", "descricao": "x"}]}});
    let class = json!({"classificacao": {"descricao": "x", "reducao": "60.00"}});
    let iss = |code: &str, scope: &Value, content: &Value| {
        rule(code, "iss", &with(&json!({"uf": "MG", "municipio": "Araxá"}), scope), content)
    };
    let fixed = json!({"fixo": {"periodicidade": "anual", "metodo": "integral",
        "faixas": [{"ate": null, "valor_por_profissional": "10.00"}]}});
    let engine = engine_with(&[
        rule("ordinaria", "pis", &json!({"regime_apuracao": "cumulativo"}), &ordinary),
        rule("zero", "pis", &json!({"ncm": "2203"}), &zero),
        rule("excecao", "pis", &json!({"ncm": "8703", "ex": "01"}), &zero),
        rule("cbs-nacional", "cbs", &json!({}), &json!({"aliquota": "0.90"})),
        rule("cbs-cesta", "cbs", &json!({"ncm": "1006"}), &basket),
        rule("cbs-classe", "cbs", &json!({"classificacao_tributaria": "200003"}), &class),
        iss("geral", &json!({}), &json!({"aliquota": "3.00"})),
        iss("desdobro", &json!({"item_lista_servico": "1.09.01"}), &json!({"aliquota": "2.00"})),
        iss("sociedade", &json!({"regime": "sociedade_uniprofissional", "item_lista_servico": "1.05"}), &fixed),
        rule("icms-mg", "icms", &json!({"uf": "MG"}), &json!({"aliquota": "18.00"})),
        rule("senado", "icms", &json!({"uf_origem": "MG", "uf_destino": "SP"}), &json!({"aliquota": "12.00"})),
        rule("cesta", "icms", &json!({"ncm": "1006"}), &json!({"aliquota": "7.00", "operacoes": ["interna"]})),
    ]);
    let pis = json!({"tributo": "pis", "regime_apuracao": "cumulativo", "valor_operacao": "1.00",
        "valor_icms_destacado": "0", "data_operacao": "2026-05-05"});
    let cbs = json!({"tributo": "cbs", "valor_operacao": "1.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
        "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": false, "optante_simples": false,
        "data_operacao": "2026-05-05"});
    let service = json!({"tributo": "iss", "uf": "MG", "municipio": "Araxá", "item_lista_servico": "1.09",
        "preco_servico": "1.00", "data": "2026-05-05"});
    let icms = json!({"tributo": "icms", "uf_origem": "MG", "uf_destino": "MG", "valor_produto": "1.00",
        "data_operacao": "2026-05-05"});
    for (payload, fields) in [
        (pis.clone(), ["`ncm`"].as_slice()),
        (with(&pis, &json!({"ncm": "22030000"})), &[]),
        (with(&pis, &json!({"ncm": "87030000"})), &["`ex`"]),
        (with(&pis, &json!({"ncm": "87030000", "ex": "2"})), &[]),
        (cbs.clone(), &["`ncm`,", "`classificacao_tributaria`"]),
        (with(&cbs, &json!({"ncm": "22030000"})), &["`classificacao_tributaria`"]),
        (with(&cbs, &json!({"classificacao_tributaria": "200003"})), &[]),
        (service.clone(), &["`codigo_tributacao_nacional`"]),
        (with(&service, &json!({"codigo_tributacao_nacional": "010902"})), &[]),
        (with(&service, &json!({"item_lista_servico": "1.05"})), &["`regime`"]),
        (with(&service, &json!({"item_lista_servico": "1.05", "regime": "normal"})), &[]),
        (with(&service, &json!({"item_lista_servico": "1.01"})), &[]),
        (icms.clone(), &["`ncm`"]),
        // The rule of the basket is of operations inside a UF only.
        (with(&icms, &json!({"uf_destino": "SP"})), &[]),
    ] {
        let answer = calculate(&engine, &payload).unwrap();
        let sentences = said(&answer);
        assert_eq!(sentences.len(), fields.len(), "{payload}: {sentences:?}");
        for (sentence, field) in sentences.iter().zip(fields) {
            assert!(sentence.contains(&format!("informe {field}")), "{payload}: {sentence}");
        }
        assert_eq!(said(&afresh(&engine, &payload)), sentences, "{payload}");
    }
}
