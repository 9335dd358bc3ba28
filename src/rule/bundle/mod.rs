//! The document that rules come in: `pacote`, `versao`, `descricao`, and rules written out
//! (`regras`) or as lines of a table (`tabelas`). `rulesets/README.md` describes it for the
//! analyst who writes one. This module knows the form; what a scope and a content mean is
//! the tax's business.
//!
//! A rule that is read takes many times the memory of its text, so the rules are read one at a
//! time, and a rule that is wanted again is read again.

mod layout;
mod outline;
mod table;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use outline::RawBundle;
use table::{RuleTable, read_table};

use crate::document::{
    Document, Faults, Field, JsonFault, Node, Object, Path, Shape, Step, refuse_unknown, wrong_type,
};
use crate::problem::ErrorCode;
use crate::value::{Date, RuleCode, Text, Versao};

crate::document! {
    /// What every rule says of itself, whatever its tax.
    pub struct RuleHeader {
        rule_code: RuleCode, "Código da regra, comum às suas versões";
        versao: Versao, "Versão, maior.menor";
        tributo: Text, "Tributo";
        vigente_de: Date, "Primeiro dia em que responde";
        vigente_ate: Option<Date>, "Primeiro dia em que já não responde";
        citacao_legal: Text, "Citação legal";
        fonte: Option<Text>, "Onde a norma foi lida";
        avisos: Vec<Text>, "Frases que toda resposta da regra leva";
        motivo: Option<Text>, "Por que uma figura é nula";
    }
}

crate::document! {
    /// What a bundle says of itself.
    pub struct BundleHeader {
        pacote: Text, "Nome do pacote";
        versao: Text, "Versão do pacote";
        descricao: Text, "O que o pacote traz";
    }
}

/// Members of a rule that the tax reads.
const TYPED: [(&str, bool); 3] = [("escopo", true), ("conteudo", true), ("exemplos", false)];

/// Where in the document a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLocation {
    /// An item of `regras`.
    Rule(usize),
    /// A line of a table.
    Line(usize, usize),
    /// A table as a whole.
    Table(usize),
}

impl RuleLocation {
    /// How many steps of a path lead to the list that holds the bundle's rules or lines.
    #[must_use]
    pub fn steps_to_list(path: &[Step]) -> usize {
        match path.first() {
            Some(Step::Key(name)) if name == "tabelas" => 3,
            _ => 1,
        }
    }

    /// Calls `f` with the path of the place.
    pub fn with_path<R>(self, f: impl FnOnce(&Path<'_>) -> R) -> R {
        let root = Path::ROOT;
        match self {
            RuleLocation::Rule(i) => f(&root.key("regras").index(i)),
            RuleLocation::Line(t, l) => f(&root.key("tabelas").index(t).key("linhas").index(l)),
            RuleLocation::Table(t) => f(&root.key("tabelas").index(t)),
        }
    }
}

/// One rule of a bundle, as far as its form can be read without its tax.
#[derive(Debug)]
pub struct BundleRule<'a> {
    /// Where it stands.
    pub lugar: RuleLocation,
    /// What it says of itself; `None` after a fault of it was noted.
    pub cabecalho: Option<RuleHeader>,
    /// The tax it names, for reading the rest.
    pub tributo: Option<Cow<'a, str>>,
    /// Its scope, for the tax to read.
    pub escopo: Object<'a>,
    /// Its content, for the tax to read.
    pub conteudo: Node<'a>,
    /// Its worked examples.
    pub exemplos: Vec<Node<'a>>,
}

/// A bundle whose rules have been read once.
#[derive(Debug)]
pub struct Bundle<'a> {
    /// Name, and version of the bundle itself; `None` after a fault of them was noted.
    pub folha: Option<BundleHeader>,
    /// Worked examples of a table as a whole, with the table they stand in.
    pub exemplos: Vec<(RuleLocation, Vec<Node<'a>>)>,
    esboco: RawBundle<'a>,
    /// What the lines of each table have in common.
    tabelas: Vec<RuleTable<'a>>,
}

/// What takes the rules of a bundle, one at a time.
pub type Taker<'t, 'a> = dyn FnMut(BundleRule<'a>, &mut Faults) + 't;

/// Reads a bundle, handing each rule over and noting every fault of its form, repeated keys before
/// all others. What is not JSON is an error, also where rules were handed over before it was seen.
pub fn read<'a>(
    esboco: RawBundle<'a>,
    faults: &mut Faults,
    take: &mut Taker<'_, 'a>,
) -> Result<Option<Bundle<'a>>, JsonFault> {
    let mut found = Faults::default();
    let read = read_all(esboco, faults, &mut found, take);
    faults.append(found);
    read
}

