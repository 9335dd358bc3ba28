//! A data directory with an account and subscriptions, and a server that delivers to them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::receiver::authority;
use super::{OwnRules, Server, rule, taxd};

/// Time after which a waiting test fails.
const PATIENCE: Duration = Duration::from_mins(2);
/// Interval of polling the outbox, which sends no notifications.
const POLL: Duration = Duration::from_millis(50);

/// The directory, its account, and the root certificate of the receivers.
pub struct Webhooks {
    pub own: OwnRules,
    pub client: String,
    pub ca: PathBuf,
}

/// A new subscription and its secret.
pub struct Subscribed {
    pub id: String,
    pub secret: String,
}

impl Webhooks {
    /// Creates an account of an unlimited plan, and a rule published before any subscription.
    #[track_caller]
    pub fn new() -> Webhooks {
        let own = OwnRules::of(&[ipi(0)]);
        let made = taxd(&own.dir, ["account", "create", "Assinante", "--plan", "scale", "--json"]).ok().json();
        let ca = own.dir.write("ca.pem", &authority().pem);
        Webhooks { client: made["client_id"].as_str().unwrap().to_owned(), own, ca }
    }

    /// Runs a command on the directory and returns its JSON document.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Value {
        taxd(&self.own.dir, args.iter().chain(&["--json"])).ok().json()
    }

    /// Creates a subscription of this address.
    #[track_caller]
    pub fn subscribe(&self, url: &str, options: &[&str]) -> Subscribed {
        let base = ["subscription", "create", "--account", &self.client, "--url", url];
        let made = self.run(&[&base, options].concat());
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
        Subscribed { id: text("id"), secret: text("secret") }
    }

    /// Starts a server that delivers.
    pub fn serve(&self) -> Server {
        Server::start(&self.own.dir.path(), Some(&self.own.key), &["--webhook-ca", self.ca.to_str().unwrap()])
    }

    /// Returns the deliveries of `taxd outbox list` with these options.
    #[track_caller]
    pub fn outbox(&self, options: &[&str]) -> Vec<Value> {
        let base = ["outbox", "list", "--limit", "100000"];
        self.run(&[&base, options].concat())["deliveries"].as_array().unwrap().clone()
    }

    /// Waits until that many deliveries are in the state. The outbox is written in batches.
    #[track_caller]
    pub fn wait_for_state(&self, state: &str, count: usize) -> Vec<Value> {
        let began = Instant::now();
        loop {
            let listed = self.outbox(&["--state", state]);
            if listed.len() >= count {
                return listed;
            }
            assert!(began.elapsed() < PATIENCE, "{} of {count} are {state}: {:?}", listed.len(), self.outbox(&[]));
            std::thread::sleep(POLL);
        }
    }

    /// Returns the listed subscription.
    #[track_caller]
    pub fn listed(&self, id: &str) -> Value {
        let all = self.run(&["subscription", "list"]);
        all.as_array().unwrap().iter().find(|s| s["id"] == id).cloned().unwrap_or_else(|| panic!("no {id}: {all}"))
    }
}

/// Returns a federal rule of one product.
pub fn ipi(i: usize) -> Value {
    let conteudo = json!({"situacao": "tributado", "aliquota": "5.00", "tabela_versao": "TIPI de teste"});
    rule(&format!("w-ipi-{i:05}"), "ipi", &json!({"ncm": format!("10{i:06}")}), &conteudo)
}
