//! SHA-256 of bytes and of streams.

use std::io::{self, Read};

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256, digest};

const CHUNK_BYTES: usize = 64 * 1024;

/// SHA-256 in lower-case hexadecimal: 64 digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(digest(&SHA256, bytes).as_ref())
}

/// SHA-256 of several texts, each with its length before it, so that no two lists of them are alike.
pub fn sha256_of_parts<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part);
    }
    let mut whole = [0; 32];
    whole.copy_from_slice(context.finish().as_ref());
    whole
}

/// SHA-256 in lower-case hexadecimal of a stream, read to its end.
pub fn sha256_hex_of(mut source: impl Read) -> io::Result<String> {
    let mut context = Context::new(&SHA256);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match source.read(&mut chunk)? {
            0 => return Ok(HEXLOWER.encode(context.finish().as_ref())),
            read => context.update(chunk.get(..read).unwrap_or_default()),
        }
    }
}
