//! The schema of what a definition's status says about its propagation.

use serde_json::Value;

use super::openapi::{count, list, object, of, text, texts, time};

pub(super) fn status() -> Value {
    object(
        "How far the current revision has come on its way to instances.",
        &[],
        [
            ("revision", count(1, "The revision.")),
            ("digest", text("The identity of its content.")),
            ("phase", text("Propagating, Paused, Halted, RolledBack, Aborted or Completed.")),
            ("reason", text("Why it was given up, if it was.")),
            ("startedAt", time("When it became what instances move to.")),
            ("completedAt", time("When everybody who takes part had settled, once.")),
            ("restartedAt", time("When somebody had it tried again.")),
            ("pausedSince", time("Since when it is paused.")),
            ("wave", count(0, "How many times instances were admitted.")),
            ("instances", instances()),
            ("waiting", list(waiting(), "Why instances wait.")),
            ("blocked", blocked()),
            ("failures", list(failure(), "The first instances that failed.")),
            ("furtherFailures", further_failures()),
            ("gateErrors", texts("What went wrong with the expressions of propagateWhen.")),
            ("standstills", list(standstill(), "When it stood still; such time counts towards no deadline.")),
        ],
    )
}

fn instances() -> Value {
    object(
        "How many instances stand how.",
        &[],
        [
            ("total", count(0, "All of them.")),
            ("eligible", count(0, "Those who take part.")),
            ("admitted", count(0, "Of these, those who were admitted.")),
            ("settled", count(0, "Of these, those nobody waits for.")),
            ("inFlight", count(0, "Of the admitted, those on their way.")),
            ("failed", count(0, "Of the admitted, those who failed.")),
            ("excused", count(0, "Of the admitted, those whose failure does not count.")),
            ("ready", count(0, "Of all, those who are ready.")),
            ("updated", count(0, "Of all, those at the revision's content.")),
        ],
    )
}

fn waiting() -> Value {
    object(
        "Instances that wait for one reason.",
        &[],
        [
            ("reason", text("The reason, as one word.")),
            ("message", text("The reason, for people.")),
            ("count", count(0, "How many.")),
            ("first", texts("The first of them.")),
        ],
    )
}

fn blocked() -> Value {
    object(
        "Instances on their way with resources that wait for their own propagateWhen.",
        &[],
        [("count", count(0, "How many.")), ("first", texts("The first of them."))],
    )
}

fn failure() -> Value {
    object(
        "An instance that failed.",
        &[],
        [
            ("instance", text("Its namespace and name.")),
            ("message", text("How.")),
            ("excused", of("boolean", "Whether it does not count.")),
        ],
    )
}

fn further_failures() -> Value {
    object(
        "The instances that failed beyond those, as fingerprints of their names.",
        &[],
        [("counted", text("Those that count.")), ("excused", text("Those that do not."))],
    )
}

fn standstill() -> Value {
    object(
        "A time in which the propagation stood still.",
        &[],
        [
            ("from", time("When it began.")),
            ("to", time("When it ended.")),
            ("cause", text("NoLeader or Paused.")),
        ],
    )
}
