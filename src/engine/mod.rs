//! Where rules and taxes meet: resolve, calculate, remember, publish.
//!
//! An [`Engine`] is shared by every request. It holds the store, the decoded rules (a
//! version never changes, so what is decoded stays right) and the result cache.

mod answer;
mod audit;
mod bundle_faults;
mod cache;
mod catalog;
mod changelog;
pub mod coverage;
mod examples;
pub mod filter;
mod formatting;
mod gaps;
mod imports;
mod instants;
mod lacking;
mod listing;
mod outcome;
mod progress;
mod provenance;
mod publish;
mod reading;
mod resolve;
mod rows;
mod shared;
mod succession;
mod sweep;
mod version;

use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

pub use answer::Answer;
pub use audit::{Examples, check as check_rules};
pub use bundle_faults::{BundleFault, BundleFile};
pub use cache::CacheState;
pub use filter::{Filter, Situacao};
pub use formatting::canonical_texts;
pub use imports::{ImportCounts, Imports};
pub use instants::ClockFault;
pub use listing::Page;
pub use outcome::{ImportError, ImportOptions, ImportReport, Publicadas, Published, Substituidas, Superseded};
pub use progress::{Progress, Stage, Step};
pub use provenance::{BundleRecord, Signed};

use crate::document::{JsonFault, MAX_PAYLOAD_VALUES, Node, Object, has_too_many_values};
use crate::problem::{ErrorCode, Problem};
use crate::rule::{RuleResult, VersaoRegra};
use crate::store::{Store, StoreResult};
use crate::tax::{self, Calculation};
use crate::value::{Clock, Timestamp};

use cache::{ResultCache, Sharded};
use catalog::Catalog;
use instants::Instants;
use resolve::Resolver;
use sweep::Sweep;

/// Decoded rule versions kept: the built-in rules, with room for a firm's own.
const DECODED_RULES: usize = 32_768;

/// The rules of one store, calculated with.
pub struct Engine {
    store: Arc<Store>,
    clock: Clock,
    decoded: Sharded<u64, Arc<VersaoRegra>>,
    results: ResultCache,
    /// When `results` may be asked and added to.
    sweep: Sweep,
    /// When publications are dated.
    instants: Instants,
    imports: Imports,
    catalog: RwLock<Arc<Catalog>>,
    /// Held by whoever brings the catalog up to date.
    catalog_update: Mutex<()>,
}

impl Engine {
    /// An engine on `store` that remembers up to `cached_results` answers.
    #[must_use]
    pub fn new(store: Store, cached_results: usize) -> Engine {
        Engine {
            store: Arc::new(store),
            clock: Clock::system(),
            decoded: Sharded::new(DECODED_RULES),
            results: ResultCache::new(cached_results),
            sweep: Sweep::default(),
            instants: Instants::default(),
            imports: Imports::default(),
            catalog: RwLock::default(),
            catalog_update: Mutex::default(),
        }
    }

