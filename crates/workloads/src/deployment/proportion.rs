//! Sizes of replica sets when the deployment itself changes its size in the middle of a rollout.

use std::cmp::Reverse;

use k8s_openapi::api::apps::v1::ReplicaSet;

use super::limits::is_rolling;
use super::{Rollout, revision, size, wanted};

/// The sizes that replica sets should get. Only those to look at are given.
pub(super) fn sizes<'a>(rollout: &Rollout<'a>, sets: &[&'a ReplicaSet]) -> Vec<(&'a ReplicaSet, i32)> {
    let active: Vec<&ReplicaSet> = sets.iter().copied().filter(|it| wanted(it) > 0).collect();
    let replicas = rollout.limits.replicas;
    match active.as_slice() {
        [] => {
            return rollout
                .new
                .or(rollout.old.last().copied())
                .map(|it| (it, replicas))
                .into_iter()
                .collect();
        }
        [only] => return vec![(*only, replicas)],
        _ => {}
    }
    if rollout.new.is_some_and(|new| is_saturated(new, replicas)) {
        return rollout.old.iter().filter(|it| wanted(it) > 0).map(|it| (*it, 0)).collect();
    }
    if !is_rolling(rollout.spec) {
        return Vec::new();
    }
    shares(rollout, active)
}

fn is_saturated(set: &ReplicaSet, replicas: i32) -> bool {
    let size = size(set);
    size.wanted == replicas && size.available == replicas && revision::desired(set) == Some(replicas)
}

/// Each gets its share of what is added or taken, the largest first; the largest also gets the rest.
fn shares<'a>(rollout: &Rollout<'a>, mut sets: Vec<&'a ReplicaSet>) -> Vec<(&'a ReplicaSet, i32)> {
    let limits = rollout.limits;
    let allowed = if limits.replicas > 0 { limits.most() } else { 0 };
    let change = allowed - sets.iter().map(|it| wanted(it)).sum::<i32>();
    let created = |it: &ReplicaSet| it.metadata.creation_timestamp.as_ref().map(|it| it.0);
    if change > 0 {
        sets.sort_by_key(|it| (Reverse(wanted(it)), Reverse(created(it))));
    } else {
        sets.sort_by_key(|it| (Reverse(wanted(it)), created(it)));
    }
    let mut rest = change;
    let mut sizes = Vec::new();
    for set in sets {
        let share = share(rollout, set);
        let share = if change > 0 { share.min(rest) } else { share.max(rest) };
        let share = if rest == 0 { 0 } else { share };
        rest -= share;
        sizes.push((set, wanted(set) + share));
    }
    if let Some((_, size)) = sizes.first_mut() {
        *size = (*size + rest).max(0);
    }
    sizes
}

/// What keeps the part that the replica set had of the former whole.
fn share(rollout: &Rollout<'_>, set: &ReplicaSet) -> i32 {
    if rollout.limits.replicas == 0 {
        return -wanted(set);
    }
    let counted = || rollout.deployment.status.as_ref().and_then(|it| it.replicas).unwrap_or_default();
    let before = revision::maximum(set).filter(|it| *it != 0).unwrap_or_else(counted);
    if before == 0 {
        return 0;
    }
    let scaled = f64::from(wanted(set)) * f64::from(rollout.limits.most()) / f64::from(before);
    #[expect(clippy::cast_possible_truncation, reason = "sizes are far below 2^31, and the cast saturates")]
    let rounded = scaled.round() as i32;
    rounded - wanted(set)
}
