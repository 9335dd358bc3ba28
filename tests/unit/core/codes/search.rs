//! Finding codes, against a search that knows no shortcuts.

use proptest::prelude::*;
use taxd_law::codes::{CodeTable, Tabela};

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
    let table = CodeTable::read(Tabela::Ncm, PRODUCTS, "").unwrap();
    assert_eq!((table.nome, table.fonte, table.cobre, table.len()), ("Produtos", "um ato", "sete códigos", 6));
    for (query, found) in [
        ("2202", &["22021000", "22029100", "22029900"][..]),
        ("2202.10", &["22021000"]),
        ("22021000", &["22021000"]),
        // The plural is the same word.
        ("cerveja", &["22029100", "22030000"]),
        ("CERVEJAS", &["22029100", "22030000"]),
        ("cervejas de malte", &["22030000"]),
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
        "",
    )
    .unwrap();
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

const HEADINGS: &str = "\
# nome: palavras
22;Bebidas;
2202;Refrigerantes e outras bebidas;isotônico, suco pronto
220291;;cerveja zero
2203;Cervejas;chope, litrão
40;Borracha;
4011;Pneus novos;pneumático
40111000;;pneu de carro, radial
8703;Automóveis;carro, veículo
9403;Móveis;
9404;Colchões;";

/// What the code is called comes first; the table itself has 2202 as a heading of its own.
#[test]
fn a_code_is_found_by_the_further_headings_and_their_synonyms() {
    let table = CodeTable::read(
        Tabela::Ncm,
        "22021000;Águas gaseificadas\n22029100;Cerveja sem álcool\n22029900;Outras\n22030000;Cervejas de malte\n\
         40111000;Dos automóveis\n40119090;Outros\n87032100;De cilindrada pequena\n94035000;De quarto\n\
         94042900;De outras matérias",
        HEADINGS,
    )
    .unwrap();
    assert_eq!(table.len(), 9);
    for (query, found) in [
        ("refrigerante", &["22021000", "22029100", "22029900"][..]),
        ("isotônicos", &["22021000", "22029100", "22029900"]),
        ("zero", &["22029100"]),
        ("chope", &["22030000"]),
        ("PNEU", &["40111000", "40119090"]),
        // A tyre of cars has the word without being a car.
        ("carro", &["87032100", "40111000"]),
        ("pneu para carro", &["40111000"]),
        ("radiais", &["40111000"]),
        ("movel", &["94035000"]),
        ("colchao", &["94042900"]),
        // Alone, a word that says nothing is looked for.
        ("de", &["87032100", "94035000", "94042900", "22030000", "40111000"]),
        ("borracha", &["40111000", "40119090"]),
    ] {
        assert_eq!(codes(&table, query), found, "{query:?}");
    }
    let other = table.get("2202.99.00").unwrap();
    assert_eq!((other.texto, &other.dentro_de[..]), ("Outras", &["Bebidas", "Refrigerantes e outras bebidas"][..]));
    // Its own text is that of the heading.
    assert_eq!(table.get("22030000").unwrap().dentro_de, ["Bebidas"]);
    // A code without a text: its headings are known.
    assert_eq!(table.headings_of("22029900"), None);
    assert_eq!(table.headings_of("2202"), None);
    assert_eq!(table.headings_of("99999999"), None);
    let absent = table.headings_of("4011.99.99").unwrap();
    assert_eq!((absent.codigo.as_str(), absent.texto), ("40119999", ""));
    assert_eq!(absent.dentro_de, ["Borracha", "Pneus novos"]);
}

/// `cerveja` once found first the CESTs of "Bebidas alcoólicas, exceto cerveja e chope".
#[test]
fn what_a_text_excludes_does_not_count_and_its_own_words_count_more_than_those_of_a_segment() {
    let table = CodeTable::read(
        Tabela::Cest,
        "02;Bebidas alcoólicas, exceto cerveja e chope\n0200100;Aperitivos\n03;Cervejas\n0300100;Água\n\
         0300200;Bebida de cervejaria\n10;Construção\n1000100;Telefones (exceto os de uso rural); fios\n\
         1000200;Pães, salvo panetones (chocotones) e bolos\n1000300;Lona exclusivamente de freio",
        "",
    )
    .unwrap();
    for (query, found) in [
        ("cerveja", &["0300200", "0300100"][..]),
        ("bebida", &["0300200", "0200100"]),
        ("rural", &[]),
        ("fio", &["1000100"]),
        ("panetone", &[]),
        ("bolo", &[]),
        ("freios", &["1000300"]),
        // A text that was copied is found, with what it excludes.
        ("Telefones (exceto os de uso rural); fios", &["1000100"]),
        ("exceto", &[]),
    ] {
        assert_eq!(codes(&table, query), found, "{query:?}");
    }
}

