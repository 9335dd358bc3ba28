//! A sentence in the words of who reads it.

use serde_json::Value;
use taxd_base::document::{Document as _, Faults, Node, Path, Shape};
use taxd_base::problem::Problem;
use taxd_base::sentence::{Reader, Sentence, in_words};
use taxd_base::value::{Clock, Date, Timestamp, counted, percent};
use taxd_core::engine::Extras;
use taxd_core::rulesets;
use taxd_law::labels::WORDS;
use taxd_law::tax::REGISTRY;

taxd_base::document! {
    /// A payload with a field of each kind that people write otherwise.
    struct Toy {
        dia: Date, "Dia";
        sim: bool, "Sim";
    }
}

#[test]
fn one_of_something_is_not_said_in_the_plural() {
    assert_eq!([0_u64, 1, 2].map(|n| counted(n, "regra", "regras")), ["0 regras", "1 regra", "2 regras"]);
}

#[test]
fn a_value_is_written_as_its_reader_writes_it() {
    let day = Date::parse("2026-03-01").unwrap();
    let instant = Timestamp::parse("2026-03-01T02:00:00.001Z").unwrap();
    let sentence =
        Sentence::of(|to| format!("`uf` desde {}, {}, {}", day.read_by(to), percent("18.50", to), instant.read_by(to)));
    assert_eq!(sentence, "`uf` desde 2026-03-01, 18.50%, 2026-03-01T02:00:00.001Z");
    let person = "`uf` desde 01/03/2026, 18,50 %, 28/02/2026 23:00:01 (hora de Brasília)";
    assert_eq!(sentence.read_by(Reader::Person), person);
    assert_eq!(serde_json::to_string(&sentence).unwrap(), format!("{:?}", sentence.as_str()));
}

/// The page showed `faixas[0].ate`, and a backquoted command of the operator lost its quotes.
#[test]
fn only_names_are_replaced_by_what_people_call_them() {
    let named = |name: &str| format!("<{name}>");
    for (text, shown) in [
        ("informe `valor_produto`.", "informe <valor_produto>."),
        ("`faixas[0].ate` é nulo", "<ate> de <faixas> (1) é nulo"),
        ("use `taxd bundle template`", "use `taxd bundle template`"),
        ("valor_produto, 2026-03-01 e true ficam", "valor_produto, 2026-03-01 e true ficam"),
        ("sem par: `uf", "sem par: <uf>"),
    ] {
        assert_eq!(in_words(text, &named), shown);
    }
    let label = |tributo, name| taxd_law::labels::named(tributo)(name);
    assert_eq!(label(Some("icms"), "valor_produto"), "“Valor da operação”");
    assert_eq!(label(Some("icms_st"), "valor_produto"), "“Valor do produto”");
    assert_eq!([label(None, "icms_st"), label(None, "uma_coisa")], ["ICMS-ST", "“uma coisa”"]);
}

/// Another word in the place of a list rarely fits, so the maker of a list gives the sentence without it, too.
#[test]
fn a_list_of_candidates_is_left_out_for_who_sees_it_beside_the_sentence() {
    let mut sentence = Sentence::from("Informe o `cest`: A; B.").listing("Informe o `cest`.");
    sentence.add("Leia a norma.");
    assert_eq!(sentence, "Informe o `cest`: A; B. Leia a norma.");
    let named = |_: &str| "CEST".to_owned();
    assert_eq!(sentence.for_person(&named), "Informe o CEST: A; B. Leia a norma.");
    assert_eq!(sentence.beside_candidates(&named).unwrap(), "Informe o CEST. Leia a norma.");
    assert_eq!(Sentence::from("Sem lista.").beside_candidates(&named), None);
}

#[test]
fn a_fault_says_its_field_to_who_does_not_see_it() {
    let Ok(Node::Object(object)) = Node::parse(br#"{"dia": "31/02", "sim": "x"}"#) else { panic!() };
    let mut faults = Faults::default();
    assert!(Toy::read(&object, &Path::ROOT, &mut faults).is_none());
    let two = Problem::from_faults(faults);
    let of_person: Vec<&str> = two.erros.iter().map(|erro| erro.detail.read_by(Reader::Person)).collect();
    let day = "\"31/02\" não serve. Escreva uma data do calendário, como 31/12/2026.";
    assert_eq!(of_person, [day, "Esperava sim ou não; veio um texto."]);
    assert_eq!(two.detail.read_by(Reader::Person), "Corrija 2 campos e repita o pedido: `dia`, `sim`.");

    let Ok(Node::Object(object)) = Node::parse(br#"{"sim": true}"#) else { panic!() };
    let mut faults = Faults::default();
    assert!(Toy::read(&object, &Path::ROOT, &mut faults).is_none());
    let one = Problem::from_faults(faults);
    assert_eq!(one.detail, "O campo `dia` é obrigatório: informe uma data AAAA-MM-DD.");
    assert_eq!(one.erros[0].detail.read_by(Reader::Person), "Falta informar uma data como 20/11/2026.");
    assert_eq!(one.detail.read_by(Reader::Person), "`dia`: Falta informar uma data como 20/11/2026.");
}

/// The page made the name of a step without a label from its words, with a dictionary of accents.
#[test]
fn every_step_of_an_example_has_a_name_for_people() {
    let engine = rulesets::in_memory(Clock::system()).unwrap();
    for entry in REGISTRY {
        let Shape::Document(components) = entry.detalhes else { panic!("{}", entry.tributo) };
        for leitor in [Reader::Program, Reader::Person] {
            let extras = Extras { memoria: true, leitor, ..Extras::default() };
            let answer = engine.calculate(entry.exemplo.as_bytes(), extras).unwrap().to_json();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            for step in answer["detalhes"]["memoria"].as_array().unwrap() {
                let name = step["nome"].as_str().unwrap();
                let declared = components.iter().any(|field| field.name == name && !field.label.is_empty());
                assert!(declared || WORDS.contains_key(name), "{}: {name}", entry.tributo);
            }
        }
    }
}
