//! `taxd serve`: the service itself.

mod check;
mod config_file;
mod first_run;
mod options;
mod setting_sources;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

pub(super) use options::ServeArgs;
pub(super) use setting_sources::{Setting, complete};

use super::CommandResult;
use super::files::read_text;
use crate::base::value::random_hex;
use crate::core::engine::{Engine, OfficeConflict};
use crate::core::service::{ConnectionCapacity, Service, ServiceManager, lower_priority};
use crate::core::store::{SCHEMA_VERSION, StoreResult};
use crate::core::webhook::{ATTEMPT_TIMEOUT, Https, Transport};
use crate::features::AdminError;
use crate::features::control::{self, Bounds, ControlSocket, data_dir};
use crate::features::following::Follower;
use crate::http::{CertificatePair, ConnectionLimits, ListenAddress, MetricsServer, Server, Tls};

/// How long a stop waits for calls that were cut off.
const LAST_MOMENT: Duration = Duration::from_secs(2);

pub(super) fn run(args: &ServeArgs, settings: &[Setting]) -> CommandResult {
    if args.check_config {
        return check::check(args, settings, args.json);
    }
    if let Some((option, why)) = args.contradictions().first() {
        return Err(AdminError::new(format!("--{option}: {why}")));
    }
    let dir = &args.data;
    if control::is_running(dir) {
        return Err(AdminError::new(format!(
            "a server is already running on {}; stop it first, or choose another --data",
            dir.display()
        )));
    }
    let room = ConnectionCapacity::raise(args.max_connections.into());
    if let Some(shortage) = room.shortage() {
        tracing::warn!("{shortage}");
    }
    let webhooks = webhook_transport(args.webhook_ca.as_deref())?;
    let tls = args.tls()?;
    let manager = ServiceManager::from_env();
    manager.status("opening the data file");
    data_dir::prepare(dir)?;
    let cached = usize::try_from(args.cache_entries).unwrap_or(usize::MAX);
    let service = Arc::new(Service::open(Engine::new(data_dir::open(dir)?, cached))?);
    let socket = ControlSocket::listen(dir, Arc::clone(&service), Bounds::default())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| AdminError::new(format!("cannot start the runtime: {e}")))?;
    let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
    let no_thread = |error: &dyn std::fmt::Display| AdminError::new(format!("cannot start a thread: {error}"));
    // Lists and documents of the page are shared out among these; calls go before them.
    let parallel = rayon::ThreadPoolBuilder::new().thread_name(|number| format!("parallel-{number}"));
    parallel.start_handler(|_| lower_priority()).build_global().map_err(|e| no_thread(&e))?;
    let running = service.start(days(args.log_keep), webhooks, days(args.outbox_keep)).map_err(|e| no_thread(&e))?;
    let follower = Follower::start(&service).map_err(|e| no_thread(&e))?;
    // The address is bound before a first key is made: if binding fails, nobody would see the key.
    let served = runtime.block_on(serve(args, &service, room, tls, &manager));
    drop(socket);
    // A call that did not end in time is cancelled here, and logged as given up.
    runtime.shutdown_timeout(LAST_MOMENT);
    drop(follower);
    // Writes the log of the answered calls and the results of the deliveries.
    let log = running.stop();
    let reason = served?;
    if log.failing {
        return Err(AdminError::new(format!(
            "stopped ({reason}), but the call log could not be written, and {} answered calls are missing in it. All data confirmed before are safe; check the disk, its free space and its quota",
            log.pending
        )));
    }
    let uptime_s = service.uptime_s();
    tracing::info!(reason, uptime_s, calls = service.calls().traffic().calls(), "stopped");
    Ok(ExitCode::SUCCESS)
}

