//! Calls written as a block and read back.

use proptest::prelude::*;
use taxd_core::calls::{LoggedCall, MAX_CALLS, decode_block, encode_block};

fn logged_call() -> impl Strategy<Value = LoggedCall> {
    let texts = (".{0,20}", "[A-Z]{3,6}", "/.{0,70}", "[a-z0-9.-]{0,40}", "\\PC{0,200}");
    (any::<u64>(), any::<u64>(), any::<u16>(), any::<u32>(), any::<bool>(), texts).prop_map(
        |(seq, at_ms, status, latency_us, cached, (key_id, method, path, rule_id, request))| LoggedCall {
            seq,
            at_ms,
            key_id,
            method,
            path,
            status,
            latency_us,
            cached,
            rule_id,
            request,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_written_is_read_back(calls in prop::collection::vec(logged_call(), 0..40)) {
        prop_assert_eq!(decode_block(&encode_block(calls.iter().map(LoggedCall::row)).unwrap()).unwrap(), calls);
    }

    #[test]
    fn damaged_bytes_are_an_error_or_other_calls_and_never_a_panic(
        calls in prop::collection::vec(logged_call(), 1..10), at in any::<prop::sample::Index>(), bit in 0..8_u8,
    ) {
        let whole = encode_block(calls.iter().map(LoggedCall::row)).unwrap();
        let mut damaged = whole.clone();
        damaged[at.index(whole.len())] ^= 1 << bit;
        // zstd has no checksum here: what still reads as calls must at least be calls.
        if let Ok(read) = decode_block(&damaged) {
            prop_assert!(read.len() <= MAX_CALLS.max(calls.len()));
        }
    }

    #[test]
    fn bytes_that_are_not_a_block_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assume!(bytes.first() != Some(&1));
        prop_assert!(decode_block(&bytes).is_err());
    }
}

/// A full block of calls as the service logs them.
fn full() -> Vec<LoggedCall> {
    let request = r#"{"tributo":"ipi","ncm":"22030000","valor_produto":"100.00","data_operacao":"2026-03-10"}"#;
    (1..=MAX_CALLS as u64)
        .map(|seq| LoggedCall {
            seq,
            at_ms: 1_790_000_000_000 + seq * 7,
            key_id: "key_0123456789ab".to_owned(),
            method: "POST".to_owned(),
            path: "/v1/calculate".to_owned(),
            status: 200,
            latency_us: 100 + u32::try_from(seq).unwrap() % 17,
            cached: seq % 3 == 0,
            rule_id: "ipi-tipi-22030000-v1.0".to_owned(),
            request: request.replace("100.00", &format!("{seq}.00")),
        })
        .collect()
}

#[test]
fn another_format_and_every_cut_are_errors() {
    let whole = encode_block(full().iter().map(LoggedCall::row)).unwrap();
    for format in [0, 2, 255] {
        let mut other = whole.clone();
        other[0] = format;
        assert!(decode_block(&other).is_err(), "format {format}");
    }
    for cut in 0..whole.len() {
        assert!(decode_block(&whole[..cut]).is_err(), "cut to {cut} bytes");
    }
}

#[test]
fn ten_million_calls_fit_in_about_a_gigabyte() {
    let bytes = encode_block(full().iter().map(LoggedCall::row)).unwrap().len();
    assert!(bytes / MAX_CALLS < 100, "{bytes} bytes for {MAX_CALLS} calls");
}
