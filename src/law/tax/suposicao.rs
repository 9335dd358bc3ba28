//! A figure supposed in the place of the one that the rules of a tax state: `cbs.aliquota:8.80`.
//!
//! Only a figure that the content of the rules declares can be supposed, within the bounds of its declaration, and only in a
//! rule that writes it, also as null. What it changes is never law: the answer says so first.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Entry, find};
use crate::base::document::{Faults, Field, FromNode, Node, Object, Path, Shape, nearest};
use crate::base::sentence::{Reader, Sentence};
use crate::base::value::{Amount, PositiveAmount, Rate, SignedRate, Tributo, shorten};

/// The parameter that supposes figures.
pub const SUPONDO: &str = "supondo";
/// Most figures of a call.
const MAX_FIGURES: usize = 16;
/// Most names that a refusal lists.
const MAX_LISTED: usize = 40;
const FORM: &str = "TRIBUTO.CAMPO:VALOR, como cbs.aliquota:8.80";

/// A supposed figure: the tax, the member of the content of its rules, and the value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Suposicao {
    pub tributo: Tributo,
    /// The tax, and the names from the content down to the figure: `cbs.aliquota`.
    campo: String,
    valor: String,
}

taxd_base::components! {
    /// A supposed figure that an answer depends on.
    #[derive(PartialEq, Eq)]
    pub struct FiguraSuposta {
        campo: String, "O valor que se supôs, como `cbs.aliquota`";
        valor: String, "O que se supôs dele";
        regras: Vec<String>, "As regras em cujo lugar ele foi posto";
    }
}

impl fmt::Display for Suposicao {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.campo, self.valor)
    }
}

impl From<Suposicao> for String {
    fn from(suposicao: Suposicao) -> String {
        suposicao.to_string()
    }
}

impl TryFrom<String> for Suposicao {
    type Error = String;

    fn try_from(text: String) -> Result<Suposicao, String> {
        text.parse()
    }
}

impl FromStr for Suposicao {
    type Err = String;

    /// Reads `TRIBUTO.CAMPO:VALOR`. The error says what can be named.
    fn from_str(text: &str) -> Result<Suposicao, String> {
        let shown = shorten(text);
        let parts = text.trim().split_once(':').and_then(|(campo, valor)| Some((campo.split_once('.')?, valor.trim())));
        let Some(((tributo, caminho), valor)) = parts else {
            return Err(format!(
                "\"{shown}\" não tem a forma {FORM}; o decimal usa ponto, e a vírgula separa valores."
            ));
        };
        let entry = super::parse(tributo)?;
        let Some(field) = declared(entry.conteudo, caminho) else {
            let names = figures_of(entry);
            let near = nearest(caminho, names.iter().map(String::as_str));
            let listed: Vec<_> = near.map_or_else(|| names.iter().map(String::as_str).collect(), |near| vec![near]);
            let listed: Vec<_> = listed.iter().take(MAX_LISTED).map(|name| format!("{tributo}.{name}")).collect();
            let listed = listed.join(", ");
            return Err(format!(
                "As regras de {tributo} não declaram o valor \"{}\"; pode-se supor: {listed}.",
                shorten(caminho)
            ));
        };
        check(&field.shape, valor).map_err(|detail| format!("{tributo}.{caminho}: {detail}"))?;
        let campo = format!("{tributo}.{caminho}");
        Ok(Suposicao { tributo: entry.tributo, campo, valor: valor.to_owned() })
    }
}

/// True for what a supposition may replace.
fn is_figure(shape: &Shape) -> bool {
    matches!(shape, Shape::Amount | Shape::PositiveAmount | Shape::Rate | Shape::SignedRate)
}