/// `parafuso inox` once found nothing: no text of the nomenclature has both words.
#[test]
fn without_a_code_that_has_all_words_those_with_the_most_are_found_and_what_they_lack_is_said() {
    let table = CodeTable::read(
        Tabela::Ncm,
        "7318;Parafusos e porcas\n73181500;Outros parafusos\n73181600;Porcas\n73239300;De aço inox\n73249000;Pias de aço inox",
        "73181600;;porca sextavada",
    )
    .unwrap();
    for (query, found, lacks) in [
        ("parafuso", &["73181500", "73181600"][..], &[][..]),
        // The first word is what the product is called.
        ("parafuso inox", &["73181500", "73181600"], &["inox"]),
        ("inox parafuso", &["73239300", "73249000"], &["parafuso"]),
        ("parafuso pia inox", &["73181500", "73181600"], &["pia", "inox"]),
        // A measure is not looked for beside other words.
        ("parafuso 10mm", &["73181500", "73181600"], &[]),
        ("aço parafuso", &["73239300", "73249000"], &["parafuso"]),
        ("Porca Sextavada", &["73181600"], &[]),
        ("sextavada de porca", &["73181600"], &[]),
        ("titânio", &[], &[]),
        // What is typed as a code is not looked for in parts.
        ("7318 16", &["73181600"], &[]),
        ("7399", &[], &[]),
    ] {
        assert_eq!(codes(&table, query), found, "{query:?}");
        let matches = table.search(query, 1);
        assert_eq!(
            (matches.achados, &matches.sem[..]),
            (found.len(), &lacks.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()[..]),
            "{query:?}"
        );
    }
}

/// Faulty lines were once left out, and with them their codes.
#[test]
fn a_table_with_a_faulty_line_is_refused_with_the_number_of_the_line() {
    let at = |text: &str, headings: &str| CodeTable::read(Tabela::Ncm, text, headings).map(|_| ()).map_err(|f| f.line);
    assert_eq!(at("# nome: a\n22;Bebidas\n22021000;Águas", "22;;bebida"), Ok(()));
    for line in ["2202", "2202.1;Águas", "22;Bebidas", "21;Bebidas", "2202;", ""] {
        assert_eq!(at(&format!("22;Bebidas\n{line}\n"), ""), Err(2), "{line:?}");
    }
    for line in ["# titulo: a", "#nome: a", "# nome", "220210000;Águas"] {
        assert_eq!(at(line, ""), Err(1), "{line:?}");
    }
    for line in ["2202;Águas", "2202;;", "22a;Águas;água"] {
        assert_eq!(at("", line), Err(1), "{line:?}");
    }
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

/// Every code that has each word of the query at the beginning of a word of its path, or begins with the query. If none
/// does, or the first word is the first of the text of another code or heading but of none of them, and it is not typed as
/// a code: also those with the most words, of the codes that share them those with the first ones, named ones before.
fn naive(text: &str, query: &str) -> Vec<String> {
    let rows: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(';')).collect();
    let mut wanted = plain_words(query);
    let is_measure = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    if !wanted.iter().all(is_measure) {
        wanted.retain(|word| !is_measure(word));
    }
    let digits: String = query.chars().filter(char::is_ascii_digit).collect();
    let is_code = !digits.is_empty() && query.chars().all(|c| "0123456789 .-/".contains(c));
    let mut by_code: Vec<String> = Vec::new();
    let mut by_words: Vec<(bool, usize, Vec<bool>, String)> = Vec::new();
    for (code, _) in rows.iter().filter(|(code, _)| code.len() == 8) {
        let path: Vec<String> =
            rows.iter().filter(|(above, _)| code.starts_with(above)).flat_map(|(_, text)| plain_words(text)).collect();
        let has: Vec<bool> = wanted.iter().map(|w| path.iter().any(|word| word.starts_with(w.as_str()))).collect();
        let above = rows.iter().filter(|(above, _)| above.len() >= 4 && code.starts_with(above));
        let is_named = above.map(|(_, text)| plain_words(text)).any(|words| words.first() == wanted.first());
        if is_code && code.starts_with(&digits) {
            by_code.push((*code).to_owned());
        } else if has.contains(&true) {
            by_words.push((is_named, has.iter().filter(|has| **has).count(), has, (*code).to_owned()));
        }
    }
    let (with_all, mut in_part): (Vec<_>, Vec<_>) =
        by_words.into_iter().partition(|(_, count, ..)| *count == wanted.len());
    let best = in_part.iter().map(|(named, count, has, _)| (*named, *count, has.clone())).max();
    let is_better = best.as_ref().is_some_and(|best| best.0) && !with_all.iter().any(|(named, ..)| *named);
    in_part.retain(|(named, count, has, _)| {
        best.as_ref().is_some_and(|best| (*named, *count, has) == (best.0, best.1, &best.2))
    });
    if is_code || !with_all.is_empty() && !is_better {
        in_part.clear();
    }
    by_code.extend(in_part.into_iter().chain(with_all).map(|(.., code)| code));
    by_code
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_codes_are_found_as_by_a_naive_search(
        rows in proptest::collection::btree_map("[01]{2}|[01]{4}|[01]{6}|[01]{8}", "[a-cÁçõ1 ,/(.)-]{1,12}", 1..40),
        query in "[a-cAãÇ01 .,-]{0,6}",
    ) {
        let text = rows.iter().fold(String::new(), |text, (code, own)| text + code + ";" + own + "\n");
        let table = CodeTable::read(Tabela::Ncm, &text, "").unwrap();
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
