//! The address of a listener, as the operator writes it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::{fmt, io};

use rustix::net::sockopt::{set_ipv6_v6only, set_socket_reuseaddr, set_socket_send_buffer_size};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with};

/// Connections that the kernel queues before the server accepts them.
const BACKLOG: i32 = 1024;
/// Bytes that the kernel buffers for a caller that does not read, which it doubles. Left to itself it buffers megabytes,
/// and takes more only after a third of them was read: a slow reader would seem not to read at all.
const SEND_BUFFER_BYTES: usize = 128 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenAddress {
    /// One address: `127.0.0.1:8080`.
    One(SocketAddr),
    /// One port of every address, IPv4 and IPv6: `:8080`.
    Every(u16),
}

impl ListenAddress {
    /// Returns the port; 0 lets the system choose one.
    pub fn port(self) -> u16 {
        match self {
            ListenAddress::One(address) => address.port(),
            ListenAddress::Every(port) => port,
        }
    }

    /// True if the two cannot both be bound.
    pub fn overlaps(self, other: ListenAddress) -> bool {
        let every = matches!(self, ListenAddress::Every(_)) || matches!(other, ListenAddress::Every(_));
        self.port() == other.port() && self.port() != 0 && (every || self == other)
    }

    /// Binds the address and listens, non-blocking.
    pub fn bind(self) -> io::Result<std::net::TcpListener> {
        match self {
            ListenAddress::One(address) => bound(address, false),
            ListenAddress::Every(port) => {
                let of = |ip: IpAddr| SocketAddr::new(ip, port);
                match bound(of(Ipv6Addr::UNSPECIFIED.into()), true) {
                    Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
                        // The machine may have no IPv6. Any other error comes back from IPv4 too.
                        bound(of(Ipv4Addr::UNSPECIFIED.into()), false)
                    }
                    done => done,
                }
            }
        }
    }
}

fn bound(address: SocketAddr, both_families: bool) -> io::Result<std::net::TcpListener> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)?;
    set_socket_reuseaddr(&socket, true)?;
    // Accepted connections inherit it.
    set_socket_send_buffer_size(&socket, SEND_BUFFER_BYTES)?;
    if both_families {
        set_ipv6_v6only(&socket, false)?;
    }
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

impl FromStr for ListenAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let port = |digits: &str| digits.parse::<u16>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
        let read = match text.split_once(':') {
            Some(("", digits)) => port(digits).map(ListenAddress::Every),
            Some(("localhost", digits)) => {
                port(digits).map(|port| ListenAddress::One((Ipv4Addr::LOCALHOST, port).into()))
            }
            _ => text.parse().ok().map(ListenAddress::One),
        };
        read.ok_or("write it like 127.0.0.1:8080, or :8080 for every address of this machine")
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenAddress::One(address) => address.fmt(f),
            ListenAddress::Every(port) => write!(f, ":{port}"),
        }
    }
}
