//! Files that the page sends, and answers that are sent while they are made, such as a long table. A file is in memory
//! while it is read, and kept nowhere.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::{Bytes, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use super::call::CallOutcome;
use super::refusal;
use super::request_body::{self, Unread};
use super::respond::{self, HttpResponse};
use super::response_body::{PIECE_BYTES, ResponseBody};
use crate::calls::{Caller, FileDigest};
use crate::problem::{ErrorCode, Problem, guarded};
use crate::service::{MemoryBudget, MemoryPermit, Service, lower_priority};
use crate::value::{Timestamp, sha256_of_parts};

/// Longest file, in bytes: some ten thousand invoices in a zip, or a table of a hundred thousand rows.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;
/// Files and long tables that are worked on at once, over all accounts.
const MAX_FILES: usize = 2;
/// How long a further file waits to be received, and again to be worked on.
const PATIENCE: Duration = Duration::from_secs(30);
/// For how much longer than a body of the API a file may arrive: the time limit of that one, so many times.
const SLOWER: u32 = 4;
/// Pieces of an answer that wait for its reader.
const PIECES_WAITING: usize = 4;

/// The places for files.
pub(super) struct Files {
    /// A permit for each file that is worked on.
    all: Arc<Semaphore>,
    /// Memory for files. An account's share is one file, so that the slow ones of one account do not stop all others.
    accounts: MemoryBudget,
}

/// What is asked of a file, and how it is answered.
pub(super) trait FileQuestion: Sized + Send + 'static {
    /// Reads it from the query and the headers.
    fn read(request: &Request<Incoming>, now: Timestamp) -> Result<Self, Box<Problem>>;

    /// The instant whose rules answer; `None` for now.
    fn known_at(&self) -> Option<Timestamp>;

    /// The form of the answer.
    fn content_type(&self) -> &'static str;

    /// Writes the answer. A write fails when nobody reads it any more.
    fn answer(
        self,
        bytes: &[u8],
        service: &Service,
        caller: &Caller,
        writer: &mut BodyWriter,
    ) -> Result<(), Box<Problem>>;
}

/// A file, and its places among those of its account and among all.
struct Upload {
    bytes: Vec<u8>,
    places: Places,
}

/// A place among those of an account, and one among all.
type Places = (MemoryPermit, OwnedSemaphorePermit);

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

/// Sends what `work` writes, while it writes it.
async fn stream(
    places: Places,
    content_type: &'static str,
    work: impl FnOnce(&mut BodyWriter) -> Result<(), Box<Problem>> + Send + 'static,
) -> Result<HttpResponse, Box<Problem>> {
    let (sender, mut receiver) = mpsc::channel(PIECES_WAITING);
    let made = tokio::task::spawn_blocking(move || {
        lower_priority();
        let made = guarded(move || {
            let mut writer = BodyWriter { sender, waiting: Vec::new() };
            work(&mut writer)?;
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
        return Ok(respond::streamed(content_type, ResponseBody::default()));
    };
    Ok(respond::streamed(content_type, ResponseBody::streaming(first, receiver)))
}

/// The digest of what is asked of a file, by the rules of now: the same question of the same file is charged once
/// ([`Calls::bill`](crate::calls::Calls::bill)).
pub(super) fn file_digest<'p>(
    service: &Service,
    parts: impl IntoIterator<Item = &'p [u8]>,
) -> Result<FileDigest, Box<Problem>> {
    let failed = |error| Box::new(Problem::failure("O arquivo não pôde ser lido; avise o operador.", error));
    let published = service.store().last_publication_ms().map_err(failed)?.unwrap_or_default().to_be_bytes();
    Ok(sha256_of_parts([published.as_slice(), &sha256_of_parts(parts)]))
}

/// The refusal of a table that a spreadsheet has no room for, or that could not be written.
pub(super) fn no_spreadsheet(error: &io::Error) -> Box<Problem> {
    let detail = "A tabela não cabe em um XLSX: tem linhas demais, ou um texto longo demais. Baixe o CSV.";
    if error.kind() == io::ErrorKind::InvalidInput {
        return Box::new(Problem::new(ErrorCode::PayloadInvalido, detail));
    }
    Box::new(Problem::failure("O XLSX não pôde ser escrito; baixe o CSV, e avise o operador.", error))
}

impl Files {
    /// Reads the file in the body, which may take a multiple of the `limit` for other bodies, and answers with what is
    /// written of it. The file is worked on by a thread of its own, at a lower priority than calculations. A problem
    /// before the first byte is the answer; a later one cuts the answer off, so [`FileQuestion::answer`] says it within
    /// its form if it can.
    pub(super) async fn answer<Q: FileQuestion>(
        &self,
        question: Q,
        service: &Arc<Service>,
        caller: &Arc<Caller>,
        request: Request<Incoming>,
        limit: Duration,
        outcome: &mut CallOutcome,
    ) -> Result<HttpResponse, Box<Problem>> {
        let upload = self.upload(&caller.client.client_id, request, limit).await.map_err(|unread| {
            outcome.caller_left = unread.left;
            unread.problem
        })?;
        let content_type = question.content_type();
        let (service, caller) = (Arc::clone(service), Arc::clone(caller));
        let Upload { bytes, places } = upload;
        stream(places, content_type, move |writer| question.answer(&bytes, &service, &caller, writer)).await
    }

    /// Answers with what `work` writes, as [`answer`](Self::answer) does, without a file in the request.
    pub(super) async fn send(
        &self,
        caller: &Caller,
        content_type: &'static str,
        work: impl FnOnce(&mut BodyWriter) -> Result<(), Box<Problem>> + Send + 'static,
    ) -> Result<HttpResponse, Box<Problem>> {
        let own = self.own_place(&caller.client.client_id).await?;
        stream((own, self.common_place().await?), content_type, work).await
    }

    /// Reads the file in the body.
    async fn upload(&self, account: &Arc<str>, request: Request<Incoming>, limit: Duration) -> Result<Upload, Unread> {
        let own = match self.own_place(account).await {
            Ok(own) => own,
            Err(problem) => {
                request_body::pass_over(request).await;
                return Err(problem.into());
            }
        };
        let bytes = request_body::read_file(request, MAX_FILE_BYTES, limit * SLOWER).await?;
        // Not earlier: a file that arrives slowly would keep the place from files that are there.
        Ok(Upload { bytes, places: (own, self.common_place().await?) })
    }

    /// Waits for a place among those of the account.
    async fn own_place(&self, account: &Arc<str>) -> Result<MemoryPermit, Box<Problem>> {
        let own = self.accounts.acquire(account, MAX_FILE_BYTES, PATIENCE).await;
        own.ok_or_else(|| Box::new(refusal::too_many_files()))
    }

    /// Waits for a place among those of all accounts.
    async fn common_place(&self) -> Result<OwnedSemaphorePermit, Box<Problem>> {
        let place = timeout(PATIENCE, Arc::clone(&self.all).acquire_owned()).await;
        place.ok().and_then(Result::ok).ok_or_else(|| Box::new(refusal::too_many_files()))
    }
}
