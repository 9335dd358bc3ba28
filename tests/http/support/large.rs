//! A large invented publication that supersedes an earlier one.

use std::ops::Range;

use serde_json::{Value, json};

/// Rules of the earlier publication, each superseded by the large one.
pub const EARLIER: usize = 5_000;
/// Rules of the large publication: a later version of each earlier rule, and new rules.
pub const LARGE: usize = 20_000;

fn table(versao: &str, de: &str, rate: &str, of: Range<usize>) -> Value {
    table_of("t-ipi", versao, de, rate, of)
}

fn table_of(code: &str, versao: &str, de: &str, rate: &str, of: Range<usize>) -> Value {
    let lines: Vec<Value> = of.map(|i| json!([format!("{code}-{i:05}"), ncm(i)])).collect();
    json!({
        "comum": {
            "versao": versao, "tributo": "ipi", "vigente_de": de, "citacao_legal": "Decreto de teste",
            "conteudo": {"situacao": "tributado", "aliquota": rate, "tabela_versao": "TIPI de teste"},
        },
        "colunas": ["rule_code", "escopo.ncm"],
        "linhas": lines,
    })
}

fn bundle_of(tables: &[Value]) -> String {
    json!({"pacote": "teste", "versao": "1.0", "descricao": "Muitas regras", "tabelas": tables}).to_string()
}

fn ncm(i: usize) -> String {
    format!("10{i:06}")
}

/// Returns the earlier bundle.
pub fn earlier_bundle() -> String {
    bundle_of(&[table("1.0", "2020-01-01", "1.00", 0..EARLIER)])
}

/// Returns a bundle of rules with this prefix of codes, one for each product.
pub fn bundle_of_codes(code: &str, products: Range<usize>) -> String {
    bundle_of(&[table_of(code, "1.0", "2020-01-01", "1.00", products)])
}

/// Returns a bundle of as many new rules.
pub fn bundle_of_new(rules: usize) -> String {
    bundle_of_codes("t-ipi", 0..rules)
}

/// Returns the large bundle.
pub fn large_bundle() -> String {
    bundle_of(&[table("1.1", "2024-01-01", "2.00", 0..EARLIER), table("1.0", "2020-01-01", "3.00", EARLIER..LARGE)])
}

/// Returns a payload: a sale of R$ 100 of the product of that number, after the versions have changed.
pub fn sale(i: usize) -> Value {
    json!({"tributo": "ipi", "ncm": ncm(i), "valor_produto": "100.00", "data_operacao": "2026-03-10"})
}
