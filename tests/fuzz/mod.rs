//! Hostile input, made in the same way each time: what the tests send to a server and the bench counts the
//! instructions of.

pub mod bytes;
mod damage;
mod large;
mod queries;

pub use damage::damaged;
pub use large::large;
pub use queries::queries;

/// An input, and what it is.
pub struct Input {
    pub name: String,
    /// The request, without its key.
    pub path: String,
    /// What is posted; nothing for GET.
    pub body: Option<Vec<u8>>,
}

impl Input {
    fn posted(name: impl Into<String>, body: Vec<u8>) -> Input {
        Input { name: name.into(), path: "/v1/calculate".to_owned(), body: Some(body) }
    }

    /// The request as it is sent.
    pub fn request(&self, key: &str) -> Vec<u8> {
        let (path, head) = (&self.path, format!("Host: taxd\r\nX-API-Key: {key}\r\n"));
        match &self.body {
            None => format!("GET {path} HTTP/1.1\r\n{head}\r\n").into_bytes(),
            Some(body) => {
                let length = body.len();
                let typed = "Content-Type: application/json";
                let head = format!("POST {path} HTTP/1.1\r\n{head}{typed}\r\nContent-Length: {length}\r\n\r\n");
                [head.into_bytes(), body.clone()].concat()
            }
        }
    }
}
