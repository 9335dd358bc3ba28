//! The renewal of a certificate: its files are read again when they change, and the log warns of its end.
//!
//! A certificate that cannot be used must never replace one that can.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::Tls;
use super::certificate::{CertificatePair, PemFiles, TlsError};
use crate::base::value::Timestamp;
use crate::core::service::Service;

/// Pause between two checks of the files.
const CHECK_EVERY: Duration = Duration::from_secs(2);
/// How long before its end the log warns of a certificate, once a day.
const WARN_BEFORE_MS: u64 = 14 * DAY_MS;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

impl Tls {
    /// Checks the files every few seconds, and at once when `reload` is notified, until the process ends.
    /// `certificate` must be the one in use.
    pub async fn keep_fresh(self: Arc<Self>, certificate: CertificatePair, service: Arc<Service>, reload: Arc<Notify>) {
        in_use(&certificate, &service);
        let mut watch =
            FileWatch { not_after: certificate.not_after, tried: Ok(certificate.source), new: None, warned_on: None };
        loop {
            watch.warn_of_the_end(service.engine().now());
            let asked = tokio::select! {
                () = tokio::time::sleep(CHECK_EVERY) => false,
                () = reload.notified() => true,
            };
            let found = self.read().await;
            let seen = found.as_ref().map(PemFiles::digest).map_err(Clone::clone);
            if !watch.is_worth_a_try(&seen) && !asked {
                continue;
            }
            watch.tried = seen;
            match found.and_then(|contents| CertificatePair::parse(&self.files, &contents)) {
                Ok(certificate) => {
                    watch.not_after = certificate.not_after;
                    *self.shown.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&certificate.certified);
                    in_use(&certificate, &service);
                }
                Err(error) => {
                    tracing::error!(%error, "the TLS files cannot be used; the certificate before them stays in use");
                }
            }
        }
    }

    /// Reads the files on a blocking thread, so that no connection waits for the disk.
    async fn read(&self) -> Result<PemFiles, TlsError> {
        let files = self.files.clone();
        tokio::task::spawn_blocking(move || PemFiles::read(&files)).await.unwrap_or_else(|e| Err(TlsError::given_up(e)))
    }
}

/// Reports a certificate that is in use from now on.
fn in_use(certificate: &CertificatePair, service: &Service) {
    service.set_tls_not_after(certificate.not_after);
    let CertificatePair { names, not_before, not_after, fingerprint, .. } = certificate;
    tracing::info!(%names, %not_after, sha256 = %fingerprint, "TLS certificate in use");
    if *not_before > service.engine().now() {
        tracing::warn!(%not_before, "the TLS certificate is not valid yet: callers will refuse it");
    }
}

/// The digest of the files, which keeps no copy of the key; or why they could not be read.
type Seen = Result<String, TlsError>;

/// What is known of the files between two checks.
struct FileWatch {
    /// The end of the certificate in use.
    not_after: Timestamp,
    /// The files that were last tried, usable or not: the same files are not tried again.
    tried: Seen,
    /// The files at the last check, if they were new.
    new: Option<Seen>,
    /// The day, since 1970, of the last warning of the certificate's end.
    warned_on: Option<u64>,
}

impl FileWatch {
    /// True if the files are new and the same as at the last check. The two files are not written at one instant,
    /// and a new certificate does not match the old key.
    fn is_worth_a_try(&mut self, seen: &Seen) -> bool {
        if *seen == self.tried {
            self.new = None;
            return false;
        }
        let before = self.new.replace(seen.clone());
        before.as_ref() == Some(seen)
    }

    fn warn_of_the_end(&mut self, now: Timestamp) {
        let today = now.millis() / DAY_MS;
        if self.warned_on == Some(today) || now.millis() + WARN_BEFORE_MS < self.not_after.millis() {
            return;
        }
        self.warned_on = Some(today);
        if now < self.not_after {
            tracing::warn!(not_after = %self.not_after, "the TLS certificate ends soon; replace its files, they are read again without a restart");
        } else {
            tracing::error!(not_after = %self.not_after, "the TLS certificate has expired: callers refuse it; replace its files, they are read again without a restart");
        }
    }
}
