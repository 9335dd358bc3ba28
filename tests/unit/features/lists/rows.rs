//! Lists as programs of accounting export them: their headers, codes, totals, and rows with several faults.

use serde_json::{Value, json};
use taxd::features::lists::{Asked, List, ResultColumn, RowReply};
use taxd_base::sentence::Reader;
use taxd_base::value::{Municipio, Uf};
use taxd_law::tax::{Entry, find};
use taxd_sheet::{Cell, Row};

use super::{header, payload, row, text};

fn texts(cells: &[&str]) -> Row<'static> {
    row(cells.iter().map(|cell| text(cell)).collect())
}

fn list(names: &[&str], entry: Option<&'static Entry>) -> List {
    List::of_header(&header(names), entry).unwrap_or_else(|why| panic!("{why}"))
}

/// The sentence in the column of the error.
fn told(list: &List, row: &Row) -> String {
    let faults = list.payload(row).expect_err("a fault");
    Asked::Tax.cells(row, &RowReply::Unread(&faults), Reader::Program).last().unwrap().text().unwrap().into_owned()
}

/// The columns that are proposed, in a list that lacks some.
fn proposed(names: &[&str], entry: Option<&'static Entry>, asked: Asked) -> Vec<(String, &'static str)> {
    let list = List::draft(&header(names), asked, entry).unwrap();
    list.proposals().into_iter().map(|(_, name, field)| (name.to_owned(), field)).collect()
}

/// A file for people has labels as heads; `Valor calculado` alone may be a column of the list itself.
#[test]
fn the_heads_of_results_for_people_differ_and_are_left_out_of_the_next_list() {
    for asked in [Asked::Tax, Asked::Operation] {
        let heads: Vec<String> = asked.columns().iter().map(ResultColumn::head).collect();
        for (i, head) in heads.iter().enumerate() {
            assert!(!head.contains('_') && !heads[..i].contains(head), "{head}");
        }
        let own = ["Nota", "Valor calculado", "outro (taxd)"].map(str::to_owned);
        let names: Vec<String> = own.iter().cloned().chain(heads).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let list = List::draft(&header(&names), asked, find("icms").filter(|_| asked == Asked::Tax)).unwrap();
        assert_eq!(list.kept_columns().map(|(name, _)| name).collect::<Vec<_>>(), own);
    }
}

/// A label of one tax was no field of another: the NCM of a row of CBS, under the label of the ICMS, was left out in silence,
/// and the row was calculated without it.
#[test]
fn the_labels_of_a_mixed_list_are_the_fields_of_every_tax_of_its_rows() {
    let names = [
        "Tributo",
        "NCM do produto",
        "UF de origem",
        "UF de destino",
        "Valor da operação",
        "Data da operação",
        "UF do município",
        "Município onde o imposto é devido",
        "Subitem da lista de serviços",
        "Preço do serviço",
        "Data da prestação",
        "ICMS da operação",
    ];
    let list = list(&names, None);
    let goods = ["", "", "", "", ""];
    let icms = [&["ICMS", "2203.00.00", "SP", "MG", "1.000,00", "10/03/26"][..], &goods, &[""]].concat();
    assert_eq!(
        payload(&list, &texts(&icms)),
        json!({"tributo": "icms", "ncm": "22030000", "uf_origem": "SP", "uf_destino": "MG",
            "valor_produto": "1000.00", "data_operacao": "2026-03-10"})
    );
    let service = ["SP", "São Paulo", "1.07", "500,00", "11/03/2026"];
    let iss = [&["iss", "", "", "", "", ""][..], &service, &[""]].concat();
    assert_eq!(
        payload(&list, &texts(&iss)),
        json!({"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "1.07",
            "preco_servico": "500.00", "data": "2026-03-11"})
    );
    let cbs = [&["CBS", "22030000", "SP", "MG", "1.000,00", "10/03/2026"][..], &goods, &["180,00"]].concat();
    assert_eq!(
        payload(&list, &texts(&cbs)),
        json!({"tributo": "cbs", "ncm": "22030000", "valor_operacao": "1000.00", "valor_icms": "180.00",
            "data_operacao": "2026-03-10"})
    );
}

