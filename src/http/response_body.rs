//! The body of an answer, in pieces that are freed as the caller reads them.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Buf, Bytes, Frame, SizeHint};
use tokio::sync::mpsc::Receiver;

use crate::core::service::{MemoryPermit, RequestInFlight};

/// Longest piece of an answer that is not shared, in bytes.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

/// The rest of a body that is being sent.
#[derive(Default)]
pub(crate) struct ResponseBody {
    first: Option<Piece>,
    rest: std::vec::IntoIter<Piece>,
    /// Pieces that are still being made.
    stream: Option<Receiver<Bytes>>,
    /// The request that it answers: it is in flight until the body is sent or dropped.
    request: Option<RequestInFlight>,
}

/// Some bytes, and the memory that they take of the budget until they are sent.
pub(crate) struct Piece {
    bytes: Bytes,
    permit: Option<MemoryPermit>,
}

impl ResponseBody {
    /// Returns a body that is sent while it is made. It ends when its sender is dropped.
    pub(super) fn streaming(first: Bytes, rest: Receiver<Bytes>) -> ResponseBody {
        ResponseBody { stream: Some(rest), ..ResponseBody::from(first) }
    }

    /// Returns the number of bytes that are made already.
    pub(super) fn len(&self) -> usize {
        self.first.iter().chain(self.rest.as_slice()).map(|piece| piece.bytes.len()).sum()
    }

    /// Divides the permit among the pieces, so that each gives its memory back when it is sent.
    pub(super) fn charge(&mut self, mut permit: MemoryPermit) {
        for piece in self.first.iter_mut().chain(self.rest.as_mut_slice()) {
            piece.permit = permit.split(piece.bytes.len());
        }
    }

    /// Ties the request to this body.
    pub(super) fn answers(&mut self, request: RequestInFlight) {
        self.request = Some(request);
    }
}

/// Bytes that several answers share, or one answer, which is short.
impl From<Bytes> for ResponseBody {
    fn from(bytes: Bytes) -> ResponseBody {
        let first = Some(Piece { bytes, permit: None }).filter(|piece| !piece.bytes.is_empty());
        ResponseBody { first, ..ResponseBody::default() }
    }
}

/// The body of one answer. A long one is copied into pieces, so that each can be freed when it is sent.
impl From<Vec<u8>> for ResponseBody {
    fn from(bytes: Vec<u8>) -> ResponseBody {
        if bytes.len() <= PIECE_BYTES {
            return Bytes::from(bytes).into();
        }
        let pieces = bytes.chunks(PIECE_BYTES).map(|part| Piece { bytes: Bytes::copy_from_slice(part), permit: None });
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

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Piece>, Infallible>>> {
        let body = self.get_mut();
        if let Some(piece) = body.first.take().or_else(|| body.rest.next()) {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let Some(stream) = &mut body.stream else { return Poll::Ready(None) };
        stream.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(Piece { bytes, permit: None }))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.as_slice().is_empty() && self.stream.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.stream {
            None => SizeHint::with_exact(self.len() as u64),
            Some(_) => SizeHint::new(),
        }
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
