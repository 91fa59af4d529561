//! What goes wrong, as `application/problem+json` (RFC 9457). Each code is stable and has a page, served at `type`.

mod code;
mod from;
#[cfg(test)]
mod index;

use std::sync::LazyLock;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::to_raw_value;
use surehold_core::kernel::{Class, RefusalData, RefusalSpec, Refused};

use crate::modules::MODULES;

pub use code::Code;
#[cfg(test)]
pub(crate) use described::{fields_by_code, parts};
pub(crate) use from::refusals;

/// What a module refuses with; made by `refusals!`.
pub(crate) struct Refusals {
    pub(crate) specs: &'static [RefusalSpec],
    /// Above them in the index of problems.
    #[cfg(test)]
    pub(crate) title: &'static str,
    /// Structs in their fields.
    #[cfg(test)]
    pub(crate) parts: &'static [surehold_core::kernel::PartSpec],
}

fn all_refusals() -> impl Iterator<Item = &'static Refusals> {
    MODULES.iter().flat_map(|module| module.refusals)
}

/// What all problems with one code have in common.
#[derive(Clone, Copy, Debug)]
pub struct ProblemType {
    pub code: &'static str,
    pub status: StatusCode,
    pub title: &'static str,
    /// The text of the page that explains it, as Markdown.
    pub page: &'static str,
}

impl ProblemType {
    /// Each code once: those of the API itself, then those of the modules' refusals.
    pub fn all() -> &'static [ProblemType] {
        static ALL: LazyLock<Vec<ProblemType>> = LazyLock::new(|| {
            let mut all: Vec<ProblemType> = Code::ALL.iter().map(|code| code.problem_type()).collect();
            for spec in all_refusals().flat_map(|refusals| refusals.specs) {
                if all.iter().all(|known| known.code != spec.code) {
                    all.push(spec.into());
                }
            }
            all
        });
        &ALL
    }

    pub fn find(code: &str) -> Option<ProblemType> {
        ProblemType::all().iter().copied().find(|known| known.code == code)
    }
}

impl From<&'static RefusalSpec> for ProblemType {
    fn from(&RefusalSpec { code, class, title, page, .. }: &'static RefusalSpec) -> ProblemType {
        ProblemType { code, status: status_of(class), title, page }
    }
}

fn status_of(class: Class) -> StatusCode {
    match class {
        Class::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        Class::NotFound => StatusCode::NOT_FOUND,
        Class::Conflict => StatusCode::CONFLICT,
        Class::Defect => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A problem on its way out.
#[derive(Clone, Debug)]
pub struct Problem {
    known: ProblemType,
    told: Box<surehold_api::Problem>,
    retry_after_secs: Option<u64>,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem::of(code.problem_type(), detail.into(), Vec::new())
    }

    /// The problem of a command that was refused.
    pub fn refused(refusal: &dyn Refused) -> Problem {
        Problem::of(refusal.spec().into(), refusal.to_string(), refusal.data())
    }

    fn of(known: ProblemType, detail: String, data: RefusalData) -> Problem {
        let data = data.into_iter().map(|(name, json)| (name.into(), json)).collect();
        let (code, title, status) = (known.code.into(), known.title.into(), known.status.as_u16());
        let told = Box::new(surehold_api::Problem { code, title, status, detail, data });
        Problem { known, told, retry_after_secs: None }
    }

    /// Adds a member that the code declares.
    #[must_use]
    pub fn with<T: Serialize>(mut self, name: &'static str, value: &T) -> Problem {
        self.told.data.push((name.into(), to_raw_value(value).expect("members of problems are plain data")));
        self
    }

    /// Seconds to wait before the next try.
    #[must_use]
    pub fn retry_after(self, secs: u64) -> Problem {
        Problem { retry_after_secs: Some(secs), ..self.with("retry_after_secs", &secs) }
    }

    pub fn code(&self) -> &'static str {
        self.known.code
    }

    pub fn is(&self, code: Code) -> bool {
        self.known.code == code.problem_type().code
    }

    pub fn status(&self) -> StatusCode {
        self.known.status
    }
}

/// Part of an answer that is about many things.
impl From<Problem> for surehold_api::Problem {
    fn from(problem: Problem) -> surehold_api::Problem {
        *problem.told
    }
}

static PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.told).expect("problems are plain data");
        let mut response = (self.known.status, body).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, PROBLEM_JSON.clone());
        if let Some(secs) = self.retry_after_secs {
            response.headers_mut().insert(header::RETRY_AFTER, secs.into());
        }
        if self.is(Code::Unauthenticated) {
            let how = HeaderValue::from_static("Bearer realm=\"surehold\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, how);
        }
        // What was not read of the body would be taken for the next request.
        if self.is(Code::RequestTimeout) || self.is(Code::BodyTooLarge) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response.headers_mut().insert(HeaderName::from_static("cache-control"), HeaderValue::from_static("no-store"));
        response
    }
}

/// What only the description of the API asks for.
#[cfg(test)]
mod described {
    use surehold_core::kernel::{FieldSpec, PartSpec};

    use super::{Code, all_refusals};

    pub(crate) fn parts() -> impl Iterator<Item = &'static PartSpec> {
        all_refusals().flat_map(|refusals| refusals.parts)
    }

    /// The fields that each declaration of a code has; some codes are declared by two modules.
    pub(crate) fn fields_by_code(code: &str) -> Vec<&'static [FieldSpec]> {
        let own = Code::ALL.iter().map(|own| (own.problem_type().code, own.fields()));
        let refusals = all_refusals().flat_map(|refusals| refusals.specs).map(|spec| (spec.code, spec.fields));
        own.chain(refusals).filter(|(declared, _)| *declared == code).map(|(_, fields)| fields).collect()
    }
}
