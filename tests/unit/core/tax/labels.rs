//! What people call the words of the declarations.

use std::collections::BTreeMap;

use taxd_base::document::{Document, Shape, Words};
use taxd_base::value::{Conferencia, Uf};
use taxd_law::operation::OperationFacts;
use taxd_law::rule::Condicao;
use taxd_law::tax::REGISTRY;

/// Every list of words within a shape.
fn lists(shape: &Shape, found: &mut Vec<Words>) {
    match shape {
        Shape::OneOf(words) => found.push(*words),
        Shape::List(inner) => lists(inner, found),
        Shape::Document(fields) => {
            for field in *fields {
                lists(&field.shape, found);
            }
        }
        _ => {}
    }
}

/// An accountant once read "informe gnv, eletrico": the page looked for names with an underscore only.
#[test]
fn every_word_has_one_label_whatever_declares_it() {
    let mut found = vec![Conferencia::VOCABULARY, Condicao::VOCABULARY];
    for entry in REGISTRY {
        for shape in [Shape::Document(entry.payload), Shape::Document(entry.conteudo), entry.detalhes] {
            lists(&shape, &mut found);
        }
    }
    lists(&Shape::Document(OperationFacts::FIELDS), &mut found);
    let mut labels: BTreeMap<&str, &str> = BTreeMap::new();
    for words in found.into_iter().filter(|words| words.words() != Uf::WORDS) {
        assert_eq!(words.labelled().count(), words.len(), "words without labels: {}", words.listed());
        for (word, label) in words.labelled() {
            assert_eq!(*labels.entry(word).or_insert(label), label, "{word}");
            assert!(label.starts_with(char::is_uppercase) && !label.contains('_'), "{word}: {label}");
        }
    }
    assert!(labels.len() > 70, "{labels:?}");
}
