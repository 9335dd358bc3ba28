//! The part Lista: rows of a spreadsheet, calculated together.

use std::io::Cursor;
use std::ops::ControlFlow;

use data_encoding::BASE64;
use serde_json::json;
use taxd::sheet::{self, Cell};

use super::effort::Task;
use super::page::Page;
use super::paper::printed;
use super::support::{DataDir, Server};

/// Pastes rows as Excel puts them on the clipboard, and waits for their columns.
#[track_caller]
pub fn paste(page: &Page, tributo: &str, rows: &str) {
    page.go("#lista", "#lista-colar");
    page.choose("#lista-tributo", tributo);
    page.run("document.getElementById('lista-colar').value = arguments[0]", &[json!(rows)]);
    page.click("#lista-ler");
    page.wait_for("document.querySelector('#lista-colunas h3')");
}

/// Calculates, and waits for the end.
#[track_caller]
pub fn calculate(page: &Page) {
    page.click("#lista-calcular");
    page.wait_for("document.querySelector('#lista-resultado h3')?.innerText.includes('calculadas')");
}

fn count(page: &Page, css: &str) -> String {
    page.text(&format!("document.querySelectorAll({}).length", json!(css)))
}

/// The bytes that a button saves. The page makes them into an address of its own, which is read back.
#[track_caller]
pub fn saved(page: &Page, label: &str) -> Vec<u8> {
    let script = "
        const [label, done] = arguments;
        const made = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          URL.createObjectURL = made;
          const reader = new FileReader();
          reader.onload = () => done(reader.result.split(',')[1]);
          reader.readAsDataURL(blob);
          return made(blob);
        };
        [...document.querySelectorAll('.parte:not([hidden]) button')].find((one) => one.innerText === label).click();";
    let encoded = page.run_later_with(script, &[json!(label)]);
    BASE64.decode(encoded.as_str().unwrap().as_bytes()).unwrap()
}

fn rows_of(file: &[u8]) -> Vec<Vec<Cell<'static>>> {
    let mut rows = Vec::new();
    let mut take = |row: sheet::Row<'_>| {
        rows.push(row.into_owned().cells);
        ControlFlow::Continue(())
    };
    sheet::read(Cursor::new(file), None, &mut take).unwrap();
    rows
}

/// Thirty products, two of them with an amount that cannot be read.
fn products() -> String {
    let amount = |i: usize| match i {
        4 => "mil reais".to_owned(),
        17 => "-".to_owned(),
        _ => format!("{i}.000,50"),
    };
    let row = |i: usize| format!("{i}\tCafé & Cia {i}\tSP\tSP\t{}\t10/03/2026\n", amount(i));
    format!(
        "Nota\tCliente\tUF de origem\tUF de destino\tvalor_produto\tData da operação\n{}",
        (1..=30).map(row).collect::<String>()
    )
}

/// The files of the result have it, and are lists again.
fn assert_saved(page: &Page, server: &Server) {
    let rows = rows_of(&saved(page, "Baixar XLSX"));
    // The head, the rows, and their sums.
    assert_eq!((rows.len(), &rows[31][0]), (32, &Cell::Text("Total (taxd)".to_owned().into())));
    let column = |name: &str| rows[0].iter().position(|cell| *cell == Cell::Text(name.to_owned().into())).unwrap();
    let number = |text: &str| Cell::Number(text.parse().unwrap());
    assert_eq!(rows[1][column("Valor calculado (taxd)")], number("180.09"));
    assert_eq!(rows[1][column("valor_produto")], number("1000.50"));
    assert!(matches!(rows[1][column("Data da operação")], Cell::Date(_)));
    assert!(
        matches!(&rows[4][column("Erro (taxd)")], Cell::Text(why) if why.contains("mil reais") && why.contains("“Valor da operação”"))
    );
    let csv = String::from_utf8(saved(page, "Baixar CSV")).unwrap();
    assert!(
        csv.starts_with("\u{feff}Nota;Cliente;") && csv.contains("1;Café & Cia 1;SP;SP;1000,50;10/03/2026;2;180,09;"),
        "{csv}"
    );
    // The file is a list again, without what was added to it.
    let again = server.post("/sandbox/v1/lista?tributo=icms&so_colunas=true", &csv);
    let head: serde_json::Value = serde_json::from_str(again.text().lines().next().unwrap()).unwrap();
    let names: Vec<&str> = head["colunas"].as_array().unwrap().iter().map(|c| c["nome"].as_str().unwrap()).collect();
    assert_eq!(names, ["Nota", "Cliente", "UF de origem", "UF de destino", "valor_produto", "Data da operação"]);
    let template = rows_of(&saved(page, "Modelo XLSX"));
    assert!(
        template.len() == 2 && template[0].contains(&Cell::Text("Valor da operação".to_owned().into())),
        "{template:?}"
    );
}

