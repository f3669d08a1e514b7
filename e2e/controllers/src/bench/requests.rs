//! What the API server was asked, by its own count.

use std::collections::BTreeMap;

use anyhow::Context;
use http::Request;

use crate::cluster::Cluster;

/// Leases are renewed for as long as somebody lives; the rest the server keeps up for itself.
const OWN_TRAFFIC: [&str; 9] = [
    "",
    "leases",
    "flowschemas",
    "prioritylevelconfigurations",
    "apiservices",
    "ipaddresses",
    "servicecidrs",
    "services",
    "endpointslices",
];

/// Requests so far by verb and resource, watches aside.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests(BTreeMap<String, u64>);

impl Requests {
    pub(super) async fn count(cluster: &Cluster) -> anyhow::Result<Self> {
        let request = Request::get("/metrics").body(Vec::new()).context("no request can be made")?;
        let text = cluster.client.request_text(request).await?;
        Ok(Self::read(&text))
    }

    fn read(text: &str) -> Self {
        let mut counts = BTreeMap::new();
        for line in text.lines().filter_map(|it| it.strip_prefix("apiserver_request_total{")) {
            let Some((labels, count)) = line.rsplit_once("} ") else { continue };
            let (verb, resource) = (label(labels, "verb"), label(labels, "resource"));
            if verb == "WATCH" || OWN_TRAFFIC.contains(&resource) {
                continue;
            }
            let subresource = label(labels, "subresource");
            let separator = if subresource.is_empty() { "" } else { "/" };
            let key = format!("{verb} {resource}{separator}{subresource}");
            // Large counts are written as floats.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
            let count = count.parse::<f64>().unwrap_or_default() as u64;
            *counts.entry(key).or_default() += count;
        }
        Self(counts)
    }

    /// Those after an earlier count.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let new = self.0.iter().map(|(key, count)| (key.clone(), count - earlier.0.get(key).unwrap_or(&0)));
        Self(new.filter(|(_, count)| *count > 0).collect())
    }

    pub(super) fn total(&self) -> u64 {
        self.0.values().sum()
    }

    pub(super) fn by_kind(&self) -> serde_json::Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }
}

fn label<'l>(labels: &'l str, name: &str) -> &'l str {
    let mut parts = labels.split("\",");
    parts.find_map(|it| it.strip_prefix(name)?.strip_prefix("=\"")).unwrap_or_default().trim_end_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_verb_and_resource() {
        let text = "apiserver_request_total{code=\"200\",resource=\"configmaps\",subresource=\"\",verb=\"GET\"} 2\n\
            apiserver_request_total{code=\"404\",resource=\"configmaps\",subresource=\"\",verb=\"GET\"} 1\n\
            apiserver_request_total{code=\"200\",resource=\"apps\",subresource=\"status\",verb=\"PATCH\"} 1e+02\n\
            apiserver_request_total{code=\"0\",resource=\"apps\",subresource=\"\",verb=\"WATCH\"} 7\n\
            apiserver_request_total{code=\"200\",resource=\"leases\",subresource=\"\",verb=\"PUT\"} 7\n";
        let requests = Requests::read(text);
        assert_eq!(requests.by_kind(), serde_json::json!({"GET configmaps": 3, "PATCH apps/status": 100}));
        assert_eq!(requests.since(&Requests::default()).total(), 103);
        assert_eq!(requests.since(&requests).total(), 0);
    }
}
