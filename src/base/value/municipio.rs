//! The official list of 5,571 municipalities (IBGE, December 2025), and finding one by name or code.

use std::collections::HashMap;
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use serde::{Serialize, Serializer};
use unicode_normalization::char::decompose_canonical;

use super::text::{read_text, shorten};
use super::uf::Uf;
use crate::document::{Faults, FromNode, Node, Object, Path, Shape, edits};
use crate::problem::ErrorCode;

/// For each UF a heading (abbreviation and two-digit code), then a line for each municipality: the last five
/// digits of the IBGE code, the four of the code of the Receita Federal (TOM), and the official name.
const LIST: &str = include_str!("municipios.txt");

/// Longer than any official name. A longer text is not compared with all of them.
const MAX_NAME_CHARS: usize = 60;

/// A municipality of the official list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Municipio {
    uf: Uf,
    ibge_code: u32,
    tom_code: u16,
    name: &'static str,
}

/// Every municipality by its UF and folded name, which is unique within a UF.
type Register = HashMap<(Uf, String), Municipio, FixedState>;

fn register() -> &'static Register {
    static REGISTER: OnceLock<Register> = OnceLock::new();
    REGISTER.get_or_init(|| {
        let mut register = Register::with_capacity_and_hasher(6_000, FixedState::default());
        let mut heading = None;
        for line in LIST.lines() {
            if let Some(uf) = line.get(..2).and_then(Uf::from_abbreviation) {
                heading = line.get(2..).and_then(|code| code.parse::<u32>().ok()).map(|code| (uf, code));
                continue;
            }
            let (Some((uf, uf_code)), Some(code), Some(tom_code), Some(name)) = (
                heading,
                line.get(..5).and_then(|c| c.parse::<u32>().ok()),
                line.get(5..9).and_then(|c| c.parse().ok()),
                line.get(9..),
            ) else {
                continue;
            };
            let ibge_code = uf_code * 100_000 + code;
            register.insert((uf, fold(name)), Municipio { uf, ibge_code, tom_code, name });
        }
        register
    })
}

