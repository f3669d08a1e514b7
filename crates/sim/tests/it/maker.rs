//! Whoever makes parts ready.

use krono_planner::instance::ObjectName;
use krono_sim::server::{Request, Server};
use krono_testkit::{Making, making};
use serde_json::Value;

use crate::kinds::part;

/// Makes parts ready and lets go of those that are to be deleted; false when there was nothing to do.
pub(crate) fn make_parts(server: &mut Server, most: usize) -> bool {
    let parts: Vec<_> = server.list(&part()).filter_map(|(name, it)| made(name, it)).collect();
    for request in parts.iter().take(most) {
        server.perform(request).expect("parts do not resist");
    }
    !parts.is_empty()
}

/// What is done to a part, if anything.
fn made(name: &ObjectName, part: &Value) -> Option<Request> {
    let name = name.clone();
    Some(match making(part)? {
        Making::Hold(patch) | Making::Release(patch) => Request::Merge { name, patch, manager: "maker" },
        Making::Report(status) => Request::Status { name, status, uid: None },
    })
}
