//! What an answer or a refusal says to a person at once: texts beside codes, sources, and all that is missing.

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::document::Node;
use taxd_base::sentence::Reader;
use taxd_core::engine::Extras;

use crate::property::cases;
use crate::support::{built_in_engine, built_in_files, calculate, engine, import, with};

fn ipi(ncm: &str, ex: Option<&str>) -> Value {
    json!({"tributo": "ipi", "ncm": ncm, "ex": ex, "valor_produto": "100.00", "data_operacao": "2026-03-10"})
}

fn said(payload: &Value) -> Value {
    let extras = Extras { com_leitor: true, ..Extras::default() };
    let answer = built_in_engine().calculate(payload.to_string().as_bytes(), extras).unwrap();
    serde_json::from_slice(&answer.to_json()).unwrap()
}

/// "Ex 01" appeared nowhere with its text: not in the field, the rule, or on paper.
#[test]
fn an_ex_has_its_text_in_the_answer_and_in_the_sentence_on_one_that_was_not_given() {
    let chosen = calculate(built_in_engine(), &ipi("22030000", Some("01"))).unwrap();
    assert_eq!(chosen["detalhes"]["ex_descricao"], "Chope", "{chosen}");
    let without = said(&ipi("22030000", None));
    assert_eq!(without["detalhes"].get("ex_descricao"), None, "{without}");
    let [program, person] = [&without["avisos"], &without["leitor"]["avisos"]].map(|list| list[0].as_str().unwrap());
    assert_eq!(program, "Há regra mais específica para o NCM 22030000 com Ex 01: informe `ex`, se couber à operação.");
    assert!(person.contains("com Ex 01 (Chope): informe “Exceção tarifária (Ex)”"), "{person}");
    // The line of the code answers an exception that the TIPI does not have: it has no text.
    let mistyped = calculate(built_in_engine(), &ipi("22030000", Some("07"))).unwrap();
    assert_eq!(mistyped["detalhes"].get("ex_descricao"), None, "{mistyped}");
}

/// The answer to a person was calculated twice, once for the words of each reader.
#[test]
fn a_person_reads_the_same_answer_by_one_calculation_with_the_source_of_its_rule() {
    let engine = engine(64);
    import(&engine, &built_in_files(), false).unwrap();
    for entry in taxd_law::tax::REGISTRY {
        let payload = entry.exemplo.as_bytes();
        let Ok(Node::Object(object)) = Node::parse(payload) else { panic!("{}", entry.exemplo) };
        let before = engine.cache_state().misses;
        let both = engine.calculate(payload, Extras { com_leitor: true, ..Extras::default() }).unwrap();
        assert_eq!(engine.cache_state().misses, before + 1, "{}", entry.tributo);
        let mut both: Value = serde_json::from_slice(&both.to_json()).unwrap();
        let leitor = both.as_object_mut().unwrap().shift_remove("leitor").unwrap();
        let program: Value =
            serde_json::from_slice(&engine.calculate(payload, Extras::default()).unwrap().to_json()).unwrap();
        assert_eq!(both, program, "{}", entry.tributo);
        let person = Extras { leitor: Reader::Person, ..Extras::default() };
        let person = engine.answer(&object, person, None).unwrap();
        let named = taxd_law::labels::named(Some(entry.tributo.as_str()));
        let sentences: Vec<String> =
            person.in_words(&named).avisos().map(|one| one.texto.as_str().to_owned()).collect();
        assert_eq!(leitor["avisos"], json!(sentences), "{}", entry.tributo);
        assert!(leitor["fonte"].as_str().is_some_and(|fonte| !fonte.is_empty()), "{}: {leitor}", entry.tributo);
    }
}

/// The proof covers what a program reads: a person's words beside it change no digest.
#[test]
fn a_proof_does_not_cover_what_a_person_reads() {
    let payload = ipi("22030000", None).to_string();
    let proof = |com_leitor| {
        let extras = Extras { prova: true, com_leitor, ..Extras::default() };
        let answer = built_in_engine().calculate(payload.as_bytes(), extras).unwrap();
        serde_json::from_slice::<Value>(&answer.to_json()).unwrap()["prova"].clone()
    };
    assert_eq!(proof(true), proof(false));
}

