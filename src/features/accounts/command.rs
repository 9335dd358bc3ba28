//! `taxd account`.

use crate::cli::{CommandResult, Context, output};
use crate::core::calls::RecentCall;
use crate::core::store::Limit;
use crate::features::accounts::{AccountCommand, AccountDetails, ShownAccount};
use crate::features::{Command, keys, plans};

pub(crate) fn run(context: &Context, command: AccountCommand) -> CommandResult {
    match command {
        AccountCommand::Create { .. } => changed(context, command, |made| {
            let (id, name, plan) = (&made.account.client_id, &made.account.nome, &made.account.plan);
            format!("account {id} made for {name}, plan {plan}\nnext: taxd key create --account {id} --kind live")
        }),
        AccountCommand::List => context.show(Command::Account(command), |accounts: Vec<ShownAccount>| table(&accounts)),
        AccountCommand::Show { .. } => {
            context.show(Command::Account(command), |details: AccountDetails| details_text(&details))
        }
        AccountCommand::Set(_) | AccountCommand::Suspend { .. } | AccountCommand::Resume { .. } => {
            changed(context, command, |account| table(&[account]))
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
