//! Accounts: who may call, and how much.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::command::to_value;
use super::{AdminError, keys, plans};
use crate::calls;
use crate::service::Service;
use crate::store::{Account, Limit, LimitOverrides};
use crate::value::random_hex;

/// Longest account name, in characters.
const MAX_NAME_CHARS: usize = 120;

/// What becomes of an account's exception from its plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exception<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// There is none any more: the plan's limit holds.
    Plan,
    /// This holds.
    Own(T),
}

impl<T> Exception<T> {
    fn apply(self, to: &mut Option<T>) {
        match self {
            Exception::Keep => {}
            Exception::Plan => *to = None,
            Exception::Own(value) => *to = Some(value),
        }
    }
}

/// What to change of an account's exceptions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exceptions {
    /// Calls in any 60 seconds.
    pub rate_limit: Exception<u32>,
    /// Production calls in a month.
    pub monthly_quota: Exception<Limit>,
    /// Webhook endpoints.
    pub webhook_endpoints: Exception<Limit>,
}

impl Exceptions {
    fn apply(self, overrides: &mut LimitOverrides) {
        self.rate_limit.apply(&mut overrides.rate_limit);
        self.monthly_quota.apply(&mut overrides.monthly_quota);
        self.webhook_endpoints.apply(&mut overrides.webhook_endpoints);
    }

    fn check(self) -> Result<(), AdminError> {
        match self.rate_limit {
            Exception::Own(rate_limit) => plans::check_rate_limit(rate_limit),
            Exception::Keep | Exception::Plan => Ok(()),
        }
    }
}

fn checked_name(nome: &str) -> Result<String, AdminError> {
    let nome = nome.trim();
    if nome.is_empty() || nome.chars().count() > MAX_NAME_CHARS || nome.chars().any(char::is_control) {
        return Err(AdminError::new(format!("an account name has 1 to {MAX_NAME_CHARS} printable characters")));
    }
    Ok(nome.to_owned())
}

/// What is said of an account that is not there.
pub(super) fn unknown(account: &str) -> AdminError {
    AdminError::new(format!(
        "there is no account \"{account}\"; `taxd account list` shows them, `taxd account create` makes one"
    ))
}

/// The ids of the accounts that have the name, in either case.
fn named(service: &Service, nome: &str) -> Result<Vec<String>, AdminError> {
    let wanted = nome.trim().to_lowercase();
    let accounts = service.store().accounts()?;
    Ok(accounts.into_iter().filter(|a| a.nome.to_lowercase() == wanted).map(|a| a.client_id).collect())
}

/// The id of an account that is given by its id or by a name that no other account has.
pub(super) fn id_of(service: &Service, account: &str) -> Result<String, AdminError> {
    if service.calls().client(account).is_some() {
        return Ok(account.to_owned());
    }
    match named(service, account)?.as_slice() {
        [] => Err(unknown(account)),
        [id] => Ok(id.clone()),
        ids => {
            let (count, ids) = (ids.len(), ids.join(", "));
            Err(AdminError::new(format!("{count} accounts have the name \"{account}\"; give the id of one: {ids}")))
        }
    }
}

/// Adds a warning to what is shown of an account, if others have its name.
fn warn_of_same_name(service: &Service, account: &Account, shown: &mut Value) -> Result<(), AdminError> {
    let mut others = named(service, &account.nome)?;
    others.retain(|id| *id != account.client_id);
    if let (Value::Object(members), false) = (shown, others.is_empty()) {
        let warning = format!(
            "the name \"{}\" is also that of {}; commands take these accounts by their ids alone until one is renamed (`taxd account set {} --name ...`)",
            account.nome,
            others.join(", "),
            account.client_id
        );
        members.insert("avisos".to_owned(), json!([warning]));
    }
    Ok(())
}

