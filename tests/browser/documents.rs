//! The part Documentos: files dropped on the page, and the report on them.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::page::Page;
use super::support::{COMPANY, DataDir, RIGHT, SEEDS, Seed, taxd, zip_of};

/// A folder with a right document, one of each seeded error, and the same in an archive.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(TempDir::new().unwrap());
        for (number, xml) in Folder::documents() {
            fs::write(folder.0.path().join(format!("nota-{number}.xml")), xml).unwrap();
        }
        let entries: Vec<(String, String)> =
            Folder::documents().map(|(number, xml)| (format!("nota-{number}.xml"), xml)).collect();
        folder.write("notas.zip", &zip_of(entries.iter().map(|(name, xml)| (name.clone(), xml.as_bytes()))));
        folder
    }

    fn documents() -> impl Iterator<Item = (usize, String)> {
        std::iter::once(RIGHT.to_owned()).chain(SEEDS.iter().map(Seed::document)).enumerate()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn paths(&self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| self.0.path().join(name).display().to_string()).collect()
    }
}

/// The lines that the seeds must give: the document, the tax, and the verdict in the page's words.
fn wanted() -> Vec<[String; 3]> {
    let line = |number: usize, words: &str| {
        let mut words = words.split(' ');
        let tax = match words.next().unwrap() {
            "documento" => "Documento e item".to_owned(),
            tax => tax.to_uppercase(),
        };
        let verdict = match words.next().unwrap() {
            "diverge" => "Diverge",
            "confere_aliquota" => "Base diverge",
            _ => "Não conferida",
        };
        [format!("nota-{number}.xml"), tax, verdict.to_owned()]
    };
    let seeds = (1..).zip(&SEEDS);
    let mut wanted: Vec<_> =
        seeds.flat_map(|(number, seed)| seed.wanted.iter().map(move |words| line(number, words))).collect();
    wanted.sort();
    wanted
}

/// The lines that the report shows.
fn shown(page: &Page) -> Vec<[String; 3]> {
    let script = "return [...document.querySelectorAll('.achados > li summary')].map((line) => [/[^ \\/]+\\.(xml|txt)/.exec(line.innerText)[0], line.querySelector('strong').innerText, line.querySelector('.selo').innerText])";
    let mut found: Vec<[String; 3]> = serde_json::from_value(page.run(script, &[])).unwrap();
    found.sort();
    found
}

/// Says what is known of the company of the seeds, and has the files checked.
#[track_caller]
fn check(page: &Page, paths: &[String]) {
    page.go("#documentos", "#documentos-conferir");
    page.wait_for("document.getElementById('empresa-0-cnpj')");
    page.run("document.getElementById('documentos-empresas').open = true", &[]);
    page.fill("#empresa-0-cnpj", "11.222.333/0001-81");
    page.choose("#empresa-0-regime_pis_cofins", "nao_cumulativo");
    page.pick("#documentos-arquivos", paths);
    page.click("#documentos-conferir");
    page.wait_for("!document.querySelector('#documentos-conferir[aria-disabled]') && document.querySelector('#documentos-lista h3') && !document.getElementById('documentos-andamento')");
}

/// Has the seeded documents checked, for another test.
pub fn check_seeds(page: &Page) {
    let folder = Folder::new();
    check(page, &folder.paths(&["notas.zip"]));
}

