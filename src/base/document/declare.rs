//! The [`document!`](crate::document!), [`components!`](crate::components!) and
//! [`vocabulary!`](crate::vocabulary!) declarations.

/// Declares objects of a document. Each line is
/// `name: Type [= default] [=> CodeOfItsAbsence], "label, in Portuguese" [+ "; what else to know"];`.
/// The label names the field in a form. Label and rest together describe it.
///
/// ```
/// use taxd::base::document::{Faults, Node, Path, Document};
/// use taxd::base::value::Amount;
/// taxd::document! {
///     /// A toy payload.
///     pub struct Toy { valor: Amount, "Valor"; frete: Amount = "0", "Frete"; }
/// }
/// let Ok(Node::Object(object)) = Node::parse(br#"{"valor": "10.50"}"#) else { unreachable!() };
/// let toy = Toy::read(&object, &Path::ROOT, &mut Faults::default());
/// assert_eq!(toy.map(|t| t.valor.to_string()), Some("10.50".to_owned()));
/// ```
#[macro_export]
macro_rules! document {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident {
        $( $field:ident : $ty:ty $(= $default:literal)? $(=> $missing:ident)? , $label:literal $(+ $rest:literal)? ; )*
    })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $name { $( #[doc = concat!($label $(, $rest)?)] pub $field: $ty, )* }

        impl $crate::document::Document for $name {
            const FIELDS: &'static [$crate::document::Field] = &[ $( $crate::document::Field {
                name: stringify!($field),
                label: $label,
                rest: concat!($($rest)?),
                shape: <$ty as $crate::document::FromNode>::SHAPE,
                required: !<$ty as $crate::document::FromNode>::OPTIONAL && $crate::document!(@none $($default)?),
                nullable: <$ty as $crate::document::FromNode>::OPTIONAL || !$crate::document!(@none $($default)?),
                default: $crate::document!(@json $($default)?),
                role: None,
            }, )* ];

            fn read_placed(
                placed: &$crate::document::Placed<'_, '_>,
                at: &$crate::document::Path<'_>,
                faults: &mut $crate::document::Faults,
            ) -> Option<Self> {
                const { assert!(<$name as $crate::document::Document>::FIELDS.len() <= $crate::document::MAX_FIELDS) };
                let mut members = placed.members();
                $( let $field = $crate::document::read_field::<$ty>(
                    &mut members, stringify!($field), at, faults,
                    $crate::document!(@default $ty $(, $default)?),
                    $crate::document!(@missing $($missing)?),
                ); )*
                Some(Self { $( $field: $field?, )* })
            }
        }

        impl $crate::document::FromNode for $name {
            const SHAPE: $crate::document::Shape =
                $crate::document::Shape::Document(<$name as $crate::document::Document>::FIELDS);

            fn from_node(
                node: &$crate::document::Node<'_>,
                _: &$crate::document::Object<'_>,
                at: &$crate::document::Path<'_>,
                faults: &mut $crate::document::Faults,
            ) -> Option<Self> {
                $crate::document::from_required(node, at, faults)
            }
        }
    )* };
    (@none) => { true };
    (@none $default:literal) => { false };
    (@json) => { None };
    (@json $default:literal) => { Some(stringify!($default)) };
    (@default $ty:ty) => { None };
    (@default $ty:ty, $default:literal) => { Some(|| {
        static DEFAULT: std::sync::LazyLock<Option<$ty>> =
            std::sync::LazyLock::new(|| $crate::document::default_value(&$crate::document::Node::from($default)));
        DEFAULT.clone()
    }) };
    (@missing) => { $crate::problem::ErrorCode::CampoObrigatorio };
    (@missing $missing:ident) => { $crate::problem::ErrorCode::$missing };
}

