//! Cells and headers as firms write them.

use serde_json::{Value, json};
use taxd::features::lists::{Asked, List};
use taxd_base::document::Shape;
use taxd_law::tax::{Entry, REGISTRY, find};
use taxd_sheet::{Cell, DecimalMark, Row};

use super::{example, header, row, text, written};

/// The example of a tax as a row, with another cell in the place of that of a field.
fn with_cell(entry: &'static Entry, campo: &str, cell: Cell<'static>) -> Result<Value, String> {
    let mut members = example(entry);
    members.retain(|(name, _)| name != campo);
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).chain([campo]).collect();
    let list = List::of_header(&header(&names), Some(entry)).unwrap();
    let cells = members.iter().map(|(_, value)| written(value)).chain([cell]).collect();
    let payload = list.payload(&row(cells)).map_err(|faults| faults[0].detail.clone())?;
    Ok(serde_json::to_value(&payload).unwrap()[campo].clone())
}

/// "7.10 Limpeza" was refused in seven of eight rows. Codes of every kind, in every tax that takes one.
#[test]
fn a_code_with_its_text_is_read_and_two_codes_are_not() {
    let mut seen = 0;
    for entry in REGISTRY {
        for field in entry.payload {
            let Shape::Code { example, .. } = field.shape else { continue };
            if field.name == "municipio" {
                continue;
            }
            seen += 1;
            // Any number of up to three digits may be another Ex.
            let number = if field.name == "ex" { "" } else { " 5 L" };
            let with_number = format!(" - Limpeza{number}");
            for and_text in [" Limpeza", &with_number, "-Limpeza", ": limpeza (ver nota)", "\tLimpeza"] {
                let read = with_cell(entry, field.name, text(&format!("{example}{and_text}")));
                assert_eq!(read, Ok(json!(example)), "{} {} {and_text}", entry.sigla, field.name);
            }
            let two = format!("{example} ou {example}");
            let read = with_cell(entry, field.name, text(&two)).unwrap();
            assert_ne!(read, json!(example), "{} {}: two codes were taken for one", entry.sigla, field.name);
        }
    }
    assert!(seen > 15, "{seen}");
    let ncm = |written: &str| with_cell(find("ipi").unwrap(), "ncm", text(written));
    for written in ["8708.30.90 Pastilhas", "8708 30 90 - Pastilhas 12 mm", "87083090/Pastilhas"] {
        assert_eq!(ncm(written), Ok(json!("87083090")), "{written}");
    }
    // A zero that a spreadsheet dropped is asked for, and words without a code stay words.
    assert!(ncm("3049900 Filé").unwrap_err().contains("03049900"));
    assert_ne!(ncm("Pastilhas 87083090"), Ok(json!("87083090")));
    let item = |written: &str| with_cell(find("iss").unwrap(), "item_lista_servico", text(written));
    assert_eq!(item("07.10 - Limpeza, manutenção"), Ok(json!("07.10")));
    assert_eq!(item("7.1 Limpeza"), Ok(json!("7.1 Limpeza")), "7.01 or 7.10 is not guessed");
}

/// "ônibus" was refused for "Ônibus e micro-ônibus". The options of every tax: each is named by its word, its label and any
/// beginning that no other option has.
#[test]
fn an_option_is_named_by_a_part_that_no_other_has() {
    let mut parts = 0;
    for entry in REGISTRY {
        for field in entry.payload {
            let Shape::OneOf(words) = field.shape else { continue };
            for (word, label) in words.labelled() {
                let read = |name: &str| with_cell(entry, field.name, text(name));
                assert_eq!(read(&label.to_uppercase()), Ok(json!(word)), "{label}");
                let first = label.split([' ', ',', '(']).next().unwrap();
                let mut others = words.labelled().filter(|(other, _)| *other != word);
                let is_shared = others.any(|(_, other)| other.to_lowercase().contains(&first.to_lowercase()));
                if first.chars().count() >= 4 && !is_shared {
                    parts += 1;
                    assert_eq!(read(&first.to_lowercase()), Ok(json!(word)), "{label}");
                }
            }
        }
    }
    assert!(parts > 20, "{parts}");
    let category = |written: &str| with_cell(find("ipva").unwrap(), "categoria_veiculo", text(written)).unwrap();
    for written in ["ônibus", "Micro-ônibus", "ONIBUS", "micro ônibus"] {
        assert_eq!(category(written), "onibus_micro_onibus", "{written}");
    }
    // Two fit, or too little is said: the tax refuses the text and lists its options.
    for written in ["caminh", "mot", "carro", "o"] {
        assert_eq!(category(written), written);
    }
    let regime = |written: &str| with_cell(find("pis").unwrap(), "regime_apuracao", text(written)).unwrap();
    assert_eq!(
        [regime("Cumulativo"), regime("não-cumulativo"), regime("não")],
        ["cumulativo", "nao_cumulativo", "não"]
    );
}

