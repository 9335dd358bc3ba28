//! The declarations of payloads, answers and rules, as JSON for the page.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::document::{Document, Field, Shape, Words};
use crate::base::sentence::in_words;
use crate::base::value::{Conferencia, Date, Uf};
use crate::features::audit::{CAUSES, COMPANY_FACTS, Certainty, Verdict};
use crate::features::rule_sheets::{Layout, LayoutColumn};
use crate::law::labels;
use crate::law::operation::OperationFacts;
use crate::law::tax::{AskedField, Entry, LaterLaw, REGISTRY};

#[derive(Serialize)]
struct TaxView {
    tributo: &'static str,
    sigla: &'static str,
    nome: &'static str,
    exemplo: Value,
    /// The flag that the form sets by the day, so that nobody is asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    lei_da_data: Option<LaterLawView>,
    #[serde(flatten)]
    declared: Declared,
}

/// A [`LaterLaw`]: the flag, the field of the day, and the first day on which the flag is set.
#[derive(Serialize)]
struct LaterLawView {
    campo: &'static str,
    data: &'static str,
    desde: Date,
}

/// What a tax declares. Taxes that share a file declare the same; it is sent once.
#[derive(Serialize)]
#[serde(untagged)]
enum Declared {
    Own { campos: Vec<FieldView<'static>>, detalhes: Map<String, Value>, conteudo: Map<String, Value> },
    As { como: &'static str },
}

impl Declared {
    fn of(entry: &Entry) -> Declared {
        let same = |other: &&Entry| {
            let declared = |entry: &Entry| (entry.payload, entry.asked, entry.detalhes, entry.conteudo);
            declared(other) == declared(entry)
        };
        match REGISTRY.iter().find(same).filter(|first| first.tributo != entry.tributo) {
            Some(first) => Declared::As { como: first.tributo.as_str() },
            None => Declared::Own {
                campos: entry.payload.iter().map(|field| FieldView::asked(field, entry.asked)).collect(),
                detalhes: members(kind(&entry.detalhes, Part::Answer).1, Part::Answer),
                conteudo: members(entry.conteudo, Part::Rule),
            },
        }
    }
}

/// A part of a tax that the page shows and no form takes.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// The components of an answer.
    Answer,
    /// What a rule computes with. Its amounts are in BRL or in a unit that the rule names.
    Rule,
}

/// `[label, kind, members, 1]` of each field by its name, without what is empty at the end. A text without a kind is
/// shown as it is: a pattern cannot distinguish a figure from a part of a citation. The last one is of a list in a rule, whose
/// figures cannot be supposed.
fn members(fields: &[Field], part: Part) -> Map<String, Value> {
    let view = |field: &Field| {
        let (kind, inner) = kind(&field.shape, part);
        let in_list = part == Part::Rule
            && matches!(field.shape, Shape::List(_))
            && (matches!(kind, "aliquota" | "decimal") || !inner.is_empty());
        let view = match (field.label, kind, inner) {
            ("", "", []) => return None,
            (label, ..) if in_list => json!([label, kind, members(inner, part), 1]),
            (label, "", []) => json!([label]),
            (label, _, []) => json!([label, kind]),
            (label, ..) => json!([label, kind, members(inner, part)]),
        };
        Some((field.name.to_owned(), view))
    };
    fields.iter().filter_map(view).collect()
}

/// How the page writes a value, and the fields of an object; for a list, those of its items.
fn kind(shape: &Shape, part: Part) -> (&'static str, &'static [Field]) {
    match *shape {
        Shape::Amount | Shape::PositiveAmount if part == Part::Answer => ("valor", &[]),
        Shape::Amount | Shape::PositiveAmount => ("decimal", &[]),
        Shape::Rate | Shape::SignedRate => ("aliquota", &[]),
        Shape::OneOf(_) => ("palavra", &[]),
        Shape::Date => ("data", &[]),
        Shape::List(inner) => kind(inner, part),
        Shape::Document(fields) => ("", fields),
        Shape::Text | Shape::Code { .. } | Shape::Instant | Shape::Bool | Shape::Int { .. } => ("", &[]),
    }
}

/// What else the page says beside a label: without the punctuation after the label, as a sentence.
fn help(rest: &str) -> String {
    let bare = rest.strip_prefix(" (").and_then(|inside| inside.strip_suffix(')')).unwrap_or(rest);
    let mut letters = bare.trim_start_matches([',', ';', ':', ' ']).chars();
    let sentence: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    in_words(&sentence, &labels::named(None))
}

#[derive(Serialize)]
struct FieldView<'n> {
    nome: &'n str,
    rotulo: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    ajuda: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    obrigatorio: bool,
    /// JSON text: `"0"`, `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    padrao: Option<&'static str>,
    /// When the form asks for the field although it has a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pergunta: Option<QuestionView>,
    /// What people call the list that it is in, if it is a member of a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    lista: Option<&'static str>,
    #[serde(flatten)]
    tipo: Tipo,
}

