//! A data directory with an account and subscriptions, and a server that delivers to them.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::receiver::authority;
use super::{OwnRules, Server, rule, taxd};

/// Longest wait before a test fails instead of hanging.
const PATIENCE: Duration = Duration::from_mins(2);
/// The outbox tells nobody outside when it is written: it is asked.
const POLL: Duration = Duration::from_millis(50);

/// The directory, its account, and the root that the receivers' certificates lead to.
pub struct Webhooks {
    pub own: OwnRules,
    pub client: String,
    pub ca: PathBuf,
}

/// A subscription that was made, and the secret that was shown.
pub struct Subscribed {
    pub id: String,
    pub secret: String,
}

impl Webhooks {
    /// An account on an unlimited plan, and one rule that nobody subscribed to in time.
    #[track_caller]
    pub fn new() -> Webhooks {
        let own = OwnRules::of(&[ipi(0)]);
        let made = taxd(&own.dir, ["account", "create", "Assinante", "--plan", "scale", "--json"]).ok().json();
        let ca = own.dir.write("ca.pem", &authority().pem);
        Webhooks { client: made["client_id"].as_str().unwrap().to_owned(), own, ca }
    }

    /// Runs a command on the directory; its one JSON document.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Value {
        taxd(&self.own.dir, args.iter().chain(&["--json"])).ok().json()
    }

    /// Subscribes this address, with these options.
    #[track_caller]
    pub fn subscribe(&self, url: &str, options: &[&str]) -> Subscribed {
        let base = ["subscription", "create", "--account", &self.client, "--url", url];
        let made = self.run(&[&base, options].concat());
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
        Subscribed { id: text("id"), secret: text("secret") }
    }

    /// A server that delivers.
    pub fn serve(&self) -> Server {
        Server::start(&self.own.dir.path(), Some(&self.own.key), &["--webhook-ca", self.ca.to_str().unwrap()])
    }

    /// The deliveries that `taxd outbox list` lists with these options.
    #[track_caller]
    pub fn outbox(&self, options: &[&str]) -> Vec<Value> {
        let base = ["outbox", "list", "--limit", "100000"];
        self.run(&[&base, options].concat())["deliveries"].as_array().unwrap().clone()
    }

    /// Waits until that many deliveries are in the state; the outbox is written in batches.
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

    /// The subscription as it is listed.
    #[track_caller]
    pub fn listed(&self, id: &str) -> Value {
        let all = self.run(&["subscription", "list"]);
        all.as_array().unwrap().iter().find(|s| s["id"] == id).cloned().unwrap_or_else(|| panic!("no {id}: {all}"))
    }
}

/// A federal rule of a product of its own.
pub fn ipi(i: usize) -> Value {
    let conteudo = json!({"situacao": "tributado", "aliquota": "5.00", "tabela_versao": "TIPI de teste"});
    rule(&format!("w-ipi-{i:05}"), "ipi", &json!({"ncm": format!("10{i:06}")}), &conteudo)
}