#[test]
fn the_seeded_errors_come_back_and_nothing_else() {
    let Some((_server, page)) = Page::served() else { return };
    let folder = Folder::new();
    check(&page, &folder.paths(&["notas.zip"]));
    assert_eq!(shown(&page), wanted());
    assert_eq!(page.shown("#documentos-lista h3"), "Relatório de 7 arquivos");
    assert_eq!(page.text("document.activeElement === document.querySelector('#documentos-lista h3')"), "true");
    let company = page.shown("#documentos-lista section");
    for text in ["Empresa 11.222.333/0001-81, 03/2025", "R$\u{a0}60,00", "A conferir, a menor"] {
        assert!(company.contains(text), "{text}: {company}");
    }

    folder.write("lista.xml", b"isto nao e XML");
    folder.write("danfe.pdf", b"%PDF-1.7\n");
    let names: Vec<String> = Folder::documents().map(|(number, _)| format!("nota-{number}.xml")).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.extend(["lista.xml", "danfe.pdf"]);
    check(&page, &folder.paths(&names));
    let mut with_text = wanted();
    with_text.push(["lista.xml", "Documento e item", "Não conferida"].map(str::to_owned));
    with_text.sort();
    assert_eq!(shown(&page), with_text);
    let files = page.text("[...document.querySelectorAll('#documentos-lista section')].find((one) => one.innerText.startsWith('Arquivos que não são notas')).innerText");
    assert!(files.contains("1 linha de arquivos que não são notas") && files.contains("1 arquivo: "), "{files}");
    let totals = page.shown("#documentos-lista .pares");
    assert!(totals.contains("Não conferidas\n3 Ver as linhas"), "{totals}");
    page.click("#documentos-lista .pares a");
    page.wait_for("document.querySelector('#documentos-linhas .contagem').innerText === '3 linhas.'");
    // People know a document by its number.
    let numbered = SEEDS[0].document().replace("<mod>", "<serie>2</serie><nNF>1234</nNF><mod>");
    folder.write("numerada.xml", numbered.as_bytes());
    check(&page, &folder.paths(&["numerada.xml"]));
    let line = page.shown(".achados summary");
    assert!(line.contains("nº 1234, série 2, numerada.xml"), "{line}");
    check(&page, &folder.paths(&["nota-1.xml"]));
    let first: Vec<_> = wanted().into_iter().filter(|line| line[0] == "nota-1.xml").collect();
    assert_eq!(shown(&page), first);
    page.assert_clean("reports");
}

/// Documents of which nothing is to be checked once had rows of zeros, and a tax named "Item".
#[test]
fn the_sums_name_only_what_was_checked() {
    let Some((_server, page)) = Page::served() else { return };
    let folder = Folder::new();
    let cancelled = RIGHT
        .replace("<nfeProc>", "<nfeProc><protNFe><infProt><cStat>101</cStat></infProt></protNFe>")
        .replace("11222333000181", "55666777000199");
    folder.write("cancelada.xml", cancelled.as_bytes());
    folder.write("entrada.xml", RIGHT.replace("<tpNF>1", "<tpNF>0").as_bytes());
    check(&page, &folder.paths(&["notas.zip", "cancelada.xml", "entrada.xml"]));
    let rows = page.run(
        "return [...document.querySelectorAll('.somas tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))",
        &[],
    );
    let rows: Vec<Vec<String>> = serde_json::from_value(rows).unwrap();
    assert!(rows.len() > 4, "{rows:?}");
    assert!(rows.iter().all(|row| row[1..].iter().any(|cell| cell != "–")), "{rows:?}");
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert!(names.contains(&"Documento e item") && !names.contains(&"Item"), "{names:?}");
    let idle = page.text("[...document.querySelectorAll('#documentos-lista section')].find((one) => one.innerText.startsWith('Sem nada a conferir')).innerText");
    assert!(idle.contains("Empresa 55.666.777/0001-99, 03/2025") && !idle.contains("0001-81"), "{idle}");
    let report = page.shown("#documentos-lista .cartao");
    assert!(report.contains("A conferir, a menor") && report.contains("R$\u{a0}65,55"), "{report}");
    page.choose("#documentos-situacao", "todas");
    page.choose("#documentos-tributo", "documento");
    page.click("#documentos-lista form [type=submit]");
    page.wait_for("location.hash.includes('tributo=documento')");
    let lines = page.shown("#documentos-linhas");
    assert!(lines.contains("documento de entrada") && lines.contains("não é legível"), "{lines}");
    page.assert_clean("sums");
}

