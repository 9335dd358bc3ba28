//! Payloads with faults of every kind that a reader has to name: of form, of names, of values.

use serde_json::Value;

use crate::fuzz::{Dice, damage};

/// Values that few fields take, as JSON text.
const VALUES: [&str; 28] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "7",
    "2026",
    "2026.0",
    "1e3",
    "1.5",
    "999999999999999999",
    "9999999999999999999",
    "18446744073709551616",
    "\"\"",
    "\"0\"",
    "\"-1.00\"",
    "\"1,00\"",
    "\"1e3\"",
    "\"999999999999999.9999999999\"",
    "\"9999999999999999\"",
    "\"2026-02-30\"",
    "\"São Paulo\"",
    "\"caf\\u00e9\\n\"",
    "\"\\ud83d\\ude00\"",
    "[]",
    "[\"1\", {\"a\": 1, \"a\": 2}]",
    "{\"a\": {\"b\": 1, \"b\": 1}, \"a\": null}",
];

/// Values that are not JSON, or beyond what is read.
const NOT_JSON: [&str; 7] = ["01", "+1", ".5", "1.", "1e400", "\"\\ud800\"", "\"\u{1}\""];

/// The members of a payload, each a name and a value as JSON text.
type Members = Vec<(String, String)>;

/// Seeds in turn, most of them with faults. The same seeds give the same payloads.
pub fn faulty(seeds: &[Value], count: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut dice = Dice::default();
    let texts: Vec<Vec<u8>> = seeds.iter().map(|seed| seed.to_string().into_bytes()).collect();
    (0..count).map(move |round| match dice.roll(5) {
        0 => damage(&texts[round % texts.len()], &texts, &mut dice),
        _ => written(changed(&seeds[round % seeds.len()], &mut dice), &mut dice),
    })
}

/// The members of a payload in some order, with up to three changes.
fn changed(seed: &Value, dice: &mut Dice) -> Members {
    let named = |(name, value): (&String, &Value)| (name.clone(), value.to_string());
    let mut members: Members = seed.as_object().into_iter().flatten().map(named).collect();
    if dice.roll(2) == 0 {
        for left in (1..members.len()).rev() {
            members.swap(left, dice.roll(left + 1));
        }
    }
    for _ in 0..dice.roll(4) {
        change(&mut members, dice);
    }
    members
}

fn change(members: &mut Members, dice: &mut Dice) {
    let known = if dice.roll(8) == 0 { &NOT_JSON[..] } else { &VALUES[..] };
    let value = known[dice.roll(known.len())].to_owned();
    let (at, to) = (dice.roll(members.len()), dice.roll(members.len() + 1));
    let Some((name, old)) = members.get(at).cloned() else { return };
    match dice.roll(9) {
        0 => drop(members.remove(at)),
        1 => members.insert(to, (name, old)),
        2 => members.insert(to, (name, value)),
        3 => members.insert(to, (format!("campo_{at}"), value)),
        4 => members[at].0 = misspelt(&name, dice),
        5 => {
            let many = 18 + dice.roll(60);
            members.extend((0..many).map(|i| (format!("desconhecido_{i}"), value.clone())));
        }
        6 => {
            let depth = 120 + dice.roll(80);
            members[at].1 = "[".repeat(depth) + &"]".repeat(depth);
        }
        _ => members[at].1 = value,
    }
}

fn misspelt(name: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = dice.roll(letters.len());
    match dice.roll(3) {
        0 if letters.len() > 1 => drop(letters.remove(at)),
        1 => letters.insert(at, 'x'),
        _ => letters[at].make_ascii_uppercase(),
    }
    letters.into_iter().collect()
}

/// The members as one line of JSON, with blanks, escapes and a byte order mark here and there.
fn written(members: Members, dice: &mut Dice) -> Vec<u8> {
    let blank = |dice: &mut Dice| [" ", "", "", "", "\t"][dice.roll(5)];
    let mut text = if dice.roll(30) == 0 { "\u{feff}{" } else { "{" }.to_owned();
    for (i, (name, value)) in members.into_iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        let name = if dice.roll(40) == 0 { escaped(&name) } else { name };
        text += &[blank(dice), "\"", &name, "\"", blank(dice), ":", blank(dice), &value, blank(dice)].concat();
    }
    text += "}";
    text += [" ", "x", "}", ","].get(dice.roll(60)).unwrap_or(&"");
    text.into_bytes()
}

/// The name with its first letter as an escape: the same name to every reader of JSON.
pub fn escaped(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| format!("\\u{:04x}{}", u32::from(first), letters.as_str()))
}
