//! Keeps a list: all of it, or nothing of it. A line that the list has already keeps what it was answered, so sending a
//! list again loses no change that is not written yet.

use std::collections::HashMap;

use super::read::{NewLine, read_lines, refused};
use super::{AHEAD_DAYS, MAX_LINES, MAX_LISTS, check_name};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::Date;
use crate::engine::{Engine, OpenQuestion, RulesAt, program_mark, read_failed};
use crate::law::rule::RuleResult;
use crate::store::{StoreError, WatchCursor, WatchWriter, WatchedLine, WatchedList};

/// What keeping a list did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutReport {
    pub list: WatchedList,
    /// Lines that were calculated: those that the list did not have.
    pub calculated: usize,
    /// True if there was no list of that name.
    pub is_new: bool,
}

/// The answers of lines by their payloads, each as often as it occurs.
type Known = HashMap<String, Vec<WatchedLine>>;

/// Why a list is not written.
enum Unwritten {
    Refused(Box<Problem>),
    /// The list was changed meanwhile: a line that it had is missing.
    Changed,
}

impl From<StoreError> for Unwritten {
    fn from(error: StoreError) -> Self {
        Unwritten::Refused(read_failed(&error))
    }
}

fn known(lines: Vec<(u32, WatchedLine)>) -> Known {
    let mut known = Known::new();
    for (_, line) in lines {
        known.entry(line.payload.clone()).or_default().push(line);
    }
    known
}

/// Keeps a list in the place of the one of that name. `charge` is called for each line that is calculated. Fails, with
/// nothing changed, if a line is at fault, or if the account would keep too much.
pub fn put(
    engine: &Engine,
    (client_id, nome): (&str, &str),
    bytes: &[u8],
    charge: &mut dyn FnMut() -> RuleResult<()>,
) -> RuleResult<PutReport> {
    check_name(nome)?;
    let lines = read_lines(bytes)?;
    let failed = |error: StoreError| read_failed(&error);
    let (now, _) = engine.settled_now().map_err(failed)?;
    let rules = engine.rules_at(now).map_err(failed)?;
    let faults = lines.iter().filter_map(|line| {
        let fault = rules.check(&line.question, now.day()).err()?;
        Some((line.number, fault))
    });
    let faults: Vec<_> = faults.collect();
    if !faults.is_empty() {
        return Err(refused(&faults));
    }
    let mut calculated = Calculated { rules: &rules, today: now.day(), lines: HashMap::new(), charge };
    loop {
        calculated.missing(engine, (client_id, nome), &lines)?;
        let written = engine.store().write_watched(|writer| {
            let mut list = writer.list(client_id, nome)?;
            let is_new = list.is_none();
            check_room(writer, (client_id, nome), lines.len())?;
            let before: Vec<(u32, WatchedLine)> = match &list {
                Some(list) => writer.lines_of(list.number)?,
                None => Vec::new(),
            };
            let after = calculated.all(&lines, known(before.clone()))?;
            let number = match &list {
                Some(list) => list.number,
                None => writer.next_list()?,
            };
            begin_cursor(writer, rules.publication(), is_new && writer.lists(None)?.is_empty())?;
            write_lines(writer, number, &before, &after)?;
            let linhas = u32::try_from(after.len()).unwrap_or(u32::MAX);
            let announced = list.take().map_or(0, |list| list.announced);
            let list = WatchedList {
                number,
                client_id: client_id.to_owned(),
                nome: nome.to_owned(),
                linhas,
                guardada_em: now,
                announced,
            };
            writer.put_list(&list)?;
            Ok::<_, Unwritten>(PutReport { list, calculated: 0, is_new })
        });
        match written {
            Ok(report) => return Ok(PutReport { calculated: calculated.lines.len(), ..report }),
            Err(Unwritten::Refused(problem)) => return Err(problem),
            Err(Unwritten::Changed) => {}
        }
    }
}

/// Removes a list, its lines and its changes. False if there is none of that name.
pub fn remove(engine: &Engine, client_id: &str, nome: &str) -> RuleResult<bool> {
    engine
        .store()
        .write_watched(|writer| {
            let found = writer.list(client_id, nome)?;
            found.as_ref().map_or(Ok(()), |list| writer.remove_list(list))?;
            Ok(found.is_some())
        })
        .map_err(|error: StoreError| read_failed(&error))
}