/// A text without case, accents and punctuation, hyphens read as spaces: "Embu-Guaçu" and
/// "EMBU GUACU" fold to the same.
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut push = |c: char| match c {
        'a'..='z' | '0'..='9' => folded.push(c),
        c if (c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}'))
            && !folded.is_empty()
            && !folded.ends_with(' ') =>
        {
            folded.push(' ');
        }
        _ => {}
    };
    for c in name.chars() {
        if c.is_ascii() {
            push(c.to_ascii_lowercase());
        } else {
            // Marks are left out, so their order does not matter.
            decompose_canonical(c, |part| part.to_lowercase().for_each(&mut push));
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

impl Municipio {
    /// Every municipality of that name or IBGE code, at most one for each UF; case and accents do not matter.
    pub fn of_any_uf(name: &str) -> Vec<Municipio> {
        if let Some(found) = name.parse().ok().and_then(Municipio::of_ibge_code) {
            return vec![found];
        }
        if name.chars().count() > MAX_NAME_CHARS {
            return Vec::new();
        }
        let mut key = (Uf::SP, fold(name));
        let of = |uf: &Uf| {
            key.0 = *uf;
            register().get(&key).copied()
        };
        Uf::ALL.iter().filter_map(of).collect()
    }

    /// The municipality of that IBGE code, seven digits.
    pub fn of_ibge_code(code: u32) -> Option<Municipio> {
        static BY_CODE: OnceLock<HashMap<u32, Municipio>> = OnceLock::new();
        BY_CODE.get_or_init(|| register().values().map(|found| (found.ibge_code, *found)).collect()).get(&code).copied()
    }

    /// The municipality of that code of the Receita Federal (TOM), four digits, which some systems of towns write.
    pub fn of_tom_code(code: &str) -> Option<Municipio> {
        static BY_CODE: OnceLock<HashMap<u16, Municipio>> = OnceLock::new();
        let code = code.parse().ok().filter(|_| code.len() <= 4)?;
        BY_CODE.get_or_init(|| register().values().map(|found| (found.tom_code, *found)).collect()).get(&code).copied()
    }

    /// The municipality of that name or IBGE code in the UF; case and accents do not matter. The error suggests the
    /// nearest name, or the UF that has it.
    pub fn find(uf: Uf, name: &str) -> Result<Municipio, String> {
        if let Some(code) = name.parse().ok().filter(|_| name.len() == 7) {
            return match Municipio::of_ibge_code(code) {
                Some(found) if found.uf == uf => Ok(found),
                Some(found) => Err(format!("O código {code} é de {}, {}; corrija a `uf`.", found.name, found.uf)),
                None => Err(format!("O IBGE não tem município com o código {code}; confira os sete dígitos.")),
            };
        }
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(format!(
                "\"{}\" é longo demais para um município; informe o nome oficial do IBGE.",
                shorten(name)
            ));
        }
        let folded = fold(name);
        let register = register();
        if let Some(found) = register.get(&(uf, folded)) {
            return Ok(*found);
        }
        let shown = shorten(name);
        let mut elsewhere: Vec<&str> = Municipio::of_any_uf(name).iter().map(|found| found.uf.as_str()).collect();
        elsewhere.sort_unstable();
        if !elsewhere.is_empty() {
            let ufs = elsewhere.join(", ");
            return Err(format!("{uf} não tem o município \"{shown}\", que fica em {ufs}; corrija a `uf`."));
        }
        match Municipio::near(Some(uf), name) {
            Some(near) => Err(format!("{uf} não tem o município \"{shown}\". Você quis dizer \"{}\"?", near.name)),
            None => Err(format!("{uf} não tem o município \"{shown}\"; informe o nome oficial do IBGE.")),
        }
    }

    /// The municipality of the UF, or of any UF, whose name is nearest to that one; `None` if none is near enough.
    pub fn near(uf: Option<Uf>, name: &str) -> Option<Municipio> {
        let folded = fold(name);
        let of_uf = register().iter().filter(|((u, _), _)| uf.is_none_or(|uf| *u == uf));
        let near = of_uf.filter_map(|((_, n), m)| Some((edits(&folded, n)?, m.name, m.uf.as_str(), *m)));
        near.min_by_key(|(edits, name, uf, _)| (*edits, *name, *uf)).map(|(.., found)| found)
    }

    /// Every municipality of the UF, in no order.
    pub fn of_uf(uf: Uf) -> impl Iterator<Item = Municipio> {
        register().values().filter(move |found| found.uf == uf).copied()
    }

    /// The number of municipalities: 5,571.
    pub fn count() -> usize {
        register().len()
    }

    /// The official name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The seven digits of the IBGE code.
    pub fn ibge_code(self) -> u32 {
        self.ibge_code
    }

    /// The same as text. It is a part of every key of a lookup, where `Display` would take a tenth of the time.
    pub fn digits(self) -> [u8; 7] {
        let digit = |power| b'0' + u8::try_from(self.ibge_code / power % 10).unwrap_or_default();
        [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1].map(digit)
    }

    pub fn uf(self) -> Uf {
        self.uf
    }
}

impl Serialize for Municipio {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name)
    }
}

impl FromNode for Municipio {
    const SHAPE: Shape = Shape::Code {
        name: "o nome oficial ou o código IBGE de um município da UF",
        pattern: "^.{2,60}$",
        example: "São Paulo",
    };

    /// Finds the name in the `uf` of the same object. If the `uf` is at fault, that is reported, and nothing here.
    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        let uf = within.text("uf").and_then(Uf::from_abbreviation);
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::MunicipioDesconhecido, |name| {
            uf.map(|uf| Municipio::find(uf, name)).transpose()
        })
        .flatten()
    }
}
