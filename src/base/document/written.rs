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
    let escapes = |found: bool, byte: &u8| found | (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
    !text.as_bytes().iter().fold(false, escapes)
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
