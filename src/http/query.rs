//! Query parameters: each is declared, and read once by its name. All faults are reported together, and no
//! parameter is ignored.

use crate::base::document::{Field, Shape};
use crate::base::problem::{ErrorCode, FieldError, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::shorten;

/// Declares a parameter: its name, its label in Portuguese, the shape of its value, and the JSON text of its
/// default.
pub(crate) const fn parameter(
    name: &'static str,
    label: &'static str,
    shape: Shape,
    default: Option<&'static str>,
) -> Field {
    Field { default, ..Field::optional(name, shape, label) }
}

/// A page size (contract, section 8).
pub(crate) const LIMIT: Field = parameter("limit", "Itens na página", Shape::Int { min: 1, max: 500 }, Some("100"));

/// Most parameters of a query; no route has half as many.
const MAX_PARAMETERS: usize = 50;

/// The parameters of a request, taken out one by one.
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
    /// True if there are too many parameters: none was read.
    too_many: bool,
    accepted: Vec<&'static str>,
    erros: Vec<FieldError>,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Query {
        let too_many = form_urlencoded::parse(text.as_bytes()).nth(MAX_PARAMETERS).is_some();
        let mut query = Query { pairs: Vec::new(), too_many, accepted: Vec::new(), erros: Vec::new() };
        if too_many {
            return query;
        }
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if query.pairs.iter().any(|(known, _)| *known == name) {
                query.fault(&name, "O parâmetro aparece mais de uma vez; deixe um só.".to_owned());
            } else {
                query.pairs.push((name.into_owned(), value.into_owned()));
            }
        }
        query
    }

    /// Takes the parameter out and reads it by `parse`. `None` if it is absent or faulty; `finish` then fails.
    pub(crate) fn take<T>(&mut self, field: &Field, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let name = field.name;
        self.accepted.push(name);
        let place = self.pairs.iter().position(|(known, _)| known == name)?;
        let (_, value) = self.pairs.remove(place);
        match parse(&value) {
            Ok(value) => Some(value),
            Err(detail) => {
                self.fault(name, detail);
                None
            }
        }
    }

    /// The same of a field of a question. One that the question requires is at fault if it is absent.
    pub(crate) fn take_asked<T>(&mut self, field: &Field, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let is_absent = !self.pairs.iter().any(|(known, _)| known == field.name);
        let taken = self.take(field, parse);
        if field.required && is_absent && !self.too_many {
            self.fault(field.name, format!("Informe o parâmetro: {}.", field.shape.describe()));
        }
        taken
    }

    /// Takes out a whole number within the bounds of its declaration; if it is absent, returns its default.
    pub(crate) fn take_whole(&mut self, field: &Field) -> usize {
        let default = field.default.and_then(|text| text.parse().ok()).unwrap_or_default();
        self.take(field, |text| whole(text, &field.shape)).unwrap_or(default)
    }

    /// Fails with every fault at once, including parameters that no `take` asked for.
    pub(crate) fn finish(mut self) -> Result<(), Box<Problem>> {
        if self.pairs.is_empty() && !self.too_many && self.erros.is_empty() {
            return Ok(());
        }
        let accepted = self.accepted.join(", ");
        if self.too_many {
            let detail = format!(
                "A consulta tem mais de {MAX_PARAMETERS} parâmetros; os que este endereço aceita são: {accepted}."
            );
            return Err(Box::new(Problem::new(ErrorCode::ParametroInvalido, detail)));
        }
        for (name, _) in std::mem::take(&mut self.pairs) {
            self.fault(&name, format!("Este endereço não tem este parâmetro; os aceitos são: {accepted}."));
        }
        match self.erros.first() {
            None => Ok(()),
            Some(first) => {
                let mut problem = Problem::of_field(ErrorCode::ParametroInvalido, &first.campo, first.detail.clone());
                problem.erros = self.erros;
                Err(Box::new(problem))
            }
        }
    }

    fn fault(&mut self, name: &str, detail: impl Into<Sentence>) {
        self.erros.push(FieldError {
            campo: shorten(name),
            codigo: ErrorCode::ParametroInvalido,
            detail: detail.into(),
        });
    }
}

/// Reads `true` or `false`.
pub(crate) fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("Use true ou false.".to_owned()),
    }
}

/// Reads a whole number, digits only, within the bounds of the shape.
fn whole(text: &str, shape: &Shape) -> Result<usize, String> {
    let within = |n: i64| matches!(*shape, Shape::Int { min, max } if (min..=max).contains(&n));
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|n| digits && within(*n)).and_then(|n| usize::try_from(n).ok());
    number.ok_or_else(|| format!("Use {}.", shape.describe()))
}