#[test]
fn thirty_products_pasted_from_excel_come_back_and_are_saved_as_a_spreadsheet() {
    let Some((server, page)) = Page::served() else { return };
    page.begin();
    paste(&page, "icms", &products());
    calculate(&page);
    page.done(&Task("24", "30 produtos de uma planilha", 4));
    assert_eq!(page.shown("#lista-resultado h3"), "28 de 30 calculadas, 2 recusadas");
    assert_eq!(page.text("document.activeElement === document.querySelector('#lista-resultado h3')"), "true");
    let first = page.shown(".linhas-da-lista tbody tr");
    assert!(first.contains("180,09") && first.contains("18,00") && first.contains("Café & Cia 1"), "{first}");
    let told = page.shown(".porque");
    assert!(told.contains("“Valor da operação” (coluna E)") && told.contains("mil reais"), "{told}");
    // 28 amounts: 18 % of (465 − 21) × 1.000 + 28 × 0,50, each rounded.
    assert!(
        page.shown("#lista-resultado .resumo").contains("R$\u{a0}79.922,52"),
        "{}",
        page.shown("#lista-resultado .resumo")
    );
    page.click("#lista-recusadas");
    assert_eq!(
        (count(&page, "tr.recusada"), count(&page, ".linhas-da-lista tbody tr")),
        ("2".to_owned(), "2".to_owned())
    );
    page.click("#lista-recusadas");
    assert_eq!(count(&page, ".linhas-da-lista tbody tr"), "30");
    assert!(page.shown(".linhas-da-lista tfoot").contains("79.922,52"), "{}", page.shown(".linhas-da-lista tfoot"));
    // Each cause once, with its rows.
    assert_eq!(count(&page, ".causas li"), "1");
    page.click(".causas li:last-child button");
    assert_eq!(count(&page, ".linhas-da-lista tbody tr"), "2");
    page.click(".so-estas button");
    assert_eq!(count(&page, ".linhas-da-lista tbody tr"), "30");

    assert_saved(&page, &server);

    page.click(".linhas-da-lista tbody tr th a");
    page.wait_for("!document.querySelector('#calcular').hidden");
    assert_eq!(page.payload()["valor_produto"], "1000.50");
    page.run("history.back()", &[]);
    page.wait_for("!document.querySelector('#lista').hidden");
    assert_eq!(page.shown("#lista-resultado h3"), "28 de 30 calculadas, 2 recusadas");
    page.assert_clean("thirty products");
}

