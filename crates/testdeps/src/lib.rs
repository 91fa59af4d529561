//! Empty. A dev-dependency of every crate: with it, cargo chooses the same features of dependencies for the tests of one
//! crate as for those of the workspace, and compiles each dependency once. Executables are built without it.
