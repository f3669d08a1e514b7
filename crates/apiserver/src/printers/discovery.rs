//! Kinds of the group `discovery.k8s.io`.

use super::selector::{UNSET, with_more};
use super::{Heading, Sheet, Shown};

const SLICE: &[Heading] = &[
    Heading::NAME,
    Heading::text("AddressType", "/addressType").said(
        "addressType specifies the type of address carried by this EndpointSlice. All addresses in this \
         slice must be the same type. This field is immutable after creation. The following address types \
         are currently supported: * IPv4: Represents an IPv4 Address. * IPv6: Represents an IPv6 Address. * \
         FQDN: Represents a Fully Qualified Domain Name.",
    ),
    Heading::told("Ports", ports).said(
        "ports specifies the list of network ports exposed by each endpoint in this slice. Each port must \
         have a unique name. When ports is empty, it indicates that there are no defined ports. When a port \
         is defined with a nil port value, it indicates \"all ports\". Each slice may include a maximum of \
         100 ports.",
    ),
    Heading::told("Endpoints", endpoints).field("/endpoints"),
    Heading::AGE,
];

/// Ports and addresses shown before the rest is only counted.
const LIMIT: usize = 3;

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    (kind == "EndpointSlice").then_some(Sheet::of(SLICE))
}

fn ports(slice: &Shown<'_>) -> String {
    let port = |port: Shown<'_>| {
        port.amount("/port").or_else(|| port.amount("/name")).unwrap_or_else(|| "*".to_owned())
    };
    some(&slice.parts("/ports").map(port).collect::<Vec<_>>())
}

fn endpoints(slice: &Shown<'_>) -> String {
    let addresses = slice.parts("/endpoints").flat_map(|endpoint| endpoint.texts("/addresses"));
    some(&addresses.map(str::to_owned).collect::<Vec<_>>())
}

fn some(all: &[String]) -> String {
    let text = with_more(&all[..all.len().min(LIMIT)], all.len(), LIMIT, ",");
    if text.is_empty() { UNSET.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn slices() {
        check(
            ("discovery.k8s.io", "EndpointSlice"),
            json!({"metadata": {"name": "s"}, "addressType": "IPv4"}),
            json!(["s", "IPv4", "<unset>", "<unset>", "<unknown>"]),
        );
        check(
            ("discovery.k8s.io", "EndpointSlice"),
            json!({
                "metadata": {"name": "s"}, "addressType": "IPv4", "ports": [{"port": 80}, {"name": "x"}, {}],
                "endpoints": [{"addresses": ["1", "2"]}, {"addresses": ["3", "4", "5"]}],
            }),
            json!(["s", "IPv4", "80,x,*", "1,2,3 + 2 more...", "<unknown>"]),
        );
    }
}
