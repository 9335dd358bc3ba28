//! Sections 2.3 and 2.4, `iptu`.

use serde_json::{Value, json};

use crate::rows::{Form, required, rows};
use crate::service::figures;
use crate::support::with;

/// A home in São Paulo.
pub fn payload() -> Value {
    json!({
        "tributo": "iptu", "uf": "SP", "municipio": "São Paulo", "uso_imovel": "residencial",
        "valor_venal": "300000.00", "exercicio": 2026
    })
}

/// A shop: 1.5%, exempt up to 50,000.00, with an exception that the payload does not decide.
fn shop(value: &str) -> Value {
    with(&payload(), &json!({"uso_imovel": "nao_residencial", "valor_venal": value}))
}

rows! { payload();
    uf_is_required: "uf" is required(Form::Uf);
    municipio_is_required: "municipio" is required(Form::Text);
    uso_imovel_is_required: "uso_imovel" is
        required(Form::OneOf(&["residencial", "nao_residencial", "territorial"]));
    valor_venal_is_required: "valor_venal" is required(Form::Decimal);
    exercicio_is_required: "exercicio" is required(Form::Integer);
}

// Section 2.4: `faixa_aplicada` has `aliquota` and `parcela_deduzir`.
#[test]
fn the_bracket_shows_rate_and_deduction() {
    // 300,000 × 1% − 500.
    let envelope = figures().shows(&payload(), "2500.00", &json!({"valor_venal_tributavel": "300000.00"}));
    let bracket = &envelope["detalhes"]["faixa_aplicada"];
    assert_eq!((&bracket["aliquota"], &bracket["parcela_deduzir"]), (&json!("1.00"), &json!("500.00")), "{envelope}");
    let lower = figures().shows(&with(&payload(), &json!({"valor_venal": "100000.00"})), "500.00", &json!({}));
    assert_eq!(lower["detalhes"]["faixa_aplicada"]["aliquota"], "0.50", "{lower}");
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    let entries = [
        "valor_venal_tributavel",
        "modelo_progressividade",
        "faixa_aplicada",
        "imposto_bruto",
        "excecoes_aplicadas",
        "excecoes_nao_avaliadas",
    ];
    for property in [payload(), shop("80000.00")] {
        figures().has_entries(&property, &entries);
    }
    figures().shows(&shop("80000.00"), "1200.00", &json!({"imposto_bruto": "1200.00"}));
}

// Section 2.4: exceptions that were applied, and those that the payload does not decide.
#[test]
fn exceptions_are_applied_or_listed() {
    let exempt = figures().shows(&shop("50000.00"), "0.00", &json!({}));
    assert!(exempt["detalhes"]["excecoes_aplicadas"].to_string().contains("art. 5º"), "{exempt}");
    let due = figures().envelope(&shop("50000.01"));
    assert_eq!(due["detalhes"]["excecoes_aplicadas"], json!([]), "{due}");
    assert!(due["detalhes"]["excecoes_nao_avaliadas"].to_string().contains("art. 6º"), "{due}");
}

#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    figures().calculate(&with(&payload(), &json!({"municipio": "Campinas"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"exercicio": 2017}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"uf": "RJ", "municipio": "Rio de Janeiro"}))).refused(422);
}
