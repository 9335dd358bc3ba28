//! Numbers of a calculation that know how they came about: operations and operands are declared once, and give both
//! the number and the formula of a step.
//!
//! Grammar of a formula: figures as people write them (`1.050,00`, `18,00%`), `+ − × ÷`, parentheses,
//! `máximo(a; b)`, `mínimo(a; b)`, and `arredonda(a; places)`, half away from zero. A result that an earlier step shows
//! is written as a figure if it has an end, else as its own formula, so that a formula always gives its exact result.
//! A sum leaves out the terms that are the figure of a zero amount.

use std::ops::{Add, Div, Mul, Sub};

use super::figures::{Money, Percent};
use crate::base::value::{Amount, Exact, Overflow, PositiveAmount, Rate, SignedRate, with_separators};

/// How tightly a text binds: as an operand it needs parentheses if it binds less than the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    /// A figure with a sign.
    Signed,
    Sum,
    Product,
    Single,
}

#[derive(Debug, Clone)]
pub struct Written {
    text: String,
    binding: Binding,
    note: Option<String>,
}

impl Written {
    fn new(text: String, binding: Binding) -> Written {
        Written { text, binding, note: None }
    }

    /// True for the figure of a zero amount, which a sum does not need.
    fn is_zero(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| matches!(c, '0' | ',')) && self.note.is_none()
    }

    fn within(&self, least: Binding) -> String {
        if self.binding < least { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// A number and, if the steps of the calculation were asked for, the formula that gives it.
#[derive(Debug, Clone)]
pub struct Formula {
    value: Exact,
    written: Option<Box<Written>>,
}

/// What can be a term of a formula.
pub trait Operand {
    fn value(&self) -> Exact;
    fn write(&self) -> Written;
}

/// The figure as people write it: `1.234,50`, with at least `places`. `None` if its digits have no end.
fn figure(value: Exact, places: usize) -> Option<Written> {
    let digits = value.digits(places)?;
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("−", rest));
    let text = format!("{sign}{}", with_separators(digits));
    Some(Written::new(text, if sign.is_empty() { Binding::Single } else { Binding::Signed }))
}

/// A figure whose digits have an end, as those of rules and payloads have.
fn stated(value: Exact, places: usize, unit: &str) -> Written {
    let mut written = figure(value, places).unwrap_or_else(|| Written::new(String::new(), Binding::Single));
    written.text.push_str(unit);
    written
}

macro_rules! operands {
    ($($ty:ty: |$it:ident| $value:expr, $shown:expr, $places:literal, $unit:literal;)*) => { $(
        impl Operand for $ty {
            fn value(&self) -> Exact {
                let $it = self;
                $value
            }
            fn write(&self) -> Written {
                let $it = self;
                stated($shown, $places, $unit)
            }
        }
    )* };
}

/// A number of units: it has the places that it was given with.
#[derive(Debug, Clone, Copy)]
pub struct Quantity(pub Amount);

/// A rate in percent points, as the result of a step shows it.
#[derive(Debug, Clone, Copy)]
pub struct Points(pub Rate);

operands! {
    Amount: |it| it.exact(), it.exact(), 2, "";
    PositiveAmount: |it| it.exact(), it.exact(), 2, "";
    Money: |it| Exact::from(it.decimal()), Exact::from(it.decimal()), 2, "";
    Quantity: |it| it.0.exact(), it.0.exact(), 0, "";
    Rate: |it| it.fraction(), it.points(), 2, "%";
    Percent: |it| it.points().percent(), it.points(), 2, "%";
    Points: |it| it.0.points(), it.0.points(), 2, "";
    u32: |it| Exact::from(*it), Exact::from(*it), 0, "";
}

impl Operand for SignedRate {
    fn value(&self) -> Exact {
        self.fraction()
    }
    fn write(&self) -> Written {
        stated(self.points(), 2, "%")
    }
}

impl Operand for Formula {
    fn value(&self) -> Exact {
        self.value
    }
    fn write(&self) -> Written {
        match &self.written {
            Some(written) => (**written).clone(),
            None => stated(self.value, 2, ""),
        }
    }
}

impl<O: Operand> Operand for &O {
    fn value(&self) -> Exact {
        (**self).value()
    }
    fn write(&self) -> Written {
        (**self).write()
    }
}

impl Formula {
    /// The formula of one figure; written if `asked`.
    pub(super) fn of(operand: impl Operand, asked: bool) -> Formula {
        Formula { value: operand.value(), written: asked.then(|| Box::new(operand.write())) }
    }

    /// The formula of another figure of the same calculation.
    pub fn beside(&self, operand: impl Operand) -> Formula {
        Formula::of(operand, self.written.is_some())
    }

    pub fn exact(&self) -> Exact {
        self.value
    }

    /// The same number as a figure, if its digits have an end.
    pub fn settled(self) -> Formula {
        let written = self.written.map(|formula| figure(self.value, 2).map_or(formula, Box::new));
        Formula { value: self.value, written }
    }

    /// The same with a remark beside the formula, in Portuguese. It is made only if the formula is written.
    pub fn noting(mut self, note: impl FnOnce() -> String) -> Formula {
        if let Some(written) = &mut self.written {
            written.note = Some(note());
        }
        self
    }

    /// The formula and the remark on it, if they were asked for.
    pub(super) fn texts(self) -> Option<(String, Option<String>)> {
        self.written.map(|written| (written.text, written.note))
    }

    /// What is left of it after a reduction by `rate`.
    pub fn reduced_by(&self, rate: Rate) -> Formula {
        self * (self.beside(1) - rate)
    }

    /// Rounded half away from zero.
    pub fn rounded(&self, places: u32) -> Formula {
        let call = |written: &Written| format!("arredonda({}; {places})", written.text);
        self.called(self.value.rounded(places), call)
    }

    pub fn min(&self, other: &Formula) -> Result<Formula, Overflow> {
        let value = self.value.min(other.value)?;
        Ok(self.called(value, |written| format!("mínimo({}; {})", written.text, other.write().text)))
    }

    pub fn max(&self, other: &Formula) -> Result<Formula, Overflow> {
        let value = self.value.max(other.value)?;
        Ok(self.called(value, |written| format!("máximo({}; {})", written.text, other.write().text)))
    }

    /// The number, or zero if it is below zero.
    pub fn or_zero(&self) -> Result<Formula, Overflow> {
        self.max(&self.beside(0))
    }

    fn called(&self, value: Exact, call: impl FnOnce(&Written) -> String) -> Formula {
        let written = self.written.as_deref().map(|written| Box::new(Written::new(call(written), Binding::Single)));
        Formula { value, written }
    }

    /// The operation `sign` on both. Its operands bind at least as `left` and `right` say.
    fn join(&self, other: &impl Operand, value: Exact, sign: &str, [left, own, right]: [Binding; 3]) -> Formula {
        let written = self.written.as_deref().map(|written| {
            let term = other.write();
            match sign {
                "+" | "−" if term.is_zero() => return Box::new(Written { note: None, ..written.clone() }),
                "+" if written.is_zero() => return Box::new(Written { note: None, ..term }),
                _ => {}
            }
            let text = match term.text.strip_prefix('−').filter(|_| sign == "+" && term.binding == Binding::Signed) {
                Some(positive) => format!("{} − {positive}", written.within(left)),
                None => format!("{} {sign} {}", written.within(left), term.within(right)),
            };
            Box::new(Written::new(text, own))
        });
        Formula { value, written }
    }
}

macro_rules! operators {
    ($($trait:ident, $name:ident, $sign:literal, [$left:ident, $own:ident, $right:ident];)*) => { $(
        impl<O: Operand> $trait<O> for &Formula {
            type Output = Formula;
            fn $name(self, other: O) -> Formula {
                let value = self.value.$name(other.value());
                self.join(&other, value, $sign, [Binding::$left, Binding::$own, Binding::$right])
            }
        }

        impl<O: Operand> $trait<O> for Formula {
            type Output = Formula;
            fn $name(self, other: O) -> Formula {
                (&self).$name(other)
            }
        }
    )* };
}

operators! {
    Add, add, "+", [Sum, Sum, Sum];
    Sub, sub, "−", [Sum, Sum, Product];
    Mul, mul, "×", [Product, Product, Product];
    Div, div, "÷", [Product, Product, Single];
}
