//! The columns of a tax, made from its declarations.

use crate::base::document::{Document, Field, FromNode, Shape, Words};
use crate::base::value::Text;
use crate::law::rule::bundle::{Esperado, RuleHeader};
use crate::law::tax::{self, Entry};

/// Path of the components that an example expects.
pub(super) const DETALHES: &str = "exemplos[].detalhes.";

/// A column: a member of a rule, or of what is in it.
#[derive(Debug, Clone)]
pub struct LayoutColumn {
    /// Path of the member; `[]` after a list that goes down the rows.
    pub name: String,
    /// What a value of it looks like; of a list in one cell, each of them.
    pub shape: Shape,
    /// True if a cell has several values.
    pub is_list: bool,
    /// What people call it, in Portuguese.
    pub label: &'static str,
    /// What it means, in Portuguese: the label, and what else to know.
    pub description: String,
    /// True if the object that it belongs to needs it.
    pub required: bool,
    /// The value that applies to an empty cell.
    pub default: Option<&'static str>,
}

/// How a value is laid out over columns and rows.
#[derive(Debug, Clone)]
pub(super) enum Placement {
    /// One value in one cell: its column.
    Cell(usize),
    /// Several values in one cell: its column.
    List(usize),
    /// The members of an object, side by side.
    Members(Vec<(&'static str, Placement)>),
    /// The items of a list, one below the other.
    Rows(Box<Placement>),
}

/// The columns of a tax and how a rule is laid out over them.
#[derive(Debug, Clone)]
pub struct Layout {
    pub columns: Vec<LayoutColumn>,
    pub(super) rule: Vec<(&'static str, Placement)>,
}

impl Layout {
    pub fn of(entry: &Entry) -> Layout {
        let mut layout = Layout { columns: Vec::new(), rule: Vec::new() };
        let mut rule = Vec::new();
        for field in RuleHeader::FIELDS {
            // The scope comes before the days, as in a bundle.
            if field.name == "vigente_de" {
                rule.push(("escopo", layout.scope(entry)));
            }
            let mut field = *field;
            if field.name == "tributo" {
                field.shape = Shape::OneOf(Words::bare(&tax::NAMES));
            }
            rule.push((field.name, layout.field(&field, "")));
        }
        rule.push(("conteudo", layout.members(entry.conteudo, "conteudo.")));
        rule.push(("exemplos", Placement::Rows(Box::new(layout.example(entry)))));
        layout.rule = rule;
        // A sentence may come alone, and an example expects what its author chooses.
        let is_free =
            |column: &&mut LayoutColumn| column.name == "avisos[].condicao" || column.name.starts_with(DETALHES);
        layout.columns.iter_mut().filter(is_free).for_each(|column| column.required = false);
        layout
    }

    fn scope(&mut self, entry: &Entry) -> Placement {
        let own = entry.escopo.discriminador.map(|own| own.campo);
        let mut members = Vec::new();
        for mut field in entry.escopo.fields() {
            field.required = entry.escopo.obrigatorios.iter().any(|axis| axis.as_str() == field.name);
            // A tax's own dimension takes one word or several.
            let is_own = own == Some(field.name);
            let kind =
                if is_own { self.cell(&field, field.shape, "escopo.", true) } else { self.field(&field, "escopo.") };
            members.push((field.name, kind));
        }
        Placement::Members(members)
    }

    fn example(&mut self, entry: &Entry) -> Placement {
        let mut members = vec![("payload", self.members(entry.payload, "exemplos[].payload."))];
        for field in Esperado::FIELDS {
            // The bundle writes the amount as a text; here it is a number as any other.
            let shape = if field.name == "valor" { Shape::Amount } else { field.shape };
            members.push((field.name, self.cell(field, shape, "exemplos[].", false)));
        }
        if let Shape::Document(fields) = entry.detalhes {
            members.push(("detalhes", self.members(fields, DETALHES)));
        }
        Placement::Members(members)
    }

    fn members(&mut self, fields: &'static [Field], path: &str) -> Placement {
        Placement::Members(fields.iter().map(|field| (field.name, self.field(field, path))).collect())
    }

    fn field(&mut self, field: &Field, path: &str) -> Placement {
        let name = format!("{path}{}", field.name);
        match field.shape {
            Shape::Document(fields) => self.members(fields, &format!("{name}.")),
            Shape::List(Shape::Document(fields)) => {
                Placement::Rows(Box::new(self.members(fields, &format!("{name}[]."))))
            }
            // Any separator could be part of a text.
            Shape::List(inner) if *inner == Text::SHAPE => {
                let mut item = *field;
                item.name = "";
                Placement::Rows(Box::new(self.cell(&item, *inner, &format!("{name}[]"), false)))
            }
            Shape::List(inner) => self.cell(field, *inner, path, true),
            shape => self.cell(field, shape, path, false),
        }
    }

    fn cell(&mut self, field: &Field, shape: Shape, path: &str, is_list: bool) -> Placement {
        let column = self.columns.len();
        self.columns.push(LayoutColumn {
            name: format!("{path}{}", field.name),
            shape,
            is_list,
            label: field.label,
            description: field.description(),
            required: field.required,
            default: field.default,
        });
        if is_list { Placement::List(column) } else { Placement::Cell(column) }
    }
}

/// What a value may be, in Portuguese; words of a list in backticks.
pub fn kind(shape: &Shape) -> String {
    match shape {
        Shape::Text => "texto".to_owned(),
        Shape::Code { name, .. } => (*name).to_owned(),
        Shape::Amount => "valor".to_owned(),
        Shape::PositiveAmount => "valor acima de zero".to_owned(),
        Shape::Rate => "percentual".to_owned(),
        Shape::SignedRate => "pontos percentuais, com sinal".to_owned(),
        Shape::Date => "data".to_owned(),
        Shape::Instant => "instante".to_owned(),
        Shape::OneOf(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Shape::Bool => "`true` ou `false`".to_owned(),
        Shape::Int { min, max } => format!("inteiro de {min} a {max}"),
        Shape::List(Shape::Document(_)) => "lista".to_owned(),
        Shape::List(inner) => format!("lista: {}", kind(inner)),
        Shape::Document(_) => "objeto".to_owned(),
    }
}

impl LayoutColumn {
    /// What to write in the column, for the row of explanations.
    pub fn explanation(&self) -> String {
        let form = match self.shape {
            Shape::Bool => "sim ou não".to_owned(),
            Shape::Rate | Shape::SignedRate => format!("{}: 18 é 18%", kind(&self.shape)),
            Shape::Code { name, example, .. } => format!("{name}, como {example}"),
            shape => kind(&shape).replace('`', ""),
        };
        let presence = match self.default {
            Some(default) => format!(" Vazio vale {}.", default.trim_matches('"')),
            None if self.required => " Obrigatório.".to_owned(),
            None => String::new(),
        };
        let several = if self.is_list { " Vários na mesma célula, separados por ponto e vírgula." } else { "" };
        let below = if self.name.contains("[]") { " Lista: um item por linha, para baixo." } else { "" };
        format!("{}: {form}.{presence}{several}{below}", self.description)
    }
}
