//! Files and texts of a form, as a browser sends them (`multipart/form-data`, RFC 7578).

use hyper::HeaderMap;
use hyper::header::CONTENT_TYPE;

const MAX_PARTS: usize = 10_000;
/// Most bytes of the head of a part.
const MAX_HEAD_BYTES: usize = 4 * 1024;

pub(crate) struct FormPart<'b> {
    pub(crate) name: String,
    /// The name of the file, if it is one.
    pub(crate) file: Option<String>,
    pub(crate) bytes: &'b [u8],
}

/// What separates the parts; `None` if the body is not a form.
pub(crate) fn boundary(headers: &HeaderMap) -> Option<String> {
    let sent = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let mut parameters = sent.split(';').map(str::trim);
    if !parameters.next()?.eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameters.find_map(|one| one.strip_prefix("boundary="))?.trim_matches('"');
    // At most 70 characters (RFC 2046, section 5.1.1).
    (1..=70).contains(&boundary.len()).then(|| boundary.to_owned())
}

/// The parts of a form. Fails with a sentence if it is not whole.
pub(crate) fn parts<'b>(body: &'b [u8], boundary: &str) -> Result<Vec<FormPart<'b>>, &'static str> {
    const BROKEN: &str = "O formulário não chegou inteiro; envie os arquivos de novo.";
    let first = format!("--{boundary}");
    let delimiter = format!("\r\n--{boundary}");
    let mut rest = body.strip_prefix(first.as_bytes()).ok_or(BROKEN)?;
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        if parts.len() == MAX_PARTS {
            return Err("São arquivos demais para um envio; compacte-os em um ZIP.");
        }
        let part = rest.strip_prefix(b"\r\n").ok_or(BROKEN)?;
        let end = find(part, delimiter.as_bytes()).ok_or(BROKEN)?;
        let (part, after) = part.split_at_checked(end).ok_or(BROKEN)?;
        rest = after.get(delimiter.len()..).ok_or(BROKEN)?;
        let head_end = find(part.get(..part.len().min(MAX_HEAD_BYTES)).unwrap_or_default(), b"\r\n\r\n");
        let (head, content) = part.split_at_checked(head_end.ok_or(BROKEN)?).ok_or(BROKEN)?;
        let head = String::from_utf8_lossy(head);
        parts.push(FormPart {
            name: quoted(&head, "; name=\"").ok_or(BROKEN)?,
            file: quoted(&head, "; filename=\""),
            bytes: content.get(b"\r\n\r\n".len()..).unwrap_or_default(),
        });
    }
}

/// Where the needle begins.
fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}

/// The text between that beginning and the next quote. Browsers write a quote and line breaks in it as `%22`, `%0D` and
/// `%0A` (HTML, section 4.10.21.8).
fn quoted(head: &str, beginning: &str) -> Option<String> {
    let (_, after) = head.split_once(beginning)?;
    let (text, _) = after.split_once('"')?;
    Some(text.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
}