/// A mistyped product was once calculated by the general rate, with a notice like many others behind a click.
#[test]
fn a_product_that_the_tipi_of_its_day_lacks_is_seen_in_its_row_in_the_summary_and_in_the_file() {
    let Some((_server, page)) = Page::served() else { return };
    let head = "uf_origem\tuf_destino\tvalor_produto\tdata_operacao\tncm";
    let row = |ncm: &str| format!("SP\tSP\t1000,00\t10/03/2026\t{ncm}");
    paste(&page, "icms", &[head.to_owned(), row("22030000"), row("99999999"), row("96039000")].join("\n"));
    calculate(&page);
    let summary = page.shown("#lista-resultado h3");
    assert_eq!(summary, "3 de 3 calculadas; 1 com NCM que a TIPI do dia não tem; 2 pela alíquota geral");
    let wanted = "Na TIPI de 10/03/2026 o taxd não encontra o NCM 9999.99.99: confira o código do produto.";
    assert_eq!(page.shown(".a-conferir .porque p"), format!("conferir {wanted}"));
    assert_eq!(count(&page, ".porque"), "1");
    // Seventeen columns once ran off the paper.
    if let Some(pages) = printed(&page) {
        let first = &pages[0];
        for part in ["calculado", "Alíquota", "valor_produto", "icms-sp-geral-v1.0", "responde", "9999.99.99"] {
            assert!(first.contains(part), "{part}: {first}");
        }
        assert!(!first.contains("Citação legal") && !first.contains("Avisos"), "{first}");
    }
    page.click("#lista-recusadas");
    assert_eq!(count(&page, ".linhas-da-lista tbody tr"), "1");
    let rows = rows_of(&saved(&page, "Baixar XLSX"));
    let notices = rows[0].iter().position(|cell| *cell == Cell::Text("Avisos (taxd)".to_owned().into())).unwrap();
    let checked: Vec<bool> =
        rows[1..4].iter().map(|row| matches!(&row[notices], Cell::Text(text) if text.starts_with(wanted))).collect();
    assert_eq!(checked, [false, true, false]);

    page.click(".a-conferir th a");
    page.wait_for("!document.querySelector('#calcular').hidden");
    page.calculate();
    assert!(page.shown("#resposta .selos").contains(wanted), "{}", page.shown("#resposta"));
    page.fill("#campo-ncm", "96039000");
    page.calculate();
    assert!(!page.shown("#resposta").contains("não encontra o NCM"));
    page.assert_clean("a product to check");
}

/// Five products were once asked for one CEST, and goods that every CEST leaves out of substitution were refused as others.
#[test]
fn a_row_takes_its_cest_by_a_click_and_says_what_every_cest_says() {
    let Some((_server, page)) = Page::served() else { return };
    let rows = "Produto\tNCM\tPreço\tUF de origem\tUF de destino\tData da operação\nPneu\t40111000\t450,00\tSP\tSP\t10/11/2026\nBiscoito\t19053100\t9,00\tSP\tSP\t10/11/2026\n";
    paste(&page, "icms_st", rows);
    page.wait_for("document.getElementById('lista-faltam').hidden");
    assert_eq!(page.text("document.getElementById('lista-todas-cest')"), "null", "a CEST is of one product");
    calculate(&page);
    let causes = page.shown(".causas");
    assert!(causes.contains("Fora da ST nos CEST conhecidos") && causes.contains("falta CEST"), "{causes}");
    let row = "document.querySelector('.linhas-da-lista tbody tr:last-child')";
    page.run(
        &format!("{row}.querySelector('.escolher').open = true; {row}.querySelector('.escolher button').click()"),
        &[],
    );
    page.wait_for("document.querySelector('#lista-resultado h3').innerText === '1 de 2 calculadas, 1 recusada'");
    let told = page.text(&format!("{row}.innerText"));
    assert!(told.starts_with("3\tcalculado") && told.contains("1705300"), "{told}");
    assert!(!page.shown(".causas").contains("falta CEST"));
    page.assert_clean("a CEST of a row");
}

/// What every row lacked was once read only in the refusals of all rows.
#[test]
fn a_list_of_operations_asks_before_it_calculates_for_what_all_rows_lack() {
    let Some((_server, page)) = Page::served() else { return };
    paste(
        &page,
        "operacao",
        "Nota\tUF do vendedor\tUF de destino\tNCM do produto\tvalor_produto\n1\tSP\tSP\t22030000\t100,00\n2\tSP\tSP\t22030000\t7,00\n",
    );
    // As in the forms, the day is today until another one is said.
    page.wait_for("document.querySelector('#lista-todas .aviso')?.innerText.includes('PIS e COFINS')");
    assert!(!page.shown("#lista-todas .aviso").contains("Data da operação"));
    page.fill("#lista-todas-data_operacao", "10/03/2026");
    page.press("\u{e004}");
    page.choose("#lista-todas-regime_apuracao", "nao_cumulativo");
    page.wait_for(
        "!document.querySelector('#lista-todas .aviso')?.innerText.includes('“Regime de apuração de PIS e COFINS”')",
    );
    page.choose("#lista-todas-outro", "frete");
    assert_eq!(page.text("document.activeElement.id"), "lista-todas-frete");
    page.fill("#lista-todas-frete", "1,00");
    page.assert_clean("the same in all rows");
    calculate(&page);
    let row = page.shown(".linhas-da-lista tbody tr:last-child");
    assert!(row.contains("10/03/2026") && row.contains("1,60"), "20 % of 7 + 1: {row}");
    page.assert_clean("a list with values of all rows");
}