/// Declares components that an answer shows, in their order. Each line is
/// `name: Type [as Role], "label, in Portuguese" [+ "; what else to know"];`. The type says how the value is written,
/// whether it may be null (`Option`), and whether some answers leave it out
/// ([`Sometimes`](crate::document::Sometimes)). The [`Role`](crate::document::Role) finds it without its name.
///
/// ```
/// use taxd::base::document::Sometimes;
/// taxd::components! {
///     /// A toy answer.
///     pub struct Toy { base: String, "Base"; motivo: Option<String>, "Motivo"; faixa: Sometimes<i64>, "Faixa"; }
/// }
/// let toy = Toy { base: "10.50".to_owned(), motivo: None, faixa: Sometimes(None) };
/// assert_eq!(serde_json::to_string(&toy).ok().as_deref(), Some(r#"{"base":"10.50","motivo":null}"#));
/// ```
#[macro_export]
macro_rules! components {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident {
        $( $field:ident : $ty:ty $(as $role:ident)? , $label:literal $(+ $rest:literal)? ; )*
    })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone)]
        $vis struct $name { $( #[doc = concat!($label $(, $rest)?)] pub $field: $ty, )* }

        impl $crate::document::Shown for $name {
            const SHAPE: $crate::document::Shape = $crate::document::Shape::Document(&[
                $( $crate::document::Field {
                    name: stringify!($field),
                    label: $label,
                    rest: concat!($($rest)?),
                    shape: <$ty as $crate::document::Shown>::SHAPE,
                    required: <$ty as $crate::document::Shown>::ALWAYS,
                    nullable: <$ty as $crate::document::Shown>::NULLABLE,
                    default: None,
                    role: $crate::components!(@role $($role)?),
                }, )*
            ]);

            fn write(&self, out: &mut Vec<u8>) -> $crate::document::WriteResult {
                let begin = out.len();
                $( if !$crate::document::Shown::is_absent(&self.$field) {
                    out.extend_from_slice(concat!(",\"", stringify!($field), "\":").as_bytes());
                    $crate::document::Shown::write(&self.$field, out)?;
                } )*
                $crate::document::close_object(out, begin);
                Ok(())
            }

            fn node(&self) -> $crate::document::Node<'_> {
                let mut members = Vec::new();
                $( if !$crate::document::Shown::is_absent(&self.$field) {
                    members.push((stringify!($field).into(), $crate::document::Shown::node(&self.$field)));
                } )*
                $crate::document::Node::Object($crate::document::Object(members))
            }

            fn member(&self, name: &str) -> Option<$crate::document::Node<'_>> {
                match name {
                    $( stringify!($field) if !$crate::document::Shown::is_absent(&self.$field) => {
                        Some($crate::document::Shown::node(&self.$field))
                    } )*
                    _ => None,
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                let mut members = s.serialize_map(None)?;
                $( if !$crate::document::Shown::is_absent(&self.$field) {
                    serde::ser::SerializeMap::serialize_entry(&mut members, stringify!($field), &self.$field)?;
                } )*
                serde::ser::SerializeMap::end(members)
            }
        }
    )* };
    (@role) => { None };
    (@role $role:ident) => { Some($crate::document::Role::$role) };
}

/// Declares closed lists of words of the contract as enums. Each line is `Variant = "word" [=> "label, in Portuguese"],`:
/// the label is what people call the word, and either all words of a list have one or none.
#[macro_export]
macro_rules! vocabulary {
    ($($(#[$meta:meta])* $vis:vis enum $name:ident { $( $variant:ident = $word:literal $(=> $label:literal)?, )* })*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $name { $( #[doc = concat!("`", $word, "`")] $variant, )* }

        impl $name {
            /// The words, in the order of the contract.
            pub const WORDS: &'static [&'static str] = &[ $( $word, )* ];

            /// The words, each with what people call it.
            pub const VOCABULARY: $crate::document::Words =
                $crate::document::Words::declared($name::WORDS, &[ $( $($label,)? )* ]);

            pub const fn as_str(self) -> &'static str { match self { $( $name::$variant => $word, )* } }

            /// The member that the word names.
            pub fn from_word(word: &str) -> Option<$name> { match word { $( $word => Some($name::$variant), )* _ => None } }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.as_str()) }
        }

        impl From<&$name> for std::borrow::Cow<'_, str> {
            fn from(word: &$name) -> Self { word.as_str().into() }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { s.serialize_str(self.as_str()) }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(d)?;
                $name::from_word(&word).ok_or_else(|| serde::de::Error::unknown_variant(&word, $name::WORDS))
            }
        }

        impl $crate::document::Shown for $name {
            const SHAPE: $crate::document::Shape = $crate::document::Shape::OneOf($name::VOCABULARY);

            fn write(&self, out: &mut Vec<u8>) -> $crate::document::WriteResult {
                $crate::document::write_plain(out, self.as_str().as_bytes());
                Ok(())
            }

            fn node(&self) -> $crate::document::Node<'_> {
                self.as_str().into()
            }
        }

        impl $crate::document::FromNode for $name {
            const SHAPE: $crate::document::Shape = $crate::document::Shape::OneOf($name::VOCABULARY);

            fn from_node(
                node: &$crate::document::Node<'_>,
                _: &$crate::document::Object<'_>,
                at: &$crate::document::Path<'_>,
                faults: &mut $crate::document::Faults,
            ) -> Option<Self> {
                $crate::value::read_word(node, $name::VOCABULARY, $name::from_word, at, faults)
            }
        }
    )* };
}