/// The declaration of the figure on that path.
fn declared(fields: &'static [Field], caminho: &str) -> Option<&'static Field> {
    let (name, rest) = caminho.split_once('.').map_or((caminho, None), |(name, rest)| (name, Some(rest)));
    let field = fields.iter().find(|field| field.name == name)?;
    match (rest, &field.shape) {
        (None, shape) => is_figure(shape).then_some(field),
        (Some(rest), Shape::Document(fields)) => declared(fields, rest),
        (Some(_), _) => None,
    }
}

/// The figures that the rules of a tax declare, each with the names that lead to it.
pub fn figures_of(entry: &Entry) -> Vec<String> {
    fn add(fields: &[Field], before: &str, names: &mut Vec<String>) {
        for field in fields {
            let name = format!("{before}{}", field.name);
            match &field.shape {
                Shape::Document(fields) => add(fields, &format!("{name}."), names),
                shape if is_figure(shape) => names.push(name),
                _ => {}
            }
        }
    }
    let mut names = Vec::new();
    add(entry.conteudo, "", &mut names);
    names
}

/// Checks the value as that of a rule.
fn check(shape: &Shape, valor: &str) -> Result<(), String> {
    fn read<T: FromNode>(valor: &str) -> Faults {
        let mut faults = Faults::default();
        T::from_node(&Node::from(valor), &Object::default(), &Path::ROOT, &mut faults);
        faults
    }
    let faults = match shape {
        Shape::Amount => read::<Amount>(valor),
        Shape::PositiveAmount => read::<PositiveAmount>(valor),
        Shape::SignedRate => read::<SignedRate>(valor),
        _ => read::<Rate>(valor),
    };
    match faults.into_list().first() {
        None => Ok(()),
        Some(fault) => Err(fault.detail.as_str().to_owned()),
    }
}

impl Suposicao {
    /// Reads figures with commas between them.
    pub fn list(text: &str) -> Result<Vec<Suposicao>, String> {
        let all: Vec<Suposicao> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
        Suposicao::check_list(&all).map(|()| all)
    }

    /// Refuses a figure that is supposed twice, and too many.
    pub fn check_list(all: &[Suposicao]) -> Result<(), String> {
        if all.len() > MAX_FIGURES {
            return Err(format!("Há mais de {MAX_FIGURES} valores supostos."));
        }
        let repeated = |(place, one): (usize, &Suposicao)| all.iter().take(place).any(|other| other.campo == one.campo);
        match all.iter().enumerate().find(|(place, one)| repeated((*place, one))) {
            Some((_, one)) => Err(format!("O valor {} é suposto mais de uma vez.", one.campo)),
            None => Ok(()),
        }
    }

    /// Replaces the figure in the content of a rule of its tax. Returns false if the rule does not write it.
    #[must_use]
    pub fn put(&self, conteudo: &mut Node<'_>) -> bool {
        let mut names = self.campo.split('.').skip(1);
        let figure = names.try_fold(conteudo, |node, name| match node {
            Node::Object(Object(members)) => {
                members.iter_mut().find(|(member, _)| member == name).map(|(_, value)| value)
            }
            _ => None,
        });
        figure.map(|figure| *figure = Node::from(self.valor.clone())).is_some()
    }

    /// The figure in an answer that depends on it through these rules.
    pub fn used(&self, regras: Vec<String>) -> FiguraSuposta {
        FiguraSuposta { campo: self.campo.clone(), valor: self.valor.clone(), regras }
    }
}

impl FiguraSuposta {
    /// `CBS: alíquota 8,80` for a person, `cbs.aliquota = 8.80` for a program.
    pub fn said(&self, to: Reader) -> String {
        let FiguraSuposta { campo, valor, .. } = self;
        let program = || format!("{campo} = {valor}");
        let named = campo.split_once('.').and_then(|(tributo, caminho)| {
            let entry = find(tributo)?;
            let label = declared(entry.conteudo, caminho)?.label;
            Some(format!("{}, {label}: {}", entry.sigla, valor.replace('.', ",")))
        });
        to.either(program(), named.unwrap_or_else(program))
    }
}

/// What an answer says first if it depends on supposed figures.
pub fn sentence(figures: &[FiguraSuposta]) -> Sentence {
    Sentence::of(|to| {
        let said: Vec<String> = figures.iter().map(|figure| figure.said(to)).collect();
        let mut rules: Vec<&str> = figures.iter().flat_map(|figure| &figure.regras).map(String::as_str).collect();
        rules.dedup();
        let (said, rules) = (said.join("; "), rules.join(", "));
        format!(
            "Suposição, não é a lei: {said}, no lugar do que diz a regra {rules}. Não use este valor em documento, guia ou declaração."
        )
    })
}
