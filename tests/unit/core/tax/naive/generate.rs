//! Random figures: ordinary ones, the longest that the contract takes, zeros, and values on
//! and beside the edges of a rule.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::number::{Q, int, q, written};

pub type Text = BoxedStrategy<String>;

fn cents(value: u64) -> String {
    format!("{}.{:02}", value / 100, value % 100)
}

/// Fifteen digits before the point and ten after it.
fn longest() -> Text {
    ("[1-9][0-9]{14}", "[0-9]{10}").prop_map(|(integer, fraction)| format!("{integer}.{fraction}")).boxed()
}

/// An amount above zero.
pub fn positive() -> Text {
    prop_oneof![
        6 => (1u64..1_000_000_000).prop_map(cents),
        3 => (1u64..500).prop_map(cents),
        2 => (1u64..1_000_000).prop_map(|v| v.to_string()),
        1 => ("[0-9]{1,8}", "[0-9]{1,9}[1-9]").prop_map(|(i, f)| format!("{i}.{f}")),
        2 => longest(),
        1 => Just("999999999999999.9999999999".to_owned()),
    ]
    .boxed()
}

/// An amount, zero included.
pub fn amount() -> Text {
    prop_oneof![12 => positive(), 1 => Just("0".to_owned()), 1 => Just("0.00".to_owned())].boxed()
}

/// An amount of everyday size, for the limits of a rule.
pub fn limit() -> Text {
    prop_oneof![
        8 => (1u64..200_000_000).prop_map(cents),
        1 => ("[1-9][0-9]{0,5}", "[0-9]{1,10}").prop_map(|(i, f)| format!("{i}.{f}")),
    ]
    .boxed()
}

/// An amount, often on an edge, a cent beside it, or a hair beside it.
pub fn near(edges: &[Q]) -> Text {
    let edges: Vec<Q> = edges.iter().filter(|e| **e < q("999999999999998")).cloned().collect();
    if edges.is_empty() {
        return amount();
    }
    let beside = proptest::sample::select(edges).prop_flat_map(|edge| {
        let steps = ["0", "0.01", "-0.01", "0.0000000001", "-0.0000000001"];
        proptest::sample::select(steps.to_vec()).prop_map(move |step| {
            let value = &edge + q(step);
            if value < int(0) { "0".to_owned() } else { written(&value, 10) }
        })
    });
    prop_oneof![2 => beside, 3 => amount()].boxed()
}

/// A rate up to `max` percent points, often one that makes half cents.
pub fn rate_to(max: u32) -> Text {
    let common = ["0.00", "0.5", "1.65", "5", "5.00", "7.60", "12.00", "12.5", "18.00", "20.00", "25.00", "50.00"];
    let common: Vec<String> = common.iter().filter(|r| q(r) <= int(i64::from(max))).map(ToString::to_string).collect();
    let max = u64::from(max);
    prop_oneof![
        4 => proptest::sample::select(common),
        3 => (0..=max.min(40) * 100).prop_map(cents),
        2 => (0..=max * 1_000_000).prop_map(|v| format!("{}.{:06}", v / 1_000_000, v % 1_000_000)),
    ]
    .boxed()
}

pub fn rate() -> Text {
    rate_to(100)
}

/// The figure, and now and then null.
pub fn figure(text: Text) -> BoxedStrategy<Value> {
    prop_oneof![24 => text.prop_map(|t| json!(t)), 1 => Just(Value::Null)].boxed()
}

/// The member, or none.
pub fn perhaps(value: BoxedStrategy<Value>) -> BoxedStrategy<Option<Value>> {
    proptest::option::of(value).boxed()
}

pub fn text(value: Text) -> BoxedStrategy<Value> {
    value.prop_map(|t| json!(t)).boxed()
}

pub fn one_of(words: &'static [&'static str]) -> BoxedStrategy<Value> {
    proptest::sample::select(words).prop_map(|w| json!(w)).boxed()
}

pub fn flags() -> BoxedStrategy<Value> {
    any::<bool>().prop_map(|b| json!(b)).boxed()
}

/// An object of these members, those that are there.
pub fn object(members: Vec<(&'static str, BoxedStrategy<Option<Value>>)>) -> BoxedStrategy<Value> {
    let (names, values): (Vec<_>, Vec<_>) = members.into_iter().unzip();
    values
        .prop_map(move |values| {
            let present = names.iter().zip(values).filter_map(|(n, v)| v.map(|v| ((*n).to_owned(), v)));
            Value::Object(present.collect())
        })
        .boxed()
}

/// A member that is always there.
pub fn always(value: BoxedStrategy<Value>) -> BoxedStrategy<Option<Value>> {
    value.prop_map(Some).boxed()
}

/// A member that is always this.
pub fn fixed(value: Value) -> BoxedStrategy<Option<Value>> {
    Just(Some(value)).boxed()
}

/// One to four ascending limits and an open end.
pub fn limits() -> BoxedStrategy<Vec<Value>> {
    proptest::collection::vec(limit(), 0..4)
        .prop_map(|mut limits| {
            limits.sort_by_key(|l| q(l));
            limits.dedup_by_key(|l| q(l));
            limits.into_iter().map(|l| json!(l)).chain([Value::Null]).collect()
        })
        .boxed()
}

/// The limits that a list of brackets states.
pub fn edges_of(brackets: &Value) -> Vec<Q> {
    let list = brackets.as_array().cloned().unwrap_or_default();
    list.iter().filter_map(|b| b["ate"].as_str().map(q)).collect()
}

/// `content` with some payloads that are made for it.
pub fn with_payloads<P>(
    content: BoxedStrategy<Value>,
    payload: impl Fn(&Value) -> P + 'static,
) -> BoxedStrategy<(Value, Vec<Value>)>
where
    P: Strategy<Value = Value> + 'static,
{
    content
        .prop_flat_map(move |content| {
            let payloads = proptest::collection::vec(payload(&content), 12..20);
            (Just(content), payloads)
        })
        .boxed()
}
