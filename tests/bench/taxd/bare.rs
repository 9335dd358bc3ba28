//! The bare hyper server that everything is measured against: it reads the body and answers a fixed
//! number of bytes. It runs in a process of its own, on the runtime that `taxd serve` uses.

use std::convert::Infallible;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::process::Process;

/// First argument of the process that is this server; the second is the length of its answers' bodies.
pub const ARGUMENT: &str = "bare-server";
/// Bytes of an answer's head: status line, type, length and date.
const HEAD_BYTES: usize = 110;

/// Starts the server; its answers, head included, have so many bytes.
pub fn start(answer_bytes: usize) -> (Process, SocketAddr) {
    let body = answer_bytes.saturating_sub(HEAD_BYTES).to_string();
    let mut command = Command::new(std::env::current_exe().expect("own path"));
    let mut process = Process::spawn(command.args([ARGUMENT, &body]).stdout(Stdio::piped()));
    let mut line = String::new();
    BufReader::new(process.child.stdout.take().expect("a pipe"))
        .read_line(&mut line)
        .expect("the bare server's address");
    (process, line.trim().parse().expect("an address"))
}

/// Is the server, until it is ended.
pub fn run(body_bytes: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let body = Bytes::from(vec![b'x'; body_bytes]);
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        println!("{}", listener.local_addr().expect("its address"));
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("TCP_NODELAY");
            let body = body.clone();
            let service = service_fn(move |request| answer(request, body.clone()));
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
}

async fn answer(request: Request<Incoming>, body: Bytes) -> Result<Response<Full<Bytes>>, Infallible> {
    // A caller that goes away ends its connection, and nothing else.
    let read = request.into_body().collect().await;
    let mut response = Response::new(Full::new(if read.is_ok() { body } else { Bytes::new() }));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
