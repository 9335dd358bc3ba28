//! Values that an answer shows. Each type declares its shape, as the types that are read do.

use std::borrow::Cow;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

use super::shape::Shape;
use super::written::{WriteResult, write_list, write_plain, write_text};
use super::{FromNode, Node, Object};
use crate::value::{Amount, ClassificacaoTributaria, Date, Rate, RuleId, rate_as_shown};

/// A value that an answer shows.
pub trait Shown: Serialize {
    const SHAPE: Shape;
    /// True if it may be null: it does not apply to some results.
    const NULLABLE: bool = false;
    /// False if some answers leave it out.
    const ALWAYS: bool = true;

    /// Writes the value: the same bytes as `serde_json`.
    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        serde_json::to_writer(out, self)
    }

    /// The bytes that [`write`](Self::write) adds to none.
    fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = Vec::new();
        self.write(&mut json)?;
        Ok(json)
    }

    /// The value as that of a document, for those that read an answer within this program. Types that are often read so
    /// do without JSON.
    fn node(&self) -> Node<'_> {
        let node = self.to_json().and_then(|json| Ok(serde_json::from_slice::<Node<'_>>(&json)?.into_owned()));
        node.unwrap_or(Node::Null)
    }

    /// The member of that name of an object; `None` if it has none.
    fn member(&self, _: &str) -> Option<Node<'_>> {
        None
    }

    /// True if this answer leaves it out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// The components of an answer, whatever their tax.
pub trait AnyComponents: std::fmt::Debug + Send + Sync {
    /// Writes them as a JSON object.
    fn write_json(&self, out: &mut Vec<u8>) -> WriteResult;

    /// The component of that name; `None` if this answer leaves it out.
    fn component(&self, name: &str) -> Option<Node<'_>>;
}

impl<T: Shown + std::fmt::Debug + Send + Sync> AnyComponents for T {
    fn write_json(&self, out: &mut Vec<u8>) -> WriteResult {
        self.write(out)
    }

    fn component(&self, name: &str) -> Option<Node<'_>> {
        self.member(name)
    }
}

/// A component that only some answers have. `None` is left out, while a `None` of an [`Option`] is shown as null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sometimes<T>(pub Option<T>);

impl<T> Default for Sometimes<T> {
    fn default() -> Sometimes<T> {
        Sometimes(None)
    }
}

impl<T: Serialize> Serialize for Sometimes<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(s)
    }
}

impl<T: Shown> Shown for Sometimes<T> {
    const SHAPE: Shape = T::SHAPE;
    const NULLABLE: bool = T::NULLABLE;
    const ALWAYS: bool = false;

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        self.0.write(out)
    }

    fn node(&self) -> Node<'_> {
        self.0.node()
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Shown> Shown for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const NULLABLE: bool = true;

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        match self {
            Some(value) => value.write(out),
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        }
    }

    fn node(&self) -> Node<'_> {
        self.as_ref().map_or(Node::Null, Shown::node)
    }
}

impl<T: Shown> Shown for Arc<T> {
    const SHAPE: Shape = T::SHAPE;

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        T::write(self, out)
    }
}

/// A payload as it was asked.
impl Shown for Object<'static> {
    const SHAPE: Shape = Shape::Document(&[]);

    fn member(&self, name: &str) -> Option<Node<'_>> {
        Some(self.get(name)?.clone())
    }
}

impl<T: Shown + 'static> Shown for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        write_list(out, self, T::write)
    }

    fn node(&self) -> Node<'_> {
        Node::List(self.iter().map(Shown::node).collect())
    }
}

macro_rules! shown {
    ($($ty:ty: $shape:expr $(, $text:expr)? $(=> $node:expr)?;)*) => { $(impl Shown for $ty {
        const SHAPE: Shape = $shape;

        $(fn node(&self) -> Node<'_> {
            $node(*self)
        })?

        $(fn write(&self, out: &mut Vec<u8>) -> WriteResult {
            let text: fn(&Self) -> &str = $text;
            write_text(out, text(self))
        }

        fn node(&self) -> Node<'_> {
            let text: fn(&Self) -> &str = $text;
            text(self).into()
        })?
    })* };
}

shown! {
    bool: Shape::Bool => Node::Bool;
    i64: Shape::Int { min: i64::MIN, max: i64::MAX } => Node::Int;
    &'static str: Shape::Text, |text| text;
    Cow<'static, str>: Shape::Text, |text| text;
    String: Shape::Text, |text| text;
    ClassificacaoTributaria: <ClassificacaoTributaria as FromNode>::SHAPE;
}

macro_rules! figures {
    ($($ty:ty: $shape:expr $(, $node:expr)?;)*) => { $(impl Shown for $ty {
        const SHAPE: Shape = $shape;

        fn write(&self, out: &mut Vec<u8>) -> WriteResult {
            write_plain(out, self.text().as_bytes());
            Ok(())
        }

        $(fn node(&self) -> Node<'_> {
            let figure: fn(&Self) -> Decimal = $node;
            Node::Figure(figure(self))
        })?
    })* };
}

figures! {
    RuleId: Shape::Text;
    Date: Shape::Date;
    Rate: Shape::Rate, |rate| rate_as_shown(rate.decimal());
    Amount: Shape::Amount, |amount| amount.decimal();
}
