//! Values as firms write them in their tables: a code with its text, a part of the name of an option, a year for its
//! first day. A text that fits two values is never decided here: the tax refuses it.

use super::names::fold_name;
use crate::base::document::{FromNode as _, Shape, Words};
use crate::base::value::{CodigoTributacaoNacional, Date, ExDeclarado, ItemServico, format_decimal};
use crate::sheet::{Cell, digits_of_code, lost_zero};

/// Fewest letters of a part that names an option: "não" is not enough for "Não cumulativo".
const MIN_LETTERS: usize = 4;
/// What people write before a year.
const BEFORE_YEAR: [&str; 4] = ["ano de ", "ano ", "exercicio de ", "exercicio "];

/// The option that a text names, whatever the case, accents and punctuation: by its word or its label, or else by the
/// beginning or some words of one option alone ("ônibus" of "Ônibus e micro-ônibus").
pub(super) fn option(text: &str, words: Words) -> Option<&'static str> {
    // Most lists have the word itself, and folding every word takes a while. Most of the 27 UFs differ in their first letter:
    // to compare letter by letter takes a third of what `==` does.
    if let Some(word) = words.iter().find(|word| word.len() == text.len() && word.bytes().eq(text.bytes())) {
        return Some(word);
    }
    let wanted = fold_name(text);
    let named = || words.iter().map(|word| (*word, *word)).chain(words.labelled());
    if let Some((word, _)) = named().find(|(_, name)| fold_name(name) == wanted) {
        return Some(word);
    }
    if wanted.len() < MIN_LETTERS {
        return None;
    }
    let fits = |name: &str| {
        let name = fold_name(name);
        name.starts_with(&wanted) || format!(" {name} ").contains(&format!(" {wanted} "))
    };
    let mut found = named().filter(|(_, name)| fits(name)).map(|(word, _)| word);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// The code with which a text begins that goes on in words: `7.10` of "7.10 Limpeza", `8708.30.90` of "8708.30.90 -
/// Pastilhas". `None` if it does not, or if another code of the same kind follows.
pub(super) fn leading_code<'t>(shape: &Shape, text: &'t str) -> Option<&'t str> {
    let is_of_code = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '/');
    let word = text.split_whitespace().next().unwrap_or_default();
    let digits = text.find(|c: char| !is_of_code(c) && c != ' ').and_then(|end| text.get(..end)).unwrap_or_default();
    let mut codes = [word, digits].into_iter().map(|code| code.trim_end_matches(|c: char| !c.is_ascii_digit()));
    let lost_zero = |code: &str| lost_zero(shape, &Cell::of(code)).is_some();
    let code = codes.find(|code| text.starts_with(code) && (is_code(shape, code) || lost_zero(code)))?;
    let rest = text.get(code.len()..)?;
    let mut others = rest.split(|c| !is_of_code(c)).map(|other| other.trim_matches(|c: char| !c.is_ascii_digit()));
    let goes_on = rest.chars().any(char::is_alphabetic);
    (goes_on && others.all(|other| !is_code(shape, other))).then_some(code)
}

/// True for a whole code of that shape.
fn is_code(shape: &Shape, text: &str) -> bool {
    let Shape::Code { pattern, .. } = shape else { return false };
    if let Some(length) = digits_of_code(pattern) {
        return text.bytes().filter(u8::is_ascii_digit).count() == length;
    }
    match *shape {
        ItemServico::SHAPE => ItemServico::parse(text).is_ok(),
        CodigoTributacaoNacional::SHAPE => CodigoTributacaoNacional::parse(text).is_ok(),
        ExDeclarado::SHAPE => ExDeclarado::parse(text).is_ok(),
        _ => false,
    }
}

/// 1 January of the year that a cell names: `2026`, "Ano 2026", "exercício de 2026".
pub(super) fn first_day(cell: &Cell<'_>) -> Option<Date> {
    let written = match cell {
        Cell::Text(text) => fold_name(text),
        Cell::Number(number) => format_decimal(number.normalize()),
        _ => return None,
    };
    let year = BEFORE_YEAR.iter().find_map(|before| written.strip_prefix(before)).unwrap_or(&written);
    let day = Date::parse(&format!("{year}-01-01")).ok()?;
    day.may_have_rules().then_some(day)
}
