//! `taxd mcp`.

use std::cell::OnceCell;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;

use super::rpc::{self, Received};
use super::session::{Session, Wanted};
use crate::cli::{CommandResult, Context, output};
use crate::features::AdminError;

/// Answer an assistant's questions by the Model Context Protocol, over stdin and stdout
///
/// An assistant that speaks the protocol starts this command and gets six tools: calculate, explain, treatment, rules, codes
/// and upcoming. Each answer has its rule, citation and grade; a refusal is given as such, with its reason. Uses the data
/// directory's rules as they are at each question, also beside a running server. If none is named and there is no
/// ./taxd-data, it uses the built-in rules. Ends at the end of the input.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {}

pub(crate) fn run(context: &Context) -> CommandResult {
    // The built-in rules are read once. The file of a data directory is not kept open.
    let built_in = OnceCell::new();
    let engine = |wanted| match built_in.get() {
        Some(engine) => Ok(Rc::clone(engine)),
        None => {
            let opened = if wanted == Wanted::AsKnown { context.settled_engine() } else { context.engine() };
            let engine = Rc::new(opened?);
            if context.rules_dir()?.is_none() {
                let _ = built_in.set(Rc::clone(&engine));
            }
            Ok(engine)
        }
    };
    let session = Session { engine: &engine };
    let (mut input, mut out) = (BufReader::new(io::stdin()), io::stdout());
    loop {
        let read = rpc::read(&mut input).map_err(|e| AdminError::new(format!("cannot read the input: {e}")))?;
        let reply = match read {
            Received::End => return Ok(ExitCode::SUCCESS),
            Received::Notification => continue,
            Received::Faulty(reply) => reply,
            Received::Request { id, method, params } => session.reply(&id, &method, &params),
        };
        let mut line = serde_json::to_vec(&reply)?;
        line.push(b'\n');
        if let Err(error) = out.write_all(&line).and_then(|()| out.flush()) {
            return output::stopped_reading(&error);
        }
    }
}
