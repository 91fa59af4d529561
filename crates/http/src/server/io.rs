//! Two thin layers around a socket that tell its [`Watch`] what the bytes say. Neither registers a timer.
//!
//! [`Metered`] lies under TLS, where it is seen whether the peer takes what is written; [`Spoken`] lies above it, where
//! it is seen what the client says.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

use super::watch::Watch;

const HTTP2_PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Writes up to this size may be HTTP/2's own (pings, settings, windows), which go on while the client refuses to
/// take its answers. They are no progress.
const CONTROL_WRITE_BYTES_MAX: usize = 128;

const LINGER_BUFFER_BYTES: usize = 4_096;

/// A socket of any kind.
pub(super) trait Socket: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Small answers leave at once.
    fn send_at_once(&self);
    /// Throws away what the peer has not taken, rather than leaving it to the kernel to offer for minutes.
    fn discard_on_close(&self);
}

impl Socket for TcpStream {
    fn send_at_once(&self) {
        // It fails only on a connection that is gone already, which the first read will tell.
        let _gone = self.set_nodelay(true);
    }

    fn discard_on_close(&self) {
        let _gone = self.set_zero_linger();
    }
}

impl Socket for UnixStream {
    fn send_at_once(&self) {}

    fn discard_on_close(&self) {}
}

#[derive(Debug)]
pub(super) struct Metered<S: Socket> {
    socket: S,
    watch: Arc<Watch>,
    blocked: bool,
}

impl<S: Socket> Metered<S> {
    pub(super) fn new(socket: S, watch: Arc<Watch>) -> Metered<S> {
        Metered { socket, watch, blocked: false }
    }

    fn note(&mut self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) => {
                if self.blocked {
                    self.blocked = false;
                    self.watch.write_unblocked();
                }
                if *bytes > CONTROL_WRITE_BYTES_MAX {
                    self.watch.answer_moved();
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                if !self.blocked {
                    self.blocked = true;
                    self.watch.write_blocked();
                }
            }
        }
    }
}

impl<S: Socket> Drop for Metered<S> {
    fn drop(&mut self) {
        if self.watch.refuses_answers() {
            self.socket.discard_on_close();
        }
    }
}

impl<S: Socket> AsyncRead for Metered<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, buf)
    }
}

impl<S: Socket> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(cx, buf);
        self.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(cx, bufs);
        self.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

#[derive(Debug)]
pub(super) struct Spoken<T> {
    io: T,
    watch: Arc<Watch>,
    preface: Preface,
    shut_down: bool,
}

/// How much of the HTTP/2 preface has been seen.
#[derive(Debug, Clone, Copy)]
enum Preface {
    Expected { seen: usize },
    Settled,
}

impl<T> Spoken<T> {
    pub(super) fn new(io: T, watch: Arc<Watch>) -> Spoken<T> {
        Spoken { io, watch, preface: Preface::Expected { seen: 0 }, shut_down: false }
    }

    /// hyper-util reads no more than the preface before it has settled the version, so that its last byte is the last
    /// one of a read, too.
    fn heard(&mut self, bytes: &[u8]) {
        let Preface::Expected { seen } = self.preface else {
            self.watch.heard();
            return;
        };
        let expected = &HTTP2_PREFACE[seen..];
        if bytes.len() > expected.len() || !expected.starts_with(bytes) {
            self.preface = Preface::Settled;
        } else if bytes.len() == expected.len() {
            self.preface = Preface::Settled;
            self.watch.is_http2();
        } else {
            self.preface = Preface::Expected { seen: seen + bytes.len() };
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Spoken<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let filled = buf.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buf))?;
        let bytes = &buf.filled()[filled..];
        if !bytes.is_empty() {
            self.heard(bytes);
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Spoken<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    /// After the last byte of the answer, reads and discards what the client still sends, within the watch's limit.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.shut_down {
            ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
            self.shut_down = true;
        }
        if !self.watch.must_linger() {
            return Poll::Ready(Ok(()));
        }
        self.watch.linger();
        loop {
            let mut discarded = [0; LINGER_BUFFER_BYTES];
            let mut buf = ReadBuf::new(&mut discarded);
            ready!(Pin::new(&mut self.io).poll_read(cx, &mut buf))?;
            if buf.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
