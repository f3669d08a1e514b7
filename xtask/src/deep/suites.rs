//! The table of deep suites.

/// A set of tests run with more cases than an ordinary `cargo test` takes.
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) home: Home,
    /// Which tests of its home belong to it.
    pub(super) filter: &'static str,
    /// Cases of a random suite, handed over as `KRONO_RANDOM_CASES`.
    pub(super) cases: Option<u64>,
    pub(super) targets: &'static [Target],
}

/// Where the tests of a suite are.
#[derive(Clone, Copy)]
pub(super) enum Home {
    /// In `tests/it`.
    Beside,
    /// In the library itself.
    Within,
}

impl Home {
    /// How cargo is asked for it.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Beside => &["--test", "it"],
            Self::Within => &["--lib"],
        }
    }
}

/// The least `passed` of a line `count: passed/total` that the suite must print.
pub(super) struct Target {
    pub(super) count: &'static str,
    pub(super) at_least: u64,
}

pub(super) const SUITES: &[Suite] = &[
    Suite {
        name: "cel-spec",
        package: "krono-cel",
        home: Home::Beside,
        filter: "conformance",
        cases: None,
        targets: &[Target { count: "cel-spec", at_least: 1_754 }],
    },
    Suite {
        name: "cel-differential",
        package: "krono-cel",
        home: Home::Beside,
        filter: "differential",
        cases: Some(20_000),
        targets: &[Target { count: "cel-differential", at_least: 20_000 }],
    },
    Suite {
        name: "cel-hostile",
        package: "krono-cel",
        home: Home::Beside,
        filter: "hostile",
        cases: Some(50_000),
        targets: &[Target { count: "cel-hostile", at_least: 50_000 }],
    },
    Suite {
        name: "store-crash",
        package: "krono-store",
        home: Home::Beside,
        filter: "crash::",
        cases: Some(300),
        targets: &[Target { count: "store-crash", at_least: 300 }],
    },
    Suite {
        name: "store-kill",
        package: "krono-store",
        home: Home::Beside,
        filter: "kill::",
        cases: Some(30),
        targets: &[Target { count: "store-kill", at_least: 30 }],
    },
    Suite {
        name: "graph-hostile",
        package: "krono-graph",
        home: Home::Beside,
        filter: "hostile::",
        cases: Some(5_000),
        targets: &[Target { count: "graph-hostile", at_least: 5_000 }],
    },
    Suite {
        name: "store-damage",
        package: "krono-store",
        home: Home::Beside,
        filter: "damage::",
        cases: Some(2_000),
        targets: &[Target { count: "store-damage", at_least: 2_000 }],
    },
    Suite {
        name: "store-linearizable",
        package: "krono-store",
        home: Home::Beside,
        filter: "linearizable::",
        cases: Some(50_000),
        targets: &[Target { count: "store-linearizable", at_least: 50_000 }],
    },
    Suite {
        name: "sim-convergence",
        package: "krono-sim",
        home: Home::Beside,
        filter: "convergence::",
        cases: Some(3_000),
        targets: &[Target { count: "sim-convergence", at_least: 3_000 }],
    },
    Suite {
        name: "sim-histories",
        package: "krono-sim",
        home: Home::Beside,
        filter: "histories_of_two_controllers",
        cases: Some(10_000),
        targets: &[Target { count: "sim-histories", at_least: 10_000 }],
    },
    Suite {
        name: "sim-kills",
        package: "krono-sim",
        home: Home::Beside,
        filter: "kills_at_every_write",
        cases: Some(100),
        targets: &[
            Target { count: "sim-kills", at_least: 100 },
            Target { count: "sim-deaths", at_least: 5_000 },
        ],
    },
    Suite {
        name: "sim-restore",
        package: "krono-sim",
        home: Home::Beside,
        filter: "restore::",
        cases: Some(1_000),
        targets: &[Target { count: "sim-restore", at_least: 1_000 }],
    },
    Suite {
        name: "propagation-fleets",
        package: "krono-propagation",
        home: Home::Within,
        filter: "larger_fleets",
        cases: Some(10_000),
        targets: &[Target { count: "propagation-fleets", at_least: 10_000 }],
    },
    Suite {
        name: "planner-looks",
        package: "krono-planner",
        home: Home::Beside,
        filter: "fleets::",
        cases: Some(10_000),
        targets: &[Target { count: "planner-looks", at_least: 10_000 }],
    },
    Suite {
        name: "propagation-model",
        package: "krono-propagation",
        home: Home::Within,
        filter: "model",
        cases: None,
        targets: &[
            Target { count: "propagation-model", at_least: 10_000_000 },
            Target { count: "propagation-model-planted", at_least: 1 },
        ],
    },
    Suite {
        name: "controller-convergence",
        package: "krono-controller",
        home: Home::Beside,
        filter: "convergence::",
        cases: Some(400),
        targets: &[Target { count: "controller-convergence", at_least: 400 }],
    },
];
