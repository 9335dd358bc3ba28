//! Writes JSON into a buffer, the same bytes as `serde_json`: every answer has some thirty members, and their names
//! need no look at each letter.

pub type WriteResult = serde_json::Result<()>;

/// Makes an object of the members written since `begin`, each after a comma.
pub fn close_object(out: &mut Vec<u8>, begin: usize) {
    match out.get_mut(begin) {
        Some(comma) => *comma = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
}

/// True for a text without quotes, backslashes and control characters.
pub fn is_plain(text: &str) -> bool {
    #[expect(clippy::needless_bitwise_bool, reason = "without a branch for each byte, the compiler takes many at once")]
    let escapes = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    !has_byte(text.as_bytes(), escapes)
}

/// Bytes that the processor compares at once.
const BLOCK: usize = 16;

/// True if the predicate, which has no branch, is true of a byte. The last block may begin within the one before it: byte
/// after byte the rest of a text takes longer than all before.
pub fn has_byte(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> bool {
    let is_in = |part: &[u8]| part.iter().fold(false, |found, byte| found | is_wanted(*byte));
    match bytes.last_chunk::<BLOCK>() {
        Some(last) => bytes.as_chunks::<BLOCK>().0.iter().chain([last]).any(|block| is_in(block)),
        None => is_in(bytes),
    }
}

pub fn write_text(out: &mut Vec<u8>, text: &str) -> WriteResult {
    if !is_plain(text) {
        return serde_json::to_writer(out, text);
    }
    write_plain(out, text.as_bytes());
    Ok(())
}

/// Writes a text that [is plain](is_plain): a figure, a word of the contract.
pub fn write_plain(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

/// Writes a list, each item by `write`.
pub fn write_list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    write: impl Fn(T, &mut Vec<u8>) -> WriteResult,
) -> WriteResult {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out)?;
    }
    out.push(b']');
    Ok(())
}
