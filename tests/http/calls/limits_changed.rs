//! Limits, plans and suspension changed while the server runs: they hold from the next call on.

use super::good;
use crate::support::{Account, DataDir, Reply, Server, taxd};

struct Scene {
    dir: DataDir,
    server: Server,
}

impl Scene {
    fn begin() -> Scene {
        let dir = DataDir::ready();
        let server = dir.serve(&[]);
        Scene { dir, server }
    }

    fn call(&self, account: &Account) -> Reply {
        self.server.post_as(&account.live.key, "/v1/calculate", good().to_string())
    }

    fn set(&self, account: &Account, args: &[&str]) {
        taxd(&self.dir, ["account", "set", &account.client_id].iter().chain(args)).ok();
    }

    /// Returns the limit in the answer to the next call, which must pass.
    #[track_caller]
    fn passes_under(&self, account: &Account, limit: u64) {
        let reply = self.call(account);
        assert_eq!((reply.status, reply.limits()[0]), (200, limit), "{}", reply.text());
        assert_eq!(self.server.usage(&account.live.key, 1)["rate_limit"], limit);
    }
}

#[test]
fn an_exception_and_the_way_back_to_the_plan() {
    let scene = Scene::begin();
    let account = scene.dir.account("Um", &[]);
    scene.passes_under(&account, 6_000);
    scene.set(&account, &["--rate-limit", "10"]);
    scene.passes_under(&account, 10);
    scene.set(&account, &["--rate-limit", "1"]);
    assert!(scene.call(&account).retry_after("limite_excedido") <= 60);
    scene.set(&account, &["--rate-limit", "plan"]);
    scene.passes_under(&account, 6_000);
    scene.set(&account, &["--plan", "scale"]);
    scene.passes_under(&account, 60_000);
    assert_eq!(scene.server.usage(&account.live.key, 1)["tier"], "scale");
}

#[test]
fn a_plan_that_is_changed_and_one_that_is_made() {
    let scene = Scene::begin();
    let (plain, own) = (scene.dir.account("Um", &[]), scene.dir.account("Dois", &["--rate-limit", "70"]));
    taxd(&scene.dir, ["plan", "set", "growth", "--rate-limit", "90"]).ok();
    scene.passes_under(&plain, 90);
    scene.passes_under(&own, 70);
    taxd(&scene.dir, ["plan", "set", "Bronze", "--rate-limit", "50", "--quota", "2", "--endpoints", "0"]).ok();
    scene.set(&plain, &["--plan", "BRONZE"]);
    // Two calls of the month were made under the other plan.
    scene.call(&plain).retry_after("cota_esgotada");
    taxd(&scene.dir, ["plan", "set", "bronze", "--quota", "unlimited"]).ok();
    scene.passes_under(&plain, 50);
    assert_eq!(scene.server.usage(&plain.live.key, 1)["tier"], "bronze");
}

#[test]
fn a_suspended_account_is_refused_until_it_is_resumed_and_uses_up_nothing() {
    let scene = Scene::begin();
    let (account, other) = (scene.dir.account("Um", &["--rate-limit", "100"]), scene.dir.account("Dois", &[]));
    assert_eq!(scene.call(&account).limits()[1], 99);
    taxd(&scene.dir, ["account", "suspend", &account.client_id]).ok();
    for _ in 0..5 {
        let reply = scene.call(&account);
        reply.problem(403, "conta_suspensa");
        assert_eq!(reply.limits()[..2], [100, 99]);
        assert_eq!(reply.header("retry-after"), None, "no time will mend it");
    }
    assert_eq!(scene.call(&other).status, 200);
    taxd(&scene.dir, ["account", "resume", &account.client_id]).ok();
    assert_eq!(scene.call(&account).limits()[..2], [100, 98]);
    let usage = scene.server.usage(&account.live.key, 50);
    assert_eq!((&usage["total_chamadas"], &usage["cota"]["usada"]), (&7.into(), &3.into()), "{usage}");
    assert_eq!(usage["status"]["erro_cliente_4xx"], 5, "refused calls are logged: {usage}");
}
