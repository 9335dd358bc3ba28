//! Subitems of the service list of LC 116/2003, and the subdivisions (`desdobros`) that the national code of the
//! NFS-e gives them.
//!
//! The list is only used for suggestions: a law may add a subitem, and its rules come with a bundle.

use std::collections::HashSet;
use std::fmt;
use std::sync::OnceLock;

use serde::{Serialize, Serializer};

use super::text::{read_text, shorten, unfit};
use crate::document::{Faults, FromNode, Node, Object, Path, Shape};
use crate::problem::ErrorCode;

/// The 200 subitems in force: the annex to LC 116/2003 as amended by LC 157/2016, LC 175/2020,
/// LC 183/2021 and LC 218/2025, without the vetoed 3.01, 7.14, 7.15, 13.01 and 17.07.
const LIST: &str = "
    1.01 1.02 1.03 1.04 1.05 1.06 1.07 1.08 1.09
    2.01
    3.02 3.03 3.04 3.05
    4.01 4.02 4.03 4.04 4.05 4.06 4.07 4.08 4.09 4.10 4.11 4.12 4.13 4.14 4.15 4.16 4.17 4.18 4.19 4.20 4.21 4.22 4.23
    5.01 5.02 5.03 5.04 5.05 5.06 5.07 5.08 5.09
    6.01 6.02 6.03 6.04 6.05 6.06
    7.01 7.02 7.03 7.04 7.05 7.06 7.07 7.08 7.09 7.10 7.11 7.12 7.13 7.16 7.17 7.18 7.19 7.20 7.21 7.22
    8.01 8.02
    9.01 9.02 9.03
    10.01 10.02 10.03 10.04 10.05 10.06 10.07 10.08 10.09 10.10
    11.01 11.02 11.03 11.04 11.05
    12.01 12.02 12.03 12.04 12.05 12.06 12.07 12.08 12.09 12.10 12.11 12.12 12.13 12.14 12.15 12.16 12.17
    13.02 13.03 13.04 13.05
    14.01 14.02 14.03 14.04 14.05 14.06 14.07 14.08 14.09 14.10 14.11 14.12 14.13 14.14
    15.01 15.02 15.03 15.04 15.05 15.06 15.07 15.08 15.09 15.10 15.11 15.12 15.13 15.14 15.15 15.16 15.17 15.18
    16.01 16.02
    17.01 17.02 17.03 17.04 17.05 17.06 17.08 17.09 17.10 17.11 17.12 17.13 17.14 17.15 17.16 17.17 17.18 17.19 17.20 17.21 17.22 17.23 17.24 17.25
    18.01
    19.01
    20.01 20.02 20.03
    21.01
    22.01
    23.01
    24.01
    25.01 25.02 25.03 25.04 25.05
    26.01
    27.01
    28.01
    29.01
    30.01
    31.01
    32.01
    33.01
    34.01
    35.01
    36.01
    37.01
    38.01
    39.01
    40.01
";

/// A subitem of the service list, `N.NN`, or a subdivision of one, `N.NN.NN`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemServico {
    group: u8,
    subitem: u8,
    /// 0 for the subitem as a whole.
    desdobro: u8,
}

impl ItemServico {
    /// Every subitem in force, in order.
    pub fn all() -> impl Iterator<Item = ItemServico> {
        LIST.split_ascii_whitespace().filter_map(ItemServico::parse_form)
    }

    /// Parses `N.NN`, on the list or not, without a leading zero of the group.
    pub fn parse(text: &str) -> Result<ItemServico, String> {
        ItemServico::parse_form(text).ok_or_else(|| {
            format!(
                "\"{}\" não é um subitem da lista de serviços; escreva N.NN, como \"1.05\" ou \"17.01\".",
                shorten(text)
            )
        })
    }

    /// Parses `N.NN`, or `N.NN.NN` for a subdivision.
    pub fn parse_desdobrado(text: &str) -> Result<ItemServico, String> {
        let whole = text.rsplit_once('.').filter(|(item, desdobro)| item.contains('.') && desdobro.len() == 2);
        let Some((item, desdobro)) = whole else { return ItemServico::parse(text) };
        let ItemServico { group, subitem, .. } = ItemServico::parse(item)?;
        let parsed = number(desdobro).and_then(|desdobro| ItemServico::with_desdobro(group, subitem, desdobro));
        parsed.ok_or_else(|| {
            format!("\"{}\" não é um desdobro da lista nacional; escreva N.NN.NN, como \"1.09.01\".", shorten(text))
        })
    }

    /// A subdivision of a subitem. `None` if a number is outside 1 to 99.
    pub fn with_desdobro(group: u8, subitem: u8, desdobro: u8) -> Option<ItemServico> {
        let in_range = |number: u8| (1..=99).contains(&number);
        (in_range(group) && in_range(subitem) && in_range(desdobro)).then_some(ItemServico { group, subitem, desdobro })
    }

    /// The subitem as a whole.
    pub fn subitem(self) -> ItemServico {
        ItemServico { desdobro: 0, ..self }
    }

    /// True for a subdivision of a subitem.
    pub fn is_desdobro(self) -> bool {
        self.desdobro > 0
    }

