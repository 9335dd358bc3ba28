//! Whether every version can be read, has its state, its code, its keys and its events, and is
//! answered as its worked examples say.

use super::Examples;
use super::codes::{Closed, days};
use super::events::{Events, Published};
use super::publications::Publication;
use crate::document::Node;
use crate::engine::{examples, version};
use crate::rule::{Chave, VersaoRegra};
use crate::store::{Area, Audit, Findings, GoOn, Journal, RuleReader, State, StoreResult};
use crate::value::RuleId;

/// What there must be of other tables, by what the versions say.
#[derive(Debug, Default)]
pub(super) struct Expected {
    versions: u64,
    /// Versions under scope keys, on some day.
    lookups: u64,
    /// Versions under scope keys, ever.
    history: u64,
    pub(super) examples: Examples,
}

struct Look<'a> {
    audit: &'a Audit,
    publications: &'a [Option<Publication>],
    journal: &'a Journal,
    rules: RuleReader,
    findings: &'a mut Findings,
    expected: Expected,
}

/// Looks at every version in the order of publication.
pub(super) fn look(
    audit: &Audit,
    publications: &[Option<Publication>],
    closings: &[Closed],
    findings: &mut Findings,
    go_on: GoOn<'_>,
) -> StoreResult<Expected> {
    let journal = audit.journal()?;
    let mut events = Events::of(audit, &journal)?;
    let mut closings = closings;
    let rules = audit.rules()?;
    let mut look = Look { audit, publications, journal: &journal, rules, findings, expected: Expected::default() };
    let mut publication = 0;
    audit.each_record(|number, record| {
        go_on(1)?;
        look.expected.versions += 1;
        while look.expected.versions < number {
            look.findings.add(Area::Rules, format!("version {} is missing", look.expected.versions));
            look.expected.versions += 1;
        }
        let own = closings.partition_point(|closed| closed.by <= number);
        let (own, later) = closings.split_at_checked(own).unwrap_or_default();
        closings = later;
        let Some((versao, kept, state)) = look.read(number, record)? else { return Ok(()) };
        if state.publication < publication {
            look.add(&versao.rule_id, "belongs to an earlier publication than the version before it");
        }
        publication = publication.max(state.publication);
        look.compare(number, &versao, &kept, state)?;
        let published = Published {
            number,
            rule_id: &versao.rule_id,
            tributo: versao.tributo.as_str(),
            vigente_de: &kept.vigente_de,
            publicado_em: look.publication(state).map(|p| p.publicado_em.as_str()),
        };
        events.of_version(&published, own, look.findings, &mut *go_on)?;
        if kept.exemplos.is_some() {
            look.examples(&versao, record, state)?;
        }
        Ok(())
    })?;
    let expected = look.expected;
    events.rest(findings, go_on)?;
    Ok(expected)
}

impl<'a> Look<'a> {
    fn add(&mut self, rule_id: &RuleId, what: &str) {
        self.findings.add(Area::Rules, format!("{rule_id} {what}"));
    }

