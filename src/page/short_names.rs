//! Short names for the variables of the scripts: they are a twelfth of what the page weighs.
//!
//! A module's name is shortened only if all its occurrences there are variables: never a member, a key or a name between
//! braces that is both. So nothing of an object changes its name, and what a name means need not be known.

use std::collections::{BTreeMap, HashMap};

use super::squeeze::{Token, TokenKind};

/// Words of the language, and what the browser gives by a name that a script may also give to a variable.
const KEPT: &str = "\
    as async await break case catch class const continue crypto default delete do document else event export extends \
    false fetch finally for from function get history if import in instanceof let localStorage location matchMedia \
    navigator new null of origin print return screen self sessionStorage set static super switch this throw true try \
    typeof undefined void while window yield";

fn is_kept(name: &str) -> bool {
    KEPT.split(' ').any(|kept| kept == name)
}

/// The short names by those of the source.
pub(super) type Names<'m> = HashMap<&'m str, String>;

/// How a module uses a name.
#[derive(Debug, Default)]
struct Use {
    count: usize,
    is_declared: bool,
    is_member: bool,
}

/// What each module calls its names: those that one module exports alike in all modules, its own by how often it uses them.
/// Names that several modules export stay. `exports` has whether a name is of one module.
pub(super) fn shortened<'m>(modules: &'m [Vec<Token>], exports: &BTreeMap<&'m str, bool>) -> Vec<Names<'m>> {
    let uses: Vec<_> = modules.iter().map(|tokens| uses(tokens)).collect();
    let is_member = |name: &str| uses.iter().filter_map(|uses| uses.get(name)).any(|found| found.is_member);
    let count = |name: &str| uses.iter().filter_map(|uses| uses.get(name)).map(|found| found.count).sum();
    let shared = exports.iter().filter(|(name, is_unique)| **is_unique && !is_member(name) && !is_kept(name));
    let shared = given(shared.map(|(name, _)| (*name, count(name))).collect(), |_| true);
    let shared: Names = shared.map(|(name, short)| (name, format!("${short}"))).collect();
    let own = |uses: &BTreeMap<&'m str, Use>| {
        let may = |(name, found): &(&&str, &Use)| {
            found.is_declared && !found.is_member && !exports.contains_key(**name) && !is_kept(name)
        };
        let names = uses.iter().filter(may).map(|(name, found)| (*name, found.count)).collect();
        let names = given(names, |short| !uses.contains_key(short) && !is_kept(short));
        names.chain(shared.iter().map(|(name, short)| (*name, short.clone()))).collect()
    };
    uses.iter().map(own).collect()
}

/// The names with a short one for each, the shortest for those that are used most.
fn given(mut names: Vec<(&str, usize)>, is_free: impl Fn(&str) -> bool) -> impl Iterator<Item = (&str, String)> {
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shorts = (0..).map(letters).filter(move |short| is_free(short));
    names.into_iter().map(|(name, _)| name).zip(shorts)
}

/// The words of letters in their order: `a`, `b`, ..., `Z`, `aa`, `ba`.
fn letters(mut number: usize) -> String {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut out = String::new();
    loop {
        out.extend(LETTERS.chars().nth(number % LETTERS.len()));
        if number < LETTERS.len() {
            return out;
        }
        number = number / LETTERS.len() - 1;
    }
}

/// A bracket that is open: what is before it, and the names in it that a declaration would declare.
struct Open<'t> {
    sign: &'t str,
    before: [&'t str; 2],
    names: Vec<&'t str>,
}

/// How a module uses each of its words.
fn uses(tokens: &[Token]) -> BTreeMap<&str, Use> {
    let mut found: BTreeMap<&str, Use> = BTreeMap::new();
    let mut open: Vec<Open> = Vec::new();
    let seen: Vec<&Token> = tokens.iter().filter(|token| token.kind != TokenKind::LineEnd).collect();
    let at = |i: usize| seen.get(i).map_or("", |token| token.text.as_str());
    for (i, token) in seen.iter().enumerate() {
        let text = token.text.as_str();
        let before = [i.checked_sub(2).map_or("", at), i.checked_sub(1).map_or("", at)];
        let after = [at(i + 1), at(i + 2)];
        match (token.kind, text) {
            (TokenKind::Sign, "(" | "[" | "{") => open.push(Open { sign: text, before, names: Vec::new() }),
            (TokenKind::Sign, ")" | "]" | "}") => {
                let Some(closed) = open.pop() else { continue };
                let [first, last] = closed.before;
                let is_function = first == "function" || last == "function";
                if is_function || matches!(last, "const" | "let") || after == ["=", ">"] {
                    for name in closed.names {
                        found.entry(name).or_default().is_declared = true;
                    }
                } else if closed.sign != "(" {
                    if let Some(outer) = open.last_mut() {
                        outer.names.extend(closed.names);
                    }
                } else if after.first() == Some(&"{") {
                    // The name of a method.
                    found.entry(last).or_default().is_member = true;
                }
            }
            (TokenKind::Word, _) if !text.starts_with(|c: char| c.is_ascii_digit()) => {
                let used = found.entry(text).or_default();
                used.count += 1;
                let [first, last] = before;
                let [next, second] = after;
                let in_braces = open.last().is_some_and(|open| open.sign == "{");
                let in_class = open.last().is_some_and(|open| open.before.first() == Some(&"class"));
                let is_item =
                    matches!(last, "(" | "[" | "{" | "," | ":" | ".") && matches!(next, "," | ")" | "]" | "}" | "=");
                used.is_member |= last == "#"
                    || last == "." && first != "."
                    || in_class && matches!(last, "{" | ";" | "}")
                    || in_braces && matches!(last, "{" | ",") && matches!(next, ":" | "," | "}" | "=");
                used.is_declared |= matches!(last, "const" | "let" | "function") || [next, second] == ["=", ">"];
                if let Some(open) = open.last_mut().filter(|_| is_item) {
                    open.names.push(text);
                }
            }
            _ => {}
        }
    }
    found
}