/// "Só são verificados quando a operação informa o NCM" was said beside an NCM that was given.
#[test]
fn cbs_and_ibs_do_not_ask_for_the_goods_that_the_payload_names() {
    let payload = |tributo: &str, of: &Value| {
        let sale = json!({
            "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
            "valor_cofins": "0", "valor_ipi": "0", "optante_simples": false, "cumpre_obrigacoes_acessorias": true,
            "data_operacao": "2026-11-20",
        });
        with(&sale, of)
    };
    for tributo in ["cbs", "ibs"] {
        for (of, asks) in
            [(json!({}), true), (json!({"ncm": "84433231"}), false), (json!({"item_lista_servico": "1.07"}), false)]
        {
            let answer = said(&payload(tributo, &of));
            let conditions = answer["condicoes_dos_avisos"].as_array().unwrap();
            assert_eq!(conditions.iter().any(|one| one == "beneficio"), asks, "{answer}");
            let read = answer["avisos"].as_array().unwrap();
            assert!(!read.is_empty() && read.len() == conditions.len(), "{answer}");
            assert_eq!(answer["leitor"]["avisos"].as_array().unwrap().len(), read.len(), "{answer}");
        }
    }
}

/// The fuel was asked for only after the value had been given.
#[test]
fn a_refusal_for_want_of_an_amount_names_what_the_rule_will_ask_for() {
    let vehicle =
        json!({"tributo": "ipva", "uf": "SP", "categoria_veiculo": "automovel", "data_fato_gerador": "2026-01-01"});
    let refused = |payload: &Value| *calculate(built_in_engine(), payload).unwrap_err();
    let fields =
        |payload: &Value| -> Vec<String> { refused(payload).erros.into_iter().map(|erro| erro.campo).collect() };
    assert_eq!(fields(&vehicle), ["valor_venal", "combustivel"]);
    let problem = refused(&vehicle);
    assert_eq!(problem.codigo.as_str(), "campo_obrigatorio");
    assert_eq!(problem.missing_fields(), ["valor_venal", "combustivel"]);
    assert_eq!(fields(&with(&vehicle, &json!({"valor_venal": "85000.00"}))), ["combustivel"]);
    assert_eq!(fields(&with(&vehicle, &json!({"combustivel": "flex"}))), ["valor_venal"]);
    // The day may select another rule, so nothing is said of what that one asks.
    let dateless = with(&vehicle, &json!({"data_fato_gerador": null}));
    assert_eq!(fields(&dateless), ["valor_venal", "data_fato_gerador"]);
    // What is wrong comes before what is missing.
    assert_eq!(fields(&with(&vehicle, &json!({"uf": "XX"}))), ["uf", "valor_venal"]);
}

/// The exceptions of São Paulo in 2026: the words that each begins with, the value that it is above, and the last one.
const EXCEPTIONS: [(&str, &str, [u64; 2]); 5] = [
    ("residencial", "Isenção até R$ 150.000,00", [0, 15_000_000]),
    ("residencial", "Isenção até R$ 260.000,00", [0, 26_000_000]),
    ("residencial", "Desconto de R$ 780.000,00", [26_000_000, 39_000_000]),
    ("nao_residencial", "Isenção até R$ 150.000,00", [0, 15_000_000]),
    ("nao_residencial", "Desconto de R$ 450.000,00", [15_000_000, 22_500_000]),
];

fn exceptions(uso: &str, cents: u64) -> Vec<String> {
    let payload = json!({
        "tributo": "iptu", "uf": "SP", "municipio": "São Paulo", "uso_imovel": uso, "exercicio": 2026,
        "valor_venal": format!("{}.{:02}", cents / 100, cents % 100),
    });
    let answer = calculate(built_in_engine(), &payload).unwrap();
    let list = answer["detalhes"]["excecoes_nao_avaliadas"].as_array().unwrap();
    list.iter().map(|one| one["descricao"].as_str().unwrap().to_owned()).collect()
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn an_exception_that_the_value_rules_out_is_not_listed(
        uso in prop::sample::select(vec!["residencial", "nao_residencial"]),
        limit in prop::sample::select(vec![15_000_000_u64, 22_500_000, 26_000_000, 39_000_000]),
        by in 0_u64..3,
        any in 1_u64..80_000_000,
        near in any::<bool>(),
    ) {
        let cents = if near { limit + by - 1 } else { any };
        let shown = exceptions(uso, cents);
        for (_, begins, [above, until]) in EXCEPTIONS.into_iter().filter(|(of, ..)| *of == uso) {
            let expected = cents > above && cents <= until;
            prop_assert_eq!(shown.iter().any(|one| one.starts_with(begins)), expected, "{} {}: {:?}", cents, begins, shown);
        }
        // No value rules out the limit of the yearly increase.
        prop_assert!(shown.iter().any(|one| one.starts_with("Limite de 10%")));
    }
}
