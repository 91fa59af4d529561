//! The routes of the API: each handler with the method and the path that its attribute declares.

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, on};

use crate::api::Api;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
}

/// A router that can be asked for its routes.
pub(crate) struct Routes {
    pub(crate) router: Router<Api>,
    pub(crate) list: Vec<Route>,
    #[cfg(test)]
    pub(crate) described: utoipa_axum::router::OpenApiRouter<Api>,
}

impl Routes {
    pub(crate) fn new() -> Routes {
        Routes {
            router: Router::new(),
            list: Vec::new(),
            #[cfg(test)]
            described: utoipa_axum::router::OpenApiRouter::with_openapi(crate::openapi::described::head()),
        }
    }

    pub(crate) fn add<H: Handler<T, Api>, T: 'static>(mut self, route: Route, handler: H) -> Routes {
        let method = Method::from_bytes(route.method.as_bytes()).expect("a method of HTTP");
        let filter = MethodFilter::try_from(method).expect("a method that can be routed");
        self.list.push(route);
        Routes { router: self.router.route(route.path, on(filter, handler)), ..self }
    }

    pub(crate) fn merge(mut self, other: Routes) -> Routes {
        self.list.extend(other.list);
        Routes {
            router: self.router.merge(other.router),
            list: self.list,
            #[cfg(test)]
            described: self.described.merge(other.described),
        }
    }
}

/// What is for the description alone.
impl Routes {
    /// Says what the routes with this `tag` are about. The description has groups in the order of the modules.
    #[cfg(test)]
    pub(crate) fn group(mut self, name: &str, about: &str) -> Routes {
        let group = utoipa::openapi::tag::TagBuilder::new().name(name).description(Some(about)).build();
        self.described.get_openapi_mut().tags.get_or_insert_default().push(group);
        self
    }

    #[cfg(not(test))]
    pub(crate) fn group(self, _: &str, _: &str) -> Routes {
        self
    }

    /// Describes a type that no body has and that parameters, events or refusals mention: they say its name only. Tests
    /// say what is missing.
    #[cfg(test)]
    pub(crate) fn describes<T: utoipa::ToSchema>(mut self) -> Routes {
        let mut schemas = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut schemas);
        self.described.get_openapi_mut().components.get_or_insert_default().schemas.extend(schemas);
        self
    }

    #[cfg(not(test))]
    #[expect(clippy::extra_unused_type_parameters, reason = "tests use it")]
    pub(crate) fn describes<T>(self) -> Routes {
        self
    }
}

/// The handlers of a module, file by file: `routes! { stores: stores_list, store_get; books: books_get; }`.
macro_rules! routes {
    ($($file:ident: $($handler:ident),+;)+) => {{
        let routes = $crate::routes::Routes::new();
        $($(
            let route = $crate::routes::Route { method: $file::$handler::METHOD, path: $file::$handler::PATH };
            let routes = routes.add(route, $file::$handler);
            #[cfg(test)]
            let routes = {
                let described = routes.described.routes(utoipa_axum::routes!($file::$handler));
                $crate::routes::Routes { described, ..routes }
            };
        )+)+
        routes
    }};
}

pub(crate) use routes;
