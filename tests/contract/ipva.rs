//! Sections 2.3 and 2.4, `ipva`.

use serde_json::{Value, json};

use crate::rows::{Form, optional, required, rows};
use crate::service::figures;
use crate::support::with;

/// A motorcycle.
pub fn payload() -> Value {
    json!({
        "tributo": "ipva", "uf": "SP", "categoria_veiculo": "motocicleta", "valor_venal": "20000.00",
        "data_fato_gerador": "2026-01-01", "combustivel": "gasolina"
    })
}

const CATEGORIES: [(&str, &str); 8] = [
    ("automovel", "800.00"),
    ("motocicleta", "400.00"),
    ("caminhao", "300.00"),
    ("caminhonete", "700.00"),
    ("onibus_micro_onibus", "360.00"),
    ("locadora", "200.00"),
    ("taxi", "0.00"),
    ("pcd", "0.00"),
];

rows! { payload();
    uf_is_required: "uf" is required(Form::Uf);
    categoria_veiculo_is_required: "categoria_veiculo" is required(Form::OneOf(&[
        "automovel", "motocicleta", "caminhao", "caminhonete", "onibus_micro_onibus", "locadora", "taxi", "pcd",
    ]));
    valor_venal_is_required: "valor_venal" is required(Form::Decimal);
    data_fato_gerador_is_required: "data_fato_gerador" is required(Form::Date);
    combustivel_is_optional: "combustivel" is
        optional(Form::OneOf(&["gasolina", "etanol", "flex", "diesel", "gnv", "eletrico", "hibrido"]));
}

// Section 2.3: the eight categories; the base is the informed value.
#[test]
fn each_category_has_its_own_rule() {
    for (category, valor) in CATEGORIES {
        let wanted = json!({"categoria_veiculo": category, "valor_venal": "20000.00"});
        figures().shows(&with(&payload(), &json!({"categoria_veiculo": category})), valor, &wanted);
    }
}

// Section 2.3: the fuel "disambiguates a differentiated rate".
#[test]
fn the_fuel_selects_a_differentiated_rate() {
    let car = with(&payload(), &json!({"categoria_veiculo": "automovel"}));
    let rates = [("gasolina", "800.00", "4.00"), ("flex", "800.00", "4.00"), ("etanol", "600.00", "3.00")];
    for (fuel, valor, rate) in rates {
        let wanted = json!({"aliquota_aplicada": rate, "combustivel": fuel});
        figures().shows(&with(&car, &json!({"combustivel": fuel})), valor, &wanted);
    }
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    let entries = ["valor_venal", "aliquota_aplicada", "categoria_veiculo", "combustivel", "isento", "motivo_isencao"];
    figures().has_entries(&payload(), &entries);
}

// Section 2.4: `isento` with `motivo_isencao`.
#[test]
fn an_exemption_has_its_reason() {
    for category in ["taxi", "pcd"] {
        let envelope = figures().shows(
            &with(&payload(), &json!({"categoria_veiculo": category})),
            "0.00",
            &json!({"isento": true}),
        );
        let reason = envelope["detalhes"]["motivo_isencao"].to_string();
        assert!(reason.contains("Lei de exemplo"), "{envelope}");
    }
    figures().shows(&payload(), "400.00", &json!({"isento": false}));
}

#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    figures().calculate(&with(&payload(), &json!({"uf": "AC"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"uf": "GO"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"uf": "GO", "categoria_veiculo": "automovel"}))).refused(422);
}
