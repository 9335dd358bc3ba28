//! The rows of a payload table of section 2.3: presence, default and form of one field.

use serde_json::{Value, json};

use crate::service::figures;
use crate::support::with;

/// One row: whether the field is required, its default, its form, and its values if they are words.
pub struct Row<'r> {
    required: bool,
    default: Option<&'r Value>,
    form: &'r str,
    values: Vec<&'r Value>,
}

/// Returns values that are faulty in a form (section 2.1, and the notes of the table). Of a text only the type is.
fn faulty(form: &str, values: &[&Value]) -> Vec<Value> {
    let texts = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect::<Vec<_>>();
    let own = match form {
        "decimal" => texts(&["", "abc", "1,50", "1.000,00", "R$ 1.00"]),
        "data" => texts(&["", "hoje", "10/03/2026", "2026-3-10", "2026-02-30", "2026-13-01", "20260310"]),
        "uf" => texts(&["", "sp", "Sp", "S", "SPX", "XX"]),
        "ncm" => texts(&["", "2203", "220300", "2203.00.00", "220300000", "2203000a"]),
        "item" => texts(&["", "1719", "17,19", "item 17.19", "17"]),
        "booleano" => vec![json!("true"), json!("sim"), json!(1), json!(0)],
        "inteiro" => vec![json!("dois"), json!(1.5), json!(-1), json!(true)],
        "palavra" => {
            let upper = values.iter().map(|value| json!(value.as_str().unwrap().to_uppercase()));
            upper.chain([json!("outro"), json!("")]).collect()
        }
        "texto" => Vec::new(),
        other => panic!("{other} is not a form"),
    };
    own.into_iter().chain([json!([]), json!({})]).collect()
}

/// The parts of an answer that the payload decides.
#[track_caller]
fn decided(payload: &Value) -> Value {
    let answer = figures().envelope(payload);
    json!([answer["valor"], answer["regra"], answer["detalhes"]])
}

impl<'r> Row<'r> {
    /// Reads a row of `taxes.json`.
    pub fn of(row: &'r Value) -> Row<'r> {
        let required = match row["presenca"].as_str().unwrap() {
            "obrigatorio" => true,
            "opcional" => false,
            other => panic!("{other} is not a presence"),
        };
        let values = row["valores"].as_array().into_iter().flatten().collect();
        Row { required, default: row.get("padrao"), form: row["forma"].as_str().unwrap(), values }
    }

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
        if let Some(value) = self.default {
            let explicit = with(payload, &json!({ field: value }));
            assert_eq!(decided(&explicit), decided(&without), "{field} defaults to {value}");
        }
        for value in faulty(self.form, &self.values) {
            let answer = service.calculate(&with(payload, &json!({ field: value })));
            assert_eq!(answer.status / 100, 4, "{field}: {value}: {}", answer.json());
        }
        for value in &self.values {
            service.envelope(&with(payload, &json!({ field: value })));
        }
    }
}
