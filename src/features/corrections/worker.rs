//! Looks through the log after each publication, step by step.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::compare::LogReplay;
use super::progress::{CorrectionsFound, Looked, OpenAccount, Rows};
use super::{CorrectedCall, Correction, CorrectionCalls, KEPT_PUBLICATIONS, encode, read};
use crate::base::value::{KeyKind, Timestamp};
use crate::core::calls::{Client, decode_block};
use crate::core::service::Service;
use crate::features::AdminError;

/// Pause before a publication is looked through: calls that were answered by the rules of before end meanwhile.
const SETTLE: Duration = Duration::from_secs(1);
/// Pause until the log may have the last calls, and how often it is taken.
const LOG_PAUSE: Duration = Duration::from_millis(500);
const LOG_PAUSES: u32 = 60;
/// Blocks of the log without anything to list after which it is written how far it got: what a kill loses.
const QUIET_BLOCKS: u32 = 64;

/// Waits; false if the work must stop.
type Pause<'p> = &'p mut dyn FnMut(Duration) -> bool;

/// Looks through all publications that are not done yet. Returns when there are no more, or when `pause` returns false.
pub fn work_off(service: &Service, pause: Pause<'_>) -> Result<(), AdminError> {
    let store = service.store();
    loop {
        let looked = Looked::read(store)?;
        if looked.feita >= store.read_journal()?.last_publication()? {
            return Ok(());
        }
        if !pause(SETTLE) || !publication(service, looked, pause)? {
            return Ok(());
        }
    }
}

/// Looks through the log for the next publication. False if it had to stop.
fn publication(service: &Service, mut looked: Looked, pause: Pause<'_>) -> Result<bool, AdminError> {
    let (store, began) = (service.store(), Instant::now());
    let number = looked.feita + 1;
    // Before the first publication there were no answers. Most new servers begin with it and tens of thousands of rules.
    let has_calls = service.calls().clients().iter().any(|client| client.meter.lock().totals.calls > 0);
    if number == 1 || !has_calls {
        Looked { feita: number, ultima: looked.ultima, ..Looked::default() }.write(store, "", Rows::default())?;
        return Ok(true);
    }
    let comparison = service.engine().compare_publication(number)?;
    let publicado_em = comparison.publicado_em;
    let keys = store.keys()?.into_iter().filter(|(_, key)| key.kind == KeyKind::Test);
    let test_keys: HashSet<String> = keys.map(|(_, key)| key.key_id).collect();
    let mut replay = LogReplay::new(&comparison, &test_keys)?;
    looked.achado.publicacao = number;
    looked.achado.publicado_em = Some(publicado_em);
    for account in store.accounts()? {
        let id = account.client_id;
        let Some(client) = service.calls().client(&id).filter(|_| id > looked.contas_ate) else { continue };
        if !of_account(service, &client, &mut looked, &mut replay, pause)? {
            return Ok(false);
        }
    }
    let found = std::mem::take(&mut looked.achado);
    let ultima = if found.chamadas > 0 { Some(found) } else { looked.ultima };
    Looked { feita: number, ultima, ..Looked::default() }.write(store, "", Rows::default())?;
    let CorrectionsFound { contas, chamadas, .. } = found;
    let ms = began.elapsed().as_millis();
    if chamadas > 0 {
        tracing::warn!(publication = number, %publicado_em, accounts = contas, calls = chamadas, ms, "a publication corrects answers that were given: GET /v1/correcoes lists them to each account");
    } else {
        tracing::info!(publication = number, %publicado_em, ms, "a publication corrects no answer of the log");
    }
    Ok(true)
}

