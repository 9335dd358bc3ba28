//! Publication, calculation and the result cache.
//!
//! | file | what must hold |
//! |---|---|
//! | `bundle`, `bundle_faults`, `bundle_scope`, `bundle_conflicts` | what an import takes and refuses |
//! | `coverage` | what a count of the rules says of each |
//! | `examples` | worked examples of bundles |
//! | `office` | rules of the office, which answer before others of their scope |
//! | `official_tables` | the versions of official tables that installed bundles follow, and their ages |
//! | `lacking` | rules that need another rule which is missing |
//! | `formatting` | the canonical text of a bundle |
//! | `gaps` | what a report says of scopes that are left without a rule |
//! | `histories` | two hundred random publication histories, on every day and at every past timestamp |
//! | `impact` | what an import would change, against two stores |
//! | `publication_date` | when publications are dated; answers about the past are final |
//! | `transition` | the national rule of the transition to the IBS |
//! | `national_list` | what the national list says beside an answer or a refusal of ICMS-ST |
//! | `supposed` | a supposed figure gives what a bundle with it gives, and is nothing of the law |
//! | `prova` | the digests of an answer, computed by another way |
//! | `watched` | kept lists, against every line on every day |
//! | `cache`, `visible` | a publication that was seen is in every later answer |

mod agreement;
mod bundle;
mod bundle_conflicts;
mod bundle_faults;
mod bundle_scope;
mod cache;
mod coverage;
mod examples;
mod formatting;
mod gaps;
mod histories;
mod impact;
mod lacking;
mod national_list;
mod office;
mod official_tables;
mod prova;
mod publication_date;
pub mod records;
mod scope_payload;
mod scoped_rules;
mod supposed;
mod transition;
mod upcoming;
mod visible;
mod watched;
