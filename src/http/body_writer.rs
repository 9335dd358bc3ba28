//! An answer that is sent while it is made, such as a long table.

use std::io::{self, BufWriter, Read, Seek, Write};

use hyper::body::Bytes;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::refusal;
use super::respond::{self, HttpResponse};
use super::response_body::{PIECE_BYTES, ResponseBody};
use super::turn::{Paced, Turn};
use crate::base::problem::{Problem, guarded};
use crate::core::service::lower_priority;

/// Pieces of an answer that wait for its reader.
const PIECES_WAITING: usize = 16;

/// Writes an answer that is sent while it is made. A write fails with `BrokenPipe` when nobody reads it any more. While
/// the reader is waited for, other work has the place.
pub(crate) struct BodyWriter {
    sender: mpsc::Sender<Bytes>,
    waiting: Vec<u8>,
    turn: Turn,
}

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.turn.pass();
        if self.waiting.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.waiting));
        let gone = io::ErrorKind::BrokenPipe;
        match self.sender.try_send(piece) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(piece)) => {
                self.turn.aside(|| self.sender.blocking_send(piece)).map_err(|_| gone.into())
            }
            Err(TrySendError::Closed(_)) => Err(gone.into()),
        }
    }
}

impl BodyWriter {
    /// Sends a value as a line of JSON, at once.
    pub(crate) fn line(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        self.line_later(value)?;
        self.flush()
    }

    /// The same with the lines after it.
    pub(crate) fn line_later(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self, value)?;
        self.write_all(b"\n")
    }

    /// True after the reader has gone, for work that writes seldom.
    pub(crate) fn reader_has_gone(&self) -> bool {
        self.sender.is_closed()
    }

    pub(crate) fn turn(&self) -> &Turn {
        &self.turn
    }

    /// Sends a file that must be whole before its first byte is sent. It is written to a temporary file without a name,
    /// which costs no memory while its reader is slow.
    pub(crate) fn whole(
        &mut self,
        write: impl FnOnce(&mut BufWriter<Paced<std::fs::File>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut buffered = BufWriter::with_capacity(PIECE_BYTES, self.turn.paced(tempfile::tempfile()?));
        write(&mut buffered)?;
        let mut file = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(()),
                count => self.write_all(piece.get(..count).unwrap_or_default())?,
            }
        }
    }
}

/// Sends what `work` writes, while it writes it. `kept` is dropped when the work has ended: the work continues for a
/// moment after its reader has gone.
pub(super) async fn stream(
    turn: Turn,
    kept: impl Send + 'static,
    content_type: &'static str,
    work: impl FnOnce(&mut BodyWriter) -> Result<(), Box<Problem>> + Send + 'static,
) -> Result<HttpResponse, Box<Problem>> {
    let (sender, mut receiver) = mpsc::channel(PIECES_WAITING);
    let made = tokio::task::spawn_blocking(move || {
        lower_priority();
        let made = guarded(move || {
            let mut writer = BodyWriter { sender, waiting: Vec::new(), turn };
            work(&mut writer)?;
            // A reader that has gone needs no end.
            let _ = writer.flush();
            Ok(())
        });
        drop(kept);
        made
    });
    let Some(first) = receiver.recv().await else {
        made.await.unwrap_or_else(|_| Err(Box::new(refusal::stopping())))?;
        return Ok(respond::streamed(content_type, ResponseBody::default()));
    };
    Ok(respond::streamed(content_type, ResponseBody::streaming(first, receiver)))
}