/// Looks through the calls of an account. False if it had to stop.
fn of_account(
    service: &Service,
    client: &Client,
    looked: &mut Looked,
    replay: &mut LogReplay<'_>,
    pause: Pause<'_>,
) -> Result<bool, AdminError> {
    let (store, id) = (service.store(), &*client.client_id);
    let mut open = looked.aberta.take().filter(|open| open.conta == id).unwrap_or_else(|| OpenAccount {
        conta: id.to_owned(),
        ate: client.meter.lock().totals.calls,
        numero: 0,
        parcial: Correction::begin(looked.achado.publicacao, replay.comparison.publicado_em),
    });
    let (mut waited, mut quiet, mut from_ms) = (0, 0, 0);
    while open.numero < open.ate {
        let began = Instant::now();
        let Some(block) = store.read_calls()?.block_after(id, from_ms, open.numero)? else {
            // A clock that was set back has moved the blocks, or the last calls are still to be written.
            if std::mem::take(&mut from_ms) > 0 {
                continue;
            }
            if service.calls().log_state().pending == 0 || waited == LOG_PAUSES {
                break;
            }
            waited += 1;
            if !pause(LOG_PAUSE) {
                return Ok(false);
            }
            continue;
        };
        from_ms = block.last_ms;
        let listed = of_block(&block.bytes, &mut open, replay)?;
        quiet += 1;
        if !listed.is_empty() || quiet >= QUIET_BLOCKS {
            let last = listed.last().map(|call| call.corrected.numero);
            let calls = last.map(|last| Ok::<_, AdminError>((last, encode(&listed)?))).transpose()?;
            looked.aberta = Some(open.clone());
            looked.write(store, id, Rows { calls, ..Rows::default() })?;
            quiet = 0;
        }
        // As much time for others as it took.
        if !pause(began.elapsed()) {
            return Ok(false);
        }
    }
    let mut correction = open.parcial;
    correction.chamadas.fora_do_registro += open.ate.saturating_sub(open.numero);
    looked.aberta = None;
    id.clone_into(&mut looked.contas_ate);
    if correction.says_something(replay.comparison.is_retroactive) {
        looked.achado.contas += u64::from(correction.chamadas.registro.alteradas > 0);
        looked.achado.chamadas += correction.chamadas.registro.alteradas;
        looked.write(store, id, rows_of(service, id, &correction)?)?;
    }
    Ok(true)
}

/// The calls of a block whose answers are others now, those that are kept.
fn of_block(
    bytes: &[u8],
    open: &mut OpenAccount,
    replay: &mut LogReplay<'_>,
) -> Result<Vec<CorrectedCall>, AdminError> {
    let mut listed = Vec::new();
    for call in decode_block(bytes)? {
        // It was compared already, or came after the publication.
        if call.seq <= open.numero || call.seq > open.ate {
            continue;
        }
        open.parcial.chamadas.fora_do_registro += call.seq - open.numero - 1;
        open.numero = call.seq;
        listed.extend(replay.call(&mut open.parcial, &call)?);
    }
    Ok(listed)
}

/// The record of a publication. The oldest one with calls loses them, so that an account takes a bounded place.
fn rows_of(service: &Service, client_id: &str, correction: &Correction) -> Result<Rows, AdminError> {
    let mut rows = Rows::default();
    let mut with_calls = usize::from(correction.chamadas.guardadas > 0);
    for (publication, record) in service.store().corrections(client_id)? {
        let mut known = read(&record)?;
        with_calls += usize::from(known.chamadas.guardadas > 0);
        if known.chamadas.guardadas > 0 && with_calls > KEPT_PUBLICATIONS {
            known.chamadas.guardadas = 0;
            rows.records.push((publication, serde_json::to_vec(&known)?));
            rows.dropped.push(publication);
        }
    }
    rows.records.push((correction.publicacao, serde_json::to_vec(correction)?));
    Ok(rows)
}

impl Correction {
    fn begin(publicacao: u64, publicado_em: Timestamp) -> Correction {
        let chamadas = CorrectionCalls::default();
        Correction { publicacao, publicado_em, chamadas, total: super::ImpactSums::default(), meses: Vec::new() }
    }

    /// True if the account should know of it.
    fn says_something(&self, is_retroactive: bool) -> bool {
        let CorrectionCalls { registro, de_dias_por_vir, fora_do_registro, .. } = &self.chamadas;
        registro.alteradas + registro.sem_comparacao + de_dias_por_vir > 0 || is_retroactive && *fora_do_registro > 0
    }
}
