//! Starts stores, servers and workers, and harms them by a seeded schedule. Knows no domain.
