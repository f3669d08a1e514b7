//! What to do about a lease: values in, values out.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use krono_model::names;
use kube::api::ObjectMeta;

use super::DURATION;

/// What to do about a lease.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Claim {
    /// There is none.
    Create(Lease),
    /// It is ours, or free to be.
    Replace(Lease),
    /// Somebody else leads.
    Wait {
        /// Who.
        leader: String,
    },
}

/// What a process does about a lease that it has seen unchanged for a while.
pub(super) fn claim(lease: Option<Lease>, identity: &str, unchanged: Duration, now: Timestamp) -> Claim {
    let Some(mut lease) = lease else {
        let metadata = ObjectMeta { name: Some(names::LEASE.to_owned()), ..ObjectMeta::default() };
        return Claim::Create(Lease { metadata, spec: Some(taken(&LeaseSpec::default(), identity, now)) });
    };
    let spec = lease.spec.take().unwrap_or_default();
    let holder = spec.holder_identity.as_deref().unwrap_or_default();
    if holder == identity {
        lease.spec = Some(LeaseSpec { renew_time: Some(MicroTime(now)), ..spec });
        return Claim::Replace(lease);
    }
    if !holder.is_empty() && unchanged < promised(&spec) {
        return Claim::Wait { leader: holder.to_owned() };
    }
    lease.spec = Some(taken(&spec, identity, now));
    Claim::Replace(lease)
}

/// A lease given up by its holder; nothing if that is somebody else.
pub(super) fn released(mut lease: Lease, identity: &str, now: Timestamp) -> Option<Lease> {
    let spec = lease.spec.take()?;
    if spec.holder_identity.as_deref() != Some(identity) {
        return None;
    }
    lease.spec = Some(LeaseSpec {
        holder_identity: Some(String::new()),
        lease_duration_seconds: Some(1),
        renew_time: Some(MicroTime(now)),
        ..spec
    });
    Some(lease)
}

/// When a lease was last renewed by somebody else than the one of this name.
pub(super) fn last_renewal(lease: &Lease, own: Option<&str>) -> Option<Timestamp> {
    let is_own = |it: &&LeaseSpec| own.is_some() && it.holder_identity.as_deref() == own;
    let spec = lease.spec.as_ref().filter(|it| !is_own(it))?;
    spec.renew_time.as_ref().map(|it| it.0)
}

/// How long the holder of a lease may say nothing.
fn promised(spec: &LeaseSpec) -> Duration {
    let seconds = spec.lease_duration_seconds.and_then(|it| u64::try_from(it).ok());
    seconds.map_or(DURATION, Duration::from_secs)
}

fn taken(before: &LeaseSpec, identity: &str, now: Timestamp) -> LeaseSpec {
    let transitions = before.lease_transitions.unwrap_or(0);
    let changed_hands = before.holder_identity.is_some();
    LeaseSpec {
        holder_identity: Some(identity.to_owned()),
        lease_duration_seconds: i32::try_from(DURATION.as_secs()).ok(),
        acquire_time: Some(MicroTime(now)),
        renew_time: Some(MicroTime(now)),
        lease_transitions: Some(transitions.saturating_add(i32::from(changed_hands))),
        ..before.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn lease(holder: &str, seconds: i32) -> Lease {
        let spec = LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: Some(seconds),
            lease_transitions: Some(2),
            ..LeaseSpec::default()
        };
        Lease { metadata: ObjectMeta::default(), spec: Some(spec) }
    }

    fn spec(claim: Claim) -> LeaseSpec {
        match claim {
            Claim::Create(lease) | Claim::Replace(lease) => lease.spec.unwrap(),
            Claim::Wait { leader } => panic!("{leader} leads"),
        }
    }

    #[test]
    fn a_lease_is_made_renewed_and_taken_over() {
        let made = spec(claim(None, "me", Duration::ZERO, at(1)));
        assert_eq!((made.holder_identity.as_deref(), made.lease_transitions), (Some("me"), Some(0)));
        let renewed = spec(claim(Some(lease("me", 15)), "me", Duration::ZERO, at(2)));
        assert_eq!((renewed.renew_time, renewed.lease_transitions), (Some(MicroTime(at(2))), Some(2)));
        let taken = spec(claim(Some(lease("other", 15)), "me", Duration::from_secs(15), at(3)));
        assert_eq!((taken.holder_identity.as_deref(), taken.lease_transitions), (Some("me"), Some(3)));
    }

    #[test]
    fn v39_the_last_sign_of_an_earlier_leader_is_its_renewal() {
        let mut seen = lease("other", 15);
        seen.spec.as_mut().unwrap().renew_time = Some(MicroTime(at(7)));
        assert_eq!(last_renewal(&seen, Some("me")), Some(at(7)));
        assert_eq!(last_renewal(&seen, Some("other")), None);
        assert_eq!(last_renewal(&seen, None), Some(at(7)));
    }

    #[test]
    fn a_leader_that_speaks_keeps_its_lease() {
        let wait = claim(Some(lease("other", 15)), "me", Duration::from_secs(14), at(1));
        assert_eq!(wait, Claim::Wait { leader: "other".to_owned() });
    }

    #[test]
    fn what_is_given_up_is_free_at_once() {
        assert_eq!(released(lease("other", 15), "me", at(1)), None);
        let free = released(lease("me", 15), "me", at(1)).unwrap();
        let taken = spec(claim(Some(free), "other", Duration::ZERO, at(1)));
        assert_eq!(taken.holder_identity.as_deref(), Some("other"));
    }
}
