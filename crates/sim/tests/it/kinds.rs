//! The kinds of the simulated cluster.

use std::sync::Arc;

use krono_graph::{KindName, Kinds, KnownKind};
use krono_planner::instance::{ObjectName, input_kind};
use krono_schema::Schema;
use krono_sim::Server;
use krono_sim::lineage::{crd_kind, definition_kind, revision_kind};
use krono_sim::server::Habits;
use krono_testkit::{HOLD, SIM_VERSION, values_schema};
use serde_json::{Value, json};

pub(crate) fn config_map() -> KindName {
    KindName { api_version: "v1".to_owned(), kind: "ConfigMap".to_owned(), namespaced: true }
}

/// Somebody makes its objects ready, and takes time to let go of them.
pub(crate) fn part() -> KindName {
    KindName { api_version: SIM_VERSION.to_owned(), kind: "Part".to_owned(), namespaced: true }
}

/// Cluster-wide, and its server has a spelling of its own.
pub(crate) fn site() -> KindName {
    KindName { api_version: SIM_VERSION.to_owned(), kind: "Site".to_owned(), namespaced: false }
}

pub(crate) fn demo() -> KindName {
    KindName { api_version: "kro.run/v1alpha1".to_owned(), kind: "Demo".to_owned(), namespaced: true }
}

pub(crate) fn instance_name(name: &str) -> ObjectName {
    ObjectName { kind: demo(), namespace: "home".to_owned(), name: name.to_owned() }
}

fn schema(kind: &KindName) -> Option<Schema> {
    let schema = if *kind == config_map() {
        let values = json!({"type": "object", "additionalProperties": {"type": "string"}});
        json!({"type": "object", "properties": {"data": values}})
    } else if *kind == part() || *kind == site() {
        values_schema()
    } else {
        // The status changes with the definition, and what a schema does not know is not this server's business.
        let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        json!({"type": "object", "properties": {"spec": open, "status": open}})
    };
    Schema::from_value(&schema).ok()
}

pub(crate) struct Known;

impl Kinds for Known {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        let known = [config_map(), part(), site()];
        let name = known.iter().find(|it| it.api_version == api_version && it.kind == kind)?;
        Some(KnownKind { schema: Arc::new(schema(name)?), namespaced: name.namespaced, is_defined: false })
    }
}

/// A server of these kinds, without objects.
pub(crate) fn server() -> Server {
    let mut server = Server::default();
    let own = [definition_kind(), revision_kind(), crd_kind(), input_kind()];
    for kind in [config_map(), part(), site(), demo()].into_iter().chain(own) {
        let habits = Habits {
            finalizer: (kind == part()).then_some(HOLD),
            spell: (kind == site()).then_some(spell as fn(&mut Value)),
            greet: (kind == crd_kind()).then_some(establish as fn(&mut Value)),
        };
        let schema = schema(&kind).expect("a schema");
        server.serve(kind, &schema, habits).expect("a sound schema");
    }
    server
}

/// As quantities are: `1000m` is `1`.
fn spell(object: &mut Value) {
    if let Some(amount) = object["spec"]["amount"].as_str().and_then(|it| it.strip_suffix("000m")) {
        object["spec"]["amount"] = amount.to_owned().into();
    }
}

/// A kind is served at once.
fn establish(crd: &mut Value) {
    crd["status"] = json!({"conditions": [{"type": "Established", "status": "True"}]});
}
