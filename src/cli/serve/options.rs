//! The options of `taxd serve`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::DEFAULT_DATA;
use crate::cli::log::Format;
use crate::core::calls::MIN_KEPT_DAYS;
use crate::features::AdminError;
use crate::http::{CertificatePair, ListenAddress, Tls, TlsFiles};

/// Run the service
///
/// On an empty data directory it loads the built-in rules, makes a first account with a sandbox key and
/// a live key, and prints both once. Under a service manager (systemd) it makes no account, because the journal would
/// keep the keys.
#[derive(Debug, Args)]
pub(in crate::cli) struct ServeArgs {
    /// TOML file with settings, each named as its option is, with _ for -
    #[arg(long, env = "TAXD_CONFIG", value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Data directory, with the data file and the control socket
    #[arg(long, env = "TAXD_DATA", default_value = DEFAULT_DATA, value_name = "DIR")]
    pub(super) data: PathBuf,
    /// Address and port to listen on; :8080 is that port of every address, IPv4 and IPv6; port 0 takes a free one
    #[arg(long, env = "TAXD_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDR")]
    pub(super) listen: ListenAddress,
    /// PEM file with the server's certificate and those that lead to its authority: the service then speaks HTTPS
    #[arg(long, env = "TAXD_TLS_CERT", value_name = "FILE")]
    pub(super) tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's private key; both files are read again when they change, and on SIGHUP
    #[arg(long, env = "TAXD_TLS_KEY", value_name = "FILE")]
    pub(super) tls_key: Option<PathBuf>,
    /// Seconds for a request's head to arrive, and for which an idle connection is kept
    #[arg(long, env = "TAXD_HEADER_TIMEOUT", default_value_t = 30, value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) header_timeout: u64,
    /// Seconds for a request's body to arrive; over twice as long, a waiting answer must be read at 4 KiB a second
    #[arg(long, env = "TAXD_BODY_TIMEOUT", default_value_t = 15, value_name = "SECONDS",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) body_timeout: u64,
    /// Connections served at once; one more takes the place of an idle one, or is answered 503
    #[arg(long, env = "TAXD_MAX_CONNECTIONS", default_value_t = 4096, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) max_connections: u32,
    /// Answers kept in memory for repeated payloads, in at most about N x 4 KiB; 0 keeps none
    #[arg(long, env = "TAXD_CACHE_ENTRIES", default_value_t = 16_384, value_name = "N",
          value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    pub(super) cache_entries: u32,
    /// Days for which logged calls are kept, at least 2; their totals stay
    #[arg(long, env = "TAXD_LOG_KEEP", default_value_t = 30, value_name = "DAYS",
          value_parser = clap::value_parser!(u64).range(MIN_KEPT_DAYS..=36_500))]
    pub(super) log_keep: u64,
    /// PEM file with roots to trust for webhooks, beside the built-in ones
    #[arg(long, env = "TAXD_WEBHOOK_CA", value_name = "FILE")]
    pub(super) webhook_ca: Option<PathBuf>,
    /// Days for which ended webhook deliveries are kept, to be listed and replayed
    #[arg(long, env = "TAXD_OUTBOX_KEEP", default_value_t = 30, value_name = "DAYS",
          value_parser = clap::value_parser!(u64).range(1..=36_500))]
    pub(super) outbox_keep: u64,
    /// How the log on stderr is written
    #[arg(long, env = "TAXD_LOG_FORMAT", value_enum, default_value_t, value_name = "FORMAT")]
    pub(in crate::cli) log_format: Format,
    /// Address and port for GET /metrics (Prometheus), /health and /ready; none unless given
    #[arg(long, env = "TAXD_METRICS_LISTEN", value_name = "ADDR")]
    pub(super) metrics_listen: Option<ListenAddress>,
    /// Check the settings and all that they name, show each with where it comes from, and end
    #[arg(long)]
    pub(in crate::cli) check_config: bool,
    /// Show them as one JSON document
    #[arg(long, requires = "check_config")]
    pub(super) json: bool,
}

impl ServeArgs {
    /// Returns the settings that contradict another one, each with the reason. clap cannot check this: one may be
    /// typed, and the other in the file.
    pub(super) fn contradictions(&self) -> Vec<(&'static str, String)> {
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
    pub(super) fn tls(&self) -> Result<Option<(Tls, CertificatePair)>, AdminError> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else { return Ok(None) };
        let files = TlsFiles { certificate: certificate.clone(), key: key.clone() };
        let pair = CertificatePair::load(&files).and_then(|pair| Ok((Tls::new(files, &pair)?, pair)));
        pair.map(Some).map_err(|why| AdminError::new(format!("TLS: {why}")))
    }
}
