//! `krono tree`.

use std::collections::BTreeSet;

use krono_model::applyset::{GroupKind, Inventory};
use krono_model::metadata::InstanceRef;
use serde_json::json;

use crate::cluster::fleet::{fleet, instance};

#[test]
fn an_object_that_is_a_resource_of_its_own_is_shown_once() {
    let cluster = fleet();
    let mut own = instance();
    let InstanceRef { group, kind, .. } = InstanceRef::from_object(&own);
    let id = InstanceRef::from_object(&own).applyset_id();
    let group_kinds = BTreeSet::from([GroupKind { group, kind }]);
    let inventory = Inventory { group_kinds, namespaces: BTreeSet::new() };
    own["metadata"]["annotations"] = json!(inventory.annotations(&id));
    own["metadata"]["labels"] =
        json!({"applyset.kubernetes.io/id": id, "applyset.kubernetes.io/part-of": id});
    cluster.apply(&own);
    let told = cluster.told(&["tree", "application/my-app"]);
    assert_eq!(told.lines().count(), 1, "{told}");
}
