//! The document that rules come in: `pacote`, `versao`, `descricao`, and rules written out
//! (`regras`) or as lines of a table (`tabelas`). `rulesets/README.md` describes it for the
//! analyst who writes one. This module knows the form; what a scope and a content mean is
//! the tax's business.

use std::borrow::Cow;

use crate::problem::Codigo;
use crate::record::{Faults, Field, Node, Object, Path, Record, Shape, Step, refuse_unknown, wrong_type};
use crate::value::{Data, RuleCode, Texto, Versao};

crate::record! {
    /// What every rule says of itself, whatever its tax.
    pub struct Cabecalho {
        rule_code: RuleCode, "Código da regra, comum às suas versões";
        versao: Versao, "Versão, maior.menor";
        tributo: Texto, "Tributo";
        vigente_de: Data, "Primeiro dia em que responde";
        vigente_ate: Option<Data>, "Primeiro dia em que já não responde";
        citacao_legal: Texto, "Citação legal";
        fonte: Option<Texto>, "Onde a norma foi lida";
        avisos: Vec<Texto>, "Frases que toda resposta da regra leva";
        motivo: Option<Texto>, "Por que uma figura é nula";
    }
}

crate::record! {
    /// What a bundle says of itself.
    pub struct Folha {
        pacote: Texto, "Nome do pacote";
        versao: Texto, "Versão do pacote";
        descricao: Texto, "O que o pacote traz";
    }
}

/// Members of a rule that the tax reads.
const TYPED: [(&str, bool); 3] = [("escopo", true), ("conteudo", true), ("exemplos", false)];

/// Where in the document a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lugar {
    /// An item of `regras`.
    Regra(usize),
    /// A line of a table.
    Linha(usize, usize),
    /// A table as a whole.
    Tabela(usize),
}

impl Lugar {
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
            Lugar::Regra(i) => f(&root.key("regras").index(i)),
            Lugar::Linha(t, l) => f(&root.key("tabelas").index(t).key("linhas").index(l)),
            Lugar::Tabela(t) => f(&root.key("tabelas").index(t)),
        }
    }
}

/// One rule of a bundle, as far as its form can be read without its tax.
#[derive(Debug)]
pub struct RegraDoc<'a> {
    /// Where it stands.
    pub lugar: Lugar,
    /// What it says of itself; `None` after a fault of it was noted.
    pub cabecalho: Option<Cabecalho>,
    /// The tax it names, for reading the rest.
    pub tributo: Option<String>,
    /// Its scope, for the tax to read.
    pub escopo: Object<'a>,
    /// Its content, for the tax to read.
    pub conteudo: Node<'a>,
    /// Its worked examples.
    pub exemplos: Vec<Node<'a>>,
}

/// A bundle, but for its rules.
#[derive(Debug)]
pub struct Pacote<'a> {
    /// Name, and version of the bundle itself; `None` after a fault of them was noted.
    pub folha: Option<Folha>,
    /// Worked examples of a table as a whole, with the table they stand in.
    pub exemplos: Vec<(Lugar, Vec<Node<'a>>)>,
}

/// How many rules a bundle writes out or has as lines of tables, the faulty ones included.
#[must_use]
pub fn count(document: &Node<'_>) -> usize {
    fn items<'n, 'a>(node: &'n Node<'a>, name: &str) -> &'n [Node<'a>] {
        match node {
            // What is no list is told by who reads it.
            Node::Object(object) => list_of(object, name, &Path::ROOT, &mut Faults::default()),
            _ => &[],
        }
    }
    let lines = items(document, "tabelas").iter().map(|table| items(table, "linhas").len());
    items(document, "regras").len() + lines.sum::<usize>()
}