#[test]
fn a_line_is_opened_with_its_rule_and_its_steps_and_filtered_by_the_address() {
    let Some((_server, page)) = Page::served() else { return };
    check_seeds(&page);
    page.click(".achados summary");
    page.wait_for("document.querySelector('.achados .regra')");
    let line = page.shown(".achados > li");
    for text in [
        "12,00% no documento, 18,00% pela regra",
        "R$\u{a0}60,00 a menor",
        "A conferir",
        "Lei 6.374/1989",
        "desde",
        "Memória de cálculo",
        "18,00 %",
    ] {
        assert!(line.contains(text), "{text}: {line}");
    }
    page.choose("#documentos-tributo", "pis");
    page.click("#documentos-lista form [type=submit]");
    page.wait_for("location.hash === '#documentos?tributo=pis'");
    let pis: Vec<_> = wanted().into_iter().filter(|line| line[1] == "PIS").collect();
    assert_eq!(shown(&page), pis);
    page.go("#documentos?situacao=confere", ".achados > li");
    assert!(shown(&page).iter().all(|line| line[2] == "Confere"), "{:?}", shown(&page));
    page.run("history.back()", &[]);
    page.wait_for("location.hash === '#documentos?tributo=pis'");
    assert_eq!(shown(&page), pis);
    page.assert_clean("lines");
}

/// The downloaded XLSX alone had the credits of purchases.
#[test]
fn the_credits_of_purchases_are_summed_by_month_and_tax() {
    let Some((_server, page)) = Page::served() else { return };
    let folder = Folder::new();
    let bought = |number: usize, cst: &str| {
        let sold = RIGHT.replace("11222333000181", "?").replace("99888777000166", "11222333000181");
        let numbered = sold.replace('?', "99888777000166").replace("<mod>", &format!("<nNF>{number}</nNF><mod>"));
        numbered.replace("<CST>00</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS>", cst)
    };
    let charged = "<CST>00</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS>";
    for (number, cst) in [charged, charged, "<CST>40</CST>"].into_iter().enumerate() {
        folder.write(&format!("compra-{number}.xml"), bought(number, cst).as_bytes());
    }
    check(&page, &folder.paths(&["compra-0.xml", "compra-1.xml", "compra-2.xml"]));
    let title = page.shown(".compras h3");
    assert_eq!(title, "Créditos das compras: empresa 11.222.333/0001-81, 03/2025");
    let rows = "return [...document.querySelectorAll('.compras tbody tr')].map((row) => row.innerText.split(/\\s*[\\t\\n]\\s*/))";
    let rows: Vec<Vec<String>> = serde_json::from_value(page.run(rows, &[])).unwrap();
    let icms = rows.iter().find(|row| row[0] == "ICMS").unwrap();
    assert_eq!(icms[1..3], ["R$\u{a0}360,00", "2 itens"], "{rows:?}");
    assert_eq!(icms.last().unwrap(), "1 item", "{rows:?}");
    let pis = rows.iter().find(|row| row[0] == "PIS").unwrap();
    assert!(pis[1].starts_with("R$\u{a0}") && pis[2] == "3 itens", "{rows:?}");
    page.assert_clean("credits");
}

