//! `taxd mcp`: the rules as tools of an assistant, by the Model Context Protocol (2025-11-25) over standard input and output.
//!
//! A tool is a command of this program: it answers what the command answers, with rule, citation, grade and refusal as they
//! are, and what is refused is never completed. The protocol is four methods, so it is written here: its official library
//! would bring forty crates (a schema generator, a calendar, a second runtime of futures).

pub(crate) mod command;
mod rpc;
mod session;
mod tools;