/// See [`AskedField`].
#[derive(Serialize)]
struct QuestionView {
    com: &'static str,
    texto: &'static str,
}

impl FieldView<'static> {
    fn of(field: &Field) -> FieldView<'static> {
        FieldView {
            nome: field.name,
            rotulo: field.label,
            ajuda: help(field.rest),
            obrigatorio: field.required,
            padrao: field.default,
            pergunta: None,
            lista: None,
            tipo: Tipo::of(&field.shape),
        }
    }

    /// The field of a tax that asks for these.
    fn asked(field: &Field, asked: &[AskedField]) -> FieldView<'static> {
        let question = asked.iter().find(|asked| asked.campo == field.name);
        let pergunta = question.map(|asked| QuestionView { com: asked.com, texto: asked.detail });
        FieldView { pergunta, ..FieldView::of(field) }
    }
}

/// What the control of a field takes.
#[derive(Serialize)]
#[serde(tag = "tipo", rename_all = "lowercase")]
enum Tipo {
    Texto,
    Codigo {
        exemplo: &'static str,
    },
    Decimal,
    Aliquota,
    Data,
    /// One of `ufs`, which the data has once beside the taxes.
    Uf,
    Opcoes {
        valores: &'static [&'static str],
    },
    Booleano,
    Inteiro {
        min: i64,
        max: i64,
    },
}

impl Tipo {
    /// A list takes one value of its kind, too. No payload has an object in it.
    fn of(shape: &Shape) -> Tipo {
        match *shape {
            Shape::Text | Shape::Instant | Shape::Document(_) => Tipo::Texto,
            Shape::Code { example, .. } => Tipo::Codigo { exemplo: example },
            Shape::Amount | Shape::PositiveAmount => Tipo::Decimal,
            Shape::Rate | Shape::SignedRate => Tipo::Aliquota,
            Shape::Date => Tipo::Data,
            Shape::OneOf(words) if words.words() == Uf::WORDS => Tipo::Uf,
            Shape::OneOf(words) => Tipo::Opcoes { valores: words.words() },
            Shape::Bool => Tipo::Booleano,
            Shape::Int { min, max } => Tipo::Inteiro { min, max },
            Shape::List(inner) => Tipo::of(inner),
        }
    }
}

/// All that the first view reads, as one file: apart, its parts would be a sixth larger when they are compressed. The taxes,
/// the facts of an operation, the UFs; what people call each word of the declarations (taxes that share a word call it the
/// same) and the facts of a company, what each grade of a rule means, and the words of the report on documents.
pub(super) fn page() -> Vec<u8> {
    let meaning = |word: &&'static str| Some((*word, Conferencia::from_word(word)?.meaning()));
    let graus: BTreeMap<&str, &str> = Conferencia::WORDS.iter().filter_map(meaning).collect();
    let labels = |words: Words| words.labelled().collect::<Vec<_>>();
    let conferencia =
        json!({"veredito": labels(Verdict::VOCABULARY), "certeza": labels(Certainty::VOCABULARY), "causa": CAUSES});
    let all = json!({"tributos": taxes(), "operacao": operation(), "ufs": Uf::WORDS, "palavras": &*labels::WORDS,
        "graus": graus, "empresa": COMPANY_FACTS, "conferencia": conferencia});
    serde_json::to_vec(&all).unwrap_or_default()
}