    fn publication(&self, state: State) -> Option<&'a Publication> {
        let index = usize::try_from(state.publication.checked_sub(1)?).ok()?;
        self.publications.get(index)?.as_ref()
    }

    /// The version, the part of its record that is compared, and its state.
    fn read(&mut self, number: u64, record: &[u8]) -> StoreResult<Option<(VersaoRegra, version::Kept, State)>> {
        let versao = match version::decode(record) {
            Ok(versao) => versao,
            Err(error) => {
                self.findings.add(Area::Rules, format!("version {number}: {error}"));
                return Ok(None);
            }
        };
        let kept = version::kept(record)?;
        match self.journal.state(number) {
            Ok(state) => Ok(Some((versao, kept, state))),
            Err(error) => {
                self.add(&versao.rule_id, &format!("has no state that can be read: {error}"));
                Ok(None)
            }
        }
    }

    /// Compares a version with what other tables say of it.
    fn compare(&mut self, number: u64, versao: &VersaoRegra, kept: &version::Kept, state: State) -> StoreResult<()> {
        let id = &versao.rule_id;
        if self.journal.number_of(id)? != Some(number) {
            self.add(id, "is not found by its code and version");
        }
        let declared = state.declared();
        if declared.de.to_string() != kept.vigente_de || declared.ate.map(|ate| ate.to_string()) != kept.vigente_ate {
            self.add(id, "has another validity in its state than in its record");
        }
        match self.publication(state) {
            Some(publication) if usize::try_from(state.bundle).is_ok_and(|bundle| bundle < publication.bundles) => {}
            Some(_) => self.add(id, "was brought by a bundle that its publication does not have"),
            None => self.add(id, &format!("belongs to publication {}, which is not there", state.publication)),
        }
        let mut chaves: Vec<Vec<u8>> = versao.escopo.chaves(versao.tributo).iter().map(Chave::bytes).collect();
        chaves.sort_unstable();
        chaves.dedup();
        self.expected.history += chaves.len() as u64;
        let lookup_row = !state.vigencia.is_empty();
        if lookup_row {
            self.expected.lookups += chaves.len() as u64;
        }
        for chave in &chaves {
            if lookup_row && !self.audit.answers(chave, number, state.vigencia)? {
                let what = format!("is not found where it should answer, {}", days(state.vigencia));
                self.add(id, &what);
            }
            if !self.audit.stood(chave, number)? {
                self.add(id, "is missing from what was known in the past");
            }
        }
        Ok(())
    }

    /// Runs the worked examples of a version: by the rules as they are, and where they do not hold by
    /// those by the rules as they were when it was published.
    fn examples(&mut self, versao: &VersaoRegra, record: &[u8], state: State) -> StoreResult<()> {
        let Ok(Node::Object(object)) = Node::parse(record) else { return Ok(()) };
        let Some(Node::List(list)) = object.get("exemplos") else { return Ok(()) };
        let id = &versao.rule_id;
        for example in list {
            if state.superseded_by == 0 && examples::holds(&self.rules, example, id).is_ok() {
                self.expected.examples.hold += 1;
                continue;
            }
            let Some(publication) = self.publication(state) else { continue };
            let then = self.audit.rules_as_of(publication.at)?;
            match examples::holds(&then, example, id) {
                Ok(()) => self.expected.examples.overtaken += 1,
                Err(why) => self.findings.add(Area::Examples, format!("{id}: {why}")),
            }
        }
        Ok(())
    }
}

/// Whether lookup, history, codes and states hold anything beside what the versions say.
pub(super) fn look_back(
    audit: &Audit,
    expected: &Expected,
    findings: &mut Findings,
    go_on: GoOn<'_>,
) -> StoreResult<()> {
    let mut lookups = 0;
    audit.each_lookup(|chave, found| {
        go_on(1)?;
        let key = || String::from_utf8_lossy(chave).replace(|c: char| c.is_control() || c == '\0', " ");
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                findings.add(Area::Rules, format!("the lookup of {}: {error}", key()));
                return Ok(());
            }
        };
        lookups += found.len() as u64;
        if found.is_empty() || found.iter().any(|one| one.vigencia.is_empty()) {
            findings.add(Area::Rules, format!("the lookup of {} has versions that answer on no day", key()));
        }
        for (one, next) in found.iter().zip(found.iter().skip(1)) {
            if one.vigencia.de >= next.vigencia.de || one.vigencia.overlaps(next.vigencia) {
                let what = format!("versions {} and {} both answer for {} on some day", one.number, next.number, key());
                findings.add(Area::Rules, what);
            }
        }
        Ok(())
    })?;
    let rows = |table| audit.contents().rows_of(table);
    go_on(rows("history") + rows("states"))?;
    let counts = [
        ("the lookup has", lookups, expected.lookups),
        ("what was known in the past has", rows("history"), expected.history),
        ("the codes have", rows("codes"), expected.versions),
        ("the states have", rows("states"), expected.versions),
    ];
    for (what, there, due) in counts {
        if there != due {
            findings.add(Area::Rules, format!("{what} {there} entries, and by the versions there should be {due}"));
        }
    }
    Ok(())
}
