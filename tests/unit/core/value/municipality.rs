//! The official list of municipalities, and finding one as people write it.

use std::collections::BTreeSet;

use taxd_base::value::{Municipio, Uf, fold};
use unicode_normalization::UnicodeNormalization;

/// Every line of the list, read in the test's own way.
fn listed() -> Vec<(Uf, u32, &'static str)> {
    let mut list = Vec::new();
    let mut heading = (Uf::SP, 0);
    for line in include_str!("../../../../src/base/value/municipios.txt").lines() {
        if line.as_bytes()[0].is_ascii_alphabetic() {
            heading = (Uf::from_abbreviation(&line[..2]).unwrap(), line[2..].parse::<u32>().unwrap());
        } else {
            list.push((heading.0, heading.1 * 100_000 + line[..5].parse::<u32>().unwrap(), &line[9..]));
        }
    }
    list
}

fn without_accents(name: &str) -> String {
    name.nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect()
}

#[test]
fn there_are_5571_each_with_its_own_code_and_name() {
    let list = listed();
    assert_eq!((list.len(), Municipio::count()), (5_571, 5_571));
    let codes: BTreeSet<u32> = list.iter().map(|m| m.1).collect();
    let names: BTreeSet<(Uf, String)> = list.iter().map(|m| (m.0, without_accents(m.2).to_uppercase())).collect();
    assert_eq!((codes.len(), names.len()), (5_571, 5_571));
    let ufs: BTreeSet<Uf> = list.iter().map(|m| m.0).collect();
    assert_eq!(ufs.len(), 27);
}

#[test]
fn every_one_is_found_however_it_is_written() {
    for (uf, code, name) in listed() {
        let bare = without_accents(name);
        let decomposed: String = name.nfd().collect();
        let loose = name.replace('-', " ").replace('\'', "’");
        for written in
            [name, &name.to_uppercase(), &name.to_lowercase(), &bare, &bare.to_uppercase(), &decomposed, &loose]
        {
            let found = Municipio::find(uf, written);
            assert_eq!(found.as_ref().map(|m| (m.uf(), m.ibge_code(), m.name())), Ok((uf, code, name)), "{written}");
        }
    }
}

#[test]
fn each_letter_folds_to_the_letters_of_its_decomposition() {
    for c in '\0'..='\u{ffff}' {
        let letter = c.to_string();
        let letters: String = letter.nfd().flat_map(char::to_lowercase).filter(char::is_ascii_alphanumeric).collect();
        assert_eq!(fold(&letter), letters, "{c:?}");
    }
}

#[test]
fn blanks_around_and_within_a_name_do_not_matter() {
    for written in ["São  Paulo", "São Paulo ", " São Paulo", "\tSão Paulo", "São\u{a0}Paulo"] {
        assert_eq!(Municipio::find(Uf::SP, written).map(Municipio::name), Ok("São Paulo"), "{written:?}");
    }
}

#[test]
fn a_typo_is_answered_with_the_nearest_name() {
    for (uf, typo, wanted) in [
        (Uf::SP, "Sao Palo", "São Paulo"),
        (Uf::SP, "Campnas", "Campinas"),
        (Uf::RJ, "Rio de Janiero", "Rio de Janeiro"),
        (Uf::MG, "Belo Horizote", "Belo Horizonte"),
        (Uf::BA, "Slavador", "Salvador"),
    ] {
        let refusal = Municipio::find(uf, typo).unwrap_err();
        assert!(refusal.contains(&format!("\"{wanted}\"")), "{refusal}");
    }
}

#[test]
fn the_guess_is_the_nearest_of_all_names() {
    // Most names are ruled out by their letters alone; none that is near may be.
    let of_sp: Vec<&str> = listed().into_iter().filter(|m| m.0 == Uf::SP).map(|m| m.2).collect();
    for (i, name) in of_sp.iter().enumerate() {
        let typo = typos(&fold(name), i);
        let within = |n: &str| Some(strsim::damerau_levenshtein(&typo, n)).filter(|d| *d <= n.len() / 3);
        let nearest = of_sp.iter().filter_map(|n| Some((within(&fold(n))?, *n))).min();
        match (nearest, Municipio::find(Uf::SP, &typo)) {
            (Some((0, _)), Ok(_)) => {}
            (Some((_, near)), Err(refusal)) if refusal.contains("Você") => {
                assert!(refusal.contains(&format!("\"{near}\"")), "{typo}: {refusal}, not {near}");
            }
            (None, Err(refusal)) => assert!(!refusal.contains("Você"), "{typo}: {refusal}"),
            (_, Err(refusal)) => assert!(refusal.contains("fica em"), "{typo}: {refusal}"),
            (nearest, Ok(found)) => panic!("{typo} is {found:?}, not {nearest:?}"),
        }
    }
}

/// The folded name with one to five slips of the pen, chosen by the number.
fn typos(folded: &str, number: usize) -> String {
    let mut letters: Vec<char> = folded.chars().collect();
    for slip in 0..=number % 5 {
        let at = (number * 7 + slip * 3) % letters.len();
        match (number + slip) % 4 {
            0 => letters[at] = 'x',
            1 => letters.insert(at, 'e'),
            2 if letters.len() > 3 => drop(letters.remove(at)),
            _ => {
                let next = (at + 1) % letters.len();
                letters.swap(at, next);
            }
        }
    }
    letters.into_iter().collect()
}

#[test]
fn a_name_of_another_unit_is_answered_with_that_unit() {
    let refusal = Municipio::find(Uf::SP, "Belo Horizonte").unwrap_err();
    assert!(refusal.contains("MG") && refusal.contains("SP"), "{refusal}");
}

#[test]
fn nothing_like_a_name_is_refused_without_a_guess() {
    for text in ["", " ", "-", "zzzzzzzzzzzz", "12345", "'", &"á".repeat(100_000)] {
        let refusal = Municipio::find(Uf::SP, text).unwrap_err();
        assert!(!refusal.contains("Você quis dizer") && refusal.len() < 400, "{refusal}");
    }
}

/// The systems of some towns write the code of the Receita Federal.
#[test]
fn each_has_a_code_of_its_own_of_the_receita_federal() {
    let list = include_str!("../../../../src/base/value/municipios.txt");
    let codes: Vec<&str> =
        list.lines().filter(|line| line.as_bytes()[0].is_ascii_digit()).map(|line| &line[5..9]).collect();
    let found: BTreeSet<u32> =
        codes.iter().filter_map(|code| Municipio::of_tom_code(code)).map(Municipio::ibge_code).collect();
    assert_eq!((codes.len(), found.len()), (5_571, 5_571));
    let name = |code: &str| Municipio::of_tom_code(code).map(Municipio::name);
    assert_eq!(
        [name("7107"), name("8105"), name("0003")],
        [Some("São Paulo"), Some("Florianópolis"), Some("Porto Velho")]
    );
    assert_eq!([name("9999"), name("3550308"), name(""), name("x")], [None; 4]);
}