fn read_all<'a>(
    esboco: RawBundle<'a>,
    repeated: &mut Faults,
    faults: &mut Faults,
    take: &mut Taker<'_, 'a>,
) -> Result<Option<Bundle<'a>>, JsonFault> {
    let root = Path::ROOT;
    let Node::Object(object) = &esboco.documento else {
        wrong_type(&Shape::Document(BundleHeader::FIELDS), &esboco.documento, &root, faults);
        return Ok(None);
    };
    esboco.documento.refuse_repeated(&root, repeated);
    let lists = ["regras", "tabelas"].map(|name| bare_field(name, false));
    let known: Vec<Field> = BundleHeader::FIELDS.iter().copied().chain(lists).collect();
    refuse_unknown(object, &known, &root, faults);
    let folha = BundleHeader::read(object, &root, faults);
    let mut hand_over =
        |lugar: RuleLocation, text: &'a RawValue, table: Option<&RuleTable<'a>>, faults: &mut Faults| {
            let node = esboco.node(text)?;
            let read = lugar.with_path(|at| {
                node.refuse_repeated(at, repeated);
                read_item(lugar, node, table, at, faults)
            });
            if let Some(doc) = read {
                take(doc, faults);
            }
            Ok::<(), JsonFault>(())
        };

    let before = faults.len();
    list_of(object, "regras", &root, faults);
    for (i, text) in esboco.regras.iter().enumerate() {
        hand_over(RuleLocation::Rule(i), text, None, faults)?;
    }
    list_of(object, "tabelas", &root, faults);
    let mut exemplos = Vec::new();
    let mut tabelas = Vec::with_capacity(esboco.tabelas.len());
    for (t, written) in esboco.tabelas.iter().enumerate() {
        let table = read_table(t, &written.tabela, &mut exemplos, faults);
        for (l, text) in written.linhas.iter().enumerate() {
            hand_over(RuleLocation::Line(t, l), text, Some(&table), faults)?;
        }
        tabelas.push(table);
    }
    for (t, written) in esboco.tabelas.iter().enumerate() {
        RuleLocation::Table(t).with_path(|at| written.tabela.refuse_repeated(at, repeated));
    }
    // Lists that are at fault are reported as such; a bundle without rules is probably not the file that was meant.
    if esboco.count() == 0 && faults.len() == before {
        let detail = "O pacote não traz nenhuma regra: escreva ao menos uma em `regras`, ou uma linha em `tabelas`.";
        faults.add(&root, ErrorCode::CampoObrigatorio, detail);
    }
    Ok(Some(Bundle { folha, exemplos, esboco, tabelas }))
}

impl<'a> Bundle<'a> {
    /// Reads a rule again. `None` where it had a fault, or is not there.
    #[must_use]
    pub fn regra(&self, lugar: RuleLocation) -> Option<BundleRule<'a>> {
        let (text, table) = match lugar {
            RuleLocation::Rule(i) => (self.esboco.regras.get(i)?, None),
            RuleLocation::Line(t, l) => (self.esboco.tabelas.get(t)?.linhas.get(l)?, Some(self.tabelas.get(t)?)),
            RuleLocation::Table(_) => return None,
        };
        let node = self.esboco.node(text).ok()?;
        lugar.with_path(|at| read_item(lugar, node, table, at, &mut Faults::default()))
    }
}

fn bare_field(name: &'static str, required: bool) -> Field {
    Field { required, ..Field::optional(name, Shape::Text, "") }
}

fn list_of<'n, 'a>(object: &'n Object<'a>, name: &str, at: &Path<'_>, faults: &mut Faults) -> &'n [Node<'a>] {
    match object.get(name) {
        Some(Node::List(items)) => items,
        None | Some(Node::Null) => &[],
        Some(other) => {
            wrong_type(&Shape::List(&Shape::Text), other, &at.key(name), faults);
            &[]
        }
    }
}

/// Reads an item of `regras`, or of the lines of a table.
fn read_item<'a>(
    lugar: RuleLocation,
    node: Node<'a>,
    table: Option<&RuleTable<'a>>,
    at: &Path<'_>,
    faults: &mut Faults,
) -> Option<BundleRule<'a>> {
    let rule = match (node, table) {
        (Node::Object(rule), None) => rule,
        (other, None) => {
            wrong_type(&Shape::Document(RuleHeader::FIELDS), &other, at, faults);
            return None;
        }
        (line, Some(table)) => table.rule(line, at, faults)?,
    };
    read_rule(lugar, rule, at, faults)
}

fn read_rule<'a>(
    lugar: RuleLocation,
    mut rule: Object<'a>,
    at: &Path<'_>,
    faults: &mut Faults,
) -> Option<BundleRule<'a>> {
    let typed = TYPED.map(|(name, required)| bare_field(name, required));
    let known: Vec<Field> = RuleHeader::FIELDS.iter().copied().chain(typed).collect();
    refuse_unknown(&rule, &known, at, faults);
    for (name, required) in TYPED {
        if required && rule.get(name).is_none() {
            faults.add(&at.key(name), ErrorCode::CampoObrigatorio, format!("Falta `{name}`."));
        }
    }
    let cabecalho = RuleHeader::read(&rule, at, faults);
    let days = cabecalho.iter().flat_map(|c| [("vigente_de", Some(c.vigente_de)), ("vigente_ate", c.vigente_ate)]);
    for (name, day) in days.filter_map(|(name, day)| day.filter(|d| !d.may_have_rules()).map(|d| (name, d))) {
        let (first, last) = (Date::FIRST_OF_RULES, Date::LAST_OF_RULES);
        faults.add(&at.key(name), ErrorCode::DataInvalida, format!("As regras vão de {first} a {last}; veio {day}."));
    }
    if cabecalho.as_ref().is_some_and(|c| c.vigente_ate.is_some_and(|ate| ate <= c.vigente_de)) {
        let detail =
            "`vigente_ate` é o primeiro dia em que a regra já não responde e precisa vir depois de `vigente_de`.";
        faults.add(&at.key("vigente_ate"), ErrorCode::ForaDoIntervalo, detail);
    }
    let escopo = match rule.take("escopo") {
        Some(Node::Object(escopo)) => escopo,
        Some(other) => {
            wrong_type(&Shape::Document(&[]), &other, &at.key("escopo"), faults);
            return None;
        }
        None => return None,
    };
    list_of(&rule, "exemplos", at, faults);
    let exemplos = match rule.take("exemplos") {
        Some(Node::List(exemplos)) => exemplos,
        _ => Vec::new(),
    };
    let tributo = match rule.take("tributo") {
        Some(Node::Text(name)) => Some(name),
        _ => None,
    };
    Some(BundleRule { lugar, cabecalho, tributo, escopo, conteudo: rule.take("conteudo")?, exemplos })
}
