//! How a Pod is to behave, as its author asks.

use std::time::Duration;

use jiff::SignedDuration;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::kind::{Kind, Object, World};
use crate::owner;

/// The annotation of workloads, Pod templates and Pods.
pub const SIMULATE: &str = "krono.dev/simulate";

/// How a Pod, or one of its containers, behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// It runs and is ready.
    Well,
    /// It ends with an error, again and again.
    Fail,
    /// It never becomes ready.
    Hang,
    /// It becomes ready after this time.
    Slow(Duration),
}

/// An annotation that says nothing known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "annotation {SIMULATE} is {0:?}; valid values are \"fail\", \"hang\" and \"slow=<duration>\", such as \"slow=5s\""
)]
pub(crate) struct Unknown(String);

/// The value of the annotation.
pub(crate) fn annotation(metadata: &ObjectMeta) -> Option<&str> {
    metadata.annotations.as_ref()?.get(SIMULATE).map(String::as_str)
}

/// What the annotation of the Pod, or else of the nearest workload above it that has one, asks for.
pub(crate) fn asked_for(world: &World, pod: &Pod) -> Result<Option<Behaviour>, Unknown> {
    if let Some(value) = annotation(&pod.metadata) {
        return parse(value).map(Some);
    }
    let mut above = controller(world, &pod.metadata);
    while let Some(workload) = above {
        above = controller(world, workload.metadata());
        // A replica set has copies of what its deployment said once.
        let copied = workload.kind() == Kind::ReplicaSet && above.is_some();
        if let Some(value) = annotation(workload.metadata()).filter(|_| !copied) {
            return parse(value).map(Some);
        }
    }
    Ok(None)
}

fn controller(world: &World, metadata: &ObjectMeta) -> Option<Object> {
    let uid = owner::controller(metadata)?.uid.clone();
    let found = owner::controller_key(metadata).and_then(|key| world.get(&key));
    found.filter(|it| it.metadata().uid.as_ref() == Some(&uid))
}

/// What the tag of an image asks for.
pub(crate) fn of_image(image: &str) -> Behaviour {
    let name = image.split('@').next().unwrap_or_default();
    let tag = name.rsplit('/').next().and_then(|last| last.split_once(':')).map_or("", |(_, tag)| tag);
    if tag.ends_with("-fail") {
        Behaviour::Fail
    } else if tag.ends_with("-hang") {
        Behaviour::Hang
    } else {
        Behaviour::Well
    }
}

fn parse(value: &str) -> Result<Behaviour, Unknown> {
    let unknown = || Unknown(value.to_owned());
    match value {
        "fail" => Ok(Behaviour::Fail),
        "hang" => Ok(Behaviour::Hang),
        _ => {
            let text = value.strip_prefix("slow=").ok_or_else(unknown)?;
            let duration: SignedDuration = text.parse().map_err(|_| unknown())?;
            Duration::try_from(duration).map(Behaviour::Slow).map_err(|_| unknown())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_annotation() {
        let check = |value: &str, expect: Option<Behaviour>| assert_eq!(parse(value).ok(), expect, "{value}");
        check("fail", Some(Behaviour::Fail));
        check("hang", Some(Behaviour::Hang));
        check("slow=5s", Some(Behaviour::Slow(Duration::from_secs(5))));
        check("slow=1m30s", Some(Behaviour::Slow(Duration::from_secs(90))));
        check("slow=250ms", Some(Behaviour::Slow(Duration::from_millis(250))));
        for wrong in ["", "Fail", "slow", "slow=", "slow=5", "slow=-5s", "slow=x"] {
            check(wrong, None);
        }
        assert_eq!(
            parse("crash").unwrap_err().to_string(),
            "annotation krono.dev/simulate is \"crash\"; valid values are \"fail\", \"hang\" and \
             \"slow=<duration>\", such as \"slow=5s\""
        );
    }

    #[test]
    fn tags_of_images() {
        let check = |image: &str, expect: Behaviour| assert_eq!(of_image(image), expect, "{image}");
        check("web", Behaviour::Well);
        check("web:1", Behaviour::Well);
        check("web:1-fail", Behaviour::Fail);
        check("registry.example:5000/team/web:2-hang", Behaviour::Hang);
        check("registry-fail/web", Behaviour::Well);
        check("registry:5000-fail/web", Behaviour::Well);
        check("web:1-fail@sha256:abc", Behaviour::Fail);
        check("web-fail", Behaviour::Well);
    }
}
