//! The work on kept lists, from the last publication that is done to now.

use super::diff::{Changed, differences};
use super::{AHEAD_DAYS, KEPT_CHANGES, notice};
use crate::base::problem::Problem;
use crate::base::value::{Date, Timestamp};
use crate::engine::{Engine, OpenQuestion, Outlook, RulesAt, program_mark};
use crate::store::{ListChange, StoreError, StoreResult, WatchCursor, WatchReader, WatchedKey, WatchedLine};

/// Lines that are answered and written together.
pub const BATCH_LINES: usize = 128;

/// How far the work came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CaughtUp {
    /// False if it was stopped early.
    pub is_done: bool,
    /// Lines that were answered again.
    pub lines: u64,
    pub changes: u64,
    /// True if there are deliveries to send.
    pub sends: bool,
}

/// What is done with a line: the line after it, and its changes.
type Worked = Option<(WatchedLine, Vec<ListChange>)>;

struct Work<'w> {
    engine: &'w Engine,
    batch: usize,
    /// Returns true when the work is to stop. Asked between two batches.
    stop: &'w mut dyn FnMut() -> bool,
    done: CaughtUp,
}

/// Answers the lines that publications and days have changed, up to now, `batch` lines in a transaction. Asks `stop`
/// between the batches, and continues the next time.
pub fn catch_up(engine: &Engine, batch: usize, stop: &mut dyn FnMut() -> bool) -> StoreResult<CaughtUp> {
    let mut work = Work { engine, batch: batch.max(1), stop, done: CaughtUp::default() };
    work.done.is_done = work.run()?;
    Ok(work.done)
}

/// An answer that could not be given because of the data file. It is tried again.
fn unread(problem: &Problem) -> StoreError {
    StoreError::Outage(problem.detail.to_string())
}

