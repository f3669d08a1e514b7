//! Kinds of the group `admissionregistration.k8s.io`.

use super::selector::UNSET;
use super::{Heading, Sheet, Shown};

const WEBHOOKS: &[Heading] = &[
    Heading::NAME,
    Heading::count("Webhooks", "/webhooks")
        .said("Webhooks indicates the number of webhooks registered in this configuration"),
    Heading::AGE,
];

const POLICY: &[Heading] = &[
    Heading::NAME,
    Heading::count("Validations", "/spec/validations")
        .said("Validations indicates the number of validation rules defined in this configuration"),
    Heading::told("ParamKind", parameter_kind)
        .said("ParamKind specifies the kind of resources used to parameterize this policy"),
    Heading::AGE,
];

const BINDING: &[Heading] = &[
    Heading::NAME,
    Heading::text("PolicyName", "/spec/policyName")
        .said("PolicyName indicates the policy definition which the policy binding binded to"),
    Heading::told("ParamRef", parameter)
        .said("ParamRef indicates the param resource which sets the configuration param"),
    Heading::AGE,
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => WEBHOOKS,
        "ValidatingAdmissionPolicy" => POLICY,
        "ValidatingAdmissionPolicyBinding" => BINDING,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

fn parameter_kind(policy: &Shown<'_>) -> String {
    policy.at("/spec/paramKind").map_or_else(
        || UNSET.to_owned(),
        |_| format!("{}/{}", policy.text("/spec/paramKind/apiVersion"), policy.text("/spec/paramKind/kind")),
    )
}

/// A parameter without a namespace may be anywhere.
fn parameter(binding: &Shown<'_>) -> String {
    let name = binding.text("/spec/paramRef/name");
    if !name.is_empty() {
        return format!("{}/{name}", binding.text_or("/spec/paramRef/namespace", "*"));
    }
    let selector = binding.at("/spec/paramRef/selector").map(|selector| binding.part(selector));
    selector.map_or_else(|| UNSET.to_owned(), |selector| go_selector(&selector))
}

/// A selector as Go prints the structure.
fn go_selector(selector: &Shown<'_>) -> String {
    let mut labels: Vec<String> = selector.map("/matchLabels").into_iter().flatten().map(go_entry).collect();
    labels.sort_unstable();
    let expressions = selector.parts("/matchExpressions").map(|it| {
        let values = it.texts("/values").join(" ");
        format!(
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{values}],}},",
            it.text("/key"),
            it.text("/operator")
        )
    });
    let expressions = expressions.collect::<String>();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}",
        labels.concat()
    )
}

fn go_entry((name, value): (&String, &serde_json::Value)) -> String {
    format!("{name}: {},", value.as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printers::testing::{check, check_cell};
    use serde_json::{Value, json};

    const GROUP: &str = "admissionregistration.k8s.io";

    #[test]
    fn webhooks_and_policies() {
        for kind in ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] {
            check(
                (GROUP, kind),
                json!({"metadata": {"name": "w"}, "webhooks": [{}, {}]}),
                json!(["w", 2, "<unknown>"]),
            );
        }
        let spec = json!({"validations": [{}], "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}});
        check(
            (GROUP, "ValidatingAdmissionPolicy"),
            json!({"metadata": {"name": "p"}, "spec": spec}),
            json!(["p", 1, "v1/ConfigMap", "<unknown>"]),
        );
        check(
            (GROUP, "ValidatingAdmissionPolicyBinding"),
            json!({"metadata": {"name": "b"}, "spec": {"policyName": "p"}}),
            json!(["b", "p", "<unset>", "<unknown>"]),
        );
    }

    #[test]
    fn parameters() {
        let check = |reference: Value, expect: &str| {
            check_cell(parameter, &json!({"spec": {"paramRef": reference}}), expect);
        };
        check(json!({"name": "a"}), "*/a");
        check(json!({"name": "a", "namespace": "n"}), "n/a");
        check(
            json!({"selector": {"matchLabels": {"k": "v"}, "matchExpressions": [{"key": "q", "operator": "In", "values": ["1", "2"]}]}}),
            "&LabelSelector{MatchLabels:map[string]string{k: v,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:q,Operator:In,Values:[1 2],},},}",
        );
    }
}
