//! Sections 2.3 and 2.4, `ipi`.

use serde_json::{Value, json};

use crate::rows::{Form, default, optional, required, rows};
use crate::service::figures;
use crate::support::with;

/// Beer, which has a line of its own for Ex 01.
pub fn payload() -> Value {
    json!({
        "tributo": "ipi", "ncm": "22030000", "ex": "01", "valor_produto": "1000.00", "frete": "80.00",
        "despesas": "20.00", "data_operacao": "2026-03-10"
    })
}

/// The same with this exception.
fn ex(ex: &Value) -> Value {
    with(&payload(), &json!({"ex": ex}))
}

rows! { payload();
    ncm_is_required_and_has_8_digits: "ncm" is required(Form::Ncm);
    ex_is_optional: "ex" is optional(Form::Text);
    valor_produto_is_required: "valor_produto" is required(Form::Decimal);
    frete_defaults_to_zero: "frete" is default(Form::Decimal, json!("0"));
    despesas_defaults_to_zero: "despesas" is default(Form::Decimal, json!("0"));
    data_operacao_is_required: "data_operacao" is required(Form::Date);
}

// Section 2.3: product, freight and expenses.
#[test]
fn the_base_has_freight_and_expenses() {
    let wanted = json!({"base_calculo": "1100.00", "aliquota_aplicada": "10.00", "situacao": "tributado"});
    figures().shows(&ex(&Value::Null), "110.00", &wanted);
}

// Section 2.3: "`1` becomes `01`".
#[test]
fn ex_is_canonicalised() {
    let wanted = json!({"ex_aplicado": true, "ex_declarado": "01", "aliquota_aplicada": "5.00"});
    for written in ["1", "01"] {
        figures().shows(&ex(&json!(written)), "55.00", &wanted);
    }
}

// Section 2.3: "omitted resolves the parent line".
#[test]
fn without_ex_the_parent_line_answers() {
    let envelope = figures().shows(&ex(&Value::Null), "110.00", &json!({"ex_aplicado": false}));
    assert_eq!(envelope["regra"]["rule_id"], "ipi-cerveja-v1.0");
}

// Section 2.3: "declared but without its own rule falls back to the parent line with `ex_aplicado` false".
#[test]
fn an_ex_without_its_own_rule_falls_back_to_the_parent_line() {
    let envelope = figures().shows(&ex(&json!("7")), "110.00", &json!({"ex_aplicado": false, "ex_declarado": "07"}));
    assert_eq!(envelope["regra"]["rule_id"], "ipi-cerveja-v1.0");
}

// Section 2.4: the three situations.
#[test]
fn the_situations_are_apart() {
    for (ncm, situation) in [("01012100", "nao_tributado"), ("30049099", "aliquota_zero")] {
        let product = with(&ex(&Value::Null), &json!({"ncm": ncm}));
        figures().shows(&product, "0.00", &json!({"situacao": situation}));
    }
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    let entries = ["situacao", "aliquota_aplicada", "base_calculo", "ex_aplicado", "ex_declarado", "tabela_versao"];
    figures().has_entries(&payload(), &entries);
    figures().has_entries(&ex(&Value::Null), &entries);
    figures().shows(&payload(), "55.00", &json!({"tabela_versao": "TIPI de exemplo"}));
}

#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    figures().calculate(&with(&payload(), &json!({"ncm": "22029900"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"ncm": "22084000"}))).refused(422);
}
