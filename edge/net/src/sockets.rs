//! Listening sockets: bound here, or inherited from a service manager that keeps them over restarts
//! (systemd.socket(5)), and notifications to that manager (sd_notify(3)).

use std::io;
use std::net::{SocketAddr, TcpListener};

use listenfd::ListenFd;
pub use sd_notify::NotifyState;
use tokio::net::TcpListener as Listener;

use crate::connection::{adopt, bind};

/// Sockets that were inherited: the first serves, the second is for admins.
#[derive(Debug)]
pub struct InheritedSockets {
    serve: Option<TcpListener>,
    admin: Option<TcpListener>,
}

impl InheritedSockets {
    /// Takes what `LISTEN_FDS` names, and forgets the variable. To be called once, before any thread starts.
    ///
    /// # Errors
    ///
    /// If something else than a TCP socket that listens was handed over.
    pub fn take() -> io::Result<Self> {
        let mut passed = ListenFd::from_env();
        Ok(Self { serve: passed.take_tcp_listener(0)?, admin: passed.take_tcp_listener(1)? })
    }

    /// Address that is served on, if it is inherited.
    pub fn address(&self) -> Option<SocketAddr> {
        self.serve.as_ref()?.local_addr().ok()
    }

    /// The sockets to serve and to admin: inherited, else bound. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// If an address cannot be listened on; the message names the cause.
    pub fn or_bind(
        self,
        serve: SocketAddr,
        admin: Option<SocketAddr>,
    ) -> io::Result<(Listener, Option<Listener>)> {
        let listener = self.serve.map_or_else(|| bind(serve), adopt)?;
        let admin = self.admin.map(adopt).or_else(|| admin.map(bind)).transpose()?;
        Ok((listener, admin))
    }
}

/// Notifies the service manager, if there is one.
pub fn notify(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "cannot notify the service manager");
    }
}