/// Serves until a signal arrives, and returns the name of the signal.
async fn serve(
    args: &ServeArgs,
    service: &Arc<Service>,
    room: ConnectionCapacity,
    tls: Option<(Tls, CertificatePair)>,
    manager: &ServiceManager,
) -> Result<&'static str, AdminError> {
    let limits = ConnectionLimits {
        header_timeout: Duration::from_secs(args.header_timeout),
        body_timeout: Duration::from_secs(args.body_timeout),
        max_connections: usize::try_from(room.served).unwrap_or(usize::MAX),
    };
    let mut server = Server::bind(args.listen, Arc::clone(service), limits, random_hex(6)?)
        .await
        .map_err(|e| AdminError::new(format!("{}; choose another with --listen", cannot_listen(args.listen, &e))))?;
    let metrics = match args.metrics_listen {
        Some(address) => Some(MetricsServer::bind(address, Arc::clone(service)).await.map_err(|e| {
            AdminError::new(format!("{}; choose another with --metrics-listen", cannot_listen(address, &e)))
        })?),
        None => None,
    };
    let failed = |e: std::io::Error| AdminError::new(e.to_string());
    let address = server.local_addr().map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let hangup = signal(SignalKind::hangup()).map_err(failed)?;
    manager.status("loading the built-in rules, if there are none");
    let first = first_run::first_run(service, !ServiceManager::keeps_output())?;
    let listed = Arc::clone(service);
    std::thread::spawn(move || {
        // An outage is logged elsewhere, once, and the catalog is read again after it.
        if let Err(error) = listed.engine().update_catalog().and_then(|()| warn_of_conflicts(listed.engine()))
            && !error.is_outage()
        {
            tracing::error!(%error, "the catalog of rules could not be made");
        }
    });
    let url = format!("{}://{address}", if tls.is_some() { "https" } else { "http" });
    first_run::greet(&url, &args.data, service.engine(), first.as_ref())?;
    let reload = Arc::new(Notify::new());
    if let Some((tls, pair)) = tls {
        let tls = Arc::new(tls);
        tokio::spawn(Arc::clone(&tls).keep_fresh(pair, Arc::clone(service), Arc::clone(&reload)));
        server = server.with_tls(tls);
    }
    tokio::spawn(reload_on(hangup, reload, args.tls_cert.is_some()));
    let metrics_address = metrics.as_ref().map(MetricsServer::local_addr).transpose().map_err(failed)?;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        %address,
        metrics = metrics_address.map(tracing::field::display),
        data = %args.data.display(),
        schema = SCHEMA_VERSION,
        rules = service.engine().rule_count()?,
        "started"
    );
    if let Some(metrics) = metrics {
        tokio::spawn(metrics.serve());
    }
    manager.ready(address);
    let mut reason = "";
    let serving = server.serve(async {
        reason = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        manager.stopping();
    });
    tokio::select! {
        () = serving => {}
        // In the same task as the server, so that a blocked accept loop stops the watchdog too.
        () = manager.watch(|patience| answers(service, patience)) => {}
    }
    Ok(reason)
}

/// Logs each rule of the office that a later rule has the scope of.
fn warn_of_conflicts(engine: &Engine) -> StoreResult<()> {
    for OfficeConflict { do_escritorio: office, outra: other } in engine.office_conflicts()? {
        tracing::warn!(office, other, "a later rule has the scope of a rule of the office, which keeps answering");
    }
    Ok(())
}

/// True if the runtime takes work, and the data file can be read, or could be within `patience`.
async fn answers(service: &Arc<Service>, patience: Duration) -> bool {
    let service = Arc::clone(service);
    let reads = tokio::spawn(async move {
        tokio::task::spawn_blocking(move || service.reads_its_data(patience)).await.unwrap_or(false)
    });
    reads.await.unwrap_or(false)
}

/// Reads the TLS files again on SIGHUP. The signal never stops the service: a manager may send it at any time.
async fn reload_on(mut hangup: Signal, reload: Arc<Notify>, has_tls: bool) {
    while hangup.recv().await.is_some() {
        if has_tls {
            reload.notify_one();
        } else {
            tracing::info!("SIGHUP: there are no TLS files to read again");
        }
    }
}

/// Makes the transport of webhooks, with the operator's own roots.
fn webhook_transport(ca: Option<&Path>) -> Result<Arc<dyn Transport>, AdminError> {
    let pem = ca.map(read_text).transpose()?;
    let transport = Https::new(pem.as_deref(), ATTEMPT_TIMEOUT);
    Ok(Arc::new(transport.map_err(|why| AdminError::new(format!("--webhook-ca: {why}")))?))
}

fn cannot_listen(address: ListenAddress, error: &io::Error) -> String {
    format!("cannot listen on {address}: {error}")
}
