//! A connection whose writes may not stall, and whose end takes no answer away.
//!
//! hyper limits how long a caller may take to send and not how long it may take to read; a
//! caller that never reads would keep its place for ever. And it closes at once: if the caller has
//! sent something more, as TLS does when it ends, the system resets the connection, and the last
//! answer may be lost on its way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// How long a lingering stream waits for its caller to end the connection too.
const LINGER: Duration = Duration::from_secs(1);
/// How much of what still comes is read and thrown away meanwhile.
const MAX_DISCARDED_BYTES: usize = 64 * 1024;

/// A TCP stream that fails when a write makes no progress for a while.
pub(super) struct Stream {
    inner: TcpStream,
    limit: Duration,
    /// Runs while a write is pending, and while the stream lingers.
    stalled: Pin<Box<Sleep>>,
    pending: bool,
    lingers: bool,
    /// What was read since the caller was told of the end; none before.
    discarded_bytes: Option<usize>,
}

impl Stream {
    pub(super) fn new(inner: TcpStream, limit: Duration) -> Stream {
        let stalled = Box::pin(sleep(limit));
        Stream { inner, limit, stalled, pending: false, lingers: false, discarded_bytes: None }
    }

    /// The same, which ends only once its caller has ended it too, or after a second.
    pub(super) fn lingering(inner: TcpStream, limit: Duration) -> Stream {
        Stream { lingers: true, ..Stream::new(inner, limit) }
    }

    /// Reads what still comes, to its end. There is none to hear of what goes wrong.
    fn linger(&mut self, mut seen: usize, context: &mut Context<'_>) -> Poll<()> {
        let mut chunk = [0; 4096];
        while seen < MAX_DISCARDED_BYTES {
            let mut buffer = ReadBuf::new(&mut chunk);
            match Pin::new(&mut self.inner).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => seen += buffer.filled().len(),
                Poll::Ready(_) => break,
                Poll::Pending => {
                    self.discarded_bytes = Some(seen);
                    return self.stalled.as_mut().poll(context);
                }
            }
        }
        Poll::Ready(())
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
        let discarded_bytes = match stream.discarded_bytes {
            Some(bytes) => bytes,
            None => {
                let result = Pin::new(&mut stream.inner).poll_shutdown(context);
                ready!(stream.watch(result, context))?;
                stream.stalled.as_mut().reset(Instant::now() + LINGER);
                0
            }
        };
        if stream.lingers {
            ready!(stream.linger(discarded_bytes, context));
        }
        Poll::Ready(Ok(()))
    }
}
