//! `taxd account`.

use std::str::FromStr;

use clap::{Args, Subcommand};

use crate::cli::{CommandResult, Context, output};
use crate::core::calls::RecentCall;
use crate::core::store::Limit;
use crate::features::Command;
use crate::features::accounts::{
    AccountChange, AccountCommand, AccountDetails, OverrideChange, OverrideChanges, ShownAccount,
};
use crate::features::{keys, plans};

/// Accounts: who may call
#[derive(Debug, Subcommand)]
pub(crate) enum AccountArgs {
    /// Make an account
    Create {
        /// Name, as people know it
        #[arg(value_name = "NAME")]
        name: String,
        /// Plan: growth, scale, enterprise, or one that `taxd plan set` made
        #[arg(long, default_value = "growth")]
        plan: String,
        #[command(flatten)]
        limits: LimitArgs,
    },
    /// List the accounts
    List,
    /// Show an account: its limits, keys and consumption
    Show {
        #[command(flatten)]
        account: NamedAccountArgs,
        /// How many of its latest calls to show
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=50))]
        recent: u8,
    },
    /// Change an account, from the next call on
    Set {
        #[command(flatten)]
        account: NamedAccountArgs,
        /// New name
        #[arg(long)]
        name: Option<String>,
        /// New plan
        #[arg(long)]
        plan: Option<String>,
        #[command(flatten)]
        limits: LimitArgs,
    },
    /// Refuse the account's calls (403) and hold back its webhooks, until it is resumed
    Suspend(NamedAccountArgs),
    /// Answer the account's calls again
    Resume(NamedAccountArgs),
}

/// Which account.
#[derive(Debug, Args)]
pub(crate) struct NamedAccountArgs {
    /// Account, by its id or by a name that no other account has
    #[arg(value_name = "CLIENT_ID|NAME")]
    client_id: String,
}

/// Limits of an account's own.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct LimitArgs {
    /// Calls in any 60 seconds, in place of the plan's; `plan` goes back to the plan's
    #[arg(long, value_name = "N|plan", value_parser = change::<u32>)]
    rate_limit: Option<OverrideChange<u32>>,
    /// Production calls in a calendar month (UTC), in place of the plan's
    #[arg(long, value_name = "N|unlimited|plan", value_parser = change::<Limit>)]
    quota: Option<OverrideChange<Limit>>,
    /// Webhook endpoints, in place of the plan's
    #[arg(long, value_name = "N|unlimited|plan", value_parser = change::<Limit>)]
    endpoints: Option<OverrideChange<Limit>>,
}

fn change<T: FromStr<Err: std::fmt::Display>>(text: &str) -> Result<OverrideChange<T>, String> {
    if text.eq_ignore_ascii_case("plan") {
        return Ok(OverrideChange::Clear);
    }
    text.parse().map(OverrideChange::Set).map_err(|e| format!("{e}, nor `plan`"))
}

impl From<LimitArgs> for OverrideChanges {
    fn from(args: LimitArgs) -> Self {
        OverrideChanges {
            rate_limit: args.rate_limit.unwrap_or_default(),
            monthly_quota: args.quota.unwrap_or_default(),
            webhook_endpoints: args.endpoints.unwrap_or_default(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: AccountArgs) -> CommandResult {
    match args {
        AccountArgs::Create { name, plan, limits } => {
            let command = AccountCommand::Create { nome: name, plan, limits: limits.into() };
            changed(context, command, |made| {
                let (id, name, plan) = (&made.account.client_id, &made.account.nome, &made.account.plan);
                format!("account {id} made for {name}, plan {plan}\nnext: taxd key create --account {id} --kind live")
            })
        }
        AccountArgs::List => {
            context.show(Command::Account(AccountCommand::List), |accounts: Vec<ShownAccount>| table(&accounts))
        }
        AccountArgs::Show { account, recent } => {
            let command = AccountCommand::Show { account: account.client_id, recent: usize::from(recent) };
            context.show(Command::Account(command), |details: AccountDetails| details_text(&details))
        }
        AccountArgs::Set { account, name, plan, limits } => {
            let change = AccountChange { account: account.client_id, nome: name, plan, limits: limits.into() };
            changed(context, AccountCommand::Set(change), |account| table(&[account]))
        }
        AccountArgs::Suspend(NamedAccountArgs { client_id: account }) => {
            changed(context, AccountCommand::Suspend { account }, |account| table(&[account]))
        }
        AccountArgs::Resume(NamedAccountArgs { client_id: account }) => {
            changed(context, AccountCommand::Resume { account }, |account| table(&[account]))
        }
    }
}

/// Makes or changes an account, and shows it after its warnings.
fn changed(context: &Context, command: AccountCommand, text: impl FnOnce(ShownAccount) -> String) -> CommandResult {
    let account: ShownAccount = context.ask(Command::Account(command))?;
    output::warn(&account.avisos);
    context.print(&account.clone(), || text(account))
}

fn table(accounts: &[ShownAccount]) -> String {
    let row = |shown: &ShownAccount| {
        let account = &shown.account;
        let state = if account.suspended_at.is_some() { "suspended" } else { "active" };
        let mut row = vec![account.client_id.clone(), account.nome.clone(), state.to_owned(), account.plan.clone()];
        row.extend(shown.limits.as_ref().map_or_else(Default::default, plans::command::limits));
        row.push(account.created_at.local());
        row
    };
    let headings = ["CLIENT_ID", "NAME", "STATE", "PLAN", "CALLS/MIN", "CALLS/MONTH", "ENDPOINTS", "CREATED"];
    output::table(&headings, accounts.iter().map(row))
}

fn details_text(details: &AccountDetails) -> String {
    let usage = &details.usage;
    let (status, latency, quota) = (&usage.status, &usage.latencia, &usage.cota);
    let mut parts = vec![
        table(std::slice::from_ref(&details.account)),
        String::new(),
        format!(
            "calls      {} in all, {} in the last 24 hours, {} of {} production calls in {}",
            usage.total_chamadas,
            usage.chamadas_24h,
            quota.usada,
            Limit(quota.limite),
            quota.mes,
        ),
        format!(
            "status     2xx {}, 3xx {}, 4xx {}, 5xx {}",
            status.sucesso_2xx, status.nao_modificado_3xx, status.erro_cliente_4xx, status.erro_servidor_5xx,
        ),
        format!("latency    p50 {} ms, p95 {} ms", latency.p50_ms, latency.p95_ms),
        String::new(),
        keys::command::table(&details.keys),
    ];
    if !usage.recentes.is_empty() {
        let row = |call: &RecentCall| {
            vec![
                output::instant(call.created_at),
                call.status_code.to_string(),
                format!("{} ms", call.latency_ms),
                if call.cached { "cached".to_owned() } else { String::new() },
                call.resumo.clone(),
                call.rule_id.clone(),
            ]
        };
        let headings = ["CALLED", "STATUS", "LATENCY", "", "CALL", "RULE"];
        parts.extend([String::new(), output::table(&headings, usage.recentes.iter().map(row))]);
    }
    parts.join("\n")
}
