//! Files that the page sends, and answers that are sent while they are made. A file is in memory while it is read,
//! and kept nowhere.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Bytes, Incoming};
use hyper::{Request, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use super::request_body::{self, Unread};
use super::respond::{self, HttpResponse};
use super::response_body::{PIECE_BYTES, ResponseBody};
use super::{call::CallOutcome, refusal};
use crate::problem::{Problem, guarded};
use crate::service::{MemoryBudget, MemoryPermit, lower_priority};

/// Longest file, in bytes: some ten thousand invoices in a zip, or a table of a hundred thousand rows.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;
/// Files that are read at once, over all accounts.
const MAX_FILES: usize = 2;
/// How long a further file waits.
const PATIENCE: Duration = Duration::from_secs(30);
/// For how much longer than a body of the API a file may arrive: the time limit of that one, so many times.
const SLOWER: u32 = 4;
/// Pieces of an answer that wait for its reader.
const PIECES_WAITING: usize = 4;

/// The places for files.
pub(super) struct Files {
    all: Arc<Semaphore>,
    /// An account's share of this budget is one file, so that two slow ones of one account do not stop all others.
    accounts: MemoryBudget,
}

/// A file, and its places among those of its account and among all.
struct Upload {
    bytes: Vec<u8>,
    places: (MemoryPermit, OwnedSemaphorePermit),
}

/// Writes an answer that is sent while it is made. A write fails with `BrokenPipe` when nobody reads it any more.
pub(super) struct BodyWriter {
    sender: mpsc::Sender<Bytes>,
    waiting: Vec<u8>,
}

impl Files {
    pub(super) fn new() -> Files {
        let accounts = MemoryBudget::new(MemoryBudget::SHARES * MAX_FILE_BYTES);
        Files { all: Arc::new(Semaphore::new(MAX_FILES)), accounts }
    }
}

impl io::Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.waiting));
        self.sender.blocking_send(piece).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl BodyWriter {
    /// Sends a value as a line of JSON, at once.
    pub(super) fn line(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        self.line_later(value)?;
        io::Write::flush(self)
    }

    /// The same with the lines after it.
    pub(super) fn line_later(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self, value)?;
        io::Write::write_all(self, b"\n")
    }

    /// True after the reader has gone, for work that writes seldom.
    pub(super) fn reader_has_gone(&self) -> bool {
        self.sender.is_closed()
    }
}

impl Files {
    /// Reads the file in the body, within a multiple of the `limit` for other bodies, and answers with what `work` writes of it, in the form `content_type`. `work` runs
    /// on a thread of its own, at a lower priority than calculations. A problem before the first byte is the answer;
    /// a later one cuts the answer off, so `work` says it within the form if it can.
    pub(super) async fn answer(
        &self,
        account: &Arc<str>,
        request: Request<Incoming>,
        limit: Duration,
        outcome: &mut CallOutcome,
        content_type: &'static str,
        work: impl FnOnce(&[u8], &mut BodyWriter) -> Result<(), Box<Problem>> + Send + 'static,
    ) -> Result<HttpResponse, Box<Problem>> {
        let upload = self.upload(account, request, limit).await.map_err(|unread| {
            outcome.caller_left = unread.left;
            unread.problem
        })?;
        let (sender, mut receiver) = mpsc::channel(PIECES_WAITING);
        let made = tokio::task::spawn_blocking(move || {
            lower_priority();
            let Upload { bytes, places } = upload;
            let made = guarded(move || {
                let mut writer = BodyWriter { sender, waiting: Vec::new() };
                work(&bytes, &mut writer)?;
                // A reader that has gone needs no end.
                let _ = io::Write::flush(&mut writer);
                Ok(())
            });
            // Not earlier: the work goes on for a moment after its reader has gone.
            drop(places);
            made
        });
        let Some(first) = receiver.recv().await else {
            made.await.unwrap_or_else(|_| Err(Box::new(refusal::stopping())))?;
            return Ok(respond::with_type(StatusCode::OK, content_type, Vec::new()));
        };
        Ok(respond::streamed(content_type, ResponseBody::streaming(first, receiver)))
    }

    async fn upload(&self, account: &Arc<str>, request: Request<Incoming>, limit: Duration) -> Result<Upload, Unread> {
        let places = async {
            let own = self.accounts.acquire(account, MAX_FILE_BYTES, PATIENCE).await?;
            Some((own, Arc::clone(&self.all).acquire_owned().await.ok()?))
        };
        let Ok(Some(places)) = timeout(PATIENCE, places).await else {
            request_body::pass_over(request).await;
            return Err(Box::new(refusal::too_many_files()).into());
        };
        let bytes = request_body::read_file(request, MAX_FILE_BYTES, limit * SLOWER).await?;
        Ok(Upload { bytes, places })
    }
}
