//! Reading a request body within its limits of size and time.

use std::io;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::EXPECT;
use tokio::time::{Instant, timeout_at};

use super::memory::{AccountMemory, UNCOUNTED_BYTES};
use super::refusal;
use crate::problem::{ErrorCode, Problem};
use crate::service::MemoryPermit;

/// Largest body: the contract's payloads have a few hundred bytes.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// How much of a body that is too large is read and thrown away, so that a client that sends
/// before it listens still hears the refusal.
const MAX_DISCARDED_BYTES: usize = 4 * 1024 * 1024;
/// For how long at most.
const MAX_DISCARD_TIME: Duration = Duration::from_secs(2);

/// A body that was read.
#[derive(Default)]
pub(super) struct RequestBody {
    pub(super) bytes: Vec<u8>,
    /// What it takes of the budget while it is kept.
    #[expect(dead_code, reason = "what counts is that it is dropped with the bytes")]
    held: Option<MemoryPermit>,
}

/// Why a body was not read.
pub(super) struct Unread {
    /// What its caller is told.
    pub(super) problem: Box<Problem>,
    /// True where nobody seems to be left to hear it: the connection ended in the middle.
    pub(super) left: bool,
}

impl From<Box<Problem>> for Unread {
    fn from(problem: Box<Problem>) -> Self {
        Unread { problem, left: false }
    }
}

/// The whole body, or the refusal: too large, too slow, or broken off. More than a small body is read only
/// once `memory` holds memory for it.
pub(super) async fn read(
    request: Request<Incoming>,
    limit: Duration,
    memory: AccountMemory<'_>,
) -> Result<RequestBody, Unread> {
    let too_large = || Box::new(refusal::body_too_large());
    let announced = usize::try_from(request.body().size_hint().lower()).unwrap_or(usize::MAX);
    if announced > MAX_BYTES {
        pass_over(request).await;
        return Err(too_large().into());
    }
    let mut held = None;
    if announced > UNCOUNTED_BYTES {
        // Without room the rest is left to the stream, which drains it in a smaller buffer than hyper's.
        held = Some(memory.acquire(MAX_BYTES, limit).await?);
    }
    let mut body = request.into_body();
    let deadline = Instant::now() + limit;
    let mut read = Vec::with_capacity(announced);
    loop {
        match timeout_at(deadline, next_chunk(&mut body)).await {
            Err(_) => return Err(Box::new(refusal::body_too_slow(limit)).into()),
            Ok(Some(Ok(chunk))) if read.len() + chunk.len() > MAX_BYTES => {
                discard(body, read.len() + chunk.len()).await;
                return Err(too_large().into());
            }
            Ok(Some(Ok(chunk))) => {
                read.extend_from_slice(&chunk);
                if held.is_none() && read.len() > UNCOUNTED_BYTES {
                    // Only now: many clients send every body in chunks, and most bodies are small. It does not
                    // wait, since what was read is in memory already.
                    held = Some(memory.try_acquire(MAX_BYTES)?);
                }
            }
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "a request body broke off");
                let detail = "O corpo do pedido não chegou inteiro.";
                let problem = Box::new(Problem::new(ErrorCode::JsonInvalido, detail));
                return Err(Unread { problem, left: has_left(&error) });
            }
            Ok(None) => return Ok(RequestBody { bytes: read, held }),
        }
    }
}

/// True if the caller ended the connection; false for a body that is not framed as it should be.
fn has_left(error: &hyper::Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<io::Error>())
        .is_some_and(|e| matches!(e.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset))
}

/// Reads and throws away the body of a request that is refused unread: where the connection is
/// closed on a caller who is still sending, the refusal may never be heard. A caller who sends
/// only when asked to (`Expect: 100-continue`) is not asked; hyper would do so on the first read.
pub(super) async fn pass_over(request: Request<Incoming>) {
    if !request.headers().contains_key(EXPECT) {
        discard(request.into_body(), 0).await;
    }
}

/// The next piece of data; trailers are passed over.
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
