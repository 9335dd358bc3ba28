//! The canonical text of a bundle: another layout, and the same rules to the byte of what is kept of them.

use taxd_core::engine::{BundleFile, canonical_texts};

use crate::support::{engine, file, import};

/// A table and a rule in an order that nobody would choose, with escapes and with numbers in several forms.
const UNTIDY: &str = r#"{"tabelas":[{"linhas":[["t-a", "It\u0075", "2.00" ],
  ["t-b","Holambra",null]],"exemplos":[],"colunas":["rule_code","escopo.municipio","conteudo.aliquota"],
  "comum":{"conteudo":{"base":"maior"},"motivo":"N\u00e3o lida.","escopo":{"uf":"SP"},"tributo":"itbi","versao":"1.0",
  "vigente_de":"2020-01-01","citacao_legal":"Lei 1,\u0009art. 1\u00ba"}}],
"versao":"1","descricao":"Um \"teste\"\n","pacote":"teste","regras":[{"conteudo":{"aliquota":"2.00","isento":false},
  "exemplos":[{"valor":"20.00","payload":{"tributo":"ipva","uf":"AC","categoria_veiculo":"automovel","valor_venal":"1000.00",
  "data_fato_gerador":"2026-01-01","potencia_cv":1e2,"x":[1,-2.50,18446744073709551615,{}]}}],
  "rule_code":"t-c","vigente_de":"2020-01-01","versao":"1.0","tributo":"ipva","citacao_legal":"Lei 2",
  "escopo":{"categoria_veiculo":["automovel"],"uf":"AC"},
  "avisos":["Um.",{"condicao":"data","texto":"Dois."}],"conferencia":"texto_legal"}]}"#;

const CANONICAL: &str = r#"{
  "pacote": "teste",
  "versao": "1",
  "descricao": "Um \"teste\"\n",
  "regras": [
    {
      "rule_code": "t-c",
      "versao": "1.0",
      "tributo": "ipva",
      "escopo": {"categoria_veiculo": ["automovel"], "uf": "AC"},
      "vigente_de": "2020-01-01",
      "citacao_legal": "Lei 2",
      "conferencia": "texto_legal",
      "avisos": ["Um.", {"condicao": "data", "texto": "Dois."}],
      "conteudo": {"aliquota": "2.00", "isento": false},
      "exemplos": [
        {
          "valor": "20.00",
          "payload": {
            "tributo": "ipva",
            "uf": "AC",
            "categoria_veiculo": "automovel",
            "valor_venal": "1000.00",
            "data_fato_gerador": "2026-01-01",
            "potencia_cv": 100.0,
            "x": [1, -2.5, 1.8446744073709552e+19, {}]
          }
        }
      ]
    }
  ],
  "tabelas": [
    {
      "comum": {
        "versao": "1.0",
        "tributo": "itbi",
        "escopo": {"uf": "SP"},
        "vigente_de": "2020-01-01",
        "citacao_legal": "Lei 1,\tart. 1º",
        "motivo": "Não lida.",
        "conteudo": {"base": "maior"}
      },
      "colunas": ["rule_code", "escopo.municipio", "conteudo.aliquota"],
      "linhas": [
        ["t-a","Itu","2.00"],
        ["t-b","Holambra",null]
      ],
      "exemplos": []
    }
  ]
}
"#;

fn formatted(text: &str) -> String {
    let texts = canonical_texts(&[BundleFile::unsigned("teste.json", text)]);
    texts.unwrap_or_else(|faults| panic!("{faults:#?}")).remove(0)
}

/// What is kept of every version.
fn records(text: &str) -> Vec<Vec<u8>> {
    let engine = engine(0);
    import(&engine, &[file("teste.json", text)], false).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let mut kept = Vec::new();
    engine.store().read_journal().unwrap().each_version(1, |_, record, _| kept.push(record.to_vec())).unwrap();
    kept
}

#[test]
fn a_bundle_has_one_canonical_text() {
    assert_eq!(formatted(UNTIDY), CANONICAL);
    assert_eq!(formatted(CANONICAL), CANONICAL);
    assert_eq!(formatted(&format!("\u{feff}{UNTIDY}\n\n")), CANONICAL, "a byte order mark is left out");
}

#[test]
fn what_is_kept_of_a_rule_does_not_depend_on_the_layout() {
    let kept = records(UNTIDY);
    assert_eq!((kept.len(), &kept), (3, &records(CANONICAL)));
}
