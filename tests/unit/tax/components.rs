//! What a result shows is what its tax declares.

use rust_decimal::Decimal;
use taxd::engine::Engine;
use taxd::rulesets;
use taxd::store::Store;
use taxd::tax::{Componente, Dado, Detalhes, Forma, REGISTRY};

const DECLARED: &[Componente] = &[
    Componente::sempre("base", Forma::Valor, "Base"),
    Componente::sempre("aliquota", Forma::OuNulo(&Forma::Aliquota), "Alíquota"),
    Componente::algumas("metodo", Forma::Word(&["marginal", "integral"]), "Método"),
    Componente::algumas(
        "faixas",
        Forma::Lista(&Forma::Objeto(&[Componente::sempre("faixa", Forma::Inteiro, "Faixa")])),
        "Faixas",
    ),
];

fn base() -> Detalhes {
    vec![("base", Dado::Valor(Decimal::new(100, 2))), ("aliquota", Dado::Nulo)]
}

fn with(name: &'static str, dado: Dado) -> Detalhes {
    let mut detalhes = base();
    detalhes.retain(|(known, _)| *known != name);
    detalhes.push((name, dado));
    detalhes
}

#[test]
fn components_are_those_declared() {
    let bracket = |dado| Dado::Lista(vec![Dado::Objeto(vec![("faixa", dado)])]);
    let admitted = [
        base(),
        with("aliquota", Dado::texto("18.00")),
        with("aliquota", Dado::Aliquota(Decimal::new(1800, 2))),
        with("metodo", "marginal".into()),
        with("faixas", Dado::Lista(Vec::new())),
        with("faixas", bracket(Dado::Inteiro(1))),
    ];
    for detalhes in admitted {
        assert!(Componente::admitem(DECLARED, &detalhes), "{detalhes:?}");
    }
    let refused = [
        base()[..1].to_vec(),
        with("base", Dado::Nulo),
        with("base", Dado::texto("1.00")),
        with("aliquota", Dado::texto("dezoito")),
        with("metodo", "outro".into()),
        with("faixas", bracket(Dado::Nulo)),
        with("faixas", Dado::Lista(vec![Dado::Objeto(Vec::new())])),
        with("nada", Dado::Nulo),
    ];
    for detalhes in refused {
        assert!(!Componente::admitem(DECLARED, &detalhes), "{detalhes:?}");
    }
}

#[test]
fn every_tax_says_what_each_component_is() {
    for entry in REGISTRY {
        assert!(entry.detalhes.len() > 4, "{}", entry.tributo);
        for componente in entry.detalhes {
            assert!(componente.rotulo.len() > 3, "{} {}", entry.tributo, componente.nome);
        }
    }
}

#[test]
fn a_required_field_is_told_together_with_the_other_faults() {
    let engine = Engine::new(Store::in_memory().unwrap(), 0);
    rulesets::load(&engine).unwrap();
    let payload = r#"{"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "1.01",
        "preco_servico": "10,00", "data": "2026-04-15", "regime": "sociedade_uniprofissional"}"#;
    let problem = engine.calculate(payload.as_bytes(), false).unwrap_err();
    let named: Vec<&str> = problem.erros.iter().map(|erro| erro.campo.as_str()).collect();
    assert_eq!(named, ["preco_servico", "numero_profissionais"]);
}