/// What differs in the company's facts is said in the report; they are there the next time, and the key is not.
#[test]
fn the_companys_facts_are_asked_for_and_kept_in_the_browser() {
    let Some((server, page)) = Page::served() else { return };
    let folder = Folder::new();
    page.go("#documentos", "#documentos-conferir");
    page.pick("#documentos-arquivos", &folder.paths(&["nota-0.xml"]));
    page.click("#documentos-conferir");
    page.wait_for("document.querySelector('.achados, #documentos-linhas')");
    let missing =
        page.text("[...document.querySelectorAll('#documentos-lista .falhas')].map((one) => one.textContent).join()");
    assert!(
        missing.contains("informe “Regime de PIS e COFINS” nos dados da empresa") && !missing.contains('_'),
        "{missing}"
    );
    check(&page, &folder.paths(&["nota-0.xml"]));
    assert_eq!(shown(&page), Vec::<[String; 3]>::new());

    page.click("#empresa-0-regime_especial");
    page.fill("#empresa-0-regime_especial-0-ate", "31/12/2026");
    page.click("#documentos-conferir");
    page.wait_for("document.querySelector('#documentos-lista .falhas a')");
    page.click("#documentos-lista .falhas a");
    assert_eq!(page.text("document.activeElement.id"), "empresa-0-regime_especial-0-tributo");
    assert_eq!(page.text("document.activeElement.getAttribute('aria-invalid')"), "true");

    page.visit("#documentos");
    page.wait_for("document.getElementById('empresa-0-cnpj')?.value === '11.222.333/0001-81'");
    assert_eq!(page.text("document.getElementById('empresa-0-regime_especial-0-ate').value"), "31/12/2026");
    page.run("document.getElementById('documentos-empresas').open = true", &[]);
    page.fill("#empresa-0-cnpj", &server.key);
    let kept = page.text("JSON.stringify({...localStorage})");
    assert!(kept.contains("31/12/2026") && !kept.contains("svc"), "{kept}");
    page.assert_clean("facts");
}

/// Saving the report sent the documents again, and used up as many calls as the report itself.
#[test]
fn a_report_that_is_saved_or_made_again_uses_up_nothing() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    let folder = Folder::new();
    let key = dir.new_key(&dir.account("Ana", &[]).client_id, "test").key;
    page.give_key(&key);
    let used_now =
        || server.get_as(&key, "/sandbox/v1/usage?recentes=1").json()["chave"]["cota"]["usada"].as_u64().unwrap();
    let is_counted = |used: u64| {
        let left = 1_000 - used;
        page.wait_for(&format!("document.getElementById('chave-cota').innerText.startsWith('Restam {left} ')"));
    };
    check(&page, &folder.paths(&["notas.zip"]));
    let used = used_now();
    assert!(used > 1, "{used}");
    is_counted(used);
    let told = page.shown("#documentos-gasto");
    assert!(told.starts_with(&format!("A conferência gastou {used} chamadas da cota.")), "{told}");
    assert!(told.contains("não gasta outra vez") && told.contains("Baixar o relatório não gasta nada"), "{told}");
    // The files come from what the page has: the documents are not sent again, after half an hour either.
    page.run("window.asked = []; const own = window.fetch; window.fetch = (path, ...more) => (window.asked.push(String(path)), own(path, ...more));", &[]);
    page.run("URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:'; }; HTMLAnchorElement.prototype.click = () => {};", &[]);
    for label in ["Baixar CSV", "Baixar XLSX"] {
        let button = format!(
            "[...document.querySelectorAll('#documentos-lista button')].find((one) => one.textContent === '{label}')"
        );
        page.run(&format!("window.saved = null; {button}.click()"), &[]);
        page.wait_for("window.saved");
        assert_eq!(used_now(), used, "{label}");
    }
    let asked = page.text("window.asked.join(' ')");
    assert!(asked.contains("/sandbox/v1/planilha?") && !asked.contains("documentos"), "{asked}");
    // The browser puts the same files into another body each time.
    check(&page, &folder.paths(&["notas.zip"]));
    assert_eq!(used_now(), used);
    is_counted(used);
    assert!(page.shown("#documentos-gasto").starts_with("Esta conferência é a repetição de outra"));
    page.assert_clean("a report again");
}