/// The lines that were calculated, by their payloads.
struct Calculated<'c, 'e> {
    rules: &'c RulesAt<'e>,
    today: Date,
    lines: HashMap<String, WatchedLine>,
    charge: &'c mut dyn FnMut() -> RuleResult<()>,
}

impl Calculated<'_, '_> {
    /// Calculates the lines that neither the list nor this has.
    fn missing(&mut self, engine: &Engine, (client_id, nome): (&str, &str), lines: &[NewLine]) -> RuleResult<()> {
        let failed = |error: StoreError| read_failed(&error);
        let reader = engine.store().read_watched().map_err(failed)?;
        let has = match reader.list(client_id, nome).map_err(failed)? {
            Some(list) => known(reader.lines(list.number, 0, MAX_LINES).map_err(failed)?),
            None => Known::new(),
        };
        for line in lines {
            if !has.contains_key(&line.payload) && !self.lines.contains_key(&line.payload) {
                (self.charge)()?;
                let answered = self.answered(&line.question, &line.payload)?;
                self.lines.insert(line.payload.clone(), answered);
            }
        }
        Ok(())
    }

    fn answered(&self, question: &OpenQuestion, payload: &str) -> RuleResult<WatchedLine> {
        let outlook = self.rules.outlook(question, self.today, self.today.plus_days(AHEAD_DAYS))?;
        Ok(WatchedLine {
            id: None,
            payload: payload.to_owned(),
            publication: self.rules.publication(),
            spans: outlook.spans,
            probes: outlook.probes,
            next: outlook.next,
        })
    }

    /// Every line with its answers. Fails if the list no longer has one that it had.
    fn all(&self, lines: &[NewLine], mut known: Known) -> Result<Vec<WatchedLine>, Unwritten> {
        let mut all = Vec::with_capacity(lines.len());
        for line in lines {
            // One payload may be on several lines: each has the same answers.
            let own = match known.get_mut(&line.payload) {
                Some(same) if same.len() > 1 => same.pop(),
                Some(same) => same.first().cloned(),
                None => self.lines.get(&line.payload).cloned(),
            };
            let own = own.ok_or(Unwritten::Changed)?;
            all.push(WatchedLine { id: line.id.clone(), ..own });
        }
        Ok(all)
    }
}

/// Fails if the account would have more lists or lines than it may.
fn check_room(writer: &WatchWriter<'_>, (client_id, nome): (&str, &str), lines: usize) -> Result<(), Unwritten> {
    let mut others = writer.lists(Some(client_id))?;
    others.retain(|list| list.nome != nome);
    let kept: usize = others.iter().map(|list| usize::try_from(list.linhas).unwrap_or(usize::MAX)).sum();
    let detail = if kept + lines > MAX_LINES {
        format!(
            "Uma conta guarda até {MAX_LINES} linhas: as outras listas têm {kept}, e esta tem {lines}. Nada foi guardado; remova uma lista ou envie menos linhas."
        )
    } else if others.len() >= MAX_LISTS {
        format!("Uma conta guarda até {MAX_LISTS} listas. Nada foi guardado; remova uma, ou junte as linhas em outra.")
    } else {
        return Ok(());
    };
    Err(Unwritten::Refused(Box::new(Problem::new(ErrorCode::PayloadInvalido, detail))))
}

/// The work begins after the publication that the new lines take into account, or repeats those that came after it.
fn begin_cursor(writer: &mut WatchWriter<'_>, publication: u64, is_first: bool) -> Result<(), StoreError> {
    let cursor = writer.cursor()?;
    let puts = cursor.puts + 1;
    if is_first {
        return writer.put_cursor(WatchCursor { publication, until: 0, program: program_mark(), puts });
    }
    writer.put_cursor(WatchCursor { publication: cursor.publication.min(publication), puts, ..cursor })
}

fn write_lines(
    writer: &mut WatchWriter<'_>,
    list: u64,
    before: &[(u32, WatchedLine)],
    after: &[WatchedLine],
) -> Result<(), StoreError> {
    let mut old: HashMap<u32, &WatchedLine> = before.iter().map(|(place, line)| (*place, line)).collect();
    for (place, line) in (1..).zip(after) {
        let own = old.remove(&place);
        if own != Some(line) {
            writer.set_line((list, place), own, Some(line))?;
        }
    }
    old.into_iter().try_for_each(|(place, line)| writer.set_line((list, place), Some(line), None))
}
