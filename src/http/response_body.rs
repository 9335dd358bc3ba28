//! The body of an answer, in pieces that are freed as the caller takes them.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Buf, Bytes, Frame, SizeHint};

use crate::service::{MemoryPermit, RequestInFlight};

/// Largest piece of an answer that was made for its caller.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

/// What is left of a body.
#[derive(Default)]
pub(super) struct ResponseBody {
    first: Option<Piece>,
    rest: std::vec::IntoIter<Piece>,
    /// The request that it answers, which ends with it.
    request: Option<RequestInFlight>,
}

/// Some bytes. What they hold of the budget is given back once they are sent.
pub(super) struct Piece {
    bytes: Bytes,
    held: Option<MemoryPermit>,
}

impl ResponseBody {
    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.first.iter().chain(self.rest.as_slice()).map(|piece| piece.bytes.len()).sum()
    }

    /// Lets each piece hold its part of the budget.
    pub(super) fn acquire(&mut self, mut held: MemoryPermit) {
        for piece in self.first.iter_mut().chain(self.rest.as_mut_slice()) {
            piece.held = held.split(piece.bytes.len());
        }
    }

    /// Says which request it answers.
    pub(super) fn answers(&mut self, request: RequestInFlight) {
        self.request = Some(request);
    }
}

/// Bytes that several answers share, or few.
impl From<Bytes> for ResponseBody {
    fn from(bytes: Bytes) -> ResponseBody {
        let first = Some(Piece { bytes, held: None }).filter(|piece| !piece.bytes.is_empty());
        ResponseBody { first, ..ResponseBody::default() }
    }
}

/// An answer of its own. A large one is copied into pieces, so that what is sent can be freed.
impl From<Vec<u8>> for ResponseBody {
    fn from(bytes: Vec<u8>) -> ResponseBody {
        if bytes.len() <= PIECE_BYTES {
            return Bytes::from(bytes).into();
        }
        let pieces = bytes.chunks(PIECE_BYTES).map(|part| Piece { bytes: Bytes::copy_from_slice(part), held: None });
        ResponseBody { rest: pieces.collect::<Vec<_>>().into_iter(), ..ResponseBody::default() }
    }
}

impl From<String> for ResponseBody {
    fn from(text: String) -> ResponseBody {
        text.into_bytes().into()
    }
}

impl Body for ResponseBody {
    type Data = Piece;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Piece>, Infallible>>> {
        let body = self.get_mut();
        let piece = body.first.take().or_else(|| body.rest.next());
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.len() as u64)
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}
