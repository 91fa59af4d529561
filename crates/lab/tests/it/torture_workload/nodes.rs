//! Two nodes over one store: one that can be stopped and started again at the same address, and one behind a wire that
//! loses answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use serde::Deserialize;
use serde_json::{Value, json};
use surehold_engine::{Engine, EngineConfig};
use surehold_http::inbox::{Inbox, Task};
use surehold_http::problem::{Code, Problem};
use surehold_http::server::{Drained, Server, ServerConfig, bind_tcp};
use surehold_http::{Api, ApiConfig, RateLimit};
use surehold_lab::torture::workload::WorkloadPlan;
use surehold_simulators::charge::{CHARGE, charge};
use surehold_testkit::fixture::{Fixture, StoreKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use surehold_testkit::node::Node;

#[derive(Deserialize)]
struct ChargeBody {
    purchase: String,
    amount: i64,
}

const CHARGE_TASK: Task = Task {
    name: "charge",
    read: |body| {
        let ChargeBody { purchase, amount } =
            serde_json::from_slice(body).map_err(|error| Problem::new(Code::Invalid, error.to_string()))?;
        Ok(charge(&CHARGE, &purchase, amount))
    },
};

pub(super) struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    ended: JoinHandle<Drained>,
}

impl Running {
    fn start(engine: &Engine, at: SocketAddr) -> Running {
        let stop = CancellationToken::new();
        let config = ApiConfig {
            rate_limit: RateLimit { requests_per_s_default: 1_000_000, burst_secs: 2 },
            inbox: Inbox::default().with_task(CHARGE_TASK),
            ..ApiConfig::default()
        };
        let router: Router = Api::new(engine.clone(), config, None, stop.clone()).router();
        let listener = bind_tcp(at).unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::new(router, ServerConfig::default()).listen_tcp(listener, None);
        Running { address, stop: stop.clone(), ended: tokio::spawn(server.run(stop)) }
    }

    async fn stop(self) -> SocketAddr {
        self.stop.cancel();
        self.ended.await.unwrap();
        self.address
    }
}

pub(super) struct Nodes {
    engine: Engine,
    restarting: Option<Running>,
    _steady: Running,
    pub(super) plan: WorkloadPlan,
    _fixture: Fixture,
}

impl Nodes {
    pub(super) async fn start(seed: u64, clients: usize) -> Nodes {
        let fixture = Fixture::new(StoreKind::Sqlite).await.unwrap();
        let engine = fixture.engine_with(EngineConfig::default()).await.unwrap();
        let by_hand = Node::new(engine.clone());
        by_hand.local("POST", "/admin/tenants", &json!({"slug": "casa"})).await;
        let wanted = json!({"tenant": "casa", "name": "torture", "scopes": ["read", "sell", "manage", "tasks"]});
        let made: Value = by_hand.local("POST", "/admin/keys", &wanted).await;
        by_hand.local("POST", "/admin/tenants", &json!({"slug": "rua"})).await;
        let wanted = json!({"tenant": "rua", "name": "stranger", "scopes": ["read", "sell", "manage", "tasks"]});
        let strange: Value = by_hand.local("POST", "/admin/keys", &wanted).await;
        let anywhere = "127.0.0.1:0".parse().unwrap();
        let (restarting, steady) = (Running::start(&engine, anywhere), Running::start(&engine, anywhere));
        let lossy = lose_answers(steady.address).await;
        let plan = WorkloadPlan {
            seed,
            clients,
            nodes: vec![format!("http://{}", restarting.address), format!("http://{lossy}")],
            tenant: "casa".to_owned(),
            api_key: made["key"].as_str().unwrap().to_owned(),
            stranger_key: Some(strange["key"].as_str().unwrap().to_owned()),
            charges: true,
        };
        Nodes { engine, restarting: Some(restarting), _steady: steady, plan, _fixture: fixture }
    }

    /// The first node ends and comes back; `meanwhile` is done while it is away.
    pub(super) async fn restart(&mut self, meanwhile: impl Future<Output = ()>) {
        let address = self.restarting.take().unwrap().stop().await;
        meanwhile.await;
        self.restarting = Some(Running::start(&self.engine, address));
    }
}

/// Every hundredth piece of what a server says is lost, with its connection.
async fn lose_answers(server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let pieces = Arc::new(AtomicU64::new(0));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(relay(client, server, Arc::clone(&pieces)));
        }
    });
    address
}

async fn relay(client: TcpStream, server: SocketAddr, pieces: Arc<AtomicU64>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let asking = async { tokio::io::copy(&mut from_client, &mut to_server).await.map(drop) };
    let answering = async {
        let mut piece = vec![0; 64 << 10];
        loop {
            let count = from_server.read(&mut piece).await?;
            if count == 0 || pieces.fetch_add(1, Ordering::Relaxed) % 100 == 99 {
                return Ok::<(), std::io::Error>(());
            }
            to_client.write_all(&piece[..count]).await?;
        }
    };
    // Whichever ends first takes the connection down.
    tokio::select! {
        _ = asking => {}
        _ = answering => {}
    }
}
