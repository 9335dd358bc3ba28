//! Accounts: who may call, and how much.

pub mod command;

use std::fmt::Display;
use std::str::FromStr;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::keys::{self, ShownKey};
use super::{account_names, plans};
use crate::base::value::random_hex;
use crate::core::calls::{self, Usage};
use crate::core::service::Service;
use crate::core::store::{Account, AccountLimits, Limit, LimitOverrides};

/// Accounts: who may call
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountCommand {
    /// Make an account
    Create {
        /// Name, as people know it
        #[arg(value_name = "NAME")]
        nome: String,
        /// Plan: growth, scale, enterprise, or one that `taxd plan set` made
        #[arg(long, default_value = "growth")]
        plan: String,
        #[command(flatten)]
        limits: OverrideChanges,
    },
    /// List the accounts
    List,
    /// Show an account: its limits, keys and consumption
    Show {
        /// Account, by its id or by a name that no other account has
        #[arg(value_name = "CLIENT_ID|NAME")]
        account: String,
        /// How many of its latest calls to show
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=50))]
        recent: u8,
    },
    /// Change an account, from the next call on
    Set(AccountChange),
    /// Refuse the account's calls (403) and hold back its webhooks, until it is resumed
    Suspend {
        /// Account, by its id or by a name that no other account has
        #[arg(value_name = "CLIENT_ID|NAME")]
        account: String,
    },
    /// Answer the account's calls again
    Resume {
        /// Account, by its id or by a name that no other account has
        #[arg(value_name = "CLIENT_ID|NAME")]
        account: String,
    },
}

/// A change of an account; what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct AccountChange {
    /// Account, by its id or by a name that no other account has
    #[arg(value_name = "CLIENT_ID|NAME")]
    pub account: String,
    /// New name
    #[arg(long = "name", value_name = "NAME")]
    pub nome: Option<String>,
    /// New plan
    #[arg(long)]
    pub plan: Option<String>,
    #[command(flatten)]
    pub limits: OverrideChanges,
}

/// A change of one limit of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OverrideChange<T> {
    /// The account has no limit of its own: the plan's applies.
    Clear,
    /// The account has this limit, in place of the plan's.
    Set(T),
}

impl<T> OverrideChange<T> {
    fn value(self) -> Option<T> {
        match self {
            OverrideChange::Clear => None,
            OverrideChange::Set(value) => Some(value),
        }
    }
}

fn change<T: FromStr<Err: Display>>(text: &str) -> Result<OverrideChange<T>, String> {
    if text.eq_ignore_ascii_case("plan") {
        return Ok(OverrideChange::Clear);
    }
    text.parse().map(OverrideChange::Set).map_err(|e| format!("{e}, nor `plan`"))
}

/// Changes of an account's own limits; an absent one stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct OverrideChanges {
    /// Calls in any 60 seconds, in place of the plan's; `plan` goes back to the plan's
    #[arg(long, value_name = "N|plan", value_parser = change::<u32>)]
    pub rate_limit: Option<OverrideChange<u32>>,
    /// Production calls in a calendar month (UTC), in place of the plan's
    #[arg(long = "quota", value_name = "N|unlimited|plan", value_parser = change::<Limit>)]
    pub monthly_quota: Option<OverrideChange<Limit>>,
    /// Webhook endpoints, in place of the plan's
    #[arg(long = "endpoints", value_name = "N|unlimited|plan", value_parser = change::<Limit>)]
    pub webhook_endpoints: Option<OverrideChange<Limit>>,
}

impl OverrideChanges {
    fn apply(self, overrides: &mut LimitOverrides) {
        let OverrideChanges { rate_limit, monthly_quota, webhook_endpoints } = self;
        overrides.rate_limit = rate_limit.map_or(overrides.rate_limit, OverrideChange::value);
        overrides.monthly_quota = monthly_quota.map_or(overrides.monthly_quota, OverrideChange::value);
        overrides.webhook_endpoints = webhook_endpoints.map_or(overrides.webhook_endpoints, OverrideChange::value);
    }

    fn check(self) -> Result<(), AdminError> {
        self.rate_limit.and_then(OverrideChange::value).map_or(Ok(()), plans::check_rate_limit)
    }
}

/// An account as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownAccount {
    #[serde(flatten)]
    pub account: Account,
    /// The limits in force: the plan's, or the account's own. `None` in the answer that made the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<AccountLimits>,
    /// Warnings, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avisos: Vec<String>,
}

/// An account, its keys, and its consumption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountDetails {
    pub account: ShownAccount,
    pub keys: Vec<ShownKey>,
    /// What `GET /v1/usage` answers it.
    pub usage: Usage,
}

