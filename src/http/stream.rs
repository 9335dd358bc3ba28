//! A connection whose writes may not stall.
//!
//! hyper limits how long a caller may take to send and not how long it may take to read; a
//! caller that never reads would keep its place for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// A TCP stream that fails when a write makes no progress for a while.
pub(super) struct Stream {
    inner: TcpStream,
    limit: Duration,
    /// Runs while a write is pending.
    stalled: Pin<Box<Sleep>>,
    pending: bool,
}

impl Stream {
    pub(super) fn new(inner: TcpStream, limit: Duration) -> Stream {
        Stream { inner, limit, stalled: Box::pin(sleep(limit)), pending: false }
    }

    /// Passes on what a write came to, unless it has been pending for too long.
    fn watch<T>(&mut self, result: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.pending = false;
            return result;
        }
        if !self.pending {
            self.pending = true;
            self.stalled.as_mut().reset(Instant::now() + self.limit);
        }
        ready!(self.stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the caller does not read its answers")))
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        let result = Pin::new(&mut stream.inner).poll_write(context, bytes);
        stream.watch(result, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = self.get_mut();
        let result = Pin::new(&mut stream.inner).poll_write_vectored(context, parts);
        stream.watch(result, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let result = Pin::new(&mut stream.inner).poll_flush(context);
        stream.watch(result, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let result = Pin::new(&mut stream.inner).poll_shutdown(context);
        stream.watch(result, context)
    }
}
