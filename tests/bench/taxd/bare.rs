//! The bare hyper server, the baseline of all ratios: it reads the body and answers a fixed number of bytes.
//! It runs in a process of its own, on the same runtime as `taxd serve`.

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

/// First argument of the server's process; the second is the length of the bodies of its answers.
pub const ARGUMENT: &str = "bare-server";
/// Length of the head of an answer: status line, type, length and date.
const HEAD_BYTES: usize = 110;

/// Starts the server. Its answers have `answer_bytes` bytes, including the head.
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

/// Runs the server until the process is killed.
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
    // Ignored: the caller closed its connection.
    let read = request.into_body().collect().await;
    let mut response = Response::new(Full::new(if read.is_ok() { body } else { Bytes::new() }));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
