//! `src/codes`: what the tables of the folder are, and finding a code in one.

mod official;
mod prazos;
mod search;
mod tables;
