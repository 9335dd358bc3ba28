//! The tables of `rulesets/tabelas`.

use taxd::codes::{FILES, Tabela, unidades_fiscais};
use taxd::value::{Cest, ClassificacaoTributaria, Date, ItemServico, Ncm, Uf, parse_decimal};

fn rows(name: &str) -> Vec<(&'static str, &'static str)> {
    let (_, text) = FILES.iter().find(|(path, _)| *path == format!("tabelas/{name}.csv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(';').unwrap_or_else(|| panic!("{name}: {line}"))).collect()
}

#[test]
fn every_table_says_what_it_is_and_its_codes_are_sorted_and_such_as_payloads_name() {
    type Reads = fn(&str) -> bool;
    let readable: [(Tabela, Reads); 4] = [
        (Tabela::Ncm, |code| Ncm::parse(code).is_ok()),
        (Tabela::Cest, |code| Cest::parse(code).is_ok()),
        (Tabela::Servico, |code| ItemServico::parse(code).is_ok()),
        (Tabela::Classificacao, |code| ClassificacaoTributaria::parse(code).is_ok()),
    ];
    for (tabela, reads) in readable {
        let table = tabela.table();
        for head in [table.nome, table.fonte, table.cobre] {
            assert!(!head.is_empty(), "{tabela}: {head:?}");
        }
        assert!(table.len() > 100, "{tabela}: {}", table.len());
        let rows = rows(tabela.as_str());
        assert!(rows.windows(2).all(|pair| pair[0].0 < pair[1].0), "{tabela} is not sorted by code");
        for (code, text) in rows {
            assert!(code.bytes().all(|b| b.is_ascii_digit()) && code.len() <= tabela.digits(), "{tabela}: {code}");
            assert!(!text.is_empty() && text.trim() == text && !text.contains('<'), "{tabela} {code}: {text:?}");
            assert_eq!(code.len() == tabela.digits(), reads(&tabela.written(code)), "{tabela}: {code}");
        }
    }
}

#[test]
fn codes_of_each_table_are_found_with_their_texts() {
    let found = |tabela: Tabela, query: &str| tabela.table().search(query, 1).codigos.remove(0);
    assert_eq!(found(Tabela::Ncm, "2203").texto, "Cervejas de malte.");
    assert_eq!(found(Tabela::Cest, "01.001.00").dentro_de, ["Autopeças"]);
    let support = found(Tabela::Servico, "suporte tecnico informatica");
    assert_eq!(
        (support.codigo.as_str(), &support.dentro_de[..]),
        ("1.07", &["Serviços de informática e congêneres."][..])
    );
    let medicine = found(Tabela::Classificacao, "medicamentos anvisa");
    assert_eq!((medicine.codigo.as_str(), &medicine.dentro_de[..]), ("200009", &["Alíquota zero"][..]));
}

/// A unit of another year would move the brackets of the tax.
#[test]
fn a_fiscal_unit_is_given_only_for_the_days_of_its_value() {
    let on = |uf, day: &str| -> Vec<&str> {
        unidades_fiscais(uf, Date::parse(day).unwrap()).map(|unit| unit.valor).collect()
    };
    assert_eq!(on(Uf::SP, "2025-12-31"), ["37.02"]);
    assert_eq!(on(Uf::SP, "2026-01-01"), ["38.42"]);
    assert_eq!(on(Uf::SP, "2027-01-01"), [""; 0]);
    assert_eq!(on(Uf::PR, "2026-01-01"), [""; 0]);
    let (_, text) = FILES.iter().find(|(path, _)| *path == "tabelas/unidades_fiscais.csv").unwrap();
    let mut ends: Vec<(&str, &str, &str)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [uf, nome, from, until, value, act] = line.split(';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let first = Date::parse(from).unwrap();
        assert!(first < Date::parse(until).unwrap() && parse_decimal(value).is_ok(), "{line}");
        assert!(act.contains("nº"), "no act: {line}");
        let of_day: Vec<_> = unidades_fiscais(Uf::from_abbreviation(uf).unwrap(), first).collect();
        assert_eq!(
            of_day.iter().map(|unit| (unit.nome, unit.valor, unit.ato)).collect::<Vec<_>>(),
            [(nome, value, act)]
        );
        assert!(ends.iter().all(|(u, n, end)| (*u, *n) != (uf, nome) || *end <= from), "two values on a day: {line}");
        ends.push((uf, nome, until));
    }
}
