//! Whether every publication and every closing has its event in the changelog, and no other is there.

use serde::Deserialize;

use super::codes::Closed;
use crate::engine::version;
use crate::store::{self, Area, Audit, Findings, GoOn, Journal, StoreResult};
use crate::value::RuleId;

const PUBLICATION: &str = "publicacao";

/// An event as far as it is compared.
#[derive(Debug, Deserialize)]
struct Event {
    #[serde(skip)]
    number: u64,
    rule_id: String,
    tributo: String,
    tipo: String,
    vigente_de: String,
    vigente_ate: Option<String>,
    publicado_em: String,
    substituida_por: Option<String>,
}

/// What a version says that its event must say too.
pub(super) struct Published<'a> {
    pub(super) number: u64,
    pub(super) rule_id: &'a RuleId,
    pub(super) tributo: &'a str,
    pub(super) vigente_de: &'a str,
    /// Instant of its publication, where that is known.
    pub(super) publicado_em: Option<&'a str>,
}

/// The events that are still to be looked at. Those of a version, its publication and then the
/// closings it brought, come after those of the version before.
pub(super) struct Events<'a> {
    journal: &'a Journal,
    rest: Box<dyn Iterator<Item = StoreResult<store::Event>>>,
    next: Option<Event>,
}

impl<'a> Events<'a> {
    pub(super) fn of(audit: &Audit, journal: &'a Journal) -> StoreResult<Events<'a>> {
        Ok(Events { journal, rest: Box::new(audit.events()?), next: None })
    }

    /// The next event that can be read, left where it is.
    fn peek(&mut self, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<Option<&Event>> {
        while self.next.is_none() {
            let Some(event) = self.rest.next().transpose()? else { return Ok(None) };
            go_on(1)?;
            match serde_json::from_slice::<Event>(&event.record) {
                Ok(read) => self.next = Some(Event { number: event.number, ..read }),
                Err(error) => findings.add(Area::Rules, format!("event {} cannot be read: {error}", event.number)),
            }
        }
        Ok(self.next.as_ref())
    }

    /// Compares the events of the next version with what there is to tell of it.
    pub(super) fn of_version(
        &mut self,
        version: &Published<'_>,
        closings: &[Closed],
        findings: &mut Findings,
        go_on: GoOn<'_>,
    ) -> StoreResult<()> {
        let own = version.rule_id.to_string();
        let mut told = false;
        while let Some(event) = self.peek(findings, &mut *go_on)? {
            if event.tipo != PUBLICATION && event.substituida_por.as_deref() == Some(&own) {
                break;
            }
            if event.tipo == PUBLICATION {
                let of = RuleId::parse(&event.rule_id).map(|id| self.journal.number_of(&id)).transpose()?.flatten();
                // Read again: the borrow above ends with the question to the journal.
                let Some(event) = self.next.as_ref() else { break };
                match of {
                    Some(number) if number > version.number => break,
                    Some(number) if number == version.number && !told => {
                        told = true;
                        compare(event, version, findings);
                        self.next = None;
                        continue;
                    }
                    _ => {}
                }
            }
            self.stray(findings);
        }
        if !told {
            findings.add(Area::Rules, format!("the publication of {own} has no event in the changelog"));
        }
        self.closings(version, &own, closings, findings, go_on)
    }

    /// Takes the next event as one that nothing happened for.
    fn stray(&mut self, findings: &mut Findings) {
        if let Some(Event { number, rule_id, tipo, .. }) = self.next.take() {
            findings.add(Area::Rules, format!("event {number} tells a {tipo} of {rule_id} that there was not"));
        }
    }

    /// Compares the closings that a version brought with the events that follow its own.
    fn closings(
        &mut self,
        version: &Published<'_>,
        own: &str,
        closings: &[Closed],
        findings: &mut Findings,
        go_on: GoOn<'_>,
    ) -> StoreResult<()> {
        let mut due = Vec::with_capacity(closings.len());
        for closed in closings {
            let rule_id = match self.journal.record(closed.number).and_then(|record| version::named(&record)) {
                Ok(rule_id) => rule_id.to_string(),
                Err(error) => {
                    findings.add(Area::Rules, format!("{own} closed version {}: {error}", closed.number));
                    continue;
                }
            };
            let tipo = if closed.retroactive { "substituicao_retroativa" } else { "substituicao" };
            due.push((rule_id, tipo, closed.ate.map(|ate| ate.to_string())));
        }
        while self.peek(findings, &mut *go_on)?.is_some_and(|event| event.substituida_por.as_deref() == Some(own)) {
            let Some(event) = self.next.as_ref() else { break };
            let same = |(rule_id, tipo, ate): &(String, &str, Option<String>)| {
                *rule_id == event.rule_id && *tipo == event.tipo && *ate == event.vigente_ate
            };
            match due.iter().position(same) {
                Some(at) => {
                    dated(event, version, findings);
                    due.swap_remove(at);
                    self.next = None;
                }
                None => self.stray(findings),
            }
        }
        for (rule_id, ..) in due {
            findings.add(Area::Rules, format!("the closing of {rule_id} by {own} has no event in the changelog"));
        }
        Ok(())
    }

    /// Takes what is left after the last version.
    pub(super) fn rest(mut self, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<()> {
        while self.peek(findings, &mut *go_on)?.is_some() {
            self.stray(findings);
        }
        Ok(())
    }
}

fn compare(event: &Event, version: &Published<'_>, findings: &mut Findings) {
    if event.tributo != version.tributo || event.vigente_de != version.vigente_de {
        let Event { number, rule_id, .. } = event;
        findings.add(Area::Rules, format!("event {number} tells {rule_id} otherwise than it was published"));
    }
    dated(event, version, findings);
}

fn dated(event: &Event, version: &Published<'_>, findings: &mut Findings) {
    if version.publicado_em.is_some_and(|at| at != event.publicado_em) {
        let Event { number, rule_id, .. } = event;
        findings.add(Area::Rules, format!("event {number} of {rule_id} has another instant than its publication"));
    }
}
