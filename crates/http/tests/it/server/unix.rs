//! The local socket's life, and addresses that cannot be had.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use super::world::{Client, Doors, World, patient};
use surehold_http::server::{BindError, LocalSocket, bind_tcp};
use tokio::net::UnixStream;

#[tokio::test]
async fn a_socket_lives_as_long_as_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    // What a killed process leaves behind: a socket file that nobody listens to.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());

    let socket = LocalSocket::bind(&path).await.unwrap();
    let metadata = std::fs::symlink_metadata(&path).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left in the folder");

    let world = World::start_with(patient(), Doors { local: Some(socket), ..Doors::default() });
    let mut client = Client { io: UnixStream::connect(&path).await.unwrap() };
    assert_eq!(client.get_body("/peer").await, "Local");

    let second = LocalSocket::bind(&path).await;
    assert!(matches!(second, Err(BindError::SocketLive { .. })), "{second:?}");
    assert_eq!(std::fs::symlink_metadata(&path).unwrap().ino(), metadata.ino());
    assert_eq!(client.get_body("/peer").await, "Local");

    drop(client);
    world.shut_down().await;
    assert!(!path.exists());
}

#[tokio::test]
async fn a_successors_socket_is_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let first = LocalSocket::bind(&path).await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let second = LocalSocket::bind(&path).await.unwrap();
    drop(first);
    assert!(path.exists());
    drop(second);
    assert!(!path.exists());
}

#[tokio::test]
async fn what_is_in_the_way_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "precious").unwrap();
    let blocked = LocalSocket::bind(&file).await;
    assert!(matches!(blocked, Err(BindError::SocketBlocked { .. })), "{blocked:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");

    let long = LocalSocket::bind(&folder.path().join("x".repeat(200)).join("socket")).await;
    assert!(matches!(long, Err(BindError::SocketPathTooLong { .. })), "{long:?}");
    let nowhere = LocalSocket::bind(&folder.path().join("absent").join("socket")).await;
    assert!(matches!(nowhere, Err(BindError::Socket { .. })), "{nowhere:?}");
}

#[tokio::test]
async fn an_address_that_cannot_be_had_says_what_to_do() {
    let taken = bind_tcp("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = taken.local_addr().unwrap();
    let error = bind_tcp(address).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("address in use: another process listens on {address}; choose another --listen")
    );
    let foreign = bind_tcp("192.0.2.1:0".parse().unwrap());
    assert!(matches!(foreign, Err(BindError::AddressNotOurs { .. })), "{foreign:?}");
}
