//! Reads the body of a request within its limits of size and time.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::EXPECT;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use super::limits::MAX_BODY_BYTES;
use super::memory::{AccountMemory, UNCOUNTED_BYTES};
use super::refusal;
use crate::base::problem::{ErrorCode, Problem};
use crate::core::service::MemoryPermit;

/// How much of a body that is too large is read and discarded, in bytes. A client that sends everything before
/// it reads would otherwise never see the refusal.
const MAX_DISCARDED_BYTES: usize = 4 * 1024 * 1024;
/// For how long such a body is read at most.
const MAX_DISCARD_TIME: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(crate) struct RequestBody {
    pub(crate) bytes: Vec<u8>,
    /// The memory that the bytes take of the budget.
    #[expect(dead_code, reason = "its drop, with the bytes, gives the memory back")]
    permit: Option<MemoryPermit>,
}

pub(crate) struct Unread {
    pub(crate) problem: Box<Problem>,
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
pub(crate) async fn read(
    request: Request<Incoming>,
    limit: Duration,
    memory: AccountMemory<'_>,
) -> Result<RequestBody, Unread> {
    let announced = announced(&request);
    let mut permit = None;
    if (UNCOUNTED_BYTES + 1..=MAX_BODY_BYTES).contains(&announced) {
        // If that fails, the body stays unread: the stream drains it in a smaller buffer than hyper's.
        permit = Some(memory.acquire(MAX_BODY_BYTES, limit).await?);
    }
    let mut reading = Reading::begin(request, MAX_BODY_BYTES, limit);
    loop {
        match reading.next().await? {
            ReadStep::Whole => return Ok(RequestBody { bytes: reading.bytes, permit }),
            ReadStep::TooLarge => {
                reading.discard(MAX_DISCARDED_BYTES, MAX_DISCARD_TIME).await;
                return Err(Box::new(refusal::body_too_large()).into());
            }
            ReadStep::Grown if permit.is_none() && reading.bytes.len() > UNCOUNTED_BYTES => {
                // Only now, as many clients send every body in chunks, and most bodies are small. Without waiting, as
                // these bytes are in memory already.
                permit = Some(memory.try_acquire(MAX_BODY_BYTES)?);
            }
            ReadStep::Grown => {}
        }
    }
}

/// Returns the length that the head of the request announces; 0 if it announces none.
fn announced(request: &Request<Incoming>) -> usize {
    usize::try_from(request.body().size_hint().lower()).unwrap_or(usize::MAX)
}

/// A body that is being read within its limits of size and time.
pub(super) struct Reading {
    body: Incoming,
    pub(super) bytes: Vec<u8>,
    /// True if more is announced than the body may have.
    is_too_large: bool,
    /// True if the caller sends nothing before it is asked to.
    waits: bool,
    most: usize,
    limit: Duration,
    /// When all of it must be there: counted from the first time that it is waited for.
    deadline: Option<Instant>,
}

/// What a step of reading a body gave.
pub(super) enum ReadStep {
    /// More bytes.
    Grown,
    /// The end: all bytes are there.
    Whole,
    /// More than the body may have, or an announcement of more. The bytes are freed.
    TooLarge,
}

impl Reading {
    /// Begins to read a body of up to `most` bytes, which arrives within the time.
    pub(super) fn begin(request: Request<Incoming>, most: usize, limit: Duration) -> Reading {
        let announced = announced(&request);
        Reading {
            is_too_large: announced > most,
            waits: request.headers().contains_key(EXPECT),
            bytes: Vec::with_capacity(if announced > most { 0 } else { announced }),
            body: request.into_body(),
            most,
            limit,
            deadline: None,
        }
    }

    /// Reads more. Fails if the body is too slow or incomplete.
    pub(super) async fn next(&mut self) -> Result<ReadStep, Unread> {
        if self.is_too_large {
            return Ok(ReadStep::TooLarge);
        }
        // Its announced length is there: the channel need not be asked for its end.
        if self.body.is_end_stream() {
            return Ok(ReadStep::Whole);
        }
        self.waits = false;
        match self.chunk_in_time().await {
            Err(_) => Err(Box::new(refusal::body_too_slow(self.limit)).into()),
            Ok(Some(Ok(chunk))) if self.bytes.len() + chunk.len() > self.most => {
                self.is_too_large = true;
                self.bytes = Vec::new();
                Ok(ReadStep::TooLarge)
            }
            Ok(Some(Ok(chunk))) => {
                self.bytes.extend_from_slice(&chunk);
                Ok(ReadStep::Grown)
            }
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "a request body broke off");
                let detail = "O corpo do pedido não chegou inteiro.";
                let problem = Box::new(Problem::new(ErrorCode::JsonInvalido, detail));
                Err(Unread { problem, left: has_left(&error) })
            }
            Ok(None) => Ok(ReadStep::Whole),
        }
    }

    /// The next chunk of data. Most bodies are there with their heads, and need no clock and no timer.
    async fn chunk_in_time(&mut self) -> Result<Option<Result<Bytes, hyper::Error>>, Elapsed> {
        let mut chunk = pin!(next_chunk(&mut self.body));
        if let Poll::Ready(chunk) = poll_fn(|context| Poll::Ready(chunk.as_mut().poll(context))).await {
            return Ok(chunk);
        }
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + self.limit);
        timeout_at(deadline, chunk).await
    }

    /// Reads and discards the rest, up to so many bytes and for so long.
    pub(super) async fn discard(mut self, most: usize, time: Duration) {
        let (deadline, mut seen) = (Instant::now() + time, 0);
        while !self.waits && seen < most {
            // A caller that sends nothing more may wait for the answer.
            let patience = deadline.min(Instant::now() + MAX_DISCARD_TIME);
            match timeout_at(patience, next_chunk(&mut self.body)).await {
                Ok(Some(Ok(chunk))) => seen += chunk.len(),
                _ => return,
            }
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
pub(crate) async fn pass_over(request: Request<Incoming>) -> RequestBody {
    if request.headers().contains_key(EXPECT) {
        return RequestBody::default();
    }
    let mut reading = Reading::begin(request, UNCOUNTED_BYTES, MAX_DISCARD_TIME);
    loop {
        match reading.next().await {
            Ok(ReadStep::Grown) => {}
            Ok(ReadStep::Whole) => return RequestBody { bytes: reading.bytes, permit: None },
            Ok(ReadStep::TooLarge) => {
                reading.discard(MAX_DISCARDED_BYTES, MAX_DISCARD_TIME).await;
                return RequestBody::default();
            }
            Err(_) => return RequestBody::default(),
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