impl Work<'_> {
    /// Works on each publication, in their order, and then on the days up to now. False if it was stopped.
    fn run(&mut self) -> StoreResult<bool> {
        loop {
            let reader = self.reader()?;
            if reader.is_empty()? {
                return Ok(true);
            }
            let cursor = reader.cursor()?;
            let (now, last) = self.engine.settled_now()?;
            let known = self.engine.published_at(cursor.publication)?.unwrap_or(now);
            if cursor.program != program_mark() {
                if !self.again(cursor, known)? {
                    return Ok(false);
                }
                continue;
            }
            let next = (cursor.publication < last).then_some(cursor.publication + 1);
            let at = next.map(|next| self.engine.published_at(next)).transpose()?.flatten();
            let today = at.unwrap_or(now).day();
            let is_reached = cursor.until >= today.plus_days(AHEAD_DAYS).ordinal();
            let goes_on = match next {
                _ if !is_reached => self.reach(cursor, known, today)?,
                Some(next) => self.publication(next, at.unwrap_or(now), cursor)?,
                None => return Ok(true),
            };
            if !goes_on {
                return Ok(false);
            }
        }
    }

    fn reader(&self) -> StoreResult<WatchReader> {
        self.engine.store().read_watched()
    }

    /// Answers the lines for the days that come within reach on `today`, by the rules that were known at an instant.
    fn reach(&mut self, cursor: WatchCursor, known: Timestamp, today: Date) -> StoreResult<bool> {
        let last = today.plus_days(AHEAD_DAYS);
        let rules = self.engine.rules_at(known)?;
        let mut after = (0, 0, 0);
        loop {
            let days = self.reader()?.lines_until(last, after, self.batch)?;
            let Some(end) = days.last() else { break };
            after = *end;
            let keys: Vec<WatchedKey> = days.iter().map(|(_, list, place)| (*list, *place)).collect();
            if !self.lines(&keys, |work, place, line| work.reached(&rules, (place, line), (today, last)))? {
                return Ok(false);
            }
        }
        self.finish(WatchCursor { until: last.ordinal(), ..cursor }, cursor)?;
        Ok(true)
    }

    /// The line with the answers of the days that come within reach, and its changes.
    fn reached(
        &self,
        rules: &RulesAt<'_>,
        (place, mut line): (u32, WatchedLine),
        (today, last): (Date, Date),
    ) -> StoreResult<Worked> {
        let Some(next) = line.next.filter(|next| *next <= last && line.publication <= rules.publication()) else {
            return Ok(None);
        };
        let question = question(&line)?;
        let outlook = rules.outlook(&question, next, last).map_err(|problem| unread(&problem))?;
        let mut changes = Vec::new();
        for span in outlook.spans {
            let before = line.spans.last().map(|span| &span.resposta);
            if let Some(changed) = before.and_then(|before| Changed::between(span.de, before, &span.resposta)) {
                let made_by = [&changed.depois, &changed.antes].into_iter().find_map(|side| side.rule_id.as_deref());
                let published = made_by.map(|rule| self.engine.publication_of(rule)).transpose()?.flatten();
                changes.push(self.change((place, &line), &question, changed, published));
            }
            if before != Some(&span.resposta) {
                line.spans.push(span);
            }
        }
        let begun = line.spans.iter().rposition(|span| span.de <= today).unwrap_or_default();
        line.spans.drain(..begun);
        line.probes.extend(outlook.probes);
        line.probes.sort_unstable();
        line.probes.dedup();
        line.next = outlook.next;
        Ok(Some((line, changes)))
    }

    /// Answers the lines that looked up a key that a publication touches.
    fn publication(&mut self, number: u64, at: Timestamp, cursor: WatchCursor) -> StoreResult<bool> {
        let touched = self.engine.touched_by(number)?;
        let rules = self.engine.rules_at(at)?;
        let until = Date::from_ordinal(cursor.until);
        let last = until.into_iter().fold(at.day().plus_days(AHEAD_DAYS), Date::max);
        let mut reader = self.reader()?;
        for hash in touched {
            let mut after = (0, 0);
            loop {
                let keys = reader.lines_of_key(hash, after, self.batch)?;
                let Some(end) = keys.last() else { break };
                after = *end;
                let goes_on = self.lines(&keys, |work, place, line| {
                    let is_done = line.publication >= number;
                    let days = (at.day(), last);
                    if is_done { Ok(None) } else { work.answered(&rules, (place, line), days, Some(at)) }
                })?;
                if !goes_on {
                    return Ok(false);
                }
                // Only now: the rows of most keys are read in one snapshot.
                reader = self.reader()?;
            }
        }
        self.finish(WatchCursor { publication: number, ..cursor }, cursor)?;
        Ok(true)
    }

    /// Answers every line again, after another release has begun to work on the file, for the days that it has answers
    /// for.
    fn again(&mut self, cursor: WatchCursor, known: Timestamp) -> StoreResult<bool> {
        let rules = self.engine.rules_at(known)?;
        let until = Date::from_ordinal(cursor.until);
        let mut after = (0, 0);
        loop {
            let keys = self.reader()?.all_lines(after, self.batch)?;
            let Some(end) = keys.last() else { break };
            after = *end;
            let goes_on = self.lines(&keys, |work, place, line| {
                let Some(first) = line.spans.first().map(|span| span.de) else { return Ok(None) };
                let last = until.into_iter().fold(first.plus_days(AHEAD_DAYS), Date::max);
                let is_later = line.publication > rules.publication();
                if is_later { Ok(None) } else { work.answered(&rules, (place, line), (first, last), None) }
            })?;
            if !goes_on {
                return Ok(false);
            }
        }
        self.finish(WatchCursor { program: program_mark(), ..cursor }, cursor)?;
        Ok(true)
    }

    /// The line with its answers by other rules, and its changes.
    fn answered(
        &self,
        rules: &RulesAt<'_>,
        (place, line): (u32, WatchedLine),
        (first, last): (Date, Date),
        published: Option<Timestamp>,
    ) -> StoreResult<Worked> {
        let question = question(&line)?;
        let outlook = rules.outlook(&question, first, last).map_err(|problem| unread(&problem))?;
        let begins = outlook.spans.first().map_or(first, |span| span.de);
        let changed = differences(&line.spans, &outlook.spans, begins).into_iter();
        let changes = changed.map(|one| self.change((place, &line), &question, one, published)).collect();
        let Outlook { spans, probes, next } = outlook;
        Ok(Some((WatchedLine { publication: rules.publication(), spans, probes, next, ..line }, changes)))
    }

    fn change(
        &self,
        (linha, line): (u32, &WatchedLine),
        question: &OpenQuestion,
        changed: Changed,
        publicado_em: Option<Timestamp>,
    ) -> ListChange {
        let Changed { de, situacao, antes, depois } = changed;
        ListChange {
            linha,
            id: line.id.clone(),
            tributo: question.tributo().to_owned(),
            situacao: situacao.to_string(),
            primeiro_dia: de,
            antes,
            depois,
            publicado_em,
            registrada_em: self.engine.now(),
        }
    }

    /// Works on lines, and writes those that differ with their changes in one transaction. A line that was replaced
    /// meanwhile is left as it is. False if the work is to stop.
    fn lines(
        &mut self,
        keys: &[WatchedKey],
        work: impl Fn(&Self, u32, WatchedLine) -> StoreResult<Worked>,
    ) -> StoreResult<bool> {
        let reader = self.reader()?;
        let mut worked = Vec::new();
        for key in keys {
            let Some(record) = reader.record(*key)? else { continue };
            let line: WatchedLine = crate::store::encoding::decode("line of a kept list", &record)?;
            if let Some((after, changes)) = work(self, key.1, line.clone())? {
                worked.push((*key, record, line, after, changes));
            }
        }
        if !worked.is_empty() {
            let written = self.engine.store().write_watched(|writer| {
                let (mut lines, mut changed) = (0, 0);
                for (key, record, before, after, changes) in &worked {
                    if !writer.is_still(*key, record)? {
                        continue;
                    }
                    lines += 1;
                    writer.set_line(*key, Some(before), Some(after))?;
                    for change in changes {
                        changed += 1;
                        writer.add_change(key.0, change, KEPT_CHANGES)?;
                    }
                }
                Ok::<_, StoreError>((lines, changed))
            })?;
            self.done.lines += written.0;
            self.done.changes += written.1;
        }
        Ok(!(self.stop)())
    }

    /// Moves the cursor, and announces what changed. A list that was kept meanwhile may have moved it back: it stays.
    fn finish(&mut self, after: WatchCursor, before: WatchCursor) -> StoreResult<()> {
        let now = self.engine.now();
        let sends = self.engine.store().write_watched(|writer| {
            if writer.cursor()? == before {
                writer.put_cursor(after)?;
            }
            notice::announce(writer, now)
        })?;
        self.done.sends |= sends;
        Ok(())
    }
}

/// The question of a line that was read when it was kept.
fn question(line: &WatchedLine) -> StoreResult<OpenQuestion> {
    OpenQuestion::read(line.payload.as_bytes())
        .map_err(|problem| StoreError::Corrupt(format!("line of a kept list: {}", problem.detail)))
}
