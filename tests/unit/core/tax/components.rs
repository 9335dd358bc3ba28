//! What an answer shows is what its tax declares.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taxd_base::document::{Field, Shape, Shown, Sometimes};
use taxd_law::tax::REGISTRY;

taxd_base::components! {
    pub struct Bracket { faixa: i64, "Faixa"; }
}

taxd_base::components! {
    pub struct Sample {
        base: String, "Base";
        aliquota: Option<String>, "Alíquota" + "; nulo se isento";
        metodo: Sometimes<Option<bool>>, "Método";
        faixas: Sometimes<Vec<Bracket>>, "Faixas";
    }
}

fn fields(shape: &Shape) -> &'static [Field] {
    match shape {
        Shape::Document(fields) => fields,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_component_is_shown_null_or_left_out_as_its_type_says() {
    let full = Sample {
        base: "1.00".to_owned(),
        aliquota: Some("18.00".to_owned()),
        metodo: Sometimes(Some(None)),
        faixas: Sometimes(Some(vec![Bracket { faixa: 1 }])),
    };
    let text = r#"{"base":"1.00","aliquota":"18.00","metodo":null,"faixas":[{"faixa":1}]}"#;
    assert_eq!(serde_json::to_string(&full).unwrap(), text);
    let bare = Sample { aliquota: None, metodo: Sometimes(None), faixas: Sometimes(None), ..full };
    assert_eq!(serde_json::to_string(&bare).unwrap(), r#"{"base":"1.00","aliquota":null}"#);

    let declared = fields(&Sample::SHAPE);
    let flags: Vec<_> = declared.iter().map(|f| (f.name, f.required, f.nullable)).collect();
    assert_eq!(
        flags,
        [("base", true, false), ("aliquota", true, true), ("metodo", false, true), ("faixas", false, false)]
    );
    assert_eq!((declared[1].label, declared[1].description()), ("Alíquota", "Alíquota; nulo se isento".to_owned()));
    assert_eq!(declared[3].shape, Shape::List(&Bracket::SHAPE));
}

#[test]
fn every_tax_says_what_each_component_is() {
    for entry in REGISTRY {
        let declared = fields(&entry.detalhes);
        assert!(declared.len() > 4, "{}", entry.tributo);
        let labels: BTreeSet<&str> = declared.iter().map(|field| field.label).collect();
        assert!(labels.iter().all(|label| label.len() > 3), "{} {labels:?}", entry.tributo);
        assert_eq!(labels.len(), declared.len(), "{}: two components have one label", entry.tributo);
    }
}

/// The steps come after the components, which they do not change.
#[test]
fn the_memory_is_the_last_component() {
    let engine = crate::support::built_in_engine();
    for entry in REGISTRY {
        let answer = |memoria| -> Value {
            let answer = engine.calculate(entry.exemplo.as_bytes(), memoria).unwrap();
            serde_json::from_slice(&answer.to_json()).unwrap()
        };
        let (plain, mut full) = (answer(false), answer(true));
        let members = full["detalhes"].as_object_mut().unwrap();
        assert_eq!(members.keys().next_back().unwrap(), "memoria");
        let step = members.remove("memoria").unwrap()[0].clone();
        let names: Vec<&String> = step.as_object().unwrap().keys().filter(|name| *name != "observacao").collect();
        assert_eq!(json!(names), json!(["nome", "formula", "resultado", "resultado_exato", "fundamento"]));
        assert_eq!(full, plain, "{}", entry.tributo);
    }
}

#[test]
fn a_required_field_is_reported_together_with_the_other_faults() {
    let engine = crate::support::built_in_engine();
    let payload = r#"{"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "1.01",
        "preco_servico": "10,00", "data": "2026-04-15", "regime": "sociedade_uniprofissional"}"#;
    let problem = engine.calculate(payload.as_bytes(), false).unwrap_err();
    let named: Vec<&str> = problem.erros.iter().map(|erro| erro.campo.as_str()).collect();
    assert_eq!(named, ["preco_servico", "numero_profissionais"]);
}