#[test]
fn a_file_in_windows_1252_is_chosen_and_a_column_is_corrected_by_hand() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    let text = "Nota;Município;UF de origem;UF de destino;Quanto;Data da operação\n7;São José dos Ausentes;SP;MG;1.000,00;10/03/2026\n";
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let file = dir.write("vendas de março.csv", bytes);
    page.go("#lista?tributo=icms", "#lista-arquivo");
    page.send_keys("#lista-arquivo", file.to_str().unwrap());
    page.wait_for("document.querySelector('#lista-colunas h3')");
    assert_eq!(page.shown("#lista-colunas h3"), "Colunas de vendas de março.csv");
    assert_eq!(page.shown("#lista-faltam"), "Falta a coluna de: “Valor da operação”.");
    page.click("#lista-calcular");
    assert_eq!(page.text("document.activeElement.id"), "lista-coluna-0", "the first column that is not used");
    assert_eq!(page.text("document.querySelector('#lista-resultado h3')"), "null");
    page.choose("#lista-coluna-4", "uf_origem");
    assert!(page.shown("#lista-faltam").contains("Mais de uma coluna para: “UF de origem”."));
    page.choose("#lista-coluna-4", "valor_produto");
    assert_eq!(page.text("document.getElementById('lista-faltam').hidden"), "true");
    calculate(&page);
    assert_eq!(page.shown("#lista-resultado h3"), "1 de 1 calculadas");
    let row = page.shown(".linhas-da-lista tbody tr");
    assert!(row.contains("120,00") && row.contains("São José dos Ausentes") && row.contains("1.000,00"), "{row}");

    // Another tax has other columns.
    page.choose("#lista-tributo", "iss");
    page.wait_for("document.getElementById('lista-faltam').innerText.includes('Subitem da lista')");
    assert_eq!(page.text("location.hash"), "#lista?tributo=iss");
    page.choose("#lista-tributo", "icms");
    // What was said of a column is not asked for again.
    page.wait_for("document.getElementById('lista-coluna-4').value === 'valor_produto' && document.getElementById('lista-faltam').hidden");
    page.fill("#lista-conhecido", "01/01/2020");
    calculate(&page);
    assert_eq!(page.shown("#lista-resultado h3"), "0 de 1 calculadas, 1 recusada", "nothing was published on that day");
    page.assert_clean("a file");
}

/// Thirty products as an ERP exports them, in Windows-1252, with an empty line and a total at the end.
fn export() -> Vec<u8> {
    let row = |i: u32| match i {
        // A spreadsheet dropped the zero of 0304.99.00, and the amount is a text.
        12 => "12;Filé de pescada 12;3049900;SP;SP;sem preço;10/03/26\n".to_owned(),
        _ => format!("{i};Café & Cia nº {i};2101.11.10;SP;SP;1.{i:03},50;10/03/26\n"),
    };
    let rows: String = (1..=30).map(row).collect();
    let text = format!("Código;Descrição;Cód. NCM;UF Emit.;UF;Valor;Data\n{rows};;;;;;\n;TOTAL GERAL;;;;30.000,00;\n");
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

/// The columns of such a file had to be found by hand, its dates and its total were refused, and two columns were "Valor".
#[test]
fn thirty_products_exported_by_an_erp_are_proposed_calculated_and_saved_for_excel() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    let file = dir.write("produtos.csv", export());
    page.go("#lista?tributo=icms", "#lista-arquivo");
    page.send_keys("#lista-arquivo", file.to_str().unwrap());
    page.wait_for("document.querySelector('#lista-colunas h3')");
    let fields = page.run("return [...document.querySelectorAll('.de-coluna')].map((one) => one.value)", &[]);
    assert_eq!(fields, json!(["", "", "ncm", "uf_origem", "uf_destino", "valor_produto", "data_operacao"]));
    assert!(page.shown("#lista-colunas").contains("parece ser este campo: confira"));
    calculate(&page);
    assert_eq!(page.shown("#lista-resultado h3"), "29 de 31 calculadas, 2 recusadas");
    let heads =
        page.run("return [...document.querySelectorAll('.linhas-da-lista thead th')].map((one) => one.innerText)", &[]);
    let heads: Vec<&str> = heads.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(heads.iter().filter(|name| **name == "Valor").count(), 1, "{heads:?}");
    assert!(heads.contains(&"Valor calculado"), "{heads:?}");
    page.click("#lista-recusadas");
    let refused = page.run("return [...document.querySelectorAll('.porque')].map((one) => one.textContent)", &[]);
    let [fish, total] = [0, 1].map(|at| refused[at].as_str().unwrap());
    assert!(fish.contains("zero da esquerda") && fish.contains("escreva o valor como 1.234,56"), "{fish}");
    assert!(total.contains("parece um total da lista (\"TOTAL GERAL\")") && !total.contains('`'), "{total}");

    let rows = rows_of(&saved(&page, "Baixar XLSX"));
    let column = |name: &str| rows[0].iter().position(|cell| *cell == Cell::Text(name.to_owned().into())).unwrap();
    assert_eq!(rows[1][column("Valor")], Cell::Number("1001.50".parse().unwrap()));
    assert!(matches!(rows[1][column("Data")], Cell::Date(_)));
    assert_eq!(rows[1][column("Cód. NCM")], Cell::Text("2101.11.10".to_owned().into()));
    assert!(matches!(rows[1][column("Valor calculado (taxd)")], Cell::Number(_)));
    page.assert_clean("an export of an ERP");
}

