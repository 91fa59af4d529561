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

    /// Adds what `routes!` names.
    pub(crate) fn routes(self, add: impl FnOnce(Routes) -> Routes) -> Routes {
        add(self)
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

/// Handlers that share a path.
macro_rules! routes {
    ($($($part:ident)::+),+) => {
        |routes: $crate::routes::Routes| {
            $(
                let route = $crate::routes::Route { method: $($part)::+::METHOD, path: $($part)::+::PATH };
                let routes = routes.add(route, $($part)::+);
            )+
            #[cfg(test)]
            let routes = {
                let described = routes.described.routes(utoipa_axum::routes!($($($part)::+),+));
                $crate::routes::Routes { described, ..routes }
            };
            routes
        }
    };
}

pub(crate) use routes;
