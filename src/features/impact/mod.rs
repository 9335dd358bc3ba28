//! Impact: what a publication changes in the calls that were answered, found by calculating them again.
//!
//! The log has the sanitised payload of each call (`src/core/calls/sanitise.rs`): all that a calculation reads. The blocks
//! of a snapshot go to threads, one for every second core, and only the sums come back, so memory does not grow with the
//! log. Nothing is locked meanwhile, and nothing is written.

pub mod command;
pub(super) mod compared;
mod counts;
mod tally;
mod totals;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use clap::Args;
use serde::{Deserialize, Serialize};

pub use counts::{Change, ImpactCalls, ImpactLine};
pub use totals::{ImpactSums, ImpactTotal, ImpactTotals};

use super::error::AdminError;
use super::import::ImportFile;
use super::instants::past_instant;
use super::typed;
use crate::base::value::{KeyKind, Overflow, Timestamp};
use crate::core::calls::{Client, decode_block};
use crate::core::engine::{BundleFile, Progress, RuleComparison, Stage, Step};
use crate::core::service::Service;
use crate::core::store::{CallReader, StoreError};
use crate::law::tax::Suposicao;
use tally::Tally;

/// Blocks of calls that wait for a thread: enough to keep every thread busy.
const QUEUED_BLOCKS: usize = 64;
/// Blocks between two reports of the progress.
const REPORTED_BLOCKS: u64 = 16;

/// Show what bundles or a supposed figure would change, or what was changed since a day, in the calls of the log
///
/// Calculates the calls of the log again (up to the days of --log-keep), by the rules before and after, and
/// reports those whose outcome changes: amounts, rules, refusals that become answers and answers that
/// become refusals, by account, tax, month of the operation and rule. Bundles are checked as by
/// `import --dry-run`, and nothing is published. With --since, the rules of before are those that were
/// known at that instant (`conhecido_em`), and those of after are the ones of now; a call is changed if
/// the logged rule is the one of its own instant and the rules of now give another outcome. With --supondo, the rules
/// of after are those of now with another figure, which is not law.
///
/// The log has the fields of each payload, without what looks like a secret; nothing needs to be
/// configured. Calls of test keys are counted and not compared. Works while the server runs, which
/// goes on answering. The report is Portuguese.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct ImpactCommand {
    /// Bundle files that are not published yet, or directories whose *.json files are all read
    #[arg(required_unless_present_any = ["builtin", "since", "supondo"], value_name = "FILE|DIR")]
    #[serde(skip)]
    pub paths: Vec<PathBuf>,
    /// The bundles compiled into this taxd: before the upgrade of a data directory
    #[arg(long)]
    #[serde(skip)]
    pub builtin: bool,
    /// The files under the paths, and the built-in ones: read before the command is sent.
    #[arg(skip)]
    pub files: Vec<ImportFile>,
    /// What was published since this instant or day (UTC): 2026-03-10, 10/03/2026 or 2026-03-10T12:00:00Z
    #[arg(long, value_name = "TIMESTAMP", value_parser = typed::day, conflicts_with_all = ["paths", "builtin"])]
    pub since: Option<String>,
    /// A figure of the rules that is supposed to be another (cbs.aliquota:8.80); with commas, or repeated, for several
    #[arg(long, value_name = "TRIBUTO.FIELD:VALUE", value_delimiter = ',')]
    #[arg(conflicts_with_all = ["paths", "builtin", "since"])]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supondo: Vec<Suposicao>,
    /// Print the changes as CSV (with `;` and decimal commas)
    #[arg(long, conflicts_with = "json")]
    #[serde(skip)]
    pub csv: bool,
}

/// What a publication changes in the calls of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactReport {
    /// The instant whose rules are compared with those of now; `None` for bundles.
    pub desde: Option<Timestamp>,
    /// The figures that are supposed in the rules of after, which are not law then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suposicoes: Vec<Suposicao>,
    pub publicadas: usize,
    /// How many versions end earlier or later than before.
    pub substituidas: usize,
    pub chamadas: ImpactCalls,
    /// The lines summed: in all, and by change, account, tax, month and rules.
    pub totais: ImpactTotals,
    /// The calls whose outcome changes, summed by account, tax, month, change and rules.
    pub linhas: Vec<ImpactLine>,
}

impl From<Overflow> for AdminError {
    fn from(Overflow: Overflow) -> AdminError {
        AdminError::new(
            "a sum of the impact has more digits than taxd writes; compare fewer bundles, or a shorter time",
        )
    }
}

/// A block of calls on its way to a thread.
struct Blocks<'c> {
    client: &'c Client,
    bytes: Vec<u8>,
}