#[test]
fn a_run_is_stopped_and_a_report_is_saved() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let Some(page) = Page::with_key(&server) else { return };
    let folder = Folder::new();
    let right = RIGHT.replace("<pICMS>18.00", "<pICMS>17.00");
    folder.write("muitas.zip", &zip_of((0..8_000).map(|number| (format!("{number}.xml"), right.as_bytes()))));
    page.go("#documentos", "#documentos-conferir");
    page.pick("#documentos-arquivos", &folder.paths(&["muitas.zip"]));
    page.click("#documentos-conferir");
    page.wait_for("document.querySelector('#documentos-andamento progress')?.value > 300");
    page.click("#documentos-parar");
    page.wait_for(
        "document.querySelector('#documentos-lista .aviso') && !document.getElementById('documentos-andamento')",
    );
    let told = page.shown("#documentos-lista .aviso");
    assert!(told.contains("Você parou") && told.contains("8.000"), "{told}");
    let rows = page.run("return document.querySelectorAll('.achados > li').length", &[]);
    assert!(rows.as_u64().is_some_and(|rows| rows == 100), "{rows}");
    assert_eq!(page.text("Boolean(document.querySelector('.paginas [rel=next]'))"), "true");

    check(&page, &folder.paths(&["notas.zip"]));
    page.run("URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:'; }; HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };", &[]);
    page.run("[...document.querySelectorAll('#documentos-lista button')].find((one) => one.textContent === 'Baixar CSV').click()", &[]);
    page.wait_for("window.saved");
    let saved = page.run_later("const done = arguments[0]; new TextDecoder('utf-8', { ignoreBOM: true }); window.saved.arrayBuffer().then((bytes) => done(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)))");
    folder.write("empresa.toml", COMPANY.as_bytes());
    let paths = folder.paths(&["notas.zip", "empresa.toml"]);
    let audit = taxd(&dir, ["audit", &paths[0], "--empresa", &paths[1], "--format", "csv"]).stdout;
    let saved = saved.as_str().unwrap();
    assert_eq!(page.text("window.savedName"), "conferencia-11222333000181-2025-03.csv");
    assert!(saved.starts_with("\u{feff}Número;Série;Arquivo;") && saved.contains(";10/03/2025;"), "{saved}");
    assert_eq!(saved.lines().count(), audit.lines().count(), "all lines, also those that agree");
    page.run("window.saved = null; [...document.querySelectorAll('#documentos-lista button')].find((one) => one.textContent === 'Baixar XLSX').click()", &[]);
    page.wait_for("window.saved");
    let kind = page.run_later("const done = arguments[0]; window.saved.slice(0, 2).text().then(done)");
    assert_eq!(kind, json!("PK"));
    page.assert_clean("a stop");
}

/// The revenue of a company of the Simples is apart from what was checked; with its revenue of twelve months, which the form
/// of the company takes, the DAS is there too.
#[test]
fn the_revenue_of_the_simples_has_a_section_of_its_own() {
    let Some((_server, page)) = Page::served() else { return };
    let folder = Folder::new();
    folder.write("normal.xml", RIGHT.as_bytes());
    check(&page, &folder.paths(&["normal.xml"]));
    assert_eq!(page.text("document.querySelector('#documentos-lista .simples') === null"), "true");
    folder.write("simples.xml", RIGHT.replace("<CRT>3", "<CRT>1").as_bytes());
    let section = || page.text("document.querySelector('#documentos-lista .simples').innerText");
    check(&page, &folder.paths(&["simples.xml"]));
    let found = section();
    for text in
        ["empresa 11.222.333/0001-81, 03/2025", "A declarar", "R$\u{a0}1.000,00", "falta a receita bruta de 12 meses"]
    {
        assert!(found.contains(text), "{text}: {found}");
    }
    page.click("#empresa-0-simples_nacional");
    page.wait_for("document.getElementById('empresa-0-simples_nacional-0-mes')");
    page.fill("#empresa-0-simples_nacional-0-mes", "03/2025");
    page.fill("#empresa-0-simples_nacional-0-receita_bruta_12_meses", "300.000,00");
    check(&page, &folder.paths(&["simples.xml"]));
    let found = section();
    assert!(found.contains("R$\u{a0}53,21") && found.contains("alíquota efetiva de 5,32 %"), "{found}");
    page.assert_clean("revenue of the Simples");
}