#[test]
fn a_long_list_shows_its_progress_is_stopped_and_is_shown_by_pages() {
    let Some((_server, page)) = Page::served() else { return };
    let rows = |count: usize| {
        let row = |i: usize| format!("{i}\tSP\tSP\t{i},00\t10/03/2026\n");
        format!(
            "Nota\tUF de origem\tUF de destino\tvalor_produto\tData da operação\n{}",
            (1..=count).map(row).collect::<String>()
        )
    };
    paste(&page, "icms", &rows(60_000));
    page.click("#lista-calcular");
    // In one step with the wait: a fast machine calculates the rest meanwhile.
    page.wait_for(
        "document.querySelector('#lista-resultado progress')?.value > 0 && (window.said = document.querySelector('#lista-resultado .andamento').innerText, document.getElementById('lista-parar').click(), true)",
    );
    assert!(page.text("window.said").contains("de 60.000 linhas"));
    page.wait_for("document.querySelector('#lista-resultado h3')?.innerText.includes('calculadas')");
    let told = page.shown("#lista-resultado .aviso");
    assert!(told.starts_with("Parado: vieram") && told.ends_with("de 60.000 linhas."), "{told}");
    let stays: usize = count(&page, ".linhas-da-lista tbody tr").parse().unwrap();
    assert!((1..=100).contains(&stays), "what has come stays, up to a page: {stays}");

    paste(&page, "icms", &rows(230));
    calculate(&page);
    assert_eq!(page.shown("#lista-resultado h3"), "230 de 230 calculadas");
    assert_eq!(count(&page, ".linhas-da-lista tbody tr"), "100");
    for _ in 0..2 {
        page.click("#lista-resultado .paginas [rel=next]");
    }
    assert_eq!(count(&page, ".linhas-da-lista tbody tr"), "30");
    assert_eq!(page.shown("#lista-resultado .paginas span"), "201 a 230 de 230");
    page.assert_clean("a long list");
}

#[test]
fn a_file_that_is_not_a_list_is_refused_in_words_and_a_missing_key_is_asked_for() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::of(&server) else { return };
    paste(&page, "icms", "a\tb\n1\t2\n");
    assert!(page.shown("#lista-colunas").contains("Falta a chave do taxd"), "{}", page.shown("#lista-colunas"));
    page.give_key(&server.key);
    page.wait_for("document.getElementById('lista-faltam')");
    assert!(page.shown("#lista-faltam").contains("UF de origem"), "the list is read once there is a key");
    let broken = dir.write("vendas.xlsx", "PK\u{3}\u{4}");
    page.send_keys("#lista-arquivo", broken.to_str().unwrap());
    page.wait_for("document.querySelector('#lista-colunas .recusa')");
    assert_eq!(page.shown("#lista-colunas .recusa"), "A lista não pôde ser lida");
    assert!(page.shown("#lista-colunas .razao").contains("não é um XLSX inteiro"));
    page.assert_clean("no list");
}
