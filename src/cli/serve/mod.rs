//! `taxd serve`: the service itself.

mod check;
mod config_file;
mod first_run;
mod settings;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

pub(super) use settings::{Setting, complete};

use super::files::read_text;
use super::log::Format;
use super::{CommandResult, DEFAULT_DATA};
use crate::base::value::random_hex;
use crate::core::calls::MIN_KEPT_DAYS;
use crate::core::engine::{Engine, OfficeConflict};
use crate::core::service::{ConnectionCapacity, Service, ServiceManager};
use crate::core::store::{SCHEMA_VERSION, StoreResult};
use crate::core::webhook::{ATTEMPT_TIMEOUT, Https, Transport};
use crate::features::AdminError;
use crate::features::control::{self, Bounds, ControlSocket, data_dir};
use crate::features::following::Follower;
use crate::http::{CertificatePair, ConnectionLimits, ListenAddress, MetricsServer, Server, Tls, TlsFiles};

/// Run the service
///
/// On an empty data directory it loads the built-in rules, makes a first account with a sandbox key and
/// a live key, and prints both once. Under a service manager (systemd) it makes no account, because the journal would
/// keep the keys.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// TOML file with settings, each named as its option is, with _ for -
    #[arg(long, env = "TAXD_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Data directory, with the data file and the control socket
    #[arg(long, env = "TAXD_DATA", default_value = DEFAULT_DATA, value_name = "DIR")]
    data: PathBuf,
    /// Address and port to listen on; :8080 is that port of every address, IPv4 and IPv6; port 0 takes a free one
    #[arg(long, env = "TAXD_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDR")]
    listen: ListenAddress,
    /// PEM file with the server's certificate and those that lead to its authority: the service then speaks HTTPS
    #[arg(long, env = "TAXD_TLS_CERT", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's private key; both files are read again when they change, and on SIGHUP
    #[arg(long, env = "TAXD_TLS_KEY", value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Seconds for a request's head to arrive, and for which an idle connection is kept
    #[arg(long, env = "TAXD_HEADER_TIMEOUT", default_value_t = 30, value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    header_timeout: u64,
    /// Seconds for a request's body to arrive; over twice as long, a waiting answer must be read at 4 KiB a second
    #[arg(long, env = "TAXD_BODY_TIMEOUT", default_value_t = 15, value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    body_timeout: u64,
    /// Connections served at once; one more takes the place of an idle one, or is answered 503
    #[arg(long, env = "TAXD_MAX_CONNECTIONS", default_value_t = 4096, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_connections: u32,
    /// Answers kept in memory for repeated payloads, in at most about N x 4 KiB; 0 keeps none
    #[arg(long, env = "TAXD_CACHE_ENTRIES", default_value_t = 16_384, value_name = "N",
          value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    cache_entries: u32,
    /// Days for which logged calls are kept, at least 2; their totals stay
    #[arg(long, env = "TAXD_LOG_KEEP", default_value_t = 30, value_name = "DAYS",
          value_parser = clap::value_parser!(u64).range(MIN_KEPT_DAYS..=36_500))]
    log_keep: u64,
    /// PEM file with roots to trust for webhooks, beside the built-in ones
    #[arg(long, env = "TAXD_WEBHOOK_CA", value_name = "FILE")]
    webhook_ca: Option<PathBuf>,
    /// Days for which ended webhook deliveries are kept, to be listed and replayed
    #[arg(long, env = "TAXD_OUTBOX_KEEP", default_value_t = 30, value_name = "DAYS",
          value_parser = clap::value_parser!(u64).range(1..=36_500))]
    outbox_keep: u64,
    /// How the log on stderr is written
    #[arg(long, env = "TAXD_LOG_FORMAT", value_enum, default_value_t, value_name = "FORMAT")]
    pub(super) log_format: Format,
    /// Address and port for GET /metrics (Prometheus), /health and /ready; none unless given
    #[arg(long, env = "TAXD_METRICS_LISTEN", value_name = "ADDR")]
    metrics_listen: Option<ListenAddress>,
    /// Check the settings and all that they name, show each with where it comes from, and end
    #[arg(long)]
    pub(super) check_config: bool,
    /// Show them as one JSON document
    #[arg(long, requires = "check_config")]
    json: bool,
}

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
    let running = service
        .start(days(args.log_keep), webhooks, days(args.outbox_keep))
        .map_err(|e| AdminError::new(format!("cannot start a thread: {e}")))?;
    let follower = Follower::start(&service).map_err(|e| AdminError::new(format!("cannot start a thread: {e}")))?;
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

impl ServeArgs {
    /// Returns the settings that contradict another one, each with the reason. clap cannot check this: one may be
    /// typed, and the other in the file.
    fn contradictions(&self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        match (&self.tls_cert, &self.tls_key) {
            (Some(_), None) => found.push(("tls-key", "--tls-cert is given without it; HTTPS needs both".to_owned())),
            (None, Some(_)) => found.push(("tls-cert", "--tls-key is given without it; HTTPS needs both".to_owned())),
            _ => {}
        }
        if self.metrics_listen.is_some_and(|metrics| metrics.overlaps(self.listen)) {
            let why = format!("--listen is {} too; give the metrics an address of their own", self.listen);
            found.push(("metrics-listen", why));
        }
        found
    }

    /// Loads the certificate and the key; `None` without TLS.
    fn tls(&self) -> Result<Option<(Tls, CertificatePair)>, AdminError> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else { return Ok(None) };
        let files = TlsFiles { certificate: certificate.clone(), key: key.clone() };
        let pair = CertificatePair::load(&files).and_then(|pair| Ok((Tls::new(files, &pair)?, pair)));
        pair.map(Some).map_err(|why| AdminError::new(format!("TLS: {why}")))
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
