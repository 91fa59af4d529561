//! The tests that run on every store: one function per case, stamped once for each store.

use std::time::Duration;

use crate::fixture::{Fixture, StoreKind};

/// Far beyond what a case takes on a busy machine, so that a case that waits in vain ends.
const CASE_DURATION_MAX: Duration = Duration::from_mins(10);

/// What a case can ask for as its argument.
pub trait FromStoreKind: Sized {
    fn from_store_kind(kind: StoreKind) -> impl Future<Output = Self>;
}

impl FromStoreKind for StoreKind {
    async fn from_store_kind(kind: StoreKind) -> StoreKind {
        kind
    }
}

impl FromStoreKind for Fixture {
    async fn from_store_kind(kind: StoreKind) -> Fixture {
        Fixture::new(kind).await.expect("a store can be made for the test")
    }
}

/// Runs one case on one store. Tests call it through [`on_each_store!`](crate::on_each_store).
pub fn run_case<A, F>(kind: StoreKind, case: F)
where
    A: FromStoreKind,
    F: AsyncFnOnce(A),
{
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().expect("a runtime can be started");
    let limited = async {
        let case = async { case(A::from_store_kind(kind).await).await };
        tokio::time::timeout(CASE_DURATION_MAX, case).await
    };
    runtime.block_on(limited).expect("the case ends in time");
}

/// Declares the modules `sqlite` and `postgres`, each with one test per case. A case is an async function that takes a
/// [`Fixture`], a [`StoreKind`] or anything else that is [`FromStoreKind`]. Cases of the calling module are listed by
/// their names, cases of modules below it in a block of the module's name:
///
/// ```ignore
/// on_each_store! { placing cancelling }
/// on_each_store! { holds { placing cancelling } pools { closing } }
/// ```
///
/// A case that is not listed is dead code, and the compiler reports it.
#[macro_export]
macro_rules! on_each_store {
    (@tests $kind:ident $from:tt $($case:ident)*) => {$(
        #[test]
        fn $case() {
            $crate::on_each_store::run_case($crate::fixture::StoreKind::$kind, $from::$case);
        }
    )*};
    (@modules $kind:ident $($module:ident { $($case:ident)* })*) => {$(
        mod $module {
            use super::super::$module as cases;
            $crate::on_each_store! { @tests $kind cases $($case)* }
        }
    )*};
    ($($case:ident)*) => {
        mod sqlite {
            $crate::on_each_store! { @tests Sqlite super $($case)* }
        }
        mod postgres {
            $crate::on_each_store! { @tests Postgres super $($case)* }
        }
    };
    ($($module:ident { $($case:ident)* })*) => {
        mod sqlite {
            $crate::on_each_store! { @modules Sqlite $($module { $($case)* })* }
        }
        mod postgres {
            $crate::on_each_store! { @modules Postgres $($module { $($case)* })* }
        }
    };
}
