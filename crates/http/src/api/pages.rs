//! Pages for people: the description of the API and one page per problem.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{Html, Redirect};
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use pulldown_cmark::{Options, Parser, html};

use super::Api;
use super::body::json_bytes;
use crate::openapi;
use crate::problem::{Code, Problem, ProblemType};
use crate::routes::Route;

pub(super) fn routes(list: Vec<Route>) -> Router<Api> {
    let document = Arc::new(LazyLock::new(move || Bytes::from(openapi::document(&list))));
    Router::new()
        .route("/openapi.json", get(async move || json_bytes(StatusCode::OK, Bytes::clone(&document))))
        .route("/", get(async || Redirect::temporary("/docs/")))
        .route("/docs", get(async || Redirect::temporary("/docs/")))
        .route("/docs/", get(async || Html(DOCS)))
        .route("/docs/swagger-ui.css", packed("text/css; charset=utf-8", SWAGGER_UI_STYLE))
        .route("/docs/swagger-ui-bundle.js", packed("text/javascript; charset=utf-8", SWAGGER_UI_SCRIPT))
        .route("/problems", get(problem_list))
        .route("/problems/{code}", get(problem_page))
}

/// Swagger UI as the build script packed it. Every browser unpacks it, so it is not kept in another form.
const SWAGGER_UI_STYLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css.gz"));
const SWAGGER_UI_SCRIPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.gz"));

const DOCS: &str = r##"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>API · Surehold</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<link rel="stylesheet" href="./swagger-ui.css"><style>body{margin:0}</style></head>
<body><div id="api"></div><script src="./swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: "/openapi.json", dom_id: "#api", deepLinking: true });</script></body></html>
"##;

fn packed(content_type: &'static str, content: &'static [u8]) -> MethodRouter<Api> {
    get(async move || ([(CONTENT_TYPE, content_type), (CONTENT_ENCODING, "gzip")], content))
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;\
    color:#1d2733;background:#fff}code,pre{font:14px/1.45 ui-monospace,monospace;background:#f2f4f7;border-radius:4px}\
    code{padding:.1em .3em}pre{padding:1rem;white-space:pre-wrap;overflow-wrap:anywhere}pre code{padding:0}\
    a{color:#0b5cad}nav{font-size:14px}table{border-collapse:collapse}td,th{padding:.3rem .8rem .3rem 0;text-align:left;border-bottom:1px solid #d8dee6}";

fn page(title: &str, body: &str) -> Html<String> {
    Html(format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} · Surehold</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\
         <nav><a href=\"/docs/\">API</a> · <a href=\"/problems\">Problems</a></nav>{body}</body></html>"
    ))
}

async fn problem_list() -> Html<String> {
    let row = |ProblemType { code, status, title, .. }: &ProblemType| {
        let status = status.as_u16();
        format!(
            "<tr><td><a href=\"/problems/{code}\"><code>{code}</code></a></td><td>{status}</td><td>{title}</td></tr>"
        )
    };
    let rows: String = ProblemType::all().iter().map(row).collect();
    page(
        "Problems",
        &format!(
            "<h1>Problems</h1><p>What an answer's <code>code</code> means, and what to do about it.</p>\
         <table><tr><th>Code<th>Status<th>Meaning</tr>{rows}</table>"
        ),
    )
}

async fn problem_page(code: Result<Path<String>, PathRejection>) -> Result<Html<String>, Problem> {
    let unknown = || Problem::new(Code::NotFound, "there is no such problem; /problems lists them");
    let Path(code) = code.map_err(|_| unknown())?;
    // The pages link to each other as the files that they are.
    let name = code.strip_suffix(".md").unwrap_or(&code);
    let ProblemType { title, page: text, .. } = ProblemType::find(name).ok_or_else(unknown)?;
    let mut body = String::new();
    html::push_html(&mut body, Parser::new_ext(text, Options::ENABLE_TABLES));
    Ok(page(title, &body))
}

#[cfg(test)]
mod tests {
    use surehold_core::kernel::{FieldSpec, Shape};

    use super::*;
    use crate::problem::fields_by_code;

    fn example_of(page: &str) -> serde_json::Value {
        let example = page.split("```json").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        serde_json::from_str(example).unwrap()
    }

    #[test]
    fn every_code_has_a_page_that_says_what_it_is() {
        for ProblemType { code, status, title, page, .. } in ProblemType::all() {
            let head = format!("`code` `{code}` · HTTP {}", status.as_u16());
            assert!(page.starts_with(&format!("# {title}\n")), "{code}: title");
            assert!(page.contains(&head), "{code}: {head}");
            for part in ["**Did anything change?**", "**What to do**", "**Example**"] {
                assert!(page.contains(part), "{code}: {part}");
            }
            let example = example_of(page);
            assert_eq!(example["code"], *code);
            assert_eq!(example["status"], status.as_u16());
            assert_eq!(example["title"], *title);
            assert_eq!(example["type"], format!("/problems/{code}"));
        }
    }

    #[test]
    fn examples_have_the_members_that_are_declared() {
        const OF_ALL: [&str; 6] = ["type", "title", "status", "code", "detail", "retry_after_secs"];
        for ProblemType { code, page, .. } in ProblemType::all() {
            let example = example_of(page);
            let shown: Vec<&String> = example.as_object().unwrap().keys().collect();
            let shown: Vec<&str> =
                shown.into_iter().map(String::as_str).filter(|name| !OF_ALL.contains(name)).collect();
            let fits = |fields: &&[FieldSpec]| {
                let required = fields.iter().filter(|field| !matches!(field.shape, Shape::Optional(_)));
                shown.iter().all(|name| fields.iter().any(|field| field.name == *name))
                    && required.into_iter().all(|field| shown.contains(&field.name))
            };
            let declared = fields_by_code(code);
            assert!(declared.iter().any(fits), "{code} shows {shown:?}, and is declared with {declared:?}");
        }
    }
}
