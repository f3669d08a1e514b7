//! The tables: which crates are pure, and what a pure crate may not touch.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purity {
    Pure,
    Effectful,
}

/// Crates that hold rules; directories of `crates/` without the `krono-` prefix.
const PURE: &[&str] = &[
    "model",
    "schema",
    "patch",
    "cel",
    "graph",
    "history",
    "conversion",
    "propagation",
    "release",
    "actions",
    "planner",
    "views",
    "sim",
];

/// Crates that do something to the world, or support tests and chores.
const EFFECTFUL: &[&str] = &[
    "store",
    "apiserver",
    "controller",
    "webhook",
    "executor",
    "workloads",
    "registry",
    "dashboard",
    "cli",
    "testkit",
    "e2e-bench",
    "e2e-kube",
    "e2e-conformance",
    "e2e-controllers",
    "e2e-kubectl",
    "xtask",
];

/// A dependency no pure crate may have; with features, only when one of them is on.
pub(super) struct Forbidden {
    pub(super) name: &'static str,
    pub(super) features: &'static [&'static str],
    pub(super) reason: &'static str,
}

const fn always(name: &'static str, reason: &'static str) -> Forbidden {
    Forbidden { name, features: &[], reason }
}

const RUNTIME: &str = "an async runtime";
const NETWORK: &str = "the network";
const STORE: &str = "a store";
const CLOCK: &str = "a clock";
const RANDOMNESS: &str = "randomness";

pub(super) const FORBIDDEN: &[Forbidden] = &[
    always("tokio", RUNTIME),
    always("async-std", RUNTIME),
    always("smol", RUNTIME),
    always("mio", NETWORK),
    always("hyper", NETWORK),
    always("hyper-util", NETWORK),
    always("axum", NETWORK),
    always("reqwest", NETWORK),
    always("ureq", NETWORK),
    always("kube-client", NETWORK),
    always("kube-runtime", NETWORK),
    always("tonic", NETWORK),
    always("redb", STORE),
    always("fjall", STORE),
    Forbidden { name: "chrono", features: &["clock", "now"], reason: CLOCK },
    Forbidden { name: "jiff", features: &["std"], reason: CLOCK },
    Forbidden { name: "time", features: &["std", "local-offset"], reason: CLOCK },
    always("web-time", CLOCK),
    always("instant", CLOCK),
    always("quanta", CLOCK),
    always("rand", RANDOMNESS),
    always("fastrand", RANDOMNESS),
    always("getrandom", RANDOMNESS),
];

/// Parts of `std` that reach the world. A deadline or a seed is an argument.
pub(super) const FORBIDDEN_STD: &[(&str, &str)] = &[
    ("std::fs", "the filesystem"),
    ("std::net", NETWORK),
    ("std::env", "the environment"),
    ("std::process", "other processes"),
    ("SystemTime::now", CLOCK),
    ("Instant::now", CLOCK),
    ("Timestamp::now", CLOCK),
    ("Zoned::now", CLOCK),
    ("thread::sleep", CLOCK),
    ("io::stdin", "the terminal"),
    ("io::stdout", "the terminal"),
    ("io::stderr", "the terminal"),
];

/// Which list the package is in, if any.
pub(crate) fn purity(package: &str) -> Option<Purity> {
    let name = package.strip_prefix("krono-").unwrap_or(package);
    if PURE.contains(&name) {
        Some(Purity::Pure)
    } else if EFFECTFUL.contains(&name) {
        Some(Purity::Effectful)
    } else {
        None
    }
}
