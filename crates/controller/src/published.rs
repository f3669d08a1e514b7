//! Schemas that an API server publishes as `OpenAPI` v3.

use std::sync::Arc;

use http::{Method, Request};
use krono_schema::{Definitions, Schema};
use kube::api::ApiResource;
use serde_json::Value;

use crate::requests::Requests;

const KINDS: &str = "x-kubernetes-group-version-kind";

/// The schema that is published of a kind; nothing when there is none that can be understood.
pub(crate) async fn schema(requests: &Requests, of: &ApiResource) -> kube::Result<Option<Arc<Schema>>> {
    let path = format!("/openapi/v3/apis/{}/{}", of.group, of.version);
    let document = requests.send(&Method::GET, || async {
        let request = Request::get(&path).header("accept", "application/json").body(Vec::new());
        requests.client.request::<Value>(request.map_err(kube::Error::HttpError)?).await
    });
    match document.await {
        Ok(document) => Ok(read(&document, of)),
        // Whoever answers for the kind does not say more about it.
        Err(kube::Error::Api(status)) if (400..500).contains(&status.code) && status.code != 429 => Ok(None),
        Err(kube::Error::SerdeError(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn read(document: &Value, of: &ApiResource) -> Option<Arc<Schema>> {
    let schemas = document.pointer("/components/schemas")?.as_object()?;
    let is_meant =
        |it: &Value| it["group"] == *of.group && it["version"] == *of.version && it["kind"] == *of.kind;
    let has_kind = |schema: &Value| schema[KINDS].as_array().is_some_and(|it| it.iter().any(is_meant));
    let (name, _) = schemas.iter().find(|(_, schema)| has_kind(schema))?;
    let resolved = Definitions::from_document(document).map_err(|it| it.to_string());
    match resolved.and_then(|it| it.resolve(name).map_err(|it| it.to_string())) {
        Ok(schema) => Some(schema),
        Err(error) => {
            tracing::warn!(
                kind = of.kind,
                group = of.group,
                "the published schema is not understood: {error}"
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(usage: &Value) -> Value {
        let kind = |name: &str| json!([{"group": "metrics.acme.io", "version": "v1", "kind": name}]);
        json!({"components": {"schemas": {
            "io.acme.Usage": usage,
            "io.acme.Reading": {"type": "object", KINDS: kind("Reading"),
                "properties": {"usage": {"allOf": [{"$ref": "#/components/schemas/io.acme.Usage"}]}}},
            "io.acme.ReadingList": {"type": "object", KINDS: kind("ReadingList")},
        }}})
    }

    #[test]
    fn a_kind_is_found_and_its_references_are_resolved() {
        let good = document(&json!({"type": "object", "properties": {"cpu": {"type": "integer"}}}));
        let check = |document: &Value, kind: &str, expected: Option<&str>| {
            let of = ApiResource {
                group: "metrics.acme.io".into(),
                version: "v1".into(),
                api_version: "metrics.acme.io/v1".into(),
                kind: kind.into(),
                plural: String::new(),
            };
            let found = read(document, &of).map(|it| it.to_value().to_string());
            assert_eq!(found.is_some(), expected.is_some(), "{kind}: {found:?}");
            assert!(found.is_none_or(|it| it.contains(expected.unwrap_or_default())), "{kind}");
        };
        check(&good, "Reading", Some("\"cpu\":{\"type\":\"integer\"}"));
        check(&good, "ReadingList", Some("object"));
        check(&good, "Usage", None);
        check(&json!({}), "Reading", None);
        check(&document(&json!({"type": 7})), "Reading", None);
    }
}
