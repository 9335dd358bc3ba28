//! Lists of the page that are made to break it: each is refused with a sentence, and costs little memory.

use std::io::{Cursor, Write as _};

use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::still_well;
use crate::support::{DataDir, Server};

const LISTA: &str = "/sandbox/v1/lista?tributo=icms";
/// Most resident memory of the server, in KiB: two files of 16 MiB may be read at once. The pages of the program count,
/// and a debug build has many.
const MOST_KIB: u64 = 224 * 1024;

#[track_caller]
fn told(server: &Server, body: &[u8]) -> String {
    let reply = server.post(LISTA, body);
    assert_eq!(reply.status, 422, "{}", reply.text());
    reply.json()["detail"].as_str().unwrap().to_owned()
}

/// Rows of a list whose readers leave.
const ROWS: usize = 60_000;

/// A workbook whose worksheet and shared strings are these.
pub(super) fn workbook(worksheet: &[u8], strings: &[u8]) -> Vec<u8> {
    let links = "<Relationships><Relationship Id=\"a\" Type=\"x/worksheet\" Target=\"s.xml\"/><Relationship Id=\"b\" Type=\"x/sharedStrings\" Target=\"t.xml\"/></Relationships>";
    let root = "<Relationships><Relationship Id=\"r\" Type=\"x/officeDocument\" Target=\"w.xml\"/></Relationships>";
    let book = "<workbook><sheets><sheet name=\"A\" id=\"a\"/></sheets></workbook>";
    let parts: [(&str, &[u8]); 5] = [
        ("_rels/.rels", root.as_bytes()),
        ("_rels/w.xml.rels", links.as_bytes()),
        ("w.xml", book.as_bytes()),
        ("s.xml", worksheet),
        ("t.xml", strings),
    ];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn files_that_expand_or_break_off_are_refused_and_cost_little_memory() {
    let server = DataDir::served();
    let bomb = [b"<sst>".as_slice(), &b"<si><t>a</t></si>".repeat(3_000_000)].concat();
    let bomb = workbook(b"<worksheet/>", &bomb);
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    assert!(told(&server, &bomb).contains("passam de 32 MiB"));
    let rows = [b"<worksheet><sheetData>".as_slice(), &b"<row></row>".repeat(2_000_000)].concat();
    let detail = told(&server, &workbook(&rows, b"<sst></sst>"));
    assert!(detail.contains("linhas"), "{detail}");
    let endless = [b"<worksheet><sheetData>".as_slice(), &b"<x></x>".repeat(40_000_000)].concat();
    assert!(told(&server, &workbook(&endless, b"<sst></sst>")).contains("grande demais depois de descompactada"));
    drop(endless);
    assert!(told(&server, &bomb[..bomb.len() / 2]).contains("não é um XLSX inteiro"));
    assert!(told(&server, b"PK\x03\x04").contains("não é um XLSX inteiro"));

    assert!(told(&server, &[b"a".as_slice(), &b";a".repeat(1_000_000)].concat()).contains("mais de 16384 colunas"));
    assert!(told(&server, &[b"a".as_slice(), &b";a".repeat(300)].concat()).contains("mais de 256 colunas"));
    let header = b"uf_origem;uf_destino;valor_produto;data_operacao\n";
    let long = [header.as_slice(), b"SP;SP;\"", &vec![b'x'; (16 << 20) - 4096]].concat();
    assert!(told(&server, &long).contains("aspas"));
    let row = |length: usize| [header.as_slice(), b"SP;SP;", &vec![b'1'; length], b";10/03/2026\n"].concat();
    assert!(told(&server, &row((16 << 20) - 4096)).contains("passa de 1 MiB"));
    let reply = server.post(LISTA, row((1 << 20) - 4096));
    assert!(reply.status == 200 && reply.text().contains("\"recusadas\":1"), "a row of nearly 1 MiB");
    let head = format!("POST {LISTA} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\n", server.key);
    let large = server.raw().send(format!("{head}Content-Length: {}\r\n\r\n", (16 << 20) + 1)).reply();
    assert!(large.status == 413 && large.text().contains("16 MiB"), "{}", large.text());
    for empty in ["", "\n\n \n"] {
        assert!(told(&server, empty.as_bytes()).contains("está vazia"));
    }
    let rows = [header.as_slice(), &b"SP;SP;1;10/03/2026\n".repeat(100_001)].concat();
    assert!(told(&server, &rows).contains("mais de 100.000 linhas"));

    let packed = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let table = [b"{\"colunas\":[{\"nome\":\"A\"}]}\n".as_slice(), &b"[]\n".repeat(1_048_577)].concat();
    let reply = server.post("/sandbox/v1/planilha", packed(&table));
    assert!(reply.status == 422 && reply.text().contains("1048576"), "{}", reply.text());
    let blanks = server.post("/sandbox/v1/planilha", packed(&vec![b'\n'; 600 << 20]));
    assert!(blanks.status == 422 && blanks.text().contains("declarar as colunas"), "{}", blanks.text());
    still_well(&server);
    let highest = server.memory_kib("VmHWM");
    eprintln!("{} MiB at most", highest / 1024);
    assert!(highest <= MOST_KIB, "{highest} KiB");
}

#[test]
fn a_body_that_stops_midway_and_a_reader_that_leaves_end_the_work() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "1"]);
    let list =
        [b"uf_origem;uf_destino;valor_produto;data_operacao\n".as_slice(), &b"SP;SP;1;10/03/2026\n".repeat(ROWS)]
            .concat();
    let head = |length: usize| {
        format!("POST {LISTA} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\nContent-Length: {length}\r\n\r\n", server.key)
    };
    // More of them than there are places for files.
    for _ in 0..3 {
        let mut slow = server.raw();
        slow.send(head(list.len())).send(&list[..1000]);
        assert_eq!(slow.reply().status, 408);
        let mut broken = server.raw();
        broken.send(head(list.len())).send(&list[..1000]);
        drop(broken);
    }
    for _ in 0..3 {
        let mut reader = server.raw();
        reader.send(head(list.len())).send(&list);
        assert!(reader.read_some(1 << 16).is_some());
    }
    // A place is free again only when the work of a list has ended.
    for _ in 0..2 {
        let reply = server.post(LISTA, &list[..1000]);
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let used = server.usage(&server.key, 1)["chave"]["cota"]["usada"].as_u64().unwrap();
    let rows = u64::try_from(ROWS).unwrap();
    assert!(used < 2 * rows, "three readers left early, and {used} rows were calculated");
    let last: Value = serde_json::from_str(server.post(LISTA, &list[..1000]).text().lines().last().unwrap()).unwrap();
    assert!(last["total"].is_object(), "{last}");
    still_well(&server);
}
