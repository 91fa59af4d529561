//! What is compared: the kernel on both stores, the API, and operations.

pub(super) struct Case {
    pub(super) name: &'static str,
    /// Of `surehold-lab bench`.
    pub(super) arguments: &'static str,
    pub(super) on_postgres: bool,
    /// Whether it measures for a time, and not a number of operations.
    pub(super) lasts: bool,
}

impl Case {
    const fn lasting(name: &'static str, arguments: &'static str) -> Case {
        Case { name, arguments, on_postgres: false, lasts: true }
    }

    const fn counted(name: &'static str, arguments: &'static str) -> Case {
        Case { lasts: false, ..Case::lasting(name, arguments) }
    }

    const fn on_postgres(self) -> Case {
        Case { on_postgres: true, ..self }
    }
}

pub(super) const CASES: [Case; 8] = [
    Case::lasting("postgres-hot", "holds").on_postgres(),
    Case::lasting("postgres-uniform", "holds --pools 1000").on_postgres(),
    Case::lasting("sqlite-single", "holds"),
    Case::lasting("sqlite-batch", "holds --batch 8000 --clients 2"),
    Case::lasting("http-64", "http --case holds --connections 64"),
    Case::lasting("http-256", "http --case holds --connections 256"),
    Case::counted("postgres-drain", "operations --operations 50000").on_postgres(),
    Case::counted("sqlite-drain", "operations --operations 50000"),
];
