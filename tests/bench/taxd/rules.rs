//! Invented rules: margins of ICMS-ST by NCM and UF, in NCM chapters that do not exist.

use std::fmt::Write as _;

use serde_json::json;
use taxd::base::value::Uf;

/// Number of rules of a large firm.
pub const MILLION: usize = 1_000_000;
/// Number of rules in the bundle that is imported under load.
pub const UNDER_LOAD: usize = 100_000;

fn place(i: usize) -> (String, &'static str) {
    (format!("99{:06}", i / Uf::WORDS.len()), Uf::WORDS[i % Uf::WORDS.len()])
}

/// Returns a bundle of `count` rules, numbered from `first`.
pub fn bundle(first: usize, count: usize) -> String {
    let mut lines = String::new();
    for i in first..first + count {
        let (ncm, uf) = place(i);
        let comma = if i == first { "" } else { ",\n" };
        let margin = 20 + i % 80;
        write!(lines, r#"{comma}["icms-st-{}-{ncm}","{uf}",["{ncm}"],"{margin}.50"]"#, uf.to_lowercase())
            .expect("text grows");
    }
    let common = json!({
        "versao": "1.0", "tributo": "icms_st", "vigente_de": "2024-01-01",
        "citacao_legal": "Convênio ICMS 142/2018, Anexo II, para medir",
        "conteudo": {"criterio": "mva", "descricao": "Mercadoria para medir", "aliquota_interna": "18.00"},
    });
    format!(
        r#"{{"pacote":"medir-{first}","versao":"1.0","descricao":"Regras para medir","tabelas":[{{"comum":{common},
"colunas":["rule_code","escopo.uf_destino","escopo.ncm","conteudo.mva"],"linhas":[{lines}]}}]}}"#
    )
}

/// Returns payloads for `count` different rules, spread over the first `of`.
pub fn sales(count: usize, of: usize) -> Vec<serde_json::Value> {
    let sale = |i: usize| {
        // The stride shares no factor with the number of rules, so the payloads jump through the whole table.
        let (ncm, uf) = place(i.wrapping_mul(611_953) % of);
        json!({"tributo": "icms_st", "ncm": ncm, "uf_origem": uf, "uf_destino": uf,
               "data_operacao": "2026-03-10", "valor_produto": "1000.00"})
    };
    (0..count).map(sale).collect()
}
