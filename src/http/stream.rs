//! A TCP stream that fails if its caller reads too slowly, and that closes without losing the last answer.
//!
//! hyper limits how long a caller may take to send, but not how long it may take to read: a caller that never
//! reads would keep its connection for ever. And hyper closes at once: if the caller has sent more bytes, as TLS
//! does at its end, the system resets the connection and may discard the last answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::core::service::ConnectionActivity;

/// How long a lingering stream waits for its caller to close the connection too.
const LINGER: Duration = Duration::from_secs(1);
/// How many bytes it reads and discards meanwhile.
const MAX_DISCARDED_BYTES: usize = 64 * 1024;

/// A caller that reads waiting bytes more slowly than this, per second, loses the connection.
const LEAST_RATE_BYTES: u128 = 4 * 1024;

/// A TCP stream that fails if its caller reads too slowly.
pub(super) struct Stream {
    inner: TcpStream,
    /// The time over which [`LEAST_RATE_BYTES`] is measured, so that a short stall is tolerated.
    window: Duration,
    activity: Arc<ConnectionActivity>,
    /// Runs while bytes wait for the caller, and while the stream lingers.
    timer: Pin<Box<Sleep>>,
    /// Bytes read by the caller in this window, and those beyond the least rate in earlier ones; `None` while no
    /// bytes wait.
    taken: Option<usize>,
    /// True if the stream waits for the caller's close even if the caller sends nothing more.
    lingers: bool,
    /// Bytes discarded since this side closed; `None` before.
    discarded_bytes: Option<usize>,
}

impl Stream {
    pub(super) fn new(inner: TcpStream, window: Duration, activity: Arc<ConnectionActivity>) -> Stream {
        let timer = Box::pin(sleep(window));
        Stream { inner, window, activity, timer, taken: None, lingers: false, discarded_bytes: None }
    }

    /// Returns the stream, which closes only after its caller has closed too, or after a second.
    pub(super) fn lingering(self) -> Stream {
        Stream { lingers: true, ..self }
    }

    /// Returns what the connection is doing.
    pub(super) fn activity(&self) -> Arc<ConnectionActivity> {
        Arc::clone(&self.activity)
    }

    /// Returns the first bytes without taking them.
    pub(super) async fn peek(&self, bytes: &mut [u8]) -> io::Result<usize> {
        self.inner.peek(bytes).await
    }

    /// Drains the connection: closing with unread bytes could lose the answer. Errors are ignored, as the caller
    /// has gone.
    fn linger(&mut self, mut seen: usize, context: &mut Context<'_>) -> Poll<()> {
        let mut chunk = [0; 4096];
        while seen < MAX_DISCARDED_BYTES {
            let mut buffer = ReadBuf::new(&mut chunk);
            match Pin::new(&mut self.inner).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => seen += buffer.filled().len(),
                Poll::Ready(_) => break,
                Poll::Pending if seen == 0 && !self.lingers => break,
                Poll::Pending => {
                    self.discarded_bytes = Some(seen);
                    return self.timer.as_mut().poll(context);
                }
            }
        }
        Poll::Ready(())
    }

    /// Returns the result of a write; fails if the caller reads too slowly.
    fn watch(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = written {
            if let (Some(taken), Ok(count)) = (&mut self.taken, &result) {
                *taken += count;
            }
            return Poll::Ready(result);
        }
        if self.taken.is_none() {
            self.activity.set_unread(true);
            self.begin_window(0);
        }
        let least = usize::try_from(self.window.as_millis() * LEAST_RATE_BYTES / 1_000).unwrap_or(usize::MAX);
        while self.timer.as_mut().poll(context).is_ready() {
            let Some(rest) = self.taken.and_then(|taken| taken.checked_sub(least)) else {
                let error = io::Error::new(io::ErrorKind::TimedOut, "the caller does not read its answers");
                return Poll::Ready(Err(error));
            };
            self.begin_window(rest);
        }
        Poll::Pending
    }

    fn begin_window(&mut self, taken: usize) {
        self.taken = Some(taken);
        self.timer.as_mut().reset(Instant::now() + self.window);
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
        ready!(Pin::new(&mut stream.inner).poll_flush(context))?;
        // Flushed: the system has taken everything written so far.
        if stream.taken.take().is_some() {
            stream.activity.set_unread(false);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = self.get_mut();
        let discarded_bytes = match stream.discarded_bytes {
            Some(bytes) => bytes,
            None => {
                ready!(Pin::new(&mut stream.inner).poll_shutdown(context))?;
                stream.timer.as_mut().reset(Instant::now() + LINGER);
                0
            }
        };
        stream.linger(discarded_bytes, context).map(Ok)
    }
}