    /// Writes it as it is displayed. It is a part of every key of a lookup, where formatting would take most of the time.
    pub fn write_to(self, bytes: &mut Vec<u8>) {
        let two = |number: u8| [b'0' + number / 10 % 10, b'0' + number % 10];
        let group = two(self.group);
        bytes.extend_from_slice(if self.group < 10 { group.get(1..).unwrap_or_default() } else { &group });
        for number in [Some(self.subitem), self.is_desdobro().then_some(self.desdobro)].into_iter().flatten() {
            bytes.push(b'.');
            bytes.extend_from_slice(&two(number));
        }
    }

    /// The subitem in force with the nearest number; `None` if this one is in force.
    pub fn nearest_in_force(self) -> Option<ItemServico> {
        if in_force().contains(&self.subitem()) {
            return None;
        }
        ItemServico::all().min_by_key(|known| (known.group.abs_diff(self.group), known.subitem.abs_diff(self.subitem)))
    }

    /// A sentence for callers about a subitem that is not in force; `None` if it is in force.
    pub fn suggestion(self) -> Option<String> {
        let near = self.nearest_in_force()?;
        Some(format!(
            "A lista de serviços da LC 116/2003 não tem o subitem {self}; o mais próximo em vigor é o {near}."
        ))
    }

    fn parse_form(text: &str) -> Option<ItemServico> {
        let (group, subitem) = text.split_once('.').filter(|(_, subitem)| subitem.len() == 2)?;
        Some(ItemServico { group: number(group)?, subitem: number(subitem)?, desdobro: 0 })
    }
}

/// One or two digits, not zero.
fn number(digits: &str) -> Option<u8> {
    let digits_alone = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|number| digits_alone && *number > 0)
}

/// [`LIST`], parsed once.
fn in_force() -> &'static HashSet<ItemServico> {
    static IN_FORCE: OnceLock<HashSet<ItemServico>> = OnceLock::new();
    IN_FORCE.get_or_init(|| ItemServico::all().collect())
}

impl fmt::Display for ItemServico {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.group, self.subitem)?;
        if self.is_desdobro() { write!(f, ".{:02}", self.desdobro) } else { Ok(()) }
    }
}

impl Serialize for ItemServico {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl FromNode for ItemServico {
    const SHAPE: Shape = Shape::Code {
        name: "um subitem da lista de serviços",
        pattern: "^(0?[1-9]|[1-9][0-9])\\.(0[1-9]|[1-9][0-9])$",
        example: "1.05",
    };

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::ItemServicoInvalido, |text| {
            let advice = "Escreva o subitem da lista de serviços, como 1.07.";
            ItemServico::parse(text).map_err(|why| unfit(text, why, advice))
        })
    }
}

/// A subitem or a subdivision of one, as a rule's scope names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemOuDesdobro(pub ItemServico);

impl FromNode for ItemOuDesdobro {
    const SHAPE: Shape = Shape::Code {
        name: "um subitem da lista de serviços, ou um desdobro dele",
        pattern: "^(0?[1-9]|[1-9][0-9])\\.(0[1-9]|[1-9][0-9])(\\.(0[1-9]|[1-9][0-9]))?$",
        example: "1.05",
    };

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::ItemServicoInvalido, |text| {
            ItemServico::parse_desdobrado(text).map(ItemOuDesdobro)
        })
    }
}

/// The national code of a service on the NFS-e (`cTribNac`): item, subitem and subdivision, two digits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodigoTributacaoNacional(ItemServico);

impl CodigoTributacaoNacional {
    /// Parses `NNNNNN`, also with points (`NN.NN.NN`).
    pub fn parse(text: &str) -> Result<CodigoTributacaoNacional, String> {
        let digits: String = match text.split('.').collect::<Vec<_>>().as_slice() {
            [whole] => (*whole).to_owned(),
            parts @ [_, _, _] if parts.iter().all(|part| part.len() == 2) => parts.concat(),
            _ => String::new(),
        };
        let part = |at: usize| digits.get(at..at + 2).filter(|_| digits.len() == 6).and_then(number);
        let service = part(0).zip(part(2)).zip(part(4));
        let service =
            service.and_then(|((group, subitem), desdobro)| ItemServico::with_desdobro(group, subitem, desdobro));
        service.map(CodigoTributacaoNacional).ok_or_else(|| {
            format!(
                "\"{}\" não é um código de tributação nacional; escreva os seis dígitos do cTribNac da NFS-e, como \"010901\".",
                shorten(text)
            )
        })
    }

    /// The subdivision that it names.
    pub fn desdobro(self) -> ItemServico {
        self.0
    }
}

impl fmt::Display for CodigoTributacaoNacional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ItemServico { group, subitem, desdobro } = self.0;
        write!(f, "{group:02}{subitem:02}{desdobro:02}")
    }
}

impl FromNode for CodigoTributacaoNacional {
    const SHAPE: Shape = Shape::Code {
        name: "um código de tributação nacional da NFS-e",
        pattern: "^(0[1-9]|[1-9][0-9])((0[1-9]|[1-9][0-9]){2}|(\\.(0[1-9]|[1-9][0-9])){2})$",
        example: "010501",
    };

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::ItemServicoInvalido, CodigoTributacaoNacional::parse)
    }
}
