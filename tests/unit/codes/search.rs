//! Finding codes, against a search that knows no shortcuts.

use proptest::prelude::*;
use taxd::codes::{CodeTable, Tabela};

const PRODUCTS: &str = "\
# nome: Produtos
# fonte: um ato
# cobre: sete códigos
22;Bebidas.
2202;Águas, adicionadas de açúcar
22021000;Refrigerantes
22029100;Cerveja sem álcool
220299;Outras
22029900;Outras
22030000;Cervejas de malte.
40111000;Pneus-radiais (novos)
40119090;Outros pneus";

fn codes(table: &CodeTable<'_>, query: &str) -> Vec<String> {
    table.search(query, 100).codigos.into_iter().map(|code| code.codigo).collect()
}

#[test]
fn a_code_is_found_by_its_beginning_or_by_the_words_of_its_text_and_headings() {
    let table = CodeTable::read(Tabela::Ncm, PRODUCTS);
    assert_eq!((table.nome, table.fonte, table.cobre, table.len()), ("Produtos", "um ato", "sete códigos", 6));
    for (query, found) in [
        ("2202", &["22021000", "22029100", "22029900"][..]),
        ("2202.10", &["22021000"]),
        ("22021000", &["22021000"]),
        // `cerveja` is a whole word of the first, and begins one of the second.
        ("cerveja", &["22029100", "22030000"]),
        ("CERVEJAS", &["22030000"]),
        ("alcool cerv", &["22029100"]),
        // A word of the heading, and one of its own.
        ("bebidas malte", &["22030000"]),
        // Own words before those of a heading.
        ("agua", &["22021000", "22029100", "22029900"]),
        ("radiais", &["40111000"]),
        ("novo", &["40111000"]),
        ("outr", &["22029900", "40119090"]),
        ("vinho", &[]),
        ("", &[]),
        (" . ", &[]),
    ] {
        assert_eq!(codes(&table, query), found, "{query:?}");
    }
    let other = table.get("2202.99.00").unwrap();
    assert_eq!(other.texto, "Outras");
    assert_eq!(other.dentro_de, ["Bebidas.", "Águas, adicionadas de açúcar", "Outras"]);
    assert_eq!(table.get("2202"), None, "a heading is no code of a payload");
    let few = table.search("2202", 2);
    assert_eq!((few.codigos.len(), few.ha_mais), (2, true));
    assert!(!table.search("2202", 3).ha_mais);
}

#[test]
fn a_subitem_of_the_list_of_services_is_found_as_people_write_it() {
    let table = CodeTable::read(
        Tabela::Servico,
        "01;Informática\n0101;Análise\n0107;Suporte\n10;Intermediação\n1001;Câmbio\n1010;Distribuição",
    );
    for (query, found) in [
        ("1.07", &["1.07"][..]),
        ("1.7", &["1.07"]),
        ("01.07", &["1.07"]),
        ("0107", &["1.07"]),
        ("010701", &["1.07"]),
        ("1.", &["1.01", "1.07"]),
        ("10.1", &["10.01", "10.10"]),
        ("suporte inf", &["1.07"]),
    ] {
        assert_eq!(codes(&table, query), found, "{query:?}");
    }
    assert_eq!(table.get("1.07").unwrap().codigo, "1.07");
    assert_eq!(table.get("1.7").unwrap().codigo, "1.07");
}

/// The words of a text, letter by letter.
fn plain_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars() {
        let letter = match c.to_ascii_lowercase() {
            'á' | 'à' | 'ã' | 'â' | 'Á' | 'Ã' => 'a',
            'é' | 'ê' | 'É' => 'e',
            'í' => 'i',
            'ó' | 'õ' | 'ô' | 'Ó' => 'o',
            'ú' | 'Ú' => 'u',
            'ç' | 'Ç' => 'c',
            other => other,
        };
        if letter.is_ascii_alphanumeric() {
            words.last_mut().unwrap().push(letter);
        } else {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Every code that has each word of the query at the beginning of a word of its path, or begins with the query.
fn naive(text: &str, query: &str) -> Vec<String> {
    let rows: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(';')).collect();
    let wanted = plain_words(query);
    let digits: String = query.chars().filter(char::is_ascii_digit).collect();
    let mut found: Vec<String> = Vec::new();
    for (code, _) in rows.iter().filter(|(code, _)| code.len() == 8) {
        let path: Vec<String> =
            rows.iter().filter(|(above, _)| code.starts_with(above)).flat_map(|(_, text)| plain_words(text)).collect();
        let by_words =
            !wanted.is_empty() && wanted.iter().all(|w| path.iter().any(|word| word.starts_with(w.as_str())));
        let by_code =
            !digits.is_empty() && query.chars().all(|c| "0123456789 .-/".contains(c)) && code.starts_with(&digits);
        if by_words || by_code {
            found.push((*code).to_owned());
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_codes_are_found_as_by_a_naive_search(
        rows in proptest::collection::btree_map("[01]{2}|[01]{4}|[01]{6}|[01]{8}", "[a-cÁçõ1 ,/(.)-]{0,12}", 1..40),
        query in "[a-cAãÇ01 .,-]{0,6}",
    ) {
        let text = rows.iter().fold(String::new(), |text, (code, own)| text + code + ";" + own + "\n");
        let table = CodeTable::read(Tabela::Ncm, &text);
        let mut found = codes(&table, &query);
        found.sort();
        let mut expected = naive(&text, &query);
        expected.sort();
        prop_assert_eq!(found, expected, "{:?} in\n{}", query, text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_query_breaks_the_search(query in "\\PC{0,200}") {
        for word in Tabela::WORDS {
            let table = Tabela::from_word(word).unwrap().table();
            prop_assert!(table.search(&query, 5).codigos.len() <= 5);
            if let Some(code) = table.get(&query) {
                prop_assert_eq!(&table.search(&code.codigo, 1).codigos[0], &code);
            }
        }
    }
}