/// A row of 2027 was answered by the law of 2027, and still is: the list asks for it, unless the row says itself whether.
#[test]
fn a_row_asks_for_the_law_of_its_day_unless_it_says_itself_whether() {
    let asks = |tributo: &str, names: &[&str], cells: &[&str]| {
        // A list that lacks columns is a draft; its rows are read all the same.
        let list = List::draft(&header(names), Asked::Tax, find(tributo)).unwrap();
        payload(&list, &texts(cells)).get("transicao").cloned()
    };
    for tributo in ["cbs", "ibs"] {
        let plain = |day: &str| asks(tributo, &["Valor da operação", "Data da operação"], &["10,00", day]);
        assert_eq!([plain("31/12/2025"), plain("31/12/2026")], [None, None]);
        assert_eq!([plain("01/01/2027"), plain("2033-01-01")], [Some(json!(true)), Some(json!(true))]);
        for name in ["Lei da transição", "transicao"] {
            let own = |day: &str, said: &str| asks(tributo, &["Data da operação", name], &[day, said]);
            assert_eq!(own("01/01/2027", "não"), Some(json!(false)));
            assert_eq!(own("01/01/2027", ""), Some(json!(true)), "an empty cell says nothing");
            assert_eq!(own("31/12/2026", "sim"), Some(json!(true)));
        }
    }
    let mixed = List::draft(&header(&["Tributo", "Data da operação"]), Asked::Tax, None).unwrap();
    let asks = |tributo: &str| payload(&mixed, &texts(&[tributo, "01/01/2027"])).get("transicao").cloned();
    assert_eq!([asks("IBS"), asks("icms")], [Some(json!(true)), None]);
}

/// "Valor da operação" is the amount of the ICMS, and "Valor do produto" that of the IPI: a row takes the label of its own tax.
#[test]
fn a_row_prefers_the_label_of_its_own_tax() {
    let list = list(&["tributo", "NCM do produto", "Valor do produto", "Valor da operação", "Data da saída"], None);
    let amount = |tributo: &str, cells: [&str; 2]| {
        let row = texts(&[tributo, "22030000", cells[0], cells[1], "10/03/2026"]);
        payload(&list, &row)["valor_produto"].clone()
    };
    assert_eq!(amount("ipi", ["10,00", "20,00"]), "10.00");
    assert_eq!(amount("icms", ["10,00", "20,00"]), "20.00");
    assert_eq!(amount("icms", ["10,00", ""]), "10.00");
    // In a list of one tax the label of another is only proposed.
    let of_icms = ["UF de origem", "UF de destino", "Valor do produto", "Data da operação"];
    assert!(List::of_header(&header(&of_icms), find("icms")).is_err());
    let one = ("Valor do produto".to_owned(), "valor_produto");
    assert_eq!(proposed(&of_icms, find("icms"), Asked::Tax), [one]);
}

/// "Valor", "Data" and "UF" of an exported list were no field, and the user had to find each by hand.
#[test]
fn the_usual_names_of_an_export_are_proposed_each_field_once() {
    let names =
        ["Nota", "Produto", "Cód. NCM", "UF Emit.", "UF", "Valor Unitário", "Vlr. Total (R$)", "Dt. Emissão", "Data"];
    let wanted = [
        ("Cód. NCM", "ncm"),
        ("UF Emit.", "uf_origem"),
        ("UF", "uf_destino"),
        ("Vlr. Total (R$)", "valor_produto"),
        ("Dt. Emissão", "data_operacao"),
    ];
    let wanted = wanted.map(|(name, field)| (name.to_owned(), field));
    assert_eq!(proposed(&names, find("icms"), Asked::Tax), wanted);
    let names = ["Cidade", "Valor", "Emissão", "Código do serviço", "UF"];
    let wanted = [
        ("Cidade", "municipio"),
        ("Valor", "preco_servico"),
        ("Emissão", "data"),
        ("Código do serviço", "item_lista_servico"),
    ];
    assert_eq!(proposed(&names, find("iss"), Asked::Tax), wanted.map(|(name, field)| (name.to_owned(), field)));
    let names = ["NCM/SH", "Valor", "Data", "UF Cliente"];
    let wanted =
        [("NCM/SH", "ncm"), ("Valor", "valor_produto"), ("Data", "data_operacao"), ("UF Cliente", "uf_destino")];
    assert_eq!(proposed(&names, None, Asked::Operation), wanted.map(|(name, field)| (name.to_owned(), field)));
}

/// An NCM in a cell of a number got a zero at its left in silence, and one in a CSV was refused without a word on it.
#[test]
fn a_code_that_may_have_lost_its_first_zero_says_so_and_is_never_completed() {
    let ipi = list(&["ncm", "valor_produto", "data_operacao"], find("ipi"));
    let with = |ncm: Cell<'static>| row(vec![ncm, text("1"), text("2026-05-01")]);
    for cell in [Cell::Number(3_049_900.into()), text("3049900")] {
        let told = told(&ipi, &with(cell));
        for wanted in
            ["`ncm` (coluna A): 3049900 tem 7 de 8 dígitos", "zero da esquerda", "coluna como texto", "03049900"]
        {
            assert!(told.contains(wanted), "{told}");
        }
    }
    let read = |cell: Cell<'static>| payload(&ipi, &with(cell))["ncm"].clone();
    assert_eq!(read(text("0304.99.00")), "03049900");
    assert_eq!(read(Cell::Number(22_030_000.into())), "22030000");
    // A heading of the NCM lacks more than a zero: the tax refuses it in its own words.
    assert_eq!([read(Cell::Number(847_130.into())), read(text("8471.30"))], ["847130", "847130"]);
    let cbs = List::draft(&header(&["classificacao_tributaria"]), Asked::Tax, find("cbs")).unwrap();
    let cbs = cbs.payload(&row(vec![Cell::Number(1.into())]));
    assert!(cbs.unwrap_err()[0].detail.contains("000001"));
}

