//! What is said of the Imposto Seletivo, which no act gives a rate: its name was taken for a mistyped `iss`.

use serde_json::json;
use taxd_base::problem::{ErrorCode, TipoRecusa};
use taxd_law::tax;

use crate::support::{calculate, engine};

#[test]
fn it_is_named_with_its_law_and_is_out_of_scope() {
    for name in ["is", "IS", "imposto_seletivo", "Imposto Seletivo"] {
        let problem = calculate(&engine(0), &json!({"tributo": name})).unwrap_err();
        assert_eq!((problem.codigo, problem.tipo_recusa), (ErrorCode::ValorInvalido, Some(TipoRecusa::ForaDoEscopo)));
        assert!(problem.detail.contains("é o Imposto Seletivo (LC nº 214/2025, arts. 409 e seguintes)"), "{problem:?}");
        assert!(!problem.detail.contains("Você quis dizer"), "{problem:?}");
    }
}

#[test]
fn another_unknown_name_still_has_its_hint() {
    let problem = calculate(&engine(0), &json!({"tributo": "is_s"})).unwrap_err();
    assert_eq!((problem.codigo, problem.tipo_recusa), (ErrorCode::ValorInvalido, Some(TipoRecusa::DadoInvalido)));
    assert!(tax::parse("iss_").err().unwrap().contains("Você quis dizer `iss`?"));
}