/// "Ano 2026" was no day: IPVA falls due by the year, and so does IPTU. No other tax reads a year as a day.
#[test]
fn a_year_is_read_where_a_year_is_enough() {
    let years =
        [text("2026"), text("Ano 2026"), text("ano de 2026"), text("Exercício 2026"), Cell::Number(2026.into())];
    for entry in REGISTRY {
        let dates = entry.payload.iter().filter(|field| field.shape == Shape::Date || field.name == "exercicio");
        for field in dates {
            for year in &years {
                let read = with_cell(entry, field.name, year.clone());
                match (entry.tributo.as_str(), field.name) {
                    ("ipva", "data_fato_gerador") => assert_eq!(read, Ok(json!("2026-01-01")), "{year:?}"),
                    ("iptu", "exercicio") => assert_eq!(read, Ok(json!(2026)), "{year:?}"),
                    _ => assert!(read.is_err(), "{} {}: {year:?}", entry.sigla, field.name),
                }
            }
        }
    }
    let list = List::of_header(&header(&["uf", "categoria_veiculo", "valor_venal", "data_fato_gerador"]), find("ipva"))
        .unwrap();
    let cells = row(vec![text("SP"), text("táxi"), text("1"), text("Ano 2026")]);
    assert_eq!(list.kept_cells(&cells, true).last().unwrap().text().unwrap(), "2026-01-01");
}

/// The columns that are fields, by their names.
fn matched(names: &[&str], entry: Option<&'static Entry>, asked: Asked) -> Vec<(usize, &'static str)> {
    let list = List::draft(&header(names), asked, entry).unwrap();
    list.kept_fields().filter_map(|(column, field)| Some((column, field?.name))).collect()
}

/// "Serviço" and "Categoria" matched no field, and the list was refused.
#[test]
fn a_usual_name_is_the_field_in_every_tax_that_has_it() {
    for (name, campo) in [("Serviço", "item_lista_servico"), ("CATEGORIA", "categoria_veiculo")] {
        let with_field = REGISTRY.iter().filter(|entry| entry.payload.iter().any(|field| field.name == campo));
        let mut seen = 0;
        for entry in with_field {
            seen += 1;
            assert_eq!(matched(&["Nota", name], Some(entry), Asked::Tax), [(1, campo)], "{}", entry.sigla);
            // Another column that is the field, or may be it, is not overruled.
            assert_eq!(matched(&[name, campo], Some(entry), Asked::Tax), [(1, campo)], "{}", entry.sigla);
            assert_eq!(matched(&[name, name], Some(entry), Asked::Tax), [], "{}", entry.sigla);
        }
        assert!(seen > 0, "{name}");
    }
    assert_eq!(matched(&["Serviço", "Código do serviço"], find("iss"), Asked::Tax), []);
    assert_eq!(matched(&["Serviço"], None, Asked::Operation), [(0, "item_lista_servico")]);
    assert_eq!(matched(&["Categoria", "Serviço"], find("ipi"), Asked::Tax), []);
    let mixed = List::of_header(&header(&["Tributo", "Serviço", "Categoria"]), None).unwrap();
    let told = mixed.by_usual_name();
    let told: Vec<_> = told.iter().map(|(column, _, campo)| (column.as_str(), *campo)).collect();
    assert_eq!(told, [("B", "item_lista_servico"), ("C", "categoria_veiculo")]);
    // A year may be that of the vehicle: it is only proposed.
    // A fleet of 2022 to 2024 was charged by the law of three years: the year of a vehicle is not that of the tax.
    let fleet = List::draft(&header(&["Placa", "Ano", "Exercício"]), Asked::Tax, find("ipva")).unwrap();
    assert_eq!(fleet.proposals(), [(2, "Exercício", "data_fato_gerador")]);
}