/// Makes an account.
pub(super) fn create(service: &Service, nome: &str, plan: &str, exceptions: Exceptions) -> Result<Value, AdminError> {
    let nome = checked_name(nome)?;
    let plan = plans::find(service, plan)?.plan;
    exceptions.check()?;
    let mut overrides = LimitOverrides::default();
    exceptions.apply(&mut overrides);
    let account = Account {
        client_id: format!("acc_{}", random_hex(8)?),
        nome,
        plan,
        created_at: service.engine().now(),
        suspended_at: None,
        overrides,
    };
    service.store().put_account(&account)?;
    service.calls().reload(service.store())?;
    tracing::info!(client_id = account.client_id, plan = account.plan, "account created");
    let mut made = to_value(&account)?;
    warn_of_same_name(service, &account, &mut made)?;
    Ok(made)
}

/// Every account, with the limits in force.
pub(super) fn list(service: &Service) -> Result<Value, AdminError> {
    let accounts = service.store().accounts()?;
    accounts.iter().map(|account| described(service, account)).collect()
}

/// An account with the limits in force.
fn described(service: &Service, account: &Account) -> Result<Value, AdminError> {
    let mut value = to_value(account)?;
    if let Some(client) = service.calls().client(&account.client_id)
        && let Value::Object(members) = &mut value
    {
        members.insert("limits".to_owned(), to_value(&client.limits)?);
    }
    Ok(value)
}

/// An account, its keys, and the figures of `GET /v1/usage`.
pub(super) fn show(service: &Service, client_id: &str, recent: usize) -> Result<Value, AdminError> {
    let client = service.calls().client(client_id).ok_or_else(|| unknown(client_id))?;
    let usage = calls::usage(service.store(), &client, service.engine().now(), recent)?;
    Ok(json!({
        "account": described(service, &client.account)?,
        "keys": keys::list(service, Some(client_id))?,
        "usage": usage,
    }))
}

/// Changes an account; what is absent stays.
pub(super) fn set(
    service: &Service,
    client_id: &str,
    nome: Option<&str>,
    plan: Option<&str>,
    exceptions: Exceptions,
) -> Result<Value, AdminError> {
    if nome.is_none() && plan.is_none() && exceptions == Exceptions::default() {
        return Err(AdminError::new("say what to change: --name, --plan, --rate-limit, --quota or --endpoints"));
    }
    exceptions.check()?;
    let nome = nome.map(checked_name).transpose()?;
    let plan = plan.map(|name| plans::find(service, name)).transpose()?.map(|plan| plan.plan);
    let renamed = nome.is_some();
    let (account, mut shown) = update(service, client_id, "account set", |account| {
        if let Some(nome) = nome {
            account.nome = nome;
        }
        if let Some(plan) = plan {
            account.plan = plan;
        }
        exceptions.apply(&mut account.overrides);
    })?;
    if renamed {
        warn_of_same_name(service, &account, &mut shown)?;
    }
    Ok(shown)
}

/// Refuses the account's calls and makes no delivery to it from now on, until it is resumed.
pub(super) fn suspend(service: &Service, client_id: &str) -> Result<Value, AdminError> {
    let now = service.engine().now();
    let suspended = |account: &mut Account| account.suspended_at = account.suspended_at.or(Some(now));
    let (_, shown) = update(service, client_id, "account suspended", suspended)?;
    service.deliveries().accounts_changed()?;
    Ok(shown)
}

/// Answers the account's calls again, and goes on with the deliveries to it that are pending.
pub(super) fn resume(service: &Service, client_id: &str) -> Result<Value, AdminError> {
    let (_, shown) = update(service, client_id, "account resumed", |account| account.suspended_at = None)?;
    service.deliveries().accounts_changed()?;
    Ok(shown)
}

/// Changes an account; it and what is shown of it then.
fn update(
    service: &Service,
    client_id: &str,
    done: &str,
    change: impl FnOnce(&mut Account),
) -> Result<(Account, Value), AdminError> {
    let account = service.store().update_account(client_id, change)?.ok_or_else(|| unknown(client_id))?;
    service.calls().reload(service.store())?;
    tracing::info!(client_id, plan = account.plan, "{done}");
    let shown = described(service, &account)?;
    Ok((account, shown))
}
