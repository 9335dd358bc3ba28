//! Files that the page sends, and answers that are sent while they are made. A file is in memory while it is read, and
//! kept nowhere.
//!
//! A sender or a reader may be slow without hurting other accounts: a file counts for the bytes that have arrived, and a
//! place is taken for the work alone ([`super::turn`]).

use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::body_writer::{BodyWriter, stream};
use super::call::CallOutcome;
use super::limits::MAX_BODY_BYTES;
use super::memory::{AccountMemory, UNCOUNTED_BYTES};
use super::refusal;
use super::request_body::{ReadStep, Reading, Unread};
use super::respond::HttpResponse;
use super::turn::Turns;
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Timestamp, sha256_of_parts};
use crate::core::calls::{Caller, FileDigest};
use crate::core::service::{AccountSemaphores, MemoryPermit, Service};

/// Longest file, in bytes: some ten thousand invoices in a zip, or a table of a hundred thousand rows.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;
/// Memory for files beyond the length of an ordinary body, over all accounts.
const FILES_BYTES: usize = 4 * MAX_FILE_BYTES;
/// The steps in which a file takes memory while it arrives.
const STEP_BYTES: usize = 256 * 1024;
/// Files and long tables that are worked on at the same instant, over all accounts.
const MAX_FILES: usize = 2;
/// Files and long tables whose work has begun, over all accounts: most wait for their readers. Each has a thread and a
/// few rows in memory.
const MAX_BEGUN: usize = 24;
/// How long a further file waits to be received, and again to be worked on.
const PATIENCE: Duration = Duration::from_secs(30);
/// For how much longer than a body of the API a file may arrive: the time limit of that one, so many times.
const SLOWER: u32 = 4;
/// How much of a file that is not read is discarded, in bytes: a client that sends everything before it reads would
/// otherwise never see the refusal.
const MAX_DISCARDED_BYTES: usize = 2 * MAX_FILE_BYTES;

/// The places for files.
pub(crate) struct Files {
    turns: Turns,
    /// A permit for each file whose work may have begun.
    begun: Arc<Semaphore>,
    /// A permit for each [`STEP_BYTES`] of [`FILES_BYTES`].
    memory: Arc<Semaphore>,
    /// One permit for each account, so that the slow files of one do not stop all others.
    accounts: AccountSemaphores,
}

/// What is asked of a file, and how it is answered.
pub(crate) trait FileQuestion: Sized + Send + 'static {
    /// Reads it from the query and the headers.
    fn read(request: &Request<Incoming>, now: Timestamp) -> Result<Self, Box<Problem>>;

    /// The instant whose rules answer; `None` for now.
    fn known_at(&self) -> Option<Timestamp>;

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

/// The memory of a file that arrives.
#[derive(Default)]
struct FileMemory {
    /// That of an ordinary body, of its account.
    body: Option<MemoryPermit>,
    /// That beyond it.
    steps: Vec<OwnedSemaphorePermit>,
}

/// A file that has arrived.
struct Upload {
    bytes: Vec<u8>,
    memory: FileMemory,
}

/// The digest of what is asked of a file, by the rules of now: the same question of the same file is charged once
/// ([`Calls::bill`](crate::core::calls::Calls::bill)).
pub(crate) fn file_digest<'p>(
    service: &Service,
    parts: impl IntoIterator<Item = &'p [u8]>,
) -> Result<FileDigest, Box<Problem>> {
    let failed = |error| Box::new(Problem::failure("O arquivo não pôde ser lido; avise o operador.", error));
    let published = service.store().last_publication_ms().map_err(failed)?.unwrap_or_default().to_be_bytes();
    Ok(sha256_of_parts([published.as_slice(), &sha256_of_parts(parts)]))
}

/// The refusal of a table that a spreadsheet has no room for, or that could not be written.
pub(crate) fn no_spreadsheet(error: &std::io::Error) -> Box<Problem> {
    let detail = "A tabela não cabe em um XLSX: tem linhas demais, ou um texto longo demais. Baixe o CSV.";
    if error.kind() == std::io::ErrorKind::InvalidInput {
        return Box::new(Problem::new(ErrorCode::PayloadInvalido, detail));
    }
    Box::new(Problem::failure("O XLSX não pôde ser escrito; baixe o CSV, e avise o operador.", error))
}