/// Compares the calls of the log before and after a publication.
pub(super) fn impact(
    service: &Service,
    command: ImpactCommand,
    progress: Progress<'_>,
) -> Result<ImpactReport, AdminError> {
    let suposicoes = command.supondo;
    let (desde, comparison) = match command.since {
        None if !suposicoes.is_empty() => {
            Suposicao::check_list(&suposicoes).map_err(AdminError::new)?;
            (None, service.engine().compare_supposing(suposicoes.clone())?)
        }
        None => {
            let unsigned = |file: ImportFile| BundleFile::unsigned(&file.name, file.text);
            let bundles: Vec<BundleFile> = command.files.into_iter().map(unsigned).collect();
            (None, service.engine().compare_import(&bundles, progress)?)
        }
        Some(since) => {
            let instant = past_instant("--since", &since, service.engine().now())?;
            let comparison = service.engine().compare_since(instant)?.ok_or_else(|| {
                AdminError::new(format!(
                    "no rule had been published at {instant}, so there is nothing to compare with; name a later instant"
                ))
            })?;
            (Some(instant), comparison)
        }
    };
    let tally = replay_log(service, &comparison, progress)?;
    let (chamadas, linhas) = tally.into_parts();
    Ok(ImpactReport {
        desde,
        suposicoes,
        publicadas: comparison.publicadas,
        substituidas: comparison.substituidas,
        chamadas,
        totais: ImpactTotals::of(&linhas)?,
        linhas,
    })
}

/// Calculates every call of the log again, on half of the cores.
fn replay_log(service: &Service, comparison: &RuleComparison<'_>, progress: Progress<'_>) -> Result<Tally, AdminError> {
    let log = service.store().read_calls()?;
    let clients = service.calls().clients();
    let keys = service.store().keys()?;
    let test_keys: HashSet<String> =
        keys.into_iter().filter(|(_, key)| key.kind == KeyKind::Test).map(|(_, key)| key.key_id).collect();
    let test_keys = &test_keys;
    // The other half is for the calls that are answered meanwhile.
    let threads = thread::available_parallelism().map_or(1, usize::from).div_ceil(2);
    thread::scope(|scope| {
        let (send, receive) = sync_channel(QUEUED_BLOCKS);
        let receive = Arc::new(Mutex::new(receive));
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let receive = Arc::clone(&receive);
                scope.spawn(move || replay_blocks(&receive, comparison, test_keys))
            })
            .collect();
        // The threads have the only clones: if all of them end, sending fails instead of waiting.
        drop(receive);
        let sent = send_blocks(service, &log, &clients, &send, progress);
        drop(send);
        let mut all = Tally::default();
        for worker in workers {
            // A panic of a thread continues here, and ends the command as any other would.
            all.add(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)?;
        }
        sent.map(|()| all)
    })
}

/// Sends every block of every account. Stops early if the server stops.
fn send_blocks<'c>(
    service: &Service,
    log: &CallReader,
    clients: &'c [Arc<Client>],
    send: &SyncSender<Blocks<'c>>,
    progress: Progress<'_>,
) -> Result<(), AdminError> {
    let total = log.block_count()?;
    let mut done = 0;
    for client in clients {
        log.blocks_back(&client.client_id, |block| {
            if service.is_stopping() {
                return Err(StoreError::Ending);
            }
            done += 1;
            if done % REPORTED_BLOCKS == 0 || done == total {
                progress(Step { stage: Stage::Replaying, done, total });
            }
            // A thread that failed says why when it is joined.
            Ok(send.send(Blocks { client, bytes: block.bytes }).is_ok())
        })?;
    }
    Ok(())
}

/// Calculates the calls of blocks until there are no more. After a failure it takes the rest without looking at them,
/// so that the sender never waits.
fn replay_blocks(
    receive: &Mutex<Receiver<Blocks<'_>>>,
    comparison: &RuleComparison<'_>,
    test_keys: &HashSet<String>,
) -> Result<Tally, AdminError> {
    let replayer = comparison.replayer()?;
    let mut tally = Tally::default();
    let mut failed = None;
    loop {
        let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Blocks { client, bytes }) = next else { break };
        if failed.is_some() {
            continue;
        }
        let replayed = decode_block(&bytes).map_err(AdminError::from).and_then(|calls| {
            calls.iter().try_for_each(|call| {
                tally.replay(comparison, &replayer, client, call, test_keys.contains(&call.key_id))
            })
        });
        failed = replayed.err();
    }
    failed.map_or(Ok(tally), Err)
}
