//! Health, metrics, and pages for people.

use std::io::Read;

use flate2::read::GzDecoder;
use metrics_exporter_prometheus::PrometheusBuilder;
use surehold_http::problem::ProblemType;
use surehold_http::{Api, ApiConfig, OPENAPI_DOCUMENT};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::world::{Answer, World};

#[tokio::test]
async fn health() {
    let w = World::new().await;
    w.check("GET /healthz As:nobody", 200, r#"{"status":"ok"}"#).await;
    w.check("GET /readyz As:nobody", 200, r#"{"status":"ok"}"#).await;
    w.stop.cancel();
    let stopping = w.check("GET /readyz As:nobody", 503, r#"{"code":"stopping"}"#).await;
    assert_eq!(stopping.header("retry-after"), "1");
    w.check("GET /healthz As:nobody", 200, r#"{"status":"ok"}"#).await;
}

#[tokio::test]
async fn not_ready_without_a_lane() {
    let w = World::new().await;
    w.engine.clone().stop().await;
    w.check("GET /readyz As:nobody", 503, "unavailable").await;
    w.check(r#"PUT /v1/casa/pools/room {"total":1}"#, 503, "stopping").await;
    // What was committed can still be read.
    w.check("GET /v1/casa", 200, "").await;
}

#[tokio::test]
async fn metrics_count_requests() {
    let w = World::new().await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let router = metrics::with_local_recorder(&recorder, || {
        let stop = CancellationToken::new();
        let api = Api::new(w.engine.clone(), ApiConfig::default(), Some(recorder.handle()), stop);
        api.router()
    });
    let ask = async |row: &str| Answer::of(router.clone().oneshot(w.request(row)).await.unwrap()).await;
    for _ in 0..3 {
        ask("GET /v1/casa/pools").await;
    }
    ask("GET /v1/other/pools").await;
    ask("GET /nowhere").await;
    assert_eq!(ask("GET /metrics").await.status, 403, "a tenant's key does not see everybody's numbers");
    assert_eq!(ask("GET /metrics As:nobody").await.status, 401);
    let metrics = ask("GET /metrics As:admin").await;
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4");
    let text = metrics.text();
    let count = |method: &str, route: &str, status: &str| {
        let name =
            format!("surehold_http_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} ");
        let line = text.lines().find_map(|line| line.strip_prefix(&name));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse::<u64>().unwrap()
    };
    assert_eq!(count("GET", "/v1/{tenant}/pools", "2xx"), 3);
    assert_eq!(count("GET", "/v1/{tenant}/pools", "4xx"), 1);
    assert_eq!(count("GET", "/metrics", "4xx"), 2);
    assert_eq!(count("other", "other", "4xx"), 1);
    w.check("GET /metrics As:admin", 404, "not-found").await;
}

/// What a browser would fetch for a page.
fn fetched(html: &str) -> Vec<String> {
    let mut all = Vec::new();
    for attribute in ["src=", "href=", "url(", "import "] {
        for rest in html.split(attribute).skip(1) {
            let quoted = rest.trim_start_matches(['"', '\'']);
            all.push(quoted.split(['"', '\'', ')', '>', ' ']).next().unwrap().to_owned());
        }
    }
    all
}

/// Fails if checksum or length are wrong.
fn unpacked(answer: &Answer) -> String {
    assert_eq!(answer.header("content-encoding"), "gzip");
    let mut text = String::new();
    GzDecoder::new(&*answer.body).read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn pages_need_nothing_from_elsewhere() {
    let w = World::new().await;
    let get = async |path: &str| {
        let answer = w.ask(&format!("GET {path} As:nobody")).await;
        assert_eq!(answer.status, 200, "{path}");
        answer
    };
    let docs = get("/docs/").await;
    assert!(docs.header("content-type").starts_with("text/html"));
    let parts = fetched(&docs.text());
    assert!(parts.contains(&"./swagger-ui.css".to_owned()), "{parts:?}");
    assert!(parts.contains(&"./swagger-ui-bundle.js".to_owned()), "{parts:?}");
    for part in parts {
        assert!(!part.contains("//"), "{part} is not ours");
        if !part.starts_with("data:") {
            get(&format!("/docs/{}", part.trim_start_matches("./"))).await;
        }
    }
    assert!(docs.text().contains("/openapi.json"), "{}", docs.text());
    let style = unpacked(&get("/docs/swagger-ui.css").await);
    let remote: Vec<String> = fetched(&style).into_iter().filter(|url| url.starts_with("http")).collect();
    assert_eq!(remote, Vec::<String>::new());
    assert!(unpacked(&get("/docs/swagger-ui-bundle.js").await).contains("SwaggerUIBundle"));
    w.check("GET /docs/other.js As:nobody", 404, "not-found").await;

    let list = get("/problems").await.text();
    for ProblemType { code, title, .. } in ProblemType::all() {
        let path = format!("/problems/{code}");
        assert!(list.contains(&format!("href=\"{path}\"")), "{path} is not listed");
        let page = get(&path).await;
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        assert!(page.text().contains(title), "{path}");
        for link in fetched(&page.text()) {
            assert!(!link.contains("//"), "{path} has {link}");
            if !link.starts_with('/') && !link.starts_with('#') {
                get(&format!("/problems/{link}")).await;
            }
        }
    }
    w.check("GET /problems/none As:nobody", 404, "not-found").await;
    w.check("GET /problems/..%2fsecret As:nobody", 404, "not-found").await;
}

/// Where the description says which problems there are, it names those that exist.
#[tokio::test]
async fn the_description_is_whole() {
    let openapi: serde_json::Value = serde_json::from_str(OPENAPI_DOCUMENT).unwrap();
    assert!(openapi["openapi"].as_str().unwrap().starts_with("3.1"));
    let text = openapi.to_string();
    let schemas = openapi["components"]["schemas"].as_object().unwrap();
    for reference in text.split("#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(schemas.contains_key(name), "{name} is named and not described");
    }
    let mut ids = Vec::new();
    for (path, item) in openapi["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let problem = &operation["responses"]["default"]["content"]["application/problem+json"];
            assert!(problem.is_object(), "{method} {path}");
            assert!(operation["summary"].is_string(), "{method} {path}");
            ids.push(operation["operationId"].as_str().unwrap().to_owned());
            let named: Vec<&str> = path.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()).collect();
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            for name in named {
                let there = parameters.iter().any(|p| p["name"] == name && p["in"] == "path" && p["required"] == true);
                assert!(there, "{method} {path}: {name}");
            }
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "an operation's id is its own");
}
