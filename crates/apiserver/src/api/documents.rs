//! What is not about objects: discovery, versions, health.

use bytes::Bytes;
use http::request::Parts;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Api, not_found};
use crate::accept::{Form, negotiate};
use crate::discovery;
use crate::reply::Reply;
use crate::request::Route;
use crate::status::Status;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

impl Api {
    /// Answers requests for documents.
    pub(super) fn documents(&self, parts: &Parts, route: &Route) -> Result<Reply, Status> {
        if matches!(route, Route::Health(_)) {
            return Ok(health(parts));
        }
        if !matches!(parts.method.as_str(), "GET" | "HEAD") {
            return Err(Status::method_not_allowed_here());
        }
        let registry = self.registry.snapshot();
        let found = match route {
            Route::Root => Some(json!({"paths": root_paths(&registry)})),
            Route::Version => Some(version()),
            Route::CoreVersions => {
                return self.discovery(parts, true, &discovery::core_versions(self.settings.advertised));
            }
            Route::Groups => return self.discovery(parts, false, &discovery::groups(&registry)),
            Route::Group(group) => {
                negotiate(accept(parts), &[Form::Object])?;
                discovery::group(&registry, group)
            }
            Route::Resources { group, version } => {
                negotiate(accept(parts), &[Form::Object])?;
                let found = discovery::resources(&registry, group, version);
                if found.is_none() {
                    return self.no_such_resource(group);
                }
                found
            }
            Route::OpenApiIndex => Some(self.openapi.index(&registry)),
            Route::OpenApiV2 => return Ok(openapi_v2(parts)),
            Route::OpenApi(path) => {
                let document = self.openapi.find(&registry, path);
                return Ok(document
                    .map_or_else(|| Reply::bare(404), |it| with_etag(parts, it.text.clone(), &it.hash)));
            }
            Route::Health(_) | Route::Target(_) | Route::Unknown => None,
        };
        Ok(found.map_or_else(not_found, |value| Reply::value(200, &value)))
    }

    /// One document with everything, for clients that ask for it.
    fn discovery(&self, parts: &Parts, core: bool, legacy: &Value) -> Result<Reply, Status> {
        if negotiate(accept(parts), &[Form::Object, Form::Discovery])? == Form::Object {
            return Ok(Reply::value(200, legacy));
        }
        let document = discovery::aggregated(&self.registry.snapshot(), core).to_string();
        let hash = hash(document.as_bytes());
        Ok(with_etag(parts, document.into(), &hash).with_content_type(AGGREGATED))
    }
}

fn accept(parts: &Parts) -> Option<&str> {
    parts.headers.get(http::header::ACCEPT).and_then(|value| value.to_str().ok())
}

/// `OpenAPI` v2 of nothing: all kinds are in v3. kubectl looks here for kinds that are not there, and would tell people
/// that the server is broken, not that the kind is unknown, if there were no document.
fn openapi_v2(parts: &Parts) -> Reply {
    /// Field 1 `swagger`, field 2 `info` with the fields 1 `title` and 2 `version`.
    const DOCUMENT: &[u8] = b"\x0a\x032.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.35.0";
    const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    if accept(parts).is_some_and(|accept| accept.contains("proto-openapi.spec.v2")) {
        return Reply::json(200, DOCUMENT).with_content_type(PROTOBUF);
    }
    let info = json!({"title": "Kubernetes", "version": "v1.35.0"});
    Reply::value(200, &json!({"swagger": "2.0", "info": info, "paths": {}, "definitions": {}}))
}

/// A document under the hash of its text; a client that has it gets 304.
fn with_etag(parts: &Parts, document: Bytes, hash: &str) -> Reply {
    let etag = format!("\"{hash}\"");
    let known = parts.headers.get(http::header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known == Some(etag.as_str()) {
        return Reply::not_modified().with_etag(etag);
    }
    Reply::json(200, document).with_etag(etag)
}

/// A hash as text.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0').to_ascii_uppercase();
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn version() -> Value {
    json!({
        "major": "1", "minor": "35", "emulationMajor": "1", "emulationMinor": "35", "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "34", "gitVersion": concat!("v1.35.0+krono.", env!("CARGO_PKG_VERSION")),
        "gitCommit": "", "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z", "goVersion": "none",
        "compiler": "rustc", "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

fn health(parts: &Parts) -> Reply {
    let verbose = parts.uri.query().is_some_and(|query| query.split('&').any(|it| it.starts_with("verbose")));
    match (verbose, parts.uri.path().trim_start_matches('/').split('/').next()) {
        (true, Some("livez")) => Reply::text(200, "[+]ping ok\nlivez check passed\n"),
        (true, Some("readyz")) => Reply::text(200, "[+]ping ok\n[+]store ok\nreadyz check passed\n"),
        (true, _) => Reply::text(200, "[+]ping ok\nhealthz check passed\n"),
        (false, _) => Reply::text(200, "ok"),
    }
}

fn root_paths(registry: &crate::registry::Registry) -> Vec<String> {
    let mut paths = vec!["/api".to_owned(), "/api/v1".to_owned(), "/apis".to_owned()];
    for (group, versions) in registry.groups().iter().filter(|(group, _)| !group.is_empty()) {
        paths.push(format!("/apis/{group}"));
        paths.extend(versions.iter().map(|version| format!("/apis/{group}/{version}")));
    }
    paths.extend(
        ["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"].map(str::to_owned),
    );
    paths
}