/// An operation that the built-in rules answer in full.
const OPERATION: &str = r#"{"data_operacao":"2026-11-20","uf_origem":"SP","uf_destino":"MG","ncm":"82032010","valor_produto":"1000.00","papel_na_cadeia":"fabricante_importador","regime_apuracao":"nao_cumulativo","cumpre_obrigacoes_acessorias":true}"#;

/// The facts of an operation, in the form of a tax.
pub(super) fn operation() -> Value {
    let campos: Vec<FieldView<'static>> = OperationFacts::FIELDS.iter().map(FieldView::of).collect();
    let exemplo: Value = serde_json::from_str(OPERATION).unwrap_or_default();
    json!({"tributo": "operacao", "sigla": "Operação", "nome": "todos os tributos", "campos": campos, "exemplo": exemplo})
}

/// Members of a rule that the form of the office leaves out: what it fills in itself, what is written with a figure that
/// is not established, and what answers say beside the amount.
const NOT_ASKED: [&str; 6] = ["rule_code", "versao", "tributo", "conferencia", "motivo", "avisos"];

impl<'c> FieldView<'c> {
    /// A member of a rule in the form of the office. `None` for one that the form does not ask for, or that only a
    /// spreadsheet can write.
    fn of_rule(column: &'c LayoutColumn, entry: &Entry) -> Option<FieldView<'c>> {
        let first = column.name.split(['.', '[']).next().unwrap_or_default();
        if NOT_ASKED.contains(&first) || first == "exemplos" || column.name.matches("[]").count() > 1 {
            return None;
        }
        let list = column.name.split_once("[]").and_then(|(list, _)| list.strip_prefix("conteudo."));
        let lista = list.and_then(|name| entry.conteudo.iter().find(|field| field.name == name));
        let rest = column.description.strip_prefix(column.label).unwrap_or_default();
        // A rule of several words of a tax's own dimension is rare: the form offers one of them.
        let is_word = column.name.starts_with("escopo.") && matches!(column.shape, Shape::OneOf(_));
        let is_list = column.is_list && !is_word;
        let several = if is_list { " Vários, separados por ponto e vírgula." } else { "" };
        Some(FieldView {
            nome: &column.name,
            rotulo: column.label,
            ajuda: format!("{}{several}", help(rest)).trim().to_owned(),
            // A bracket is there only if it is filled in, and an object only if a member of it is.
            obrigatorio: column.name == "fonte" || column.required && column.name.matches(['.', '[']).count() <= 1,
            padrao: column.default,
            pergunta: None,
            lista: lista.map(|field| field.label),
            tipo: if is_list { Tipo::Texto } else { Tipo::of(&column.shape) },
        })
    }
}

/// Name and fields of the form of a rule, for each tax.
pub(super) fn rules() -> Vec<(String, Vec<u8>)> {
    let form = |entry: &Entry| {
        let columns = Layout::of(entry).columns;
        let fields: Vec<_> = columns.iter().filter_map(|column| FieldView::of_rule(column, entry)).collect();
        (format!("sandbox/regra_{}.json", entry.tributo), serde_json::to_vec(&fields).unwrap_or_default())
    };
    REGISTRY.iter().map(form).collect()
}

/// All taxes, in the order of the contract.
pub(super) fn taxes() -> Value {
    let view = |entry: &Entry| TaxView {
        tributo: entry.tributo.as_str(),
        sigla: entry.sigla,
        nome: entry.nome,
        exemplo: serde_json::from_str(entry.exemplo).unwrap_or_default(),
        lei_da_data: entry.later_law.map(|LaterLaw { campo, data, desde, .. }| LaterLawView { campo, data, desde }),
        declared: Declared::of(entry),
    };
    json!(REGISTRY.iter().map(view).collect::<Vec<_>>())
}
