//! A place for files counts work. Senders and readers that are slow, and long tables, once kept the places of all others
//! for a minute.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::still_well;
use crate::support::{DataDir, RIGHT, Raw, Server};

const LISTA: &str = "/sandbox/v1/lista?tributo=icms";
const HEADER: &str = "uf_origem;uf_destino;valor_produto;data_operacao\n";
/// Longest answer to a short list beside an attack: far below the 30 seconds that a place is waited for.
const SOON: Duration = Duration::from_secs(15);
/// Most resident memory of the server, in KiB. The pages of the program count, and a debug build has many.
const MOST_KIB: u64 = 224 * 1024;

fn list(rows: usize) -> Vec<u8> {
    [HEADER.as_bytes(), &b"SP;SP;1;10/03/2026\n".repeat(rows)].concat()
}

fn head(key: &str, path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\nContent-Length: {length}\r\n\r\n")
}

/// Keys of so many accounts.
fn accounts(dir: &DataDir, count: usize) -> Vec<String> {
    (0..count).map(|number| dir.account(&format!("Conta {number}"), &[]).live.key).collect()
}

/// The server answers a short list of another account soon.
#[track_caller]
fn serves_a_short_list(server: &Server) {
    let began = Instant::now();
    let reply = server.post(LISTA, list(100));
    assert!(reply.status == 200 && reply.text().contains("\"calculadas\":100"), "{}", reply.text());
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn readers_that_read_nothing_keep_no_place() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "3600"]);
    let list = list(90_000);
    let mut readers: Vec<Raw> = Vec::new();
    for key in accounts(&dir, 6) {
        let mut reader = server.raw();
        reader.send(head(&key, LISTA, list.len())).send(&list);
        // The answer has begun, and is longer than the buffers between.
        assert!(reader.read_some(1).is_some());
        readers.push(reader);
    }
    for _ in 0..3 {
        serves_a_short_list(&server);
    }
    let highest = server.memory_kib("VmHWM");
    assert!(highest <= MOST_KIB, "{highest} KiB");
    drop(readers);
    still_well(&server);
}

#[test]
fn senders_that_have_only_begun_keep_no_memory_of_others() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "3600"]);
    let senders: Vec<Raw> = accounts(&dir, 8)
        .iter()
        .map(|key| {
            let mut sender = server.raw();
            sender.send(head(key, LISTA, 16 << 20)).send(&list(60)[..1_000]);
            sender
        })
        .collect();
    serves_a_short_list(&server);
    // So does a file that needs all the memory of one.
    let long = [HEADER.as_bytes(), &b"SP;SP;1;10/03/2026\n".repeat(10), &vec![b'\n'; 15 << 20]].concat();
    assert_eq!(server.post(LISTA, long).status, 200);
    drop(senders);
    still_well(&server);
}

/// Four accounts fill the memory for files and stop. A list as short as another body still has room.
#[test]
fn files_that_stop_before_their_end_leave_room_for_short_ones() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "3600"]);
    let file = vec![b'\n'; (16 << 20) - 1];
    let senders: Vec<Raw> = accounts(&dir, 4)
        .iter()
        .map(|key| {
            let mut sender = server.raw();
            sender.send(head(key, LISTA, 16 << 20)).send(&file);
            sender
        })
        .collect();
    serves_a_short_list(&server);
    let highest = server.memory_kib("VmHWM");
    assert!(highest <= MOST_KIB, "{highest} KiB");
    drop(senders);
    still_well(&server);
}

#[test]
fn tables_of_millions_of_cells_share_their_places() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let mut table = format!("{{\"colunas\":[{}{{\"nome\":\"A\"}}]}}\n", "{\"nome\":\"A\"},".repeat(99));
    let row = format!("[{}\"1\"]\n", "\"1\",".repeat(99));
    (0..40_000).for_each(|_| table.push_str(&row));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(table.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let mut tables: Vec<Raw> = Vec::new();
    for key in accounts(&dir, 2) {
        let mut asked = server.raw();
        asked.send(head(&key, "/sandbox/v1/planilha", packed.len())).send(&packed);
        tables.push(asked);
    }
    serves_a_short_list(&server);
    for mut asked in tables {
        let (answer, took) = asked.send("").read_whole(Duration::from_mins(5));
        assert!(answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(b"\r\n0\r\n\r\n"), "after {took:?}");
        assert!(answer.windows(4).any(|window| window == b"PK\x03\x04"), "an XLSX");
    }
    still_well(&server);
}

/// The connection was closed after four megabytes, so a client that only wrote saw a broken pipe.
#[test]
fn a_file_of_a_byte_too_many_is_refused_to_a_client_that_writes_it_whole() {
    let server = DataDir::served();
    let body = vec![b'x'; (16 << 20) + 1];
    let chunked = format!(
        "POST {LISTA} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
        server.key,
        body.len()
    );
    for (head, end) in [(head(&server.key, LISTA, body.len()), ""), (chunked, "\r\n0\r\n\r\n")] {
        let mut client = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        client.write_all(head.as_bytes()).unwrap();
        client.write_all(&body).unwrap();
        client.write_all(end.as_bytes()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("16 MiB"), "{answer}");
    }
    still_well(&server);
}

/// A row of millions of cells, texts by the million, and documents of thousands of items, from several accounts at once:
/// the server took 413 MiB.
#[test]
fn what_expands_in_memory_is_bounded_over_all_accounts() {
    let dir = DataDir::ready();
    let keys = accounts(&dir, 4);
    // A server each: the allocator keeps the memory of one for some seconds.
    let all_at_once = |path: &str, body: &[u8], told: &str| {
        let server = dir.serve(&[]);
        let mut asked: Vec<Raw> = Vec::new();
        for key in &keys {
            let mut one = server.raw();
            one.send(head(key, path, body.len())).send(body);
            asked.push(one);
        }
        for mut one in asked {
            let (answer, took) = one.read_whole(Duration::from_mins(5));
            let answer = String::from_utf8_lossy(&answer);
            assert!(answer.contains(told), "after {took:?}: {}", &answer[..answer.len().min(500)]);
        }
        let highest = server.memory_kib("VmHWM");
        eprintln!("{told}: {} MiB at most", highest / 1024);
        assert!(highest <= MOST_KIB, "{told}: {highest} KiB");
        still_well(&server);
    };
    all_at_once(LISTA, &b"a;".repeat(8 << 20), "mais de 16384 colunas");
    let strings = [b"<sst>".as_slice(), &b"<si/>".repeat(3_999_000), b"</sst>"].concat();
    all_at_once(LISTA, &super::lists::workbook(b"<worksheet/>", &strings), "passam de 32 MiB");
    let (start, rest) = RIGHT.split_once("<det ").unwrap();
    let (item, end) = rest.split_once("</det>").unwrap();
    let items = (1..=2_900).fold(String::new(), |mut items, number| {
        write!(items, "<det {}</det>", item.replacen("nItem=\"1\"", &format!("nItem=\"{number}\""), 1)).unwrap();
        items
    });
    let document = format!("{start}{items}{end}");
    all_at_once("/sandbox/v1/documentos?so_divergencias=true", document.as_bytes(), "\"fim\"");
}
