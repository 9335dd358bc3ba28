//! The tables of `rulesets/tabelas`.

use std::collections::BTreeSet;

use taxd_base::value::{Cest, ClassificacaoTributaria, ItemServico, Ncm};
use taxd_law::codes::{
    FILES, Tabela, cest_ncm, exs_of, natureza, read_cest_ncm, read_exs, read_natureza, read_naturezas, read_seletivo,
    texto_do_ex,
};

fn rows(name: &str) -> Vec<(&'static str, &'static str)> {
    let (_, text) = FILES.iter().find(|(path, _)| *path == format!("tabelas/{name}.csv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(';').unwrap_or_else(|| panic!("{name}: {line}"))).collect()
}

#[test]
fn every_table_says_what_it_is_and_its_codes_are_sorted_and_such_as_payloads_name() {
    type Reads = fn(&str) -> bool;
    let readable: [(Tabela, Reads); 7] = [
        (Tabela::Ncm, |code| Ncm::parse(code).is_ok()),
        (Tabela::Cest, |code| Cest::parse(code).is_ok()),
        (Tabela::Servico, |code| ItemServico::parse(code).is_ok()),
        (Tabela::Classificacao, |code| ClassificacaoTributaria::parse(code).is_ok()),
        (Tabela::Cfop, |code| code.len() == 4),
        (Tabela::Cst, |code| code.len() > 1),
        (Tabela::Nbs, |code| code.len() == 12),
    ];
    for (tabela, reads) in readable {
        let table = tabela.read().unwrap_or_else(|fault| panic!("{tabela}: {fault}"));
        for head in [table.nome, table.fonte, table.cobre] {
            assert!(!head.is_empty(), "{tabela}: {head:?}");
        }
        assert!(table.len() >= 90, "{tabela}: {}", table.len());
        let rows = rows(if tabela == Tabela::Cfop { "cfop_textos" } else { tabela.as_str() });
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
    assert_eq!((medicine.codigo.as_str(), &medicine.dentro_de[..]), ("200009", &["Alíquota reduzida"][..]));
}

#[test]
fn cfop_cst_and_nbs_are_found_as_documents_write_them() {
    let first = |tabela: Tabela, query: &str| {
        let found = tabela.table().search(query, 1).codigos.remove(0);
        (found.codigo, found.dentro_de.first().copied().unwrap_or_default().to_owned())
    };
    for (tabela, query, codigo, above) in [
        (Tabela::Cfop, "5.102", "5102", "Saídas ou prestações de serviços para o estado"),
        (Tabela::Cfop, "devolução de compra para comercialização", "5202", "Saídas"),
        (Tabela::Cst, "60", "60", "CST do ICMS"),
        (Tabela::Cst, "060", "60", "CST do ICMS"),
        (Tabela::Cst, "101", "101", "CSOSN"),
        (Tabela::Cst, "monofásica alíquota zero", "04", "CST do PIS"),
        (Tabela::Nbs, "1.0101.11.00", "1.0101.11.00", "Serviços de construção"),
        (Tabela::Nbs, "contabilidade", "1.1302", "Serviços"),
    ] {
        let found = first(tabela, query);
        assert!(found.0.starts_with(codigo) && found.1.starts_with(above), "{tabela} {query}: {found:?}");
    }
    assert_eq!(Tabela::Cst.table().headings_of("33"), None);
}

/// The search by words once knew the own texts alone: `pneu` did not find 4011, nor `medicamento` 3004.
#[test]
fn a_product_is_found_by_what_people_call_it() {
    for (query, heading) in [
        ("refrigerante", "2202"),
        ("cerveja", "220"),
        ("chope", "2203"),
        ("celular", "851713"),
        ("smartphones", "851713"),
        ("notebook", "847130"),
        ("geladeira", "8418"),
        ("pneu", "4011"),
        ("pastilha de freio", "870830"),
        ("pastilhas de freios", "870830"),
        ("PNEUS", "4011"),
        ("pneu de moto", "401140"),
        ("ração", "2309"),
        ("racao", "2309"),
        ("rações", "2309"),
        ("ração para cachorro", "230910"),
        ("remédio", "3004"),
        ("medicamento", "3004"),
        ("gasolina", "2710125"),
        ("diesel", "27101921"),
        ("cigarro", "2402"),
        ("perfume", "3303"),
        ("xampu", "330510"),
        ("shampoo", "3305"),
        ("arroz", "1006"),
        ("feijão", "0713"),
        ("leite condensado", "04029900"),
        ("cimento", "2523"),
        ("tijolo", "690"),
        ("carro", "8703"),
        ("moto", "8711"),
        ("caminhão", "8704"),
        ("televisão", "852872"),
        ("sofá", "9401"),
        ("tênis", "640"),
        ("camiseta", "6109"),
        ("calça jeans", "620"),
        ("fralda", "9619"),
        ("sabonete", "3401"),
        ("livro", "4901"),
        ("brinquedos", "9503"),
        ("vinho", "2204"),
        ("cachaça", "2208"),
        ("pão francês", "1905"),
        ("queijo", "0406"),
        ("carne de boi", "020"),
        ("frango", "020"),
        ("parafuso", "7318"),
        ("lâmpada", "8539"),
        ("óculos de sol", "9004"),
    ] {
        let found = Tabela::Ncm.table().search(query, 1).codigos;
        assert!(found.first().is_some_and(|code| code.codigo.starts_with(heading)), "{query}: {found:?}");
    }
}

/// A text of `Outros` says nothing without its heading.
#[test]
fn every_ncm_has_a_chapter_and_a_heading_and_no_heading_is_without_codes() {
    let (mut ncm, rows): (Vec<_>, Vec<_>) = (rows("ncm"), rows("ncm_palavras"));
    ncm.retain(|(code, _)| code.len() == 8);
    let described: BTreeSet<&str> =
        rows.iter().filter(|(code, rest)| code.len() <= 4 && !rest.starts_with(';')).map(|(code, _)| *code).collect();
    let used: BTreeSet<&str> = ncm.iter().flat_map(|(code, _)| [&code[..2], &code[..4]]).collect();
    assert_eq!(described, used);
    for (code, rest) in &rows {
        assert!(ncm.iter().any(|(ncm, _)| ncm.starts_with(code)), "no code begins with {code}");
        let (text, synonyms) = rest.split_once(';').unwrap();
        assert!(code.len() <= 4 || text.is_empty(), "{code}: only the nomenclature gives texts below a heading");
        assert!(text.split(' ').count() <= 15 && text.trim() == text, "{code}: {text:?}");
        assert!(
            synonyms.is_empty() || synonyms.split(", ").all(|word| !word.is_empty() && word.trim() == word),
            "{code}"
        );
    }
    let other = Tabela::Ncm.table().get("3004.90.99").unwrap();
    assert_eq!((other.texto, other.dentro_de.len()), ("Outros", 4));
    assert!(other.dentro_de[1].starts_with("Medicamentos (exceto os produtos das posições"), "{other:?}");
}

#[test]
fn the_words_of_a_table_are_of_codes_that_it_has() {
    for tabela in [Tabela::Servico, Tabela::Classificacao] {
        let table = tabela.table();
        for (code, rest) in rows(&format!("{tabela}_palavras")) {
            assert!(table.has(code) && rest.starts_with(';'), "{tabela} {code}");
        }
    }
}

/// The names of a list whose right code is not among the first five.
fn missed(list: &'static str) -> Vec<&'static str> {
    let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 60);
    let is_missed = |line: &&str| {
        let [table, name, codes] = line.split(';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let found = Tabela::from_word(table).unwrap().table().search(name, 5).codigos;
        !found.iter().any(|found| codes.split(',').any(|code| found.codigo.starts_with(code)))
    };
    lines.into_iter().filter(is_missed).collect()
}

/// Sixty names of goods and services as firms write them, each with the codes that are right for it.
#[test]
fn names_of_goods_and_services_have_their_code_among_the_first_five() {
    let missed = missed(include_str!("names.csv"));
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Sixty other names, for which nothing was changed after they were written: how well the search does on what nobody
/// foresaw.
#[test]
fn names_that_nobody_foresaw_have_their_code_among_the_first_five_as_often_as_when_they_were_written() {
    let missed = missed(include_str!("names_unforeseen.csv"));
    assert!(missed.len() <= 8, "{missed:#?}");
}

#[test]
fn a_cest_without_a_text_is_known_by_its_segment() {
    let absent = Tabela::Cest.table().headings_of("01.998.00").unwrap();
    assert_eq!((absent.codigo.as_str(), absent.texto, &absent.dentro_de[..]), ("0199800", "", &["Autopeças"][..]));
}

/// The copies of the table had lost the zeros at the ends of some codes: 0403 was 403, and 5910 was 591.
#[test]
fn the_national_list_has_every_cest_with_codes_of_the_nomenclature() {
    let (_, text) = FILES.iter().find(|(path, _)| *path == "tabelas/cest_ncm.csv").unwrap();
    let list = read_cest_ncm(text).unwrap_or_else(|fault| panic!("{fault}"));
    let texts: Vec<&str> = rows("cest").into_iter().map(|(code, _)| code).filter(|code| code.len() == 7).collect();
    assert_eq!(list.iter().map(|item| item.cest.as_str()).collect::<Vec<_>>(), texts);
    let ncm: Vec<&str> = rows("ncm").into_iter().map(|(code, _)| code).collect();
    for item in list.iter().filter(|item| !item.saiu) {
        for prefix in &item.ncm {
            assert!(
                ncm.iter().any(|code| code.starts_with(prefix.as_str())),
                "{}: no NCM begins with {prefix}",
                item.cest
            );
        }
    }
    assert_eq!(list.iter().filter(|item| item.saiu).count(), 26);
    let left = Tabela::Cest.table().get("01.110.00").unwrap();
    assert!(left.nota.is_some_and(|nota| nota.contains("já não está na tabela")), "{left:?}");
    assert_eq!(Tabela::Cest.table().get("01.111.00").unwrap().nota, None);
    assert_eq!(cest_ncm().len(), list.len());
    for line in ["0100100;3917", "0100100;39-7;", "0100100;3917;fora", "100100;3917;", "0100100;;\n0100100;;"] {
        assert!(read_cest_ncm(line).is_err(), "{line}");
    }
}

fn text_of(name: &str) -> &'static str {
    FILES.iter().find(|(path, _)| *path == format!("tabelas/{name}.csv")).unwrap().1
}

#[test]
fn the_tables_of_the_nature_of_revenue_and_of_the_selective_tax_are_read_to_their_last_line() {
    let naturezas = read_naturezas(text_of("natureza_receita")).unwrap();
    let codes: BTreeSet<_> = naturezas.iter().map(|one| (one.tabela, one.codigo)).collect();
    assert_eq!(codes.len(), naturezas.len(), "a code is twice in its table");
    assert!(naturezas.iter().all(|one| one.vigente_ate.is_none_or(|ate| one.vigente_de < ate)));
    assert_eq!(read_seletivo(text_of("imposto_seletivo")).unwrap().len(), 24);
    for (at, line) in ["4.3.10;1;;;2018-01-01;;Curto", "4.3.10;101;2710125;;2018;;Dia", "4.3.10;101;2;;2018-01-01;;NCM"]
        .into_iter()
        .enumerate()
    {
        assert!(read_naturezas(line).is_err(), "{at}: {line}");
    }
    assert!(read_seletivo("2203;;2027-01-01;bebidas;certo;LC 214/2025;").is_err());
}

/// The table of the natures of CFOP: every line is whole, and the codes are in their order.
#[test]
fn every_cfop_has_its_nature() {
    let (_, text) = FILES.iter().find(|(path, _)| *path == "tabelas/cfop.csv").unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let codes: Vec<&str> = lines.iter().map(|line| read_natureza(line).expect("a whole line").0).collect();
    assert!(codes.is_sorted() && codes.len() >= 600, "{}", codes.len());
    let [resale, make, transfer, back] = ["5405", "6101", "5152", "5202"].map(|cfop| natureza(cfop).unwrap());
    assert!(resale.is_resale() && !resale.is_own_make() && make.is_own_make() && !make.is_transfer());
    assert!(transfer.is_transfer() && !transfer.is_own_make() && back.is_return());
    assert_eq!(natureza("5999"), None);
    assert_eq!(read_natureza("5102;venda;revenda;comprada;;;"), None);
}

#[test]
fn every_tariff_exception_has_a_text_and_is_found_by_its_code_and_number() {
    let (_, text) = FILES.iter().find(|(path, _)| *path == "tabelas/ex_tipi.csv").unwrap();
    let all = read_exs(text).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(all.len() > 500, "{}", all.len());
    assert!(all.windows(2).all(|pair| (pair[0].ncm, pair[0].ex) < (pair[1].ncm, pair[1].ex)), "not in order");
    for one in &all {
        assert_eq!(texto_do_ex(&one.ncm, one.ex), Some(one.texto));
        let of_code: Vec<_> = all.iter().filter(|other| other.ncm == one.ncm).copied().collect();
        assert_eq!(exs_of(&one.ncm), of_code);
    }
    for absent in ["00000000", "01012100", "99999999"] {
        assert!(exs_of(&Ncm::parse(absent).unwrap()).is_empty(), "{absent}");
    }
    for faulty in ["22030000;1;Chope", "2203;01;Chope", "22030000;01;", "22030000;01"] {
        assert!(read_exs(faulty).is_err(), "{faulty}");
    }
    let beer = Tabela::Ncm.table().get("2203.00.00").unwrap();
    let shown: Vec<String> = beer.ex.iter().map(|one| format!("{} {}", one.ex, one.texto)).collect();
    assert_eq!(shown, ["01 Chope"]);
    assert!(Tabela::Servico.table().get("1.07").unwrap().ex.is_empty());
}
