//! Reads the body of a request within its limits of size and time.

use std::io;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::EXPECT;
use tokio::time::{Instant, timeout_at};

use super::limits::MAX_BODY_BYTES;
use super::memory::{AccountMemory, UNCOUNTED_BYTES};
use super::refusal;
use crate::problem::{ErrorCode, Problem};
use crate::service::MemoryPermit;

/// How much of a body that is too large is read and discarded, in bytes. A client that sends everything before
/// it reads would otherwise never see the refusal.
const MAX_DISCARDED_BYTES: usize = 4 * 1024 * 1024;
/// For how long such a body is read at most.
const MAX_DISCARD_TIME: Duration = Duration::from_secs(2);

/// A body that was read.
#[derive(Default)]
pub(super) struct RequestBody {
    pub(super) bytes: Vec<u8>,
    /// The memory that the bytes take of the budget.
    #[expect(dead_code, reason = "its drop, with the bytes, gives the memory back")]
    permit: Option<MemoryPermit>,
}

/// Why a body was not read.
pub(super) struct Unread {
    /// The refusal.
    pub(super) problem: Box<Problem>,
    /// True if the caller disconnected in the middle of the body.
    pub(super) left: bool,
}

impl From<Box<Problem>> for Unread {
    fn from(problem: Box<Problem>) -> Self {
        Unread { problem, left: false }
    }
}

/// Reads the whole body. Fails if it is too large, too slow or incomplete, or if there is no memory for it: the
/// first [`UNCOUNTED_BYTES`] need none.
pub(super) async fn read(
    request: Request<Incoming>,
    limit: Duration,
    memory: AccountMemory<'_>,
) -> Result<RequestBody, Unread> {
    let too_large = || Box::new(refusal::body_too_large());
    let announced = usize::try_from(request.body().size_hint().lower()).unwrap_or(usize::MAX);
    if announced > MAX_BODY_BYTES {
        pass_over(request).await;
        return Err(too_large().into());
    }
    let mut permit = None;
    if announced > UNCOUNTED_BYTES {
        // If that fails, the body stays unread: the stream drains it in a smaller buffer than hyper's.
        permit = Some(memory.acquire(MAX_BODY_BYTES, limit).await?);
    }
    let bytes = collect(request.into_body(), announced, MAX_BODY_BYTES, limit, too_large, |length| {
        if permit.is_none() && length > UNCOUNTED_BYTES {
            // Only now, as many clients send every body in chunks, and most bodies are small. Without waiting, as
            // these bytes are in memory already.
            permit = Some(memory.try_acquire(MAX_BODY_BYTES)?);
        }
        Ok(())
    });
    let bytes = bytes.await?;
    Ok(RequestBody { bytes, permit })
}

/// Reads a file of up to `most` bytes, which the caller has room for.
pub(super) async fn read_file(request: Request<Incoming>, most: usize, limit: Duration) -> Result<Vec<u8>, Unread> {
    let too_large = || Box::new(refusal::file_too_large(most));
    let announced = usize::try_from(request.body().size_hint().lower()).unwrap_or(usize::MAX);
    if announced > most {
        pass_over(request).await;
        return Err(too_large().into());
    }
    collect(request.into_body(), announced, most, limit, too_large, |_| Ok(())).await
}

/// Reads a body of up to `most` bytes within the time. `grows` sees each new length, and may end the reading.
async fn collect(
    mut body: Incoming,
    announced: usize,
    most: usize,
    limit: Duration,
    too_large: impl Fn() -> Box<Problem>,
    mut grows: impl FnMut(usize) -> Result<(), Box<Problem>>,
) -> Result<Vec<u8>, Unread> {
    let deadline = Instant::now() + limit;
    let mut read = Vec::with_capacity(announced);
    loop {
        match timeout_at(deadline, next_chunk(&mut body)).await {
            Err(_) => return Err(Box::new(refusal::body_too_slow(limit)).into()),
            Ok(Some(Ok(chunk))) if read.len() + chunk.len() > most => {
                discard(body, read.len() + chunk.len()).await;
                return Err(too_large().into());
            }
            Ok(Some(Ok(chunk))) => {
                read.extend_from_slice(&chunk);
                grows(read.len())?;
            }
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "a request body broke off");
                let detail = "O corpo do pedido não chegou inteiro.";
                let problem = Box::new(Problem::new(ErrorCode::JsonInvalido, detail));
                return Err(Unread { problem, left: has_left(&error) });
            }
            Ok(None) => return Ok(read),
        }
    }
}

/// True if the caller disconnected; false if the body is malformed.
fn has_left(error: &hyper::Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<io::Error>())
        .is_some_and(|e| matches!(e.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset))
}

/// Reads the body of a refused request: if the connection is closed while the caller is still sending, the caller may
/// never see the refusal. Returns the body for the log if it is whole and needs no memory of the budget. A body
/// announced with `Expect: 100-continue` is not read, because hyper would ask for it on the first read.
pub(super) async fn pass_over(request: Request<Incoming>) -> RequestBody {
    if request.headers().contains_key(EXPECT) {
        return RequestBody::default();
    }
    let mut body = request.into_body();
    let mut bytes = Vec::new();
    let deadline = Instant::now() + MAX_DISCARD_TIME;
    loop {
        match timeout_at(deadline, next_chunk(&mut body)).await {
            Ok(Some(Ok(chunk))) if bytes.len() + chunk.len() <= UNCOUNTED_BYTES => bytes.extend_from_slice(&chunk),
            Ok(Some(Ok(chunk))) => {
                discard(body, bytes.len() + chunk.len()).await;
                return RequestBody::default();
            }
            Ok(None) => return RequestBody { bytes, permit: None },
            Ok(Some(Err(_))) | Err(_) => return RequestBody::default(),
        }
    }
}

/// Returns the next chunk of data, without trailers.
async fn next_chunk(body: &mut Incoming) -> Option<Result<Bytes, hyper::Error>> {
    loop {
        match body.frame().await? {
            Ok(frame) => {
                if let Ok(data) = frame.into_data() {
                    return Some(Ok(data));
                }
            }
            Err(error) => return Some(Err(error)),
        }
    }
}

async fn discard(mut body: Incoming, mut seen: usize) {
    let deadline = Instant::now() + MAX_DISCARD_TIME;
    while seen < MAX_DISCARDED_BYTES {
        match timeout_at(deadline, next_chunk(&mut body)).await {
            Ok(Some(Ok(chunk))) => seen += chunk.len(),
            _ => return,
        }
    }
}