    /// The same engine by another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Engine {
        self.clock = clock;
        self
    }

    /// The engine's clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The instant it is, by the engine's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The store beneath.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// How the result cache does.
    #[must_use]
    pub fn cache_state(&self) -> CacheState {
        self.results.state()
    }

    /// What became of imports.
    #[must_use]
    pub fn imports(&self) -> &Imports {
        &self.imports
    }

    /// How many rule versions there are.
    pub fn rule_count(&self) -> StoreResult<u64> {
        self.store.read_rules()?.count()
    }

    /// Answers a payload: from memory where the very same bytes were answered before and no
    /// rule has changed in what they asked for, else by calculating.
    pub fn calculate(&self, payload: &[u8], memoria: bool) -> RuleResult<Answer> {
        let swept = self.sweep.closed();
        if let Some(answer) = self.results.get(payload, memoria, swept.is_some()) {
            return Ok(answer);
        }
        let rules = self.store.read_rules().map_err(|e| resolve::failed(&e))?;
        let resolver = Resolver::new(&*rules, Some(&self.decoded));
        let answer = calculate_with(&resolver, payload, memoria)?;
        let probes = resolver.into_probes();
        if let Some(swept) = swept {
            self.results.put(payload, memoria, &answer, probes, || self.sweep.is_still(swept));
        }
        Ok(answer)
    }

    /// Answers a payload as it would have been answered at a past instant: by the rules that
    /// had been published then, with the ends that they had then. Never from memory, and never
    /// kept there. The answer is final: no later publication is dated at that instant or before.
    /// It may wait for a publication that is being committed just then.
    pub fn calculate_as_known(&self, payload: &[u8], memoria: bool, instant: Timestamp) -> RuleResult<Answer> {
        self.instants.answer_for(instant, self.now());
        let rules = self.store.read_rules_as_of(instant.millis()).map_err(|e| resolve::failed(&e))?;
        let resolver = Resolver::new(&rules, Some(&self.decoded));
        calculate_with(&resolver, payload, memoria)
    }

    /// To be awaited before [`calculate_as_known`](Self::calculate_as_known) of an instant that is not in the
    /// future, which then waits for nothing.
    pub async fn answers_are_final(&self, instant: Timestamp) {
        self.instants.answer_for_by_task(|| instant).await;
    }

    /// To be awaited before the changelog is read for a caller, who goes on from the date of this query:
    /// every event dated up to now is visible then, and every later one is dated later. It waits for
    /// a publication that is being committed.
    pub async fn changelog_is_complete(&self) {
        self.instants.answer_for_by_task(|| self.now()).await;
    }

    /// Opens the data file again after an outage. A publication whose commit was reported as failed may
    /// be in it: no answer from before counts from then on, and listings know all that is in it.
    pub fn reopen(&self) -> StoreResult<()> {
        let mut unswept = None;
        let reopened = self.store.reopen(|| unswept = Some(self.sweep.begin()));
        if let Some(unswept) = unswept {
            self.results.forget_all();
            unswept.done();
        }
        reopened.and_then(|()| self.renew_catalog(false))
    }

    /// Publishes bundles, all of them or nothing, at an instant that the caller gives.
    pub fn import(
        &self,
        files: &[BundleFile],
        published_at: Timestamp,
        options: ImportOptions,
    ) -> Result<ImportReport, ImportError> {
        self.import_by(files, &|| published_at, options, &mut |_| {})
    }

    /// Publishes bundles, all of them or nothing, by the engine's clock, and tells on the way how
    /// far it has come.
    pub fn import_with_progress(
        &self,
        files: &[BundleFile],
        options: ImportOptions,
        progress: Progress<'_>,
    ) -> Result<ImportReport, ImportError> {
        self.import_by(files, &|| self.now(), options, progress)
    }

    fn import_by(
        &self,
        files: &[BundleFile],
        clock: &dyn Fn() -> Timestamp,
        options: ImportOptions,
        progress: Progress<'_>,
    ) -> Result<ImportReport, ImportError> {
        let began = Instant::now();
        let mut unswept = None;
        let before_commit = || unswept = Some(self.sweep.begin());
        let imported = publish::import(&self.store, &self.instants, files, clock, options, before_commit, progress);
        if let Some(unswept) = unswept {
            // A commit that failed became visible to nobody; what it left in the file is seen when that is
            // opened again, which forgets every answer.
            if let Ok(imported) = &imported {
                self.results.forget(&imported.touched);
            }
            unswept.done();
            // The next listing tries again, and so does the end of an outage, which is logged once for all.
            if let Err(error) = self.renew_catalog(false)
                && !error.is_outage()
            {
                tracing::error!(%error, "the catalog of rules could not be brought up to date");
            }
        }
        let done = imported.map(|imported| imported.report);
        if !options.dry_run {
            self.imports.tell(files, &done, began.elapsed());
        }
        done
    }
}

/// One calculation on the rules of `resolver`.
fn calculate_with<T: crate::store::RuleTables>(
    resolver: &Resolver<'_, T>,
    payload: &[u8],
    memoria: bool,
) -> RuleResult<Answer> {
    let not_json =
        |fault: JsonFault| Problem::new(ErrorCode::JsonInvalido, format!("Corrija o JSON do corpo: {fault}."));
    if has_too_many_values(payload) {
        Node::check(payload).map_err(not_json)?;
        let detail = format!("O corpo tem mais de {MAX_PAYLOAD_VALUES} valores; um pedido de cálculo tem uns vinte.");
        return Err(Box::new(Problem::new(ErrorCode::PayloadInvalido, detail)));
    }
    let document = Node::parse(payload).map_err(not_json)?;
    calculate_document(resolver, &document, memoria)
}

/// The same of a payload that is read.
fn calculate_document<T: crate::store::RuleTables>(
    resolver: &Resolver<'_, T>,
    document: &Node<'_>,
    memoria: bool,
) -> RuleResult<Answer> {
    let Node::Object(object) = document else {
        let detail = format!("O corpo precisa ser um objeto JSON; veio {}.", document.kind());
        return Err(Box::new(Problem::new(ErrorCode::TipoInvalido, detail)));
    };
    let entry = tax_of(object)?;
    let mut calculation = Calculation::new(resolver, memoria);
    let calculated = entry.calcular(object, &mut calculation).map_err(|mut problem| {
        problem.tributo = Some(entry.tributo);
        problem
    })?;
    answer::envelope(entry.tributo, &calculated, calculation.avisos())
}

/// The tax that the payload's `tributo` names.
fn tax_of(object: &Object<'_>) -> RuleResult<&'static tax::Entry> {
    let names = || tax::NOMES.join(", ");
    let (codigo, detail) = match object.get("tributo") {
        Some(Node::Text(name)) => match tax::parse(name) {
            Ok(entry) => return Ok(entry),
            Err(detail) => (ErrorCode::ValorInvalido, detail),
        },
        None | Some(Node::Null) => (ErrorCode::CampoObrigatorio, format!("Informe `tributo`, um destes: {}.", names())),
        Some(other) => {
            (ErrorCode::TipoInvalido, format!("`tributo` é um texto, um destes: {}; veio {}.", names(), other.kind()))
        }
    };
    Err(Box::new(Problem::of_field(codigo, "tributo", detail)))
}
