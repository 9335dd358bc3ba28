//! The page says what is wrong with a field in words of its own.

use std::collections::BTreeSet;

use taxd::base::problem::{ErrorCode, TipoRecusa};
use taxd::base::value::{Cest, ClassificacaoTributaria, Ex, ItemServico, Ncm};

const FAULTS: &str = include_str!("../../src/page/faults.js");

/// Not said of what is written in one field. The sentence of the service has the limits, or what does not agree.
const OF_THE_CASE: &[ErrorCode] = &[
    // Of the whole request, or of one that no form can write.
    ErrorCode::PayloadInvalido,
    ErrorCode::ParametroInvalido,
    ErrorCode::ChaveDuplicada,
    // With the limits, or with the values that the other fields allow.
    ErrorCode::ForaDoIntervalo,
    ErrorCode::ValorInvalido,
    ErrorCode::BaseNegativa,
    ErrorCode::ResultadoForaDoAlcance,
    ErrorCode::ValorFinanciadoInvalido,
    ErrorCode::ClassificacaoDesconhecida,
    ErrorCode::ClassificacaoIncompativel,
];

fn sentences() -> Vec<(&'static str, &'static str)> {
    let lines = FAULTS.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix("\",")?.split_once(": \""));
    lines.collect()
}

/// A form that takes `2203.00.00` once said of an NCM to write it without points.
#[test]
fn every_fault_of_what_is_written_in_a_field_has_a_sentence_of_the_page() {
    let own: BTreeSet<&str> = sentences().into_iter().map(|(code, _)| code).collect();
    let invalid = ErrorCode::ALL.iter().filter(|code| code.tipo_recusa() == Some(TipoRecusa::DadoInvalido));
    let mut expected: BTreeSet<&str> =
        invalid.filter(|code| !OF_THE_CASE.contains(code)).map(|code| code.as_str()).collect();
    expected.insert(ErrorCode::CampoObrigatorio.as_str());
    // A 404 by itself, and one of the faults of a field beside others.
    expected.insert(ErrorCode::MunicipioDesconhecido.as_str());
    assert_eq!(own, expected);
}

#[test]
fn the_codes_of_the_sentences_are_codes() {
    let example = |of: ErrorCode| -> String {
        let (_, sentence) = sentences().into_iter().find(|(code, _)| *code == of.as_str()).unwrap();
        sentence.rsplit_once("como ").unwrap().1.trim_end_matches('.').to_owned()
    };
    let digits = |of: ErrorCode| example(of).replace('.', "");
    assert!(Ncm::parse(&digits(ErrorCode::NcmInvalido)).is_ok());
    assert!(Cest::parse(&digits(ErrorCode::CestInvalido)).is_ok());
    assert!(Ex::parse(&example(ErrorCode::ExInvalido)).is_ok());
    assert!(ItemServico::parse(&example(ErrorCode::ItemServicoInvalido)).is_ok());
    assert!(ClassificacaoTributaria::parse(&example(ErrorCode::ClassificacaoInvalida)).is_ok());
}
