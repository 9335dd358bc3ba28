//! The 27 federative units.

use crate::document::{Faults, FromNode, Node, Object, Path, Shape, Words};
use crate::problem::ErrorCode;

use super::text::{read_text, shorten};

macro_rules! ufs {
    ($($uf:ident $name:literal),* $(,)?) => {
        /// A federative unit, by its abbreviation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Uf { $( #[doc = $name] $uf, )* }

        impl Uf {
            /// All 27, by abbreviation.
            pub const ALL: &'static [Uf] = &[ $( Uf::$uf, )* ];
            pub const WORDS: &'static [&'static str] = &[ $( stringify!($uf), )* ];

            /// The names, in the same order.
            pub const NAMES: &'static [&'static str] = &[ $( $name, )* ];

            pub const fn as_str(self) -> &'static str { match self { $( Uf::$uf => stringify!($uf), )* } }

            /// The unit of that abbreviation, upper case.
            pub fn from_abbreviation(text: &str) -> Option<Uf> { match text { $( stringify!($uf) => Some(Uf::$uf), )* _ => None } }
        }
    };
}

ufs! {
    AC "Acre", AL "Alagoas", AM "Amazonas", AP "Amapá", BA "Bahia", CE "Ceará", DF "Distrito Federal",
    ES "Espírito Santo", GO "Goiás", MA "Maranhão", MG "Minas Gerais", MS "Mato Grosso do Sul",
    MT "Mato Grosso", PA "Pará", PB "Paraíba", PE "Pernambuco", PI "Piauí", PR "Paraná",
    RJ "Rio de Janeiro", RN "Rio Grande do Norte", RO "Rondônia", RR "Roraima", RS "Rio Grande do Sul",
    SC "Santa Catarina", SE "Sergipe", SP "São Paulo", TO "Tocantins",
}

impl std::fmt::Display for Uf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Uf {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl FromNode for Uf {
    const SHAPE: Shape = Shape::OneOf(Words::bare(Uf::WORDS));

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::UfInvalida, |text| {
            Uf::from_abbreviation(text).ok_or_else(|| match Uf::from_abbreviation(&text.to_ascii_uppercase()) {
                Some(uf) => format!("A UF se escreve em maiúsculas: \"{uf}\"."),
                None => format!("\"{}\" não é uma UF; use a sigla de duas letras, como \"SP\".", shorten(text)),
            })
        })
    }
}