/// What takes the rules of a bundle, one at a time: a rule as it is written takes many times the
/// memory of what is made of it.
pub type Taker<'t, 'a> = dyn FnMut(RegraDoc<'a>, &mut Faults) + 't;

/// Reads a bundle, handing each rule over and noting every fault of its form.
pub fn read<'a>(document: &Node<'a>, faults: &mut Faults, take: &mut Taker<'_, 'a>) -> Option<Pacote<'a>> {
    let root = Path::ROOT;
    let Node::Object(object) = document else {
        wrong_type(&Shape::Record(Folha::FIELDS), document, &root, faults);
        return None;
    };
    document.refuse_repeated(&root, faults);
    let lists = ["regras", "tabelas"].map(|name| bare_field(name, false));
    let known: Vec<Field> = Folha::FIELDS.iter().copied().chain(lists).collect();
    refuse_unknown(object, &known, &root, faults);
    let folha = Folha::read(object, &root, faults);

    let mut exemplos = Vec::new();
    for (i, node) in list_of(object, "regras", &root, faults).iter().enumerate() {
        let lugar = Lugar::Regra(i);
        let read = lugar.with_path(|at| match node {
            Node::Object(rule) => read_rule(lugar, rule, at, faults),
            other => {
                wrong_type(&Shape::Record(Cabecalho::FIELDS), other, at, faults);
                None
            }
        });
        if let Some(doc) = read {
            take(doc, faults);
        }
    }
    for (t, node) in list_of(object, "tabelas", &root, faults).iter().enumerate() {
        read_table(t, node, &mut exemplos, faults, take);
    }
    if object.get("regras").is_none() && object.get("tabelas").is_none() {
        faults.add(&root, Codigo::CampoObrigatorio, "O pacote não traz `regras` nem `tabelas`.");
    }
    Some(Pacote { folha, exemplos })
}

