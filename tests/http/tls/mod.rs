//! TLS on the listener: versions and protocols, certificates that change, and the limits of a connection,
//! which hold over TLS as they do without.

mod files;
mod hostile;
mod limits;
mod protocols;
mod reload;
mod stop;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::certificates::{Issued, issue};
use crate::support::{DataDir, Server};

/// A data directory, and beside it a certificate and its key.
struct Secured {
    dir: DataDir,
    certificate: PathBuf,
    key: PathBuf,
}

impl Secured {
    fn new() -> Secured {
        Secured::by(&issue(|_| {}))
    }

    fn by(issued: &Issued) -> Secured {
        let dir = DataDir::ready();
        let (certificate, key) = (dir.write("cert.pem", ""), dir.write("key.pem", ""));
        let secured = Secured { dir, certificate, key };
        secured.write(issued);
        secured
    }

    /// Writes another pair in the place of the one before.
    fn write(&self, issued: &Issued) {
        fs::write(&self.certificate, issued.certificate.pem()).unwrap();
        fs::write(&self.key, issued.key.serialize_pem()).unwrap();
    }

    fn serve(&self, args: &[&str]) -> Server {
        let tls = ["--tls-cert", text(&self.certificate), "--tls-key", text(&self.key)];
        self.dir.serve(&[&tls, args].concat())
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A payload that the built-in rules answer with 180.00.
fn good() -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
           "data_operacao": "2026-03-10"})
}

/// The server answers a good payload over TLS as ever.
#[track_caller]
fn still_well(server: &Server) {
    let body = good().to_string();
    let request = server.head(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    assert_eq!(server.raw_tls().send(request).reply().envelope()["valor"], "180.00");
}