/// The cells that could not be read came first, and the other faults of the row after they were corrected.
#[test]
fn all_faults_of_a_row_are_said_at_once() {
    let names = ["uf_origem", "uf_destino", "valor_produto", "data_operacao", "ncm"];
    let icms = list(&names, find("icms"));
    let told_of = told(&icms, &texts(&["XX", "", "mil", "2026-13-01", "22"]));
    for wanted in [
        "`uf_origem` (coluna A): ",
        "`uf_destino`: Falta informar",
        "`valor_produto` (coluna C): \"mil\" não é um número; escreva o valor como 1.234,56.",
        "`data_operacao` (coluna D): \"2026-13-01\" não é uma data; escreva a data como 20/11/2026.",
        "`ncm` (coluna E): ",
    ] {
        assert!(told_of.contains(wanted), "{wanted} in {told_of}");
    }
    let dateless = told(&icms, &texts(&["SP", "SP", "mil", "", ""]));
    assert!(dateless.contains("informar uma data como 20/11/2026") && !dateless.contains("AAAA"), "{dateless}");
    // A good cell is not at fault, and a stand-in proves nothing.
    let told_of = told(&icms, &texts(&["SP", "SP", "mil", "10/03/2026", ""]));
    assert!(told_of.matches('`').count() == 2, "{told_of}");
    let operations = List::of_operations(&header(&["data_operacao", "valor_produto", "desconto"])).unwrap();
    let told_of = told(&operations, &texts(&["10/03/2026", "mil", "500,00"]));
    assert!(told_of.contains("`uf_origem`: ") && told_of.contains("`uf_destino`: "), "{told_of}");
    assert!(!told_of.contains("`desconto`"), "{told_of}");
}

/// The total at the end of an exported list was refused as a product that lacks its NCM.
#[test]
fn a_row_of_totals_is_distinguished_from_an_item() {
    let ipi = list(&["Produto", "ncm", "valor_produto", "data_operacao"], find("ipi"));
    for written in ["TOTAL", "Total geral:", "Subtotal", "Soma"] {
        let told = told(&ipi, &texts(&[written, "", "1.234,56", ""]));
        assert!(
            told.starts_with("A linha parece um total da lista") && told.contains("`ncm`, `data_operacao`"),
            "{told}"
        );
    }
    let item = payload(&ipi, &texts(&["Total Flex 5W30", "27101932", "10,00", "10/03/2026"]));
    assert_eq!(item["ncm"], Value::from("27101932"));
    let mixed = list(&["tributo", "Produto", "valor_produto"], None);
    for cells in [["", "Total", "1,00"], ["Total", "", "1,00"]] {
        assert!(told(&mixed, &texts(&cells)).starts_with("A linha parece um total da lista (\"Total\")"));
    }
    let untold = ipi.payload(&texts(&["Cerveja", "", "1.234,56", ""]));
    assert!(untold.is_ok(), "the tax says what an item lacks");
}

/// A list of services once needed the State beside each city.
#[test]
fn a_city_says_its_state_unless_several_states_have_its_name() {
    let names = ["municipio", "item_lista_servico", "preco_servico", "data"];
    let list = list(&names, find("iss"));
    let of = |city: &str| texts(&[city, "1.07", "500,00", "11/03/2026"]);
    let uf_of = |city: &str| payload(&list, &of(city))["uf"].clone();
    for city in Uf::ALL.iter().flat_map(|uf| Municipio::of_uf(*uf)) {
        let uf = json!(city.uf());
        assert_eq!(uf_of(&city.ibge_code().to_string()), uf, "{city:?}");
        for written in [format!("{}/{}", city.name(), city.uf()), format!("{} - {}", city.name(), city.uf())] {
            assert_eq!(payload(&list, &of(&written))["municipio"], city.name(), "{written}");
            assert_eq!(uf_of(&written), uf, "{written}");
        }
        match Municipio::of_any_uf(city.name()).len() {
            1 => assert_eq!(uf_of(city.name()), uf, "{city:?}"),
            _ => assert!(told(&list, &of(city.name())).contains(city.uf().as_str()), "{city:?}"),
        }
    }
    assert!(told(&list, &of("Sao Paolo")).contains("É São Paulo/SP?"), "{}", told(&list, &of("Sao Paolo")));
    assert!(told(&list, &of("9999999")).contains("nenhum município"), "{}", told(&list, &of("9999999")));
    // A row that adds up others is none for want of a State.
    assert_eq!(uf_of("Curitiba"), "PR");
    let both =
        List::of_header(&header(&["uf", "municipio", "item_lista_servico", "preco_servico", "data"]), find("iss"));
    let row = texts(&["RJ", "Campinas", "1.07", "500,00", "11/03/2026"]);
    assert_eq!(payload(&both.unwrap(), &row)["uf"], "RJ", "the State that is there is not replaced");
}