fn bare_field(name: &'static str, required: bool) -> Field {
    Field { name, label: "", shape: Shape::Text, required, default: None }
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

fn read_rule<'a>(lugar: Lugar, rule: &Object<'a>, at: &Path<'_>, faults: &mut Faults) -> Option<RegraDoc<'a>> {
    let typed = TYPED.map(|(name, required)| bare_field(name, required));
    let known: Vec<Field> = Cabecalho::FIELDS.iter().copied().chain(typed).collect();
    refuse_unknown(rule, &known, at, faults);
    for (name, required) in TYPED {
        if required && rule.get(name).is_none() {
            faults.add(&at.key(name), Codigo::CampoObrigatorio, format!("Falta `{name}`."));
        }
    }
    let cabecalho = Cabecalho::read(rule, at, faults);
    if cabecalho.as_ref().is_some_and(|c| c.vigente_ate.is_some_and(|ate| ate <= c.vigente_de)) {
        let detail =
            "`vigente_ate` é o primeiro dia em que a regra já não responde e precisa vir depois de `vigente_de`.";
        faults.add(&at.key("vigente_ate"), Codigo::ForaDoIntervalo, detail);
    }
    let escopo = match rule.get("escopo") {
        Some(Node::Object(escopo)) => escopo.clone(),
        Some(other) => {
            wrong_type(&Shape::Record(&[]), other, &at.key("escopo"), faults);
            return None;
        }
        None => return None,
    };
    let exemplos = list_of(rule, "exemplos", at, faults).to_vec();
    let tributo = match rule.get("tributo") {
        Some(Node::Text(name)) => Some(name.clone().into_owned()),
        _ => None,
    };
    Some(RegraDoc { lugar, cabecalho, tributo, escopo, conteudo: rule.get("conteudo")?.clone(), exemplos })
}

fn read_table<'a>(
    t: usize,
    node: &Node<'a>,
    exemplos: &mut Vec<(Lugar, Vec<Node<'a>>)>,
    faults: &mut Faults,
    take: &mut Taker<'_, 'a>,
) {
    let lugar = Lugar::Tabela(t);
    let Node::Object(table) = node else {
        lugar.with_path(|at| wrong_type(&Shape::Record(&[]), node, at, faults));
        return;
    };
    let (columns, lines, common) = lugar.with_path(|at| {
        let known = ["comum", "colunas", "linhas", "exemplos"].map(|name| bare_field(name, true));
        refuse_unknown(table, &known, at, faults);
        for name in ["colunas", "linhas"] {
            if table.get(name).is_none() {
                faults.add(&at.key(name), Codigo::CampoObrigatorio, format!("Falta `{name}` na tabela."));
            }
        }
        exemplos.push((lugar, list_of(table, "exemplos", at, faults).to_vec()));
        let common = match table.get("comum") {
            Some(Node::Object(common)) => common.clone(),
            None => Object::default(),
            Some(other) => {
                wrong_type(&Shape::Record(&[]), other, &at.key("comum"), faults);
                Object::default()
            }
        };
        let columns = read_columns(list_of(table, "colunas", at, faults), &common, &at.key("colunas"), faults);
        (columns, list_of(table, "linhas", at, faults), common)
    });
    for (l, line) in lines.iter().enumerate() {
        let lugar = Lugar::Linha(t, l);
        let read = lugar.with_path(|at| {
            let cells = match line {
                Node::List(cells) if cells.len() == columns.len() => cells,
                Node::List(cells) => {
                    let detail = format!("A linha tem {} células e a tabela {} colunas.", cells.len(), columns.len());
                    faults.add(at, Codigo::ValorInvalido, detail);
                    return None;
                }
                other => {
                    wrong_type(&Shape::List(&Shape::Text), other, at, faults);
                    return None;
                }
            };
            let mut rule = common.clone();
            for (column, cell) in columns.iter().zip(cells) {
                // An empty cell is a null figure in the content, and absence everywhere else.
                if *cell != Node::Null || column.first().is_some_and(|c| c == "conteudo") {
                    set(&mut rule, column, cell.clone());
                }
            }
            read_rule(lugar, &rule, at, faults)
        });
        if let Some(doc) = read {
            take(doc, faults);
        }
    }
}

fn read_columns(nodes: &[Node<'_>], common: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Vec<Vec<String>> {
    let mut columns: Vec<Vec<String>> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let here = at.index(i);
        let Node::Text(name) = node else {
            wrong_type(&Shape::Text, node, &here, faults);
            continue;
        };
        let column: Vec<String> = name.split('.').map(str::to_owned).collect();
        // A column inside another, or inside a value of `comum` that is no object, would be lost.
        if columns.iter().any(|other| other.starts_with(&column) || column.starts_with(other)) {
            faults.add(&here, Codigo::ValorInvalido, format!("A coluna {name} coincide com outra da tabela."));
        } else if !reaches(common, &column) {
            faults.add(
                &here,
                Codigo::ValorInvalido,
                format!("A coluna {name} passa por um valor de `comum` que não é objeto."),
            );
        }
        columns.push(column);
    }
    columns
}

/// True when the path leads through objects only, as far as there is anything on it.
fn reaches(object: &Object<'_>, path: &[String]) -> bool {
    match path.split_first() {
        Some((name, rest)) if !rest.is_empty() => match object.get(name) {
            None => true,
            Some(Node::Object(inner)) => reaches(inner, rest),
            Some(_) => false,
        },
        _ => true,
    }
}

/// Sets the member at a dotted path, making the objects on the way.
fn set<'a>(object: &mut Object<'a>, path: &[String], value: Node<'a>) {
    let Some((name, rest)) = path.split_first() else { return };
    let place = object.0.iter().position(|(k, _)| k == name);
    if rest.is_empty() {
        match place.and_then(|i| object.0.get_mut(i)) {
            Some((_, old)) => *old = value,
            None => object.0.push((Cow::Owned(name.clone()), value)),
        }
        return;
    }
    let place = place.unwrap_or_else(|| {
        object.0.push((Cow::Owned(name.clone()), Node::Object(Object::default())));
        object.0.len() - 1
    });
    if let Some((_, Node::Object(inner))) = object.0.get_mut(place) {
        set(inner, rest, value);
    }
}
