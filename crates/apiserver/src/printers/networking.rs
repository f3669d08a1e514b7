//! Kinds of the group `networking.k8s.io`.

use super::core::service_addresses;
use super::selector::{self, NONE, with_more};
use super::{Heading, Sheet, Shown};

const INGRESS: &[Heading] = &[
    Heading::NAME,
    Heading::text_or("Class", "/spec/ingressClassName", NONE)
        .said("The name of the IngressClass resource that should be used for additional configuration"),
    Heading::told("Hosts", hosts)
        .said("Hosts that incoming requests are matched against before the ingress rule"),
    Heading::told("Address", |it| service_addresses(it).join(","))
        .said("Address is a list containing ingress points for the load-balancer"),
    Heading::told("Ports", ports).said("Ports of TLS configurations that open"),
    Heading::AGE,
];

const INGRESS_CLASS: &[Heading] = &[
    Heading::NAME,
    Heading::text("Controller", "/spec/controller")
        .said("Controller that is responsible for handling this class"),
    Heading::told("Parameters", parameters).said("A reference to a resource with additional parameters"),
    Heading::AGE,
];

const NETWORK_POLICY: &[Heading] = &[
    Heading::NAME,
    Heading::told("Pod-Selector", |it| selector::selector(it.at("/spec/podSelector"), it)).said(
        "Selects the pods to which this NetworkPolicy object applies.  The array of ingress rules is applied \
         to any pods selected by this field. Multiple network policies can select the same set of pods.  In \
         this case, the ingress rules for each are combined additively. This field is NOT optional and \
         follows standard label selector semantics. An empty podSelector matches all pods in this namespace.",
    ),
    Heading::AGE,
];

const SERVICE_CIDR: &[Heading] = &[
    Heading::NAME,
    Heading::told("CIDRs", |it| it.texts("/spec/cidrs").join(",")).field("/spec/cidrs"),
    Heading::AGE,
];

const IP_ADDRESS: &[Heading] = &[Heading::NAME, Heading::told("ParentRef", parent).field("/spec/parentRef")];

/// Hosts shown before the rest is only counted.
const LIMIT: usize = 3;

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "Ingress" => INGRESS,
        "IngressClass" => INGRESS_CLASS,
        "IPAddress" => IP_ADDRESS,
        "NetworkPolicy" => NETWORK_POLICY,
        "ServiceCIDR" => SERVICE_CIDR,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

/// Rules without a host take part in the count of those not shown, as they do in the real server.
fn hosts(ingress: &Shown<'_>) -> String {
    let rules = ingress.count("/spec/rules");
    let hosts = ingress.parts("/spec/rules").enumerate().map(|(index, rule)| (index, rule.text("/host")));
    let shown: Vec<(usize, &str)> = hosts.filter(|(_, host)| !host.is_empty()).take(LIMIT).collect();
    let last = shown.last().map_or(0, |(index, _)| *index);
    let texts: Vec<String> = shown.iter().map(|(_, host)| (*host).to_owned()).collect();
    match texts.len() {
        0 => "*".to_owned(),
        LIMIT if last + 1 < rules => with_more(&texts, rules, LIMIT, ","),
        _ => texts.join(","),
    }
}

fn ports(ingress: &Shown<'_>) -> String {
    if ingress.count("/spec/tls") == 0 { "80" } else { "80, 443" }.to_owned()
}

fn parameters(class: &Shown<'_>) -> String {
    let Some(parameters) = class.at("/spec/parameters") else { return NONE.to_owned() };
    let parameters = class.part(parameters);
    let (kind, name) = (parameters.text("/kind"), parameters.text("/name"));
    match parameters.text("/apiGroup") {
        "" => format!("{kind}/{name}"),
        group => format!("{kind}.{group}/{name}"),
    }
}

/// Such as `services/default/kubernetes`.
fn parent(address: &Shown<'_>) -> String {
    let Some(parent) = address.at("/spec/parentRef") else { return NONE.to_owned() };
    let parent = address.part(parent);
    let resource = match parent.text("/group") {
        "" => parent.text("/resource").to_lowercase(),
        group => format!("{}.{group}", parent.text("/resource")).to_lowercase(),
    };
    match parent.text("/namespace") {
        "" => format!("{resource}/{}", parent.text("/name")),
        namespace => format!("{resource}/{namespace}/{}", parent.text("/name")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printers::testing::{check, check_cell};
    use serde_json::{Value, json};

    const GROUP: &str = "networking.k8s.io";

    #[test]
    fn ingresses() {
        check(
            (GROUP, "Ingress"),
            json!({
                "metadata": {"name": "i"},
                "spec": {"ingressClassName": "n", "rules": [{"host": "a.b"}], "tls": [{}]},
                "status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}, {"hostname": "long.example.com"}]}},
            }),
            json!(["i", "n", "a.b", "1.2.3.4,long.example.com", "80, 443", "<unknown>"]),
        );
        let check = |names: Value, expect: &str| {
            let rules: Vec<Value> =
                names.as_array().unwrap().iter().map(|host| json!({"host": host})).collect();
            check_cell(hosts, &json!({"spec": {"rules": rules}}), expect);
        };
        check(json!([]), "*");
        check(json!([null]), "*");
        check(json!(["a", null, "b", "c"]), "a,b,c");
        check(json!(["a", "b", "c", null]), "a,b,c + 1 more...");
        check(json!(["a", "b", "c", "d", "e"]), "a,b,c + 2 more...");
    }

    #[test]
    fn classes_and_policies() {
        let class = |parameters: Value| json!({"metadata": {"name": "c"}, "spec": {"controller": "x/y", "parameters": parameters}});
        let check_class = |parameters: Value, expect: &str| {
            check((GROUP, "IngressClass"), class(parameters), json!(["c", "x/y", expect, "<unknown>"]));
        };
        check_class(json!(null), "<none>");
        check_class(json!({"kind": "P", "name": "n"}), "P/n");
        check_class(json!({"kind": "P", "apiGroup": "g.io", "name": "n"}), "P.g.io/n");
        check(
            (GROUP, "NetworkPolicy"),
            json!({"metadata": {"name": "p"}, "spec": {"podSelector": {"matchLabels": {"a": "b"}}}}),
            json!(["p", "a=b", "<unknown>"]),
        );
    }

    #[test]
    fn addresses() {
        check(
            (GROUP, "ServiceCIDR"),
            json!({"metadata": {"name": "kubernetes"}, "spec": {"cidrs": ["10.0.0.0/24", "fd00::/112"]}}),
            json!(["kubernetes", "10.0.0.0/24,fd00::/112", "<unknown>"]),
        );
        let parent = json!({"resource": "services", "namespace": "default", "name": "kubernetes"});
        check(
            (GROUP, "IPAddress"),
            json!({"metadata": {"name": "10.0.0.1"}, "spec": {"parentRef": parent}}),
            json!(["10.0.0.1", "services/default/kubernetes"]),
        );
    }
}
