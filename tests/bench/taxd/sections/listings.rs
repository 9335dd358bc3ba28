//! Listings of a large firm: ten million logged calls, a million rules.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use taxd::base::value::Timestamp;
use taxd::core::calls::{Call, CallPayload, LoggedCall, MAX_CALLS, Meter, encode_block};
use taxd::core::store::Block;

use super::{Fixture, Row};
use crate::client::Client;
use crate::fixture::Home;
use crate::process::serve;
use crate::table::{Wanted, median, number};
use crate::template::Template;

/// The logged calls are spread over this time, which is shorter than the log keeps calls.
const SPAN_MS: u64 = 29 * 24 * 60 * 60 * 1_000;
/// Calls written in one transaction.
const BATCH: u64 = 250_000;
const PATH: &str = "/v1/calculate";

/// The listed paths, by the row of the table that they belong to.
const LISTED: &[(&str, &[&str])] = &[
    ("usage", &["/v1/usage", "/v1/usage?recentes=50"]),
    (
        "regras",
        &[
            "/v1/regras",
            "/v1/regras?limit=500",
            "/v1/regras?tributo=icms_st&uf_destino=SP&vigente_em=2026-03-10",
            "/v1/regras?tributo=icms_st&ncm=99012345",
            "/v1/regras?rule_code=icms-st-sp-99012345",
            "/v1/regras?tributo=iss&uf=SP&municipio=S%C3%A3o%20Paulo",
            "/v1/regras?situacao=encerrada",
            "/v1/regras?q=conv%C3%AAnio%20142",
            "/v1/regras?q=n%C3%A3o%20h%C3%A1%20tal",
        ],
    ),
    ("changelog", &["/v1/changelog", "/v1/changelog?limit=500", "/v1/changelog?desde=2026-01-01"]),
];

pub fn run(fixture: &Fixture) -> Vec<Row> {
    let home = fixture.copy(&fixture.million().home, "listings");
    let calls: u64 = fixture.either(10_000_000, 1_000_000);
    fill(&home, fixture.templates(), calls);
    let (server, address) = serve(&home.dir);
    let mut client = Client::connect(address);
    let rows = LISTED.iter().map(|(name, paths)| {
        let slowest = paths.iter().map(|path| (times(&mut client, path, &home.key, fixture.either(100, 20)), *path));
        let slowest = slowest.max_by(|(a, _), (b, _)| median(a).total_cmp(&median(b)));
        let (times, path) = slowest.expect("a path");
        #[expect(clippy::cast_precision_loss, reason = "a figure to be shown")]
        let calls = number(calls as f64);
        let detail = format!("{calls} calls and 1,000,000 rules; the slowest of {}: `{path}`", paths.len());
        Row::new(&format!("`GET /v1/{name}`"), Wanted::AtMost(5.0), "ms", times, detail)
    });
    let rows = rows.collect();
    server.stop();
    rows
}

/// Measures the answers, in milliseconds each. An uncounted first call reads pages and builds the catalog.
fn times(client: &mut Client, path: &str, key: &str, count: usize) -> Vec<f64> {
    let once = |client: &mut Client| {
        let sent = Instant::now();
        let reply = client.get(path, key);
        assert_eq!(reply.status, 200, "{path}");
        sent.elapsed().as_secs_f64() * 1e3
    };
    once(client);
    (0..count).map(|_| once(client)).collect()
}

/// Writes logged calls of the account and their totals in the format of the log writer.
fn fill(home: &Home, templates: &[Template], calls: u64) {
    let store = taxd::features::control::data_dir::open(&home.dir).expect("the data file");
    let begin_ms = Timestamp::now().millis() - SPAN_MS;
    let meter = Meter::new(None).expect("a meter");
    let key_id: Arc<str> = home.key_id.as_str().into();
    let mut seq = 0;
    while seq < calls {
        let rows: Vec<LoggedCall> = (seq + 1..=calls.min(seq + BATCH))
            .zip(templates.iter().cycle())
            .map(|(seq, template)| row(seq, begin_ms + SPAN_MS / calls * seq, &key_id, template))
            .collect();
        seq += rows.len() as u64;
        for row in &rows {
            count(&meter, row, &key_id);
        }
        let blocks = in_blocks(&rows);
        let written = store.write_calls(true, |writer| {
            blocks.iter().try_for_each(|block| writer.put_block(&home.client_id, block))?;
            writer.put_meter(&home.client_id, &meter.kept()?)
        });
        written.expect("room for calls");
    }
}

fn row(seq: u64, at_ms: u64, key_id: &str, template: &Template) -> LoggedCall {
    LoggedCall {
        seq,
        at_ms,
        key_id: key_id.to_owned(),
        method: "POST".to_owned(),
        path: PATH.to_owned(),
        status: if seq.is_multiple_of(50) { 422 } else { 200 },
        latency_us: 40 + u32::try_from(seq % 997).expect("a few"),
        cached: seq.is_multiple_of(3),
        rule_id: format!("{}-v1.0", template.tributo),
        request: String::from_utf8(template.fresh(seq)).expect("JSON is text"),
    }
}

fn count(meter: &Meter, row: &LoggedCall, key_id: &Arc<str>) {
    let call = Call {
        seq: 0,
        at: Timestamp::from_millis(row.at_ms).expect("an instant"),
        key_id: Arc::clone(key_id),
        method: "POST",
        path: PATH.into(),
        status: row.status,
        latency_us: row.latency_us,
        cached: row.cached,
        rule_id: None,
        payload: CallPayload::Sent(Box::default()),
    };
    meter.lock().add(call);
}

/// Compresses the rows into blocks, on all cores.
fn in_blocks(rows: &[LoggedCall]) -> Vec<Block> {
    let block = |calls: &[LoggedCall]| {
        let last = calls.last().expect("a chunk has a row");
        Block {
            last_ms: last.at_ms,
            last_seq: last.seq,
            bytes: encode_block(calls.iter().map(LoggedCall::row)).expect("a block"),
        }
    };
    let chunks: Vec<&[LoggedCall]> = rows.chunks(MAX_CALLS).collect();
    let share = chunks.len().div_ceil(thread::available_parallelism().map_or(1, usize::from));
    thread::scope(|scope| {
        let parts =
            chunks.chunks(share).map(|part| scope.spawn(move || part.iter().map(|c| block(c)).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().expect("a thread")).collect()
    })
}