/// "Consultoria em TI" under "Serviço" was read as the subitem in a list of CBS, IBS or operations, and every row refused.
#[test]
fn a_column_of_descriptions_is_not_a_code_and_is_asked_about() {
    const CAMPO: &str = "item_lista_servico";
    let is_optional = |entry: &&Entry| entry.payload.iter().any(|field| field.name == CAMPO && !field.required);
    let kinds: Vec<(Option<&'static Entry>, Asked)> = REGISTRY
        .iter()
        .filter(is_optional)
        .map(|entry| (Some(entry), Asked::Tax))
        .chain([(None, Asked::Operation)])
        .collect();
    assert!(kinds.len() > 2, "{}", kinds.len());
    let seen = |(entry, asked): (Option<&'static Entry>, Asked), cells: &[&str]| {
        let list = List::draft(&header(&["Nota", "Serviço"]), asked, entry).unwrap();
        let mut evidence = list.evidence();
        for cell in cells {
            evidence.see(&row(vec![text("7"), text(cell)]));
        }
        list.seen(&evidence, DecimalMark::Usual)
    };
    let field = |list: &List| list.kept_fields().find_map(|(column, field)| (column == 1).then_some(field?.name));
    for kind in kinds {
        let described = seen(kind, &["Consultoria em TI", "", "Auditoria ISO 9001"]);
        assert_eq!(field(&described), None);
        assert_eq!(described.proposals(), [(1, "Serviço", CAMPO)]);
        // A description among codes is a row to correct.
        for codes in [&["1.07", "17.01 Consultoria"][..], &["", "Consultoria em TI", "1.07"], &["", ""]] {
            assert_eq!(field(&seen(kind, codes)), Some(CAMPO), "{codes:?}");
        }
    }
    // ISS needs the subitem: each row says that it has none.
    assert_eq!(field(&seen((find("iss"), Asked::Tax), &["Consultoria em TI"])), Some(CAMPO));
    let own = List::draft(&header(&["Nota", CAMPO]), Asked::Tax, find("cbs")).unwrap();
    let mut evidence = own.evidence();
    evidence.see(&row(vec![text("7"), text("Consultoria em TI")]));
    assert_eq!(field(&own.seen(&evidence, DecimalMark::Usual)), Some(CAMPO), "the name of the field is not doubted");
}

/// A financed part without a word on the SFH was answered in a list with the whole rate, which is rarely what it owes.
#[test]
fn a_row_with_a_financed_part_must_say_whether_it_is_by_the_sfh() {
    for (entry, asked) in REGISTRY.iter().flat_map(|entry| entry.asked.iter().map(move |asked| (entry, asked))) {
        let list = |names: &[&str]| List::of_header(&header(names), Some(entry)).unwrap();
        let members: Vec<_> =
            example(entry).into_iter().filter(|(name, _)| name != asked.campo && name != asked.com).collect();
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).chain([asked.com]).collect();
        let cells = |more: &[&str]| -> Row<'static> {
            row(members.iter().map(|(_, value)| written(value)).chain(more.iter().map(|cell| text(cell))).collect())
        };
        let faults = list(&names).payload(&cells(&["300000,00"])).unwrap_err();
        assert_eq!((faults.len(), faults[0].campo, faults[0].column), (1, Some(asked.campo), None));
        assert_eq!(faults[0].detail, asked.detail);
        for nothing in ["", "0,00"] {
            assert!(list(&names).payload(&cells(&[nothing])).is_ok(), "{nothing}");
        }
        let names: Vec<&str> = names.into_iter().chain([asked.campo]).collect();
        for said in ["sim", "não"] {
            assert!(list(&names).payload(&cells(&["300000,00", said])).is_ok(), "{said}");
        }
        assert_eq!(list(&names).payload(&cells(&["300000,00", ""])).unwrap_err()[0].campo, Some(asked.campo));
        // A cell that cannot be read is one fault, not two.
        assert_eq!(list(&names).payload(&cells(&["300000,00", "talvez"])).unwrap_err().len(), 1);
    }
    assert_eq!(REGISTRY.iter().filter(|entry| !entry.asked.is_empty()).map(|e| e.sigla).collect::<Vec<_>>(), ["ITBI"]);
}