impl Files {
    pub(super) fn new() -> Files {
        Files {
            turns: Turns::new(MAX_FILES),
            begun: Arc::new(Semaphore::new(MAX_BEGUN)),
            memory: Arc::new(Semaphore::new(FILES_BYTES / STEP_BYTES)),
            accounts: AccountSemaphores::new(1),
        }
    }

    /// Reads the file in the body, which may take a multiple of the `limit` for other bodies, and answers with what is
    /// written of it. The file is worked on by a thread of its own, at a lower priority than calculations. A problem
    /// before the first byte is the answer; a later one cuts the answer off, so [`FileQuestion::answer`] says it within
    /// its form if it can.
    pub(crate) async fn answer<Q: FileQuestion>(
        &self,
        question: Q,
        service: &Arc<Service>,
        (caller, memory): (&Arc<Caller>, AccountMemory<'_>),
        request: Request<Incoming>,
        limit: Duration,
        outcome: &mut CallOutcome,
    ) -> Result<HttpResponse, Box<Problem>> {
        let reading = Reading::begin(request, MAX_FILE_BYTES, limit * SLOWER);
        let own = match self.own_place(memory.account).await {
            Ok(own) => own,
            Err(problem) => {
                reading.discard(MAX_DISCARDED_BYTES, limit).await;
                return Err(problem);
            }
        };
        let Upload { bytes, memory } = self.receive(reading, limit, memory).await.map_err(|unread| {
            outcome.caller_left = unread.left;
            unread.problem
        })?;
        let content_type = question.content_type();
        let (service, caller) = (Arc::clone(service), Arc::clone(caller));
        let work = move |writer: &mut BodyWriter| question.answer(&bytes, &service, &caller, writer);
        let begun = permit(&self.begun).await?;
        stream(self.turns.begin().await?, (own, memory, begun), content_type, work).await
    }

    /// Answers with what `work` writes, as [`answer`](Self::answer) does, without a file in the request.
    pub(crate) async fn send(
        &self,
        caller: &Caller,
        content_type: &'static str,
        work: impl FnOnce(&mut BodyWriter) -> Result<(), Box<Problem>> + Send + 'static,
    ) -> Result<HttpResponse, Box<Problem>> {
        let own = self.own_place(&caller.client.client_id).await?;
        let begun = permit(&self.begun).await?;
        stream(self.turns.begin().await?, (own, begun), content_type, work).await
    }

    /// Reads the file to its end. A file that is refused is discarded within the time `limit` of another body.
    async fn receive(
        &self,
        mut reading: Reading,
        limit: Duration,
        account: AccountMemory<'_>,
    ) -> Result<Upload, Unread> {
        let mut memory = FileMemory::default();
        loop {
            let refused = match reading.next().await? {
                ReadStep::Whole => return Ok(Upload { bytes: reading.bytes, memory }),
                ReadStep::TooLarge => Box::new(refusal::file_too_large(MAX_FILE_BYTES)),
                ReadStep::Grown => match self.grow(&mut memory, reading.bytes.len(), account).await {
                    Ok(()) => continue,
                    Err(refused) => refused,
                },
            };
            drop(memory);
            reading.bytes = Vec::new();
            reading.discard(MAX_DISCARDED_BYTES, limit * SLOWER).await;
            return Err(refused.into());
        }
    }

    /// Waits for the memory of so many bytes. As long as a file is no longer than an ordinary body it takes its memory
    /// as one: files that arrive slowly leave room for it.
    async fn grow(
        &self,
        memory: &mut FileMemory,
        length: usize,
        account: AccountMemory<'_>,
    ) -> Result<(), Box<Problem>> {
        if length > UNCOUNTED_BYTES && memory.body.is_none() {
            memory.body = Some(account.acquire(MAX_BODY_BYTES, PATIENCE).await?);
        }
        while length > MAX_BODY_BYTES + memory.steps.len() * STEP_BYTES {
            memory.steps.push(permit(&self.memory).await?);
        }
        Ok(())
    }

    /// Waits for the place of the account.
    async fn own_place(&self, account: &Arc<str>) -> Result<OwnedSemaphorePermit, Box<Problem>> {
        permit(&self.accounts.of(account)).await
    }
}

/// Waits for a permit. Fails if none is free in time.
async fn permit(of: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Box<Problem>> {
    let permit = timeout(PATIENCE, Arc::clone(of).acquire_owned()).await;
    permit.ok().and_then(Result::ok).ok_or_else(|| Box::new(refusal::too_many_files()))
}
