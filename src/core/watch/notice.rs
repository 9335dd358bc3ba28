//! The notice of what a publication, or a day that came within reach, changed in a list.

use serde::Serialize;

use super::KEPT_NOTICES;
use crate::base::value::{Date, Timestamp};
use crate::store::{Notice, StoreError, StoreResult, WatchWriter, of_notice};
use crate::webhook;

/// The action of a notice.
const AFFECTED: &str = "lista_afetada";

/// The body that is posted.
#[derive(Serialize)]
struct Body<'b> {
    acao: &'static str,
    aviso: u64,
    lista: &'b str,
    mudancas: u64,
    primeiro_dia: Option<Date>,
    publicado_em: Option<Timestamp>,
}

/// Writes a notice of each list with changes that nobody was notified of, and a delivery of it to each subscription of its
/// account that asks for it. Returns true if there are deliveries.
pub(super) fn announce(writer: &mut WatchWriter<'_>, now: Timestamp) -> StoreResult<bool> {
    let recipients = webhook::recipients_of_lists(writer.outbox())?;
    let mut sends = false;
    for mut list in writer.lists(None)? {
        let last = writer.last_change(list.number)?;
        if last == list.announced {
            continue;
        }
        let wanting: Vec<u32> = recipients.iter().filter(|s| s.client_id == list.client_id).map(|s| s.number).collect();
        if !wanting.is_empty() {
            let changes = writer.changes_after(list.number, list.announced)?;
            let aviso = writer.next_notice()?;
            let body = Body {
                acao: AFFECTED,
                aviso,
                lista: &list.nome,
                mudancas: last - list.announced,
                primeiro_dia: changes.iter().map(|change| change.primeiro_dia).min(),
                publicado_em: changes.iter().filter_map(|change| change.publicado_em).max(),
            };
            let body = serde_json::to_string(&body).map_err(|e| StoreError::Corrupt(e.to_string()))?;
            let about = format!("lista {} (aviso {aviso})", list.nome);
            let notice = Notice { client_id: list.client_id.clone(), about, body };
            writer.put_notice(aviso, &notice, KEPT_NOTICES)?;
            for number in wanting {
                writer.outbox().enqueue(number, of_notice(aviso), now.millis())?;
            }
            sends = true;
        }
        list.announced = last;
        writer.put_list(&list)?;
    }
    Ok(sends)
}