/// Returns the warning that other accounts have the same name, if they do.
fn same_name(service: &Service, account: &Account) -> Vec<String> {
    let mut others = account_names::named(service, &account.nome);
    others.retain(|id| **id != *account.client_id);
    let warning = format!(
        "the name \"{}\" is also that of {}; commands take these accounts by their ids alone until one is renamed (`taxd account set {} --name ...`)",
        account.nome,
        others.join(", "),
        account.client_id
    );
    if others.is_empty() { Vec::new() } else { vec![warning] }
}

pub fn create(service: &Service, nome: &str, plan: &str, limits: OverrideChanges) -> Result<ShownAccount, AdminError> {
    let nome = account_names::checked("an account", nome)?;
    let plan = plans::find(service, plan)?.plan;
    limits.check()?;
    let mut overrides = LimitOverrides::default();
    limits.apply(&mut overrides);
    let account = Account {
        client_id: format!("acc_{}", random_hex(8)?),
        nome,
        plan,
        created_at: service.engine().now(),
        suspended_at: None,
        overrides,
    };
    service.store().put_account(&account)?;
    service.calls().reload_account(service.store(), &account.client_id, None)?;
    log(&account, "created");
    let avisos = same_name(service, &account);
    Ok(ShownAccount { account, limits: None, avisos })
}

/// Returns every account, with the limits in force.
pub(super) fn list(service: &Service) -> Result<Vec<ShownAccount>, AdminError> {
    let accounts = service.store().accounts()?;
    Ok(accounts.into_iter().map(|account| shown(service, account)).collect())
}

/// An account with the limits in force.
fn shown(service: &Service, account: Account) -> ShownAccount {
    let limits = service.calls().client(&account.client_id).map(|client| client.limits);
    ShownAccount { account, limits, avisos: Vec::new() }
}

/// Returns an account, its keys, and its consumption with the `recent` latest calls.
pub(super) fn show(service: &Service, account: &str, recent: usize) -> Result<AccountDetails, AdminError> {
    let client = account_names::find(service, account)?;
    let usage = calls::usage(service.store(), &client, None, service.engine().now(), recent)?;
    Ok(AccountDetails {
        account: shown(service, client.account.clone()),
        keys: keys::of(service, Some(&client.account.client_id))?,
        usage,
    })
}

pub(super) fn set(service: &Service, change: AccountChange) -> Result<ShownAccount, AdminError> {
    let client = account_names::find(service, &change.account)?;
    let AccountChange { nome, plan, limits, .. } = change;
    if nome.is_none() && plan.is_none() && limits == OverrideChanges::default() {
        return Err(AdminError::new("say what to change: --name, --plan, --rate-limit, --quota or --endpoints"));
    }
    limits.check()?;
    let nome = nome.as_deref().map(|nome| account_names::checked("an account", nome)).transpose()?;
    let plan = plan.map(|name| plans::find(service, &name)).transpose()?.map(|plan| plan.plan);
    let renamed = nome.is_some();
    let mut shown = update(service, &client.account.client_id, "set", |account| {
        if let Some(nome) = nome {
            account.nome = nome;
        }
        if let Some(plan) = plan {
            account.plan = plan;
        }
        limits.apply(&mut account.overrides);
    })?;
    if renamed {
        shown.avisos = same_name(service, &shown.account);
    }
    Ok(shown)
}

/// Refuses the account's calls and holds back its deliveries until it is resumed.
pub(super) fn suspend(service: &Service, account: &str) -> Result<ShownAccount, AdminError> {
    let client = account_names::find(service, account)?;
    let now = service.engine().now();
    let suspended = |account: &mut Account| account.suspended_at = account.suspended_at.or(Some(now));
    let shown = update(service, &client.account.client_id, "suspended", suspended)?;
    service.deliveries().accounts_changed()?;
    Ok(shown)
}

/// Answers the account's calls again, and continues with its pending deliveries.
pub(super) fn resume(service: &Service, account: &str) -> Result<ShownAccount, AdminError> {
    let client = account_names::find(service, account)?;
    let shown = update(service, &client.account.client_id, "resumed", |account| account.suspended_at = None)?;
    service.deliveries().accounts_changed()?;
    Ok(shown)
}

/// Logs what was done with an account. The message names it, so that a line is clear without its fields.
fn log(account: &Account, done: &str) {
    let Account { client_id, plan, .. } = account;
    tracing::info!(client_id, plan, "account {client_id} {done}, plan {plan}");
}

/// Changes a stored account, and returns it as it is afterwards.
fn update(
    service: &Service,
    client_id: &str,
    done: &str,
    change: impl FnOnce(&mut Account),
) -> Result<ShownAccount, AdminError> {
    let account =
        service.store().update_account(client_id, change)?.ok_or_else(|| account_names::unknown(client_id))?;
    service.calls().reload_account(service.store(), client_id, None)?;
    log(&account, done);
    Ok(shown(service, account))
}
