//! The service from outside: the real binary, its HTTP surface and its command line.
//!
//! Modules mirror the URLs and the concerns; `support` starts the binary and talks to it.

mod alarm;
mod answers;
mod calculate_codes;
mod calculate_consumidor_final;
mod calculate_envelope;
mod calculate_from_2029;
mod calls;
mod changelog;
mod changelog_at_midnight;
mod cli;
mod codigos;
mod concurrency;
mod conhecido_em;
mod correcoes;
#[path = "../fuzz/mod.rs"]
mod fuzz;
mod guides;
mod hostile;
mod import_killed;
mod import_large;
mod import_memory;
mod lifecycle;
mod listas;
mod listings_blocking;
mod logs;
mod mcp;
mod metrics;
mod openapi;
mod operator_notices;
mod page_built_in;
mod page_calendar;
mod page_documents;
mod page_documents_named;
mod page_documents_saved;
mod page_law;
mod page_list;
mod page_operacao;
mod page_overviews;
mod page_repeated;
mod page_rules;
mod publication;
mod recorded;
mod refusals;
mod regras;
mod sandbox;
mod supondo;
mod support;
mod tls;
mod transicao;
mod tratamento;
mod visible_at_once;
mod webhooks;
