//! **taxd**: a rule-based tax engine for Brazil.
//!
//! A request is parsed into a typed payload, the payload selects its rule, and the two give the amount. The answer
//! cites the rule, its legal ground and its validity.
//!
//! | folder | contents | depends on |
//! |---|---|---|
//! | [`base`] | values, documents of values, refusals, sentences; no I/O, no clock | nothing |
//! | [`sheet`] | tables as CSV and XLSX, with no tax in them | `base` |
//! | [`law`] | rules, taxes, operations, codes, fiscal documents; pure | `base` |
//! | [`core`] | the service without a surface | `law`, `base` |
//! | [`features`] | what taxd does for people, a folder a feature | `core`, `law`, `sheet`, `base` |
//! | [`http`] | the public surface: server, limits, `/v1`, the API description, TLS | `features`, `core`, `law`, `base`; its routes name `page` |
//! | `page` | the shell of the page | `http`, `features` |
//! | [`cli`] | the command line | all of them |
//!
//! What is decided where, beside what the names of files say:
//!
//! - **`base`**: `value` (figures, days, codes, the grade of a rule), `document` (typed documents, read and written), `problem`
//!   (every code of a refusal and its status), `sentence` (for programs and for people).
//! - **`law`**
//!   - `rule`: scopes, validity, bundles, whose `rule` has what each must cite. `succession` has the days on which a version
//!     answers, the `tipo` of its event in the changelog, and whether it is retroactive. `missing` is the 404 and the rules
//!     that came near.
//!   - `tax`: the contract's twelve and eight more: payload, order of lookup, contents, calculation. `suposicao` says which
//!     figures may be supposed.
//!   - `operation`: the taxes of one operation, each feeding the next. `tratamento`: what the rules say of a product, for any
//!     seller.
//!   - `codes`: official tables with their texts, which are in `tables`; natures of CFOP and of revenue, dates of duties.
//!     `labels`: what people call the names of the contract.
//!   - `nfe`: fiscal documents as facts, a file a kind (`nota`, `cfe_sat`, `cte`, `servico`). `payloads` says what is asked
//!     of each. `efd`: the digital books, record by record.
//! - **`core`**
//!   - `store`: the one redb file. `file/backup` copies one `file/snapshot` of it; `file/atomic` replaces the data file and
//!     its copies, readable by their owner alone.
//!   - `engine`: resolves, calculates, caches, publishes, runs worked examples. `publish` is one transaction; `sweep` says
//!     what of a running server's caches it makes stale. `filter` declares the filters of listings, `catalog` selects by them
//!     and finds rules by words or citation, `listing` orders and pages. `supposed` answers with a supposed figure.
//!     `upcoming` has what is ahead: `scan` reads and counts it.
//!   - `webhook`: the outbox and its signed deliveries. `recipients` says who gets one; of those that ask for kept lists,
//!     `watch::notice` takes the account of the list.
//!   - `watch`: kept lists: `put` keeps one; what publications change in them.
//!   - `calls`: known keys, which `features::accounts` and `features::keys` make, and who may call how often. The call log:
//!     `http::call` records a call, `logged` has its fields, `queue` and `staged` hold it in memory, `writer` writes it and
//!     takes old calls away.
//!   - `rulesets`: the bundles in the binary. `service`: one process: its threads, health, metrics, the warnings of rules
//!     that end; `process` has the limits of the system, as of open files.
//! - **`features`**: most folders are named by their command or their part of the page. In each, `mod.rs` has the question and
//!   the answer as types, and the work if no file is named for it (the arguments of its command are there or in `command.rs`);
//!   `report.rs` the text (without one, `command.rs`) and `table.rs` the columns of the answer; `command.rs` reads the files of
//!   the command, hands on and prints; `page.rs` is its handler of the page, beside them its script and style. The others:
//!   - `changes`: Mudanças, with a rule of its own for what is new, replaced or retroactive. `table.rs` has the columns of
//!     the command; what the page saves is a table of its script, in `mudancas_grupos.js`.
//!   - `kept_lists` and `corrections`: both worked off by the thread in `following.rs`. `corrections::worker` walks the log
//!     and keeps the calls of the last corrections only, `compare` judges a call and adds it to the sums by month.
//!   - `codes`: Códigos; `codes.js` what a code is called. `calendar`: Calendário and `rules upcoming`, of what
//!     `core::engine::upcoming` found; `ics` writes the calendar file, whose entries keep their UIDs.
//!   - `office_rules`: Tenho a lei, `bundle new`. `rule_sheets`: `bundle from-sheet`. `sources`: `bundle from`, of official
//!     tables; `tipi` says what becomes of each line, and what is left alone.
//!   - `control`: the socket for what writes; `data_dir` opens the file for what only reads, as a backup, beside a server
//!     that runs, and has it yield to that.
//! - **`features::audit`**
//!   - `run`: the order of work, a file that fails. `input`: files, archives, what each is. `companies`: who they are, as CSV
//!     or TOML.
//!   - `questions`: which taxes of an item are asked; `situation` why a line that charges nothing is right. The day and the
//!     figures are from `law::nfe::payloads`.
//!   - `arithmetic`: a document against itself. `technical_note`: its groups of IBS and CBS. `coherence`: its codes.
//!   - `compare`: what is declared against the answer. `explain`: why they differ.
//!   - `crossing`: with the books, which `books` reads or refuses. `segregation`: the DAS. `withholdings`, `purchases`,
//!     `cte`.
//!   - `report`, with its `worksheets`; `table.rs` has only the lines. `documentos.js` is the form and the order of the
//!     report on the page, `documentos_resumo.js` its sums and what to correct.
//! - **`http`**: a file a route with its parameters and its Content-Type (the document is of its feature, as
//!   `corrections::shown`, or of core, as `calls::usage`); `cursor` for all pages. `router` asks a key of `/v1` and
//!   `/sandbox/v1`, and sends the rest, without one, to `page`.
//! - **`page`**: its files, key, form parts, answer, problem; who answers what below `/sandbox/v1`. `needs.js` says what a form
//!   lacks before it calculates, `calculate.js` is the part Calcular and what one field fills in another, `form.js` the form of
//!   a declaration, `parts.css` what parts share, `page.html` the frame with the parts in their groups. Scripts of other parts
//!   lie in their features, by their Portuguese names (`mudancas.js`), and here those without a feature: `inicio.js`,
//!   `clientes.js`, `usage.js` (Consumo).
//! - **`cli`**: context and output. `files` reads what the operator names, and makes a file only under a name that is free,
//!   which is asked before the work; `table_output` makes the tables of `--out`. `serve` has its `options`, the
//!   `setting_sources` of each, what each starts, as HTTPS and the address of metrics, and why a start fails;
//!   `core::service::sd_notify` the messages to the service manager.
//!
//! Dependencies point one way. `base`, `sheet`, `law` and `core` are crates, so a change compiles only what is above it;
//! this crate has them under their names. Within the crates `tests/unit/house` checks it. Of a feature, only its `command.rs`
//! names `cli`, and only its `page.rs` names `http` and `page`.
//!
//! What runs beside the program is in `packaging`: the units and the nightly copy (`systemd`), packages, alerts (`prometheus`).
//!
//! What holds everywhere:
//!
//! - `base` and `law` have no clock, no disk and no network: an answer is a function of the payload and the rules.
//! - `store` knows tables and transactions, and nothing of HTTP. Only `store` and `features::check` name redb.
//! - The audit never calculates: it asks the engine, as a caller would.
//! - One file writes the envelope of an answer (`src/law/tax/answer.rs`), and one reads a payload
//!   (`src/core/engine/calculate.rs`).
//! - A sentence has the values of a program and those of a person from where it is made, and names in backquotes: nothing
//!   looks for phrases in a text (`src/base/sentence.rs`).
//! - A publication is one transaction, and only `src/core/engine/publish.rs` begins it. Nothing published is rewritten.
//! - No thread that serves connections waits for the disk.
//! - A comment says what the name does not: why, the unit, the error, the source of law. The crate has no users but the
//!   binary and its tests, so no item needs a comment that repeats its name (`tests/unit/house/comments.rs`).
//!
//! Nouns of the law and of the public contract are Portuguese (`Regra`, `Chave`, `Aliquota`, `vigente_de`), also as
//! names of files (`prova.rs`, `interestadual.rs`); everything else is English: verbs, containers, mechanisms, errors, time.
//!
//! # Design
//!
//! - A tax is one module of `src/law/tax`; `icms`, `icms_st`, `icms_consumidor_final`, `simples_nacional`, `ipva` and `cbs_ibs` have parts in a
//!   folder, `pis_cofins` and `cbs_ibs` serve two taxes each, and `retencao_federal` four. Its declarations read payloads and bundles, and make the
//!   form of the page, the filters of listings, the API description and the help.
//! - Amounts are exact rationals of 256 bits until they are shown (`src/base/value/exact.rs`).
//! - The data file is described in `src/core/store/schema.rs`. A rule is stored under each key of its scope and its first
//!   day, so a lookup is a range read whose cost does not grow with the number of rules. Readers use a snapshot and
//!   never wait for a writer.
//! - Keys and limits are in memory (`src/core/calls`): a call is admitted and counted without reading the file. One thread
//!   writes the call log.
//! - The result cache (`src/core/engine/cache.rs`) is exact: an answer remembers the scope keys that it looked up, and a
//!   publication drops exactly the answers that looked up a key it changes. So is what is kept of keys (`cache/keys.rs`).
//! - A publication writes its webhook deliveries in the same transaction, about sixty bytes each. The body is made when
//!   it is sent. What to send next, what an outcome changes and how a body is signed are pure functions, which a
//!   simulation of days of failures tests.
//! - An answer depends on the payload and the published rules alone: no clock, no order of calls, no machine. Servers
//!   with the same bundles give the same bytes, but for `cached`.
//! - `tests/contract` is a client that knows only the public contract. Its tests change only if the contract does.
//!
//! # How to add a tax
//!
//! Write one file in `src/law/tax`, and its lines in `src/law/tax/mod.rs` and `src/law/tax/registry.rs`. `src/law/tax/ipi.rs` is the
//! shortest model. The file declares:
//!
//! 1. the payload, with `document!`: each field with its type, its default and its meaning in Portuguese, and the
//!    fields that another one makes required;
//! 2. the content of a rule, in the same way, with the checks that a bundle must pass;
//! 3. the dimensions of scope that distinguish its rules;
//! 4. the calculation: the order in which the rule is looked up, and the formula (`src/law/tax/formula.rs`), with each step
//!    noted for `memoria`;
//! 5. the components of its result, with `components!`: its base and its rates by their role (`as Base`, `as Aliquota`), by
//!    which lists, operations and the audit find them;
//! 6. an example payload that a built-in rule answers.
//!
//! Then add a bundle in `rulesets` with worked examples, a second, naive implementation in `tests/unit/core/tax/naive`, and
//! cases in `tests/golden/cases.json`. Record the new API description with
//! `TAXD_REWRITE_GOLDEN=1 cargo test --test http openapi`. Record the published rules, the coverage and the table of the
//! handbook (a marked section in `rulesets/README.md`) with
//! `TAXD_REWRITE_GOLDEN=1 cargo test --test 'unit-*' -- published rulesets handbook`, and the instruction counts with
//! `cargo bench --profile dist --bench instructions -- --record`. The route and the envelope of answers do not change.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic ends a call; only a test is meant to panic, at the place where it fails"
)]

pub mod cli;
pub mod features;
pub mod http;
mod page;

pub use taxd_base as base;
pub use taxd_core as core;
pub use taxd_law as law;
pub use taxd_sheet as sheet;
