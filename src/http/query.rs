//! Query parameters: each read once by name, all faults in one document, none ignored.

use crate::problem::{Codigo, ErroDeCampo, Problem};
use crate::value::shorten;

/// The parameters of a request, taken out one by one.
pub(super) struct Query {
    pairs: Vec<(String, String)>,
    accepted: Vec<&'static str>,
    erros: Vec<ErroDeCampo>,
}

impl Query {
    pub(super) fn parse(text: &str) -> Query {
        let mut query = Query { pairs: Vec::new(), accepted: Vec::new(), erros: Vec::new() };
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if query.pairs.iter().any(|(known, _)| *known == name) {
                query.fault(&name, "O parâmetro aparece mais de uma vez; deixe um só.".to_owned());
            } else {
                query.pairs.push((name.into_owned(), value.into_owned()));
            }
        }
        query
    }

    /// The parameter `name`, read by `parse`; absent when it is not there.
    pub(super) fn take<T>(&mut self, name: &'static str, parse: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
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

    /// An error with every fault, parameters that nobody took included.
    pub(super) fn finish(mut self) -> Result<(), Box<Problem>> {
        let accepted = self.accepted.join(", ");
        for (name, _) in std::mem::take(&mut self.pairs) {
            self.fault(&name, format!("Este endereço não tem este parâmetro; os aceitos são: {accepted}."));
        }
        match self.erros.first() {
            None => Ok(()),
            Some(first) => {
                let mut problem = Problem::of_field(Codigo::ParametroInvalido, &first.campo, first.detail.clone());
                problem.erros = self.erros;
                Err(Box::new(problem))
            }
        }
    }

    fn fault(&mut self, name: &str, detail: String) {
        // A request head of 16 KiB holds thousands of parameters; a few tell the story.
        if self.erros.len() < 20 {
            self.erros.push(ErroDeCampo { campo: shorten(name), codigo: Codigo::ParametroInvalido, detail });
        }
    }
}

/// `true` or `false`.
pub(super) fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("Use true ou false.".to_owned()),
    }
}

/// A whole number between two bounds, both included.
pub(super) fn whole(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|n| digits && (least..=most).contains(n))
        .ok_or_else(|| format!("Use um inteiro de {least} a {most}."))
}

/// A page size.
pub(super) fn limit(text: &str) -> Result<usize, String> {
    whole(text, 1, 500)
}

/// A cursor of an earlier page.
pub(super) fn cursor(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix('c').and_then(|digits| u64::from_str_radix(digits, 36).ok());
    // Only what `write_cursor` writes: a sign or a leading zero is not.
    number
        .filter(|number| write_cursor(*number) == text)
        .ok_or_else(|| "O cursor não é um que este serviço deu; comece da primeira página.".to_owned())
}

/// The text of a cursor.
pub(super) fn write_cursor(number: u64) -> String {
    let mut digits = Vec::new();
    let mut rest = number;
    loop {
        digits.push(char::from_digit(u32::try_from(rest % 36).unwrap_or_default(), 36).unwrap_or('0'));
        rest /= 36;
        if rest == 0 {
            break;
        }
    }
    digits.push('c');
    digits.iter().rev().collect()
}
