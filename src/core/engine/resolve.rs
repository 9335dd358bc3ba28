//! The rules of the store, as the taxes look them up.

use std::cell::RefCell;
use std::sync::Arc;

use super::cache::Sharded;
use super::keys::KeptKeys;
use super::named::{self, Begin, NamedLists};
use super::touched::probe;
use super::version;
use crate::base::problem::Problem;
use crate::base::value::Date;
use crate::core::store::{LookupEntry, RuleTables, StoreError};
use crate::law::rule::{Chave, Linha, Nomeada, OpenDimension, Place, Regra, Regras, RuleResult, VersaoRegra, Vigencia};

/// Id and number of versions.
type FoundVersions = Vec<(Arc<str>, u64)>;

/// What was read of the rules before, shared by all calculations.
pub(super) struct Kept<'a> {
    /// The versions of the keys that were looked up.
    pub(super) keys: &'a KeptKeys,
    /// Lists of the rules that name an open dimension.
    pub(super) lists: &'a NamedLists,
    /// Returns true while both are those of the snapshot.
    pub(super) is_valid: &'a dyn Fn() -> bool,
}

/// The rules of one snapshot, or of a transaction under way. Notes every key that is looked up.
pub(super) struct Resolver<'a, T> {
    tables: &'a T,
    /// Decoded versions, shared by all calculations. `None` inside a transaction: its versions may be rolled
    /// back, and their numbers given to others.
    decoded: Option<&'a Sharded<u64, Arc<VersaoRegra>>>,
    /// What was read of the rules before.
    kept: Option<Kept<'a>>,
    probes: RefCell<Vec<u64>>,
    /// Id and number of every version that was found; `None` unless a proof is asked for.
    found: Option<RefCell<FoundVersions>>,
}

impl<'a, T: RuleTables> Resolver<'a, T> {
    pub(super) fn new(tables: &'a T, decoded: Option<&'a Sharded<u64, Arc<VersaoRegra>>>) -> Self {
        Resolver { tables, decoded, kept: None, probes: RefCell::new(Vec::new()), found: None }
    }

    /// The same, with what was read before.
    pub(super) fn with_kept(mut self, kept: Kept<'a>) -> Self {
        self.kept = Some(kept);
        self
    }

    /// The same, with the records of the versions that it finds at hand ([`record`](Self::record)) if `notes`.
    pub(super) fn noting_versions(mut self, notes: bool) -> Self {
        self.found = notes.then(RefCell::default);
        self
    }

    /// The record of a version that was found; `None` if it was not, or if versions are not noted.
    pub(super) fn record(&self, rule_id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let number = |found: &RefCell<FoundVersions>| {
            found.borrow().iter().find(|(id, _)| **id == *rule_id).map(|(_, number)| *number)
        };
        self.found.as_ref().and_then(number).map(|number| self.tables.record(number)).transpose()
    }

    /// Hashes of every scope key that was looked up.
    pub(super) fn into_probes(self) -> Vec<u64> {
        self.probes.into_inner()
    }

    fn regra(&self, found: LookupEntry) -> Result<Regra, StoreError> {
        let versao = match self.decoded.and_then(|d| d.get(&found.number)) {
            Some(versao) => versao,
            None => {
                let versao = version::decode_shared(&self.tables.record(found.number)?)?;
                if let Some(decoded) = self.decoded {
                    decoded.put_if(found.number, Arc::clone(&versao), || true);
                }
                versao
            }
        };
        if let Some(noted) = &self.found {
            noted.borrow_mut().push((Arc::clone(&versao.escrito.rule_id), found.number));
        }
        Ok(Regra { versao, vigencia: found.vigencia })
    }
}

impl From<StoreError> for Box<Problem> {
    fn from(error: StoreError) -> Self {
        failed(&error)
    }
}

/// The answer to a caller if the store fails.
pub(super) fn failed(error: &StoreError) -> Box<Problem> {
    if error.is_outage() {
        return Box::new(Problem::unavailable());
    }
    let detail = "O serviço não conseguiu ler as regras; repita o pedido e, se persistir, avise o operador.";
    Box::new(Problem::failure(detail, error))
}

impl<T: RuleTables> Regras for Resolver<'_, T> {
    fn em(&self, chave: &Chave, data: Date) -> RuleResult<Option<Regra>> {
        let key = chave.bytes();
        let probe = probe(&key);
        self.probes.borrow_mut().push(probe);
        let found = match &self.kept {
            Some(kept) => kept.keys.find(self.tables, (&key, probe), data, kept.is_valid),
            None => self.tables.find(&key, data),
        };
        found.map_err(|e| failed(&e))?.map(|f| self.regra(f)).transpose().map_err(|e| failed(&e))
    }

    fn com_qualquer_ultima(&self, chave: &Chave, data: Date) -> RuleResult<Vec<Regra>> {
        let prefix = chave.bytes_before_last();
        self.probes.borrow_mut().push(probe(&prefix));
        let found = self.tables.find_under(&prefix, data).map_err(|e| failed(&e))?;
        found.into_iter().map(|f| self.regra(f)).collect::<Result<_, _>>().map_err(|e| failed(&e))
    }

    fn linhas(&self, prefix: &[u8], place: Place<'_>, max: usize) -> RuleResult<Vec<Linha>> {
        self.tables.rows(prefix, place, max).map_err(|e| failed(&e))
    }

    fn nomeadas(
        &self,
        chaves: &mut dyn Iterator<Item = Chave>,
        open: &OpenDimension<'_>,
        wanted: &dyn Fn(&Nomeada) -> RuleResult<bool>,
    ) -> RuleResult<Vec<Nomeada>> {
        let mut found: Vec<Nomeada> = Vec::new();
        let mut take = |named: &Nomeada| -> RuleResult<bool> {
            if named.vigencia.covers(open.data) && wanted(named)? {
                found.push(named.clone());
            }
            Ok(found.len() == open.max)
        };
        if let Some(kept) = &self.kept {
            let kept = kept.lists.list(self.tables, chaves, open, kept.is_valid)?;
            self.probes.borrow_mut().extend_from_slice(&kept.probes);
            for named in kept.list.iter() {
                if take(named)? {
                    break;
                }
            }
        } else {
            let mut is_full = false;
            for begin in chaves.map(|chave| Begin::of(&chave, open)) {
                self.probes.borrow_mut().push(begin.probe);
                if !is_full {
                    named::read_until(self.tables, &begin, open, |named| -> RuleResult<bool> {
                        is_full = take(named)?;
                        Ok(is_full)
                    })?;
                }
            }
        }
        Ok(found)
    }

    fn versao(&self, number: u64, vigencia: Vigencia) -> RuleResult<Regra> {
        self.regra(LookupEntry { number, vigencia }).map_err(|e| failed(&e))
    }
}
