//! Values that an answer shows. Each type declares its shape, as the types that are read do.

use serde::{Serialize, Serializer};

use super::FromNode;
use super::shape::Shape;
use super::written::{WriteResult, write_list, write_plain, write_text};
use crate::base::value::{Amount, ClassificacaoTributaria, Date, Rate, RuleId, Text};

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

    /// True if this answer leaves it out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A component that only some answers have. `None` is left out, while a `None` of an [`Option`] is shown as null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sometimes<T>(pub Option<T>);

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
}

impl<T: Shown + 'static> Shown for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        write_list(out, self, T::write)
    }
}

macro_rules! shown {
    ($($ty:ty: $shape:expr $(, $text:expr)?;)*) => { $(impl Shown for $ty {
        const SHAPE: Shape = $shape;

        $(fn write(&self, out: &mut Vec<u8>) -> WriteResult {
            let text: fn(&Self) -> &str = $text;
            write_text(out, text(self))
        })?
    })* };
}

shown! {
    bool: Shape::Bool;
    i64: Shape::Int { min: i64::MIN, max: i64::MAX };
    &'static str: Shape::Text, |text| text;
    String: Shape::Text, |text| text;
    Text: Shape::Text, |text| text.as_str();
    RuleId: Shape::Text;
    ClassificacaoTributaria: <ClassificacaoTributaria as FromNode>::SHAPE;
}

macro_rules! figures {
    ($($ty:ty: $shape:expr;)*) => { $(impl Shown for $ty {
        const SHAPE: Shape = $shape;

        fn write(&self, out: &mut Vec<u8>) -> WriteResult {
            write_plain(out, self.text().as_bytes());
            Ok(())
        }
    })* };
}

figures! {
    Date: Shape::Date;
    Rate: Shape::Rate;
    Amount: Shape::Amount;
}
