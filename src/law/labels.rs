//! What people call the names that the contract and its sentences write: fields, words, components, taxes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::operation::{OperationFacts, SituacaoTributo, TipoApuracao};
use super::rule::Condicao;
use super::tax::{self, REGISTRY};
use super::tratamento::{Pergunta, SituacaoTratada};
use crate::base::document::{Document as _, Field, Shape};
use crate::base::value::Conferencia;

/// Names that are not declared as members with a label: a parameter of the address, dimensions of scope, and steps of a
/// calculation beside its components.
const OTHERS: [(&str, &str); 16] = [
    ("base", "Base de cálculo"),
    ("cest", "CEST"),
    ("classificacao_tributaria", "Classificação tributária"),
    ("conhecido_em", "Como se sabia em"),
    ("ex", "Ex"),
    ("isencao", "Isenção"),
    ("item_lista_servico", "Subitem da lista de serviços"),
    ("municipio", "Município"),
    ("ncm", "NCM"),
    ("ncm_exceto", "NCM, exceto"),
    ("tributo", "Tributo"),
    ("uf", "UF"),
    ("uf_destino", "UF de destino"),
    ("uf_origem", "UF de origem"),
    ("valor", "Imposto devido"),
    ("valor_com_desconto", "Valor com desconto"),
];

/// What people call each word of the declarations, and each name that has no label of its own: taxes that share a word
/// call it the same.
pub static WORDS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut found = BTreeMap::from(OTHERS);
    for entry in REGISTRY {
        for shape in [Shape::Document(entry.payload), Shape::Document(entry.conteudo), entry.detalhes] {
            add_words(&shape, &mut found);
        }
        entry.escopo.fields().iter().for_each(|field| add_words(&field.shape, &mut found));
    }
    add_words(&Shape::Document(OperationFacts::FIELDS), &mut found);
    add_words(&Shape::Document(Pergunta::FIELDS), &mut found);
    add_words(&Shape::OneOf(SituacaoTratada::VOCABULARY), &mut found);
    for words in [Conferencia::VOCABULARY, Condicao::VOCABULARY, TipoApuracao::VOCABULARY, SituacaoTributo::VOCABULARY]
    {
        add_words(&Shape::OneOf(words), &mut found);
    }
    found
});

/// Adds the words of a shape and of those within it.
fn add_words(shape: &Shape, found: &mut BTreeMap<&'static str, &'static str>) {
    match *shape {
        Shape::OneOf(words) => found.extend(words.labelled()),
        Shape::List(inner) => add_words(inner, found),
        Shape::Document(fields) => fields.iter().for_each(|field| add_words(&field.shape, found)),
        _ => {}
    }
}

/// The label of a member of that name, or of one within another.
fn label_of(fields: &[Field], name: &str) -> Option<&'static str> {
    let inner = |field: &Field| match field.shape {
        Shape::Document(fields) | Shape::List(&Shape::Document(fields)) => label_of(fields, name),
        _ => None,
    };
    let own = fields.iter().find(|field| field.name == name && !field.label.is_empty());
    own.map(|field| field.label).or_else(|| fields.iter().find_map(inner))
}

/// What people call a name in a sentence on that tax, or on an operation: a tax by its common name, anything else by its
/// label in quotation marks.
pub fn named(tributo: Option<&str>) -> impl Fn(&str) -> String + use<> {
    let of_tax = tributo.and_then(tax::find);
    move |name| {
        if let Some(entry) = tax::find(name) {
            return entry.sigla.to_owned();
        }
        let payload = of_tax.map_or(OperationFacts::FIELDS, |entry| entry.payload);
        let detalhes = |entry: &tax::Entry| if let Shape::Document(fields) = entry.detalhes { fields } else { &[] };
        let label = label_of(payload, name)
            .or_else(|| REGISTRY.iter().find_map(|entry| label_of(entry.payload, name)))
            .or_else(|| WORDS.get(name).copied())
            .or_else(|| {
                of_tax.and_then(|entry| label_of(detalhes(entry), name).or_else(|| label_of(entry.conteudo, name)))
            })
            .or_else(|| REGISTRY.iter().find_map(|entry| label_of(detalhes(entry), name)));
        label.map_or_else(|| format!("“{}”", name.replace('_', " ")), |label| format!("“{label}”"))
    }
}
