//! The rows of a payload table of section 2.3: presence, default and form of one field.

use serde_json::{Value, json};

use crate::service::figures;
use crate::support::with;

/// What a value of a field looks like (section 2.1, and the notes of the table).
pub enum Form {
    /// A string with a dot as the separator.
    Decimal,
    /// `YYYY-MM-DD`.
    Date,
    /// Two uppercase letters.
    Uf,
    /// 8 digits.
    Ncm,
    /// A service item, `N.NN`.
    Item,
    Boolean,
    Integer,
    OneOf(&'static [&'static str]),
    /// Any text; only its type is asserted.
    Text,
}

impl Form {
    /// Returns values that are faulty in this form.
    fn faulty(&self) -> Vec<Value> {
        let texts = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect::<Vec<_>>();
        let own = match self {
            Form::Decimal => texts(&["", "abc", "1,50", "1.000,00", "R$ 1.00"]),
            Form::Date => texts(&["", "hoje", "10/03/2026", "2026-3-10", "2026-02-30", "2026-13-01", "20260310"]),
            Form::Uf => texts(&["", "sp", "Sp", "S", "SPX", "XX"]),
            Form::Ncm => texts(&["", "2203", "220300", "2203.00.00", "220300000", "2203000a"]),
            Form::Item => texts(&["", "1719", "17,19", "item 17.19", "17"]),
            Form::Boolean => vec![json!("true"), json!("sim"), json!(1), json!(0)],
            Form::Integer => vec![json!("dois"), json!(1.5), json!(-1), json!(true)],
            Form::OneOf(values) => {
                let upper = values.iter().map(|value| json!(value.to_uppercase()));
                upper.chain([json!("outro"), json!("")]).collect()
            }
            Form::Text => Vec::new(),
        };
        own.into_iter().chain([json!([]), json!({})]).collect()
    }

    /// Returns the values of an enum. The rules of these tests answer each of them.
    fn values(&self) -> &'static [&'static str] {
        if let Form::OneOf(values) = self { values } else { &[] }
    }
}

/// One row: whether the field is required, its default, and its form.
pub struct Row {
    form: Form,
    required: bool,
    default: Option<Value>,
}

/// A row with an asterisk.
pub fn required(form: Form) -> Row {
    Row { form, required: true, default: None }
}

/// An optional field.
pub fn optional(form: Form) -> Row {
    Row { form, required: false, default: None }
}

/// An optional field with a default.
pub fn default(form: Form, value: Value) -> Row {
    Row { form, required: false, default: Some(value) }
}

/// The parts of an answer that the payload decides.
#[track_caller]
fn decided(payload: &Value) -> Value {
    let answer = figures().envelope(payload);
    json!([answer["valor"], answer["regra"], answer["detalhes"]])
}

impl Row {
    /// Checks the row on a payload that has the field and answers 200.
    #[track_caller]
    pub fn check(&self, payload: &Value, field: &str) {
        let service = figures();
        assert!(payload.get(field).is_some(), "the payload has {field}");
        service.envelope(payload);
        let mut without = payload.clone();
        without.as_object_mut().unwrap().remove(field);
        if self.required {
            let refused = service.calculate(&without).refused(422);
            assert!(refused.to_string().contains(field), "the reason names {field}: {refused}");
            let mut null = payload.clone();
            null[field] = Value::Null;
            let answer = service.calculate(&null);
            assert_eq!(answer.status / 100, 4, "{field} is null: {}", answer.json());
        } else {
            service.envelope(&without);
        }
        if let Some(value) = &self.default {
            let explicit = with(payload, &json!({ field: value }));
            assert_eq!(decided(&explicit), decided(&without), "{field} defaults to {value}");
        }
        for value in self.form.faulty() {
            let answer = service.calculate(&with(payload, &json!({ field: value })));
            assert_eq!(answer.status / 100, 4, "{field}: {value}: {}", answer.json());
        }
        for value in self.form.values() {
            service.envelope(&with(payload, &json!({ field: value })));
        }
    }
}

/// Makes one test of each row: `name: "field" is row;`.
macro_rules! rows {
    ($payload:expr; $($name:ident: $field:literal is $row:expr;)+) => {
        $(
            #[test]
            fn $name() {
                $row.check(&$payload, $field);
            }
        )+
    };
}
pub(crate) use rows;
