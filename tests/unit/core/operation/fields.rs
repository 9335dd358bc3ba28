//! The facts have the fields of the taxes, with their shapes.

use taxd_base::document::Document;
use taxd_law::operation::OperationFacts;

const TAXES: [&str; 15] = [
    "ipi",
    "icms",
    "icms_consumidor_final",
    "icms_st",
    "iss",
    "pis",
    "cofins",
    "cbs",
    "ibs",
    "irrf_servicos",
    "csll_retida",
    "pis_retido",
    "cofins_retida",
    "inss_retido",
    "iss_retido",
];
/// Fields that an operation makes, of its facts or of the taxes before.
const MADE: [&str; 14] = [
    "valor_servico",
    "valor_nota",
    "regime_prestador",
    "ipi",
    "valor_operacao",
    "valor_icms_destacado",
    "valor_icms",
    "valor_iss",
    "valor_pis",
    "valor_cofins",
    "valor_ipi",
    "data",
    "numero_profissionais",
    "transicao",
];
/// Fields that an operation leaves out: the Imposto Seletivo is none of its taxes.
const LEFT_OUT: [&str; 1] = ["valor_is"];
/// Facts that no tax has.
const OWN: [&str; 7] = [
    "regime_vendedor",
    "desconto",
    "seguro",
    "contribuinte_ipi",
    "destinado_industrializacao",
    "substituicao_tributaria",
    "valor_icms_st_retido",
];
/// Facts that are above zero, whatever the tax takes.
const PRICES: [&str; 2] = ["valor_produto", "preco_servico"];

/// A field that a tax gains would otherwise be one that no operation can state.
#[test]
fn every_field_of_a_tax_is_a_fact_or_made_and_every_fact_is_used() {
    let mut used: Vec<&str> = OWN.to_vec();
    for tributo in TAXES {
        let left_out = |name: &str| MADE.contains(&name) || LEFT_OUT.contains(&name);
        for field in taxd_law::tax::find(tributo).unwrap().payload.iter().filter(|field| !left_out(field.name)) {
            let fact = OperationFacts::FIELDS.iter().find(|fact| fact.name == field.name);
            let fact = fact.unwrap_or_else(|| panic!("{tributo}: {} is neither a fact nor made", field.name));
            assert!(PRICES.contains(&field.name) || fact.shape == field.shape, "{tributo}: {}", field.name);
            used.push(field.name);
        }
    }
    let unused: Vec<&str> =
        OperationFacts::FIELDS.iter().map(|fact| fact.name).filter(|name| !used.contains(name)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
