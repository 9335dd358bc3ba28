//! Files of the page that are made to break it, and callers that are slow, leave, or see the server stop.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::Value;

use super::still_well;
use crate::support::{COMPANY, DataDir, RIGHT, Reply, Server, form_of, serve_command, zip_of};

const PATH: &str = "/sandbox/v1/documentos";
const TABLE: &str = "/sandbox/v1/planilha";
/// Most resident memory of the server, in KiB. The pages of the program count, and a debug build has many.
const MOST_KIB: u64 = 224 * 1024;

/// The right document with so many items.
fn with_items(count: usize) -> String {
    let (head, rest) = RIGHT.split_once("<det ").unwrap();
    let (item, end) = rest.split_once("</det>").unwrap();
    let items = (1..=count).fold(String::new(), |mut items, number| {
        write!(items, "<det {}</det>", item.replacen("nItem=\"1\"", &format!("nItem=\"{number}\""), 1)).unwrap();
        items
    });
    format!("{head}{items}{end}")
}

fn many(count: usize) -> Vec<u8> {
    zip_of((0..count).map(|number| (format!("{number}.xml"), RIGHT.as_bytes())))
}

/// The head of a request with a body of that length.
fn head(key: &str, path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\nContent-Length: {length}\r\n\r\n")
}

#[track_caller]
fn lines(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Each line of a report repeats texts of its document and item. A CNPJ of two megabytes in a document of two thousand
/// items once took sixteen gigabytes, and the server ended.
#[test]
fn long_texts_do_not_multiply_by_the_lines() {
    let server = DataDir::served();
    let items = with_items(2_000);
    let long = "1".repeat(1 << 20);
    let texts = [
        items.replacen("<CNPJ>11222333000181", &format!("<CNPJ>{long}"), 1),
        items.replacen("<infNFe>", &format!("<infNFe Id=\"NFe{long}\">"), 1),
        with_items(200).replace("<cProd>P1", &format!("<cProd>{}", &long[..20_000])),
        with_items(200).replace("<NCM>39269090", &format!("<NCM>{}", &long[..20_000])),
        with_items(200).replace("<CFOP>5102", &format!("<CFOP>{}", &long[..20_000])),
        with_items(200).replace("<CST>00", &format!("<CST>{}", &long[..20_000])),
    ];
    let named = zip_of([(format!("{}.xml", "n".repeat(60_000)), items.as_bytes())]);
    for file in texts.iter().map(String::as_bytes).chain([named.as_slice()]) {
        let read = lines(&server.post(PATH, file));
        assert!(read.len() > 200, "{} lines", read.len());
        let longest = read.iter().filter_map(|line| line.get("linha")).map(|line| line.to_string().len()).max();
        assert!(longest < Some(16 * 1024), "{longest:?}");
    }
    let special = |description: &str| {
        let special = format!(
            "[[empresa.regime_especial]]\ntributo = \"icms\"\ndesde = \"2020-01-01\"\ndescricao = \"{description}\"\n"
        );
        let companies = format!("{COMPANY}{special}");
        server.post_form(&server.key, PATH, &[("a.xml", items.as_bytes())], &[("empresa", &companies)])
    };
    let refused = special(&long[..200_000]).problem(422, "payload_invalido");
    assert!(refused["erros"][0]["detail"].as_str().unwrap().contains("200 caracteres"), "{refused}");
    assert!(lines(&special("TTD 409")).len() > 2_000);
    let highest = server.memory_kib("VmHWM");
    assert!(highest < MOST_KIB, "{highest} KiB");
    still_well(&server);
}

/// Its end distinguishes a file from others. It once came with line breaks of its name.
#[test]
fn a_long_name_keeps_its_end_and_no_control_character() {
    let server = DataDir::served();
    let name = format!("{}/nota\r\n7.xml", "pasta".repeat(100));
    let found = lines(&server.post(PATH, zip_of([(name, RIGHT.as_bytes())])));
    let shown = found.iter().find_map(|line| line["linha"]["arquivo"].as_str()).unwrap();
    assert!(shown.starts_with('…') && shown.ends_with("pasta/nota\u{fffd}\u{fffd}7.xml"), "{shown}");
    assert_eq!(shown.chars().count(), 201);
}

/// It was once said in English, with the words of the library.
#[test]
fn an_archive_with_a_password_is_to_be_extracted() {
    let server = DataDir::served();
    let mut archive = zip_of([("a.xml".to_owned(), RIGHT.as_bytes())]);
    // The first flag, in the head of the entry and in the directory.
    let directory = archive.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    archive[6] |= 1;
    archive[directory + 8] |= 1;
    let found = lines(&server.post(PATH, archive));
    let line = found.iter().find_map(|line| line.get("linha")).unwrap();
    assert_eq!(line["codigo"], "zip_invalido");
    assert!(line["detalhe"].as_str().unwrap().ends_with("o ZIP tem senha: extraia-o antes"), "{line}");
}

/// A hundred thousand lines that are not TOML once had as many faults, each found by counting the lines before it: an
/// answer of thirteen megabytes after minutes.
#[test]
fn the_faults_of_the_companies_are_bounded() {
    let server = DataDir::served();
    for text in ["a\n".repeat(100_000), "[[empresa]]\n".repeat(20_000), format!("a = {}", "[".repeat(200_000))] {
        let reply = server.post_form(&server.key, PATH, &[("a.xml", RIGHT.as_bytes())], &[("empresa", &text)]);
        let faults = reply.problem(422, "payload_invalido")["erros"].as_array().unwrap().len();
        assert!((1..=100).contains(&faults), "{faults}");
        assert!(reply.body.len() < 64 * 1024, "{} bytes", reply.body.len());
    }
    still_well(&server);
}

/// A report of differences only has nothing to write while all agrees, so it never noticed that its reader had gone.
#[test]
fn a_report_of_differences_ends_with_its_reader() {
    let server = DataDir::served();
    let (count, body) = (4_000, many(4_000));
    let (content_type, body) = form_of(&[("notas.zip", &body)], &[("empresa", COMPANY)]);
    let path = format!("{PATH}?so_divergencias=true");
    let typed = format!("\r\nContent-Type: {content_type}\r\n\r\n");
    let used = || server.get_own("/sandbox/v1/usage").json()["chave"]["cota"]["usada"].as_u64().unwrap();
    let mut reader = server.raw();
    reader.send(head(&server.key, &path, body.len()).replace("\r\n\r\n", &typed)).send(&body);
    while used() == 0 {
        std::thread::yield_now();
    }
    drop(reader);
    // The account has one place for files, which is free when the work has ended.
    lines(&server.post(PATH, RIGHT));
    assert!(used() < count, "all was calculated for nobody");
}

/// A report once went on until the connections were cut, and was cut in the middle.
#[test]
fn a_stop_ends_a_report_which_says_so() {
    let body = many(8_000);
    let mut server = DataDir::served();
    let mut reader = server.raw();
    reader.send(head(&server.key, PATH, body.len())).send(&body);
    assert!(reader.read_some(4_096).is_some());
    server.signal("TERM");
    let (rest, _) = reader.read_to_close();
    let rest = String::from_utf8_lossy(&rest);
    for told in ["relatório incompleto", "\"interrompido\":\"O serviço está encerrando"] {
        assert!(rest.contains(told), "{}", &rest[rest.len().saturating_sub(900)..]);
    }
    assert!(rest.ends_with("\r\n0\r\n\r\n"));
    assert_eq!(server.wait().code(), Some(0));
    assert!(!server.log().contains("are cut off"), "{}", server.log());
}

/// Two accounts that sent half a file once kept all others waiting.
#[test]
fn a_file_that_arrives_slowly_keeps_no_other_waiting() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let slow: Vec<_> = ["Uma", "Duas"]
        .map(|name| {
            let mut slow = server.raw();
            let asked = head(&dir.account(name, &[]).live.key, PATH, 1_000);
            // The interim answer says that the server is waiting for this very body.
            slow.send(asked.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
            assert_eq!(slow.reply().status, 100);
            slow
        })
        .into_iter()
        .collect();
    lines(&server.post(PATH, RIGHT));
    drop(slow);
}

#[test]
fn a_table_beyond_what_an_xlsx_has_room_for_is_refused_in_the_readers_words() {
    let server = DataDir::served();
    let columns =
        |count: usize| format!("{{\"colunas\":[{}{{\"nome\":\"A\"}}]}}\n", "{\"nome\":\"A\"},".repeat(count - 1));
    let row = format!("[{}\"\"]\n", "\"\",".repeat(9_999));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(columns(10_000).as_bytes()).unwrap();
    (0..801).for_each(|_| packed.write_all(row.as_bytes()).unwrap());
    let cells = packed.finish().unwrap();
    let text = format!("{}[\"{}\"]\n", columns(1), "x".repeat(40_000)).into_bytes();
    let name = format!("{{\"colunas\":[{{\"nome\":\"{}\"}}]}}\n", "x".repeat(40_000)).into_bytes();
    for (body, told) in [(cells, "8 milhões de células"), (text, "não cabe em um XLSX"), (name, "não cabe em um XLSX")]
    {
        let refused = server.post(TABLE, &body).problem(422, "payload_invalido");
        assert!(refused["detail"].as_str().unwrap().contains(told), "{refused}");
    }
    still_well(&server);
}

/// An image from nothing has no folder for temporary files, and all tables were said to be too large.
#[test]
fn a_server_without_a_folder_for_temporary_files_says_what_fails() {
    let dir = DataDir::ready();
    let mut command = serve_command(&dir.path(), &[]);
    command.env("TMPDIR", "/nonexistent");
    let key = dir.serve(&[]).key.clone();
    let server = Server::start_by(command, Some(&key));
    let reply = server.post(TABLE, "{\"colunas\":[{\"nome\":\"A\"}]}\n[\"x\"]\n");
    let refused = reply.problem(500, "erro_interno");
    assert!(refused["detail"].as_str().unwrap().contains("baixe o CSV"), "{refused}");
    server.wait_for_log("/nonexistent");
    assert!(!reply.text().contains("nonexistent"), "{}", reply.text());
}
