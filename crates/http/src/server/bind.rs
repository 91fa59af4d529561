//! Taking an address or a socket file, and saying what to do when it cannot be had.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpSocket, UnixListener, UnixStream};

/// Connections that may wait to be accepted. The kernel lowers it to its own limit (`net.core.somaxconn`).
const BACKLOG: u32 = 4_096;

/// Room for a path in a socket address on Linux, its closing zero not counted.
const SOCKET_PATH_BYTES_MAX: usize = 107;

#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("address in use: another process listens on {address}; choose another --listen")]
    AddressInUse { address: SocketAddr },
    #[error(
        "not allowed to listen on {address}; choose a port of 1024 or more with --listen, or grant CAP_NET_BIND_SERVICE"
    )]
    AddressForbidden { address: SocketAddr },
    #[error("no interface of this machine has the address of {address}; choose another --listen")]
    AddressNotOurs { address: SocketAddr },
    #[error("cannot listen on {address}; choose another --listen")]
    Address {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    #[error("a running process answers at {}; stop it, or choose another data folder", path.display())]
    SocketLive { path: PathBuf },
    #[error("{} is in the way and is no socket; move it, or choose another data folder", path.display())]
    SocketBlocked { path: PathBuf },
    #[error(
        "the path {} is too long for a socket ({SOCKET_PATH_BYTES_MAX} bytes at most); choose a data folder with a shorter path",
        path.display()
    )]
    SocketPathTooLong { path: PathBuf },
    #[error("cannot make the socket {}; check that its folder exists and may be written to", path.display())]
    Socket {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Takes a TCP address. Port 0 takes any free port.
pub fn bind_tcp(address: SocketAddr) -> Result<TcpListener, BindError> {
    listen(address).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => BindError::AddressInUse { address },
        io::ErrorKind::PermissionDenied => BindError::AddressForbidden { address },
        io::ErrorKind::AddrNotAvailable => BindError::AddressNotOurs { address },
        _ => BindError::Address { address, source },
    })
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restart must not wait for the remains of old connections. It does not share the port with a live listener.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A socket file that only its owner may open; removed when this is dropped.
#[derive(Debug)]
pub struct LocalSocket {
    pub(super) listener: UnixListener,
    pub(super) file: SocketFile,
}

/// The file's place, and which file it was: a successor's file must not be removed.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl LocalSocket {
    /// Makes the socket. Whatever a dead process has left at `path` is replaced; a live one is not.
    ///
    /// Two processes that start in the same instant may both find the place free; the caller's lock on the data
    /// folder decides between them.
    pub async fn bind(path: &Path) -> Result<LocalSocket, BindError> {
        let failed = |source| BindError::Socket { path: path.to_owned(), source };
        let nursery = Nursery::beside(path);
        if [path, &nursery.socket].into_iter().any(|path| path.as_os_str().len() > SOCKET_PATH_BYTES_MAX) {
            return Err(BindError::SocketPathTooLong { path: path.to_owned() });
        }
        check_vacant(path).await?;
        nursery.make().map_err(failed)?;
        let listener = UnixListener::bind(&nursery.socket).map_err(failed)?;
        fs::set_permissions(&nursery.socket, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let metadata = fs::symlink_metadata(&nursery.socket).map_err(failed)?;
        fs::rename(&nursery.socket, path).map_err(failed)?;
        let file = SocketFile { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() };
        Ok(LocalSocket { listener, file })
    }
}

async fn check_vacant(path: &Path) -> Result<(), BindError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(BindError::Socket { path: path.to_owned(), source }),
        Ok(metadata) if !metadata.file_type().is_socket() => {
            return Err(BindError::SocketBlocked { path: path.to_owned() });
        }
        Ok(_) => {}
    }
    match UnixStream::connect(path).await {
        // Nobody listens: a dead process left it.
        Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(BindError::Socket { path: path.to_owned(), source: error })
        }
        // Also a full backlog is a sign of life.
        Ok(_) | Err(_) => Err(BindError::SocketLive { path: path.to_owned() }),
    }
}

/// A folder for nobody else, in which the socket waits until it has its mode: a socket is born with the mode that the
/// process's mask leaves it, and between birth and `chmod` anybody could connect.
struct Nursery {
    folder: PathBuf,
    socket: PathBuf,
}

impl Nursery {
    fn beside(path: &Path) -> Nursery {
        let folder = path.with_file_name(format!(".new-{}", std::process::id()));
        Nursery { socket: folder.join("s"), folder }
    }

    fn make(&self) -> io::Result<()> {
        self.remove();
        fs::DirBuilder::new().mode(0o700).create(&self.folder)
    }

    fn remove(&self) {
        let _absent = fs::remove_file(&self.socket);
        let _absent = fs::remove_dir(&self.folder);
    }
}

impl Drop for Nursery {
    fn drop(&mut self) {
        self.remove();
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let ours = fs::symlink_metadata(&self.path)
            .is_ok_and(|metadata| metadata.dev() == self.device && metadata.ino() == self.inode);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "Cannot remove the socket file");
        }
    }
}
