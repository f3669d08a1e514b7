//! `krono plan` without a cluster.

use crate::krono::{file, krono};

const TODAY: &str = r#"
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: box}
spec:
  schema:
    apiVersion: v1alpha1
    kind: Box
    spec: {text: 'string | default="x"', size: 'integer | default=1'}
  resources:
  - id: map
    template:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: '${schema.metadata.name}'}
      data: {text: '${schema.spec.text}'}
  - id: claim
    template:
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: '${schema.metadata.name}'}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: '${string(schema.spec.size)}Gi'}}
  - id: secret
    template:
      apiVersion: v1
      kind: Secret
      metadata: {name: '${schema.metadata.name}'}
      stringData: {word: swordfish}
"#;

fn instances(count: usize) -> String {
    let instance = |index: usize| {
        format!("---\napiVersion: kro.run/v1alpha1\nkind: Box\nmetadata: {{name: box-{index}}}\n")
    };
    (0..count).map(instance).collect()
}

/// The plan of an edit by replacing a text.
fn check(name: &str, count: usize, (old, new): (&str, &str), more: &[&str], code: i32, expect: &str) {
    assert!(TODAY.contains(old), "{old}");
    let today = file(&format!("plan-{name}-today.yaml"), &(TODAY.to_owned() + &instances(count)));
    let edited = file(&format!("plan-{name}-edited.yaml"), &TODAY.replace(old, new));
    let run = krono(&[&["plan", "-f", &edited, "--instances", &today], more].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(code), expect), "{run}");
}

#[test]
fn an_edit_of_nothing() {
    let expect = "definition box of Box: the schema of the kind stays\n\n\
                  2 instances: 2 unchanged, 0 changed, 0 with deletions or replacements\n0 resource writes\n";
    check("nothing", 2, ("kind: Box", "kind: Box"), &["--exit-code"], 0, expect);
}

#[test]
fn v43_the_same_is_shown_once() {
    let expect = "\
definition box of Box: the schema of the kind stays

500 instances: default/box-0, default/box-1, default/box-10, default/box-100, default/box-101 and 495 more
  ~ ConfigMap box-0 (map)
      @@ data @@
      + more: of box-0
  (shown for default/box-0; the same for the others, under their names)

500 instances: 0 unchanged, 500 changed, 0 with deletions or replacements
500 resource writes: 500 changed
";
    let edit = (
        "data: {text: '${schema.spec.text}'}",
        "data: {text: '${schema.spec.text}', more: 'of ${schema.metadata.name}'}",
    );
    check("same", 500, edit, &["--exit-code"], 2, expect);
}

#[test]
fn v43_what_cannot_be_changed_comes_first() {
    let today = TODAY.replace("ReadWriteOnce", "ReadWriteMany").replace("text: '${schema", "more: '${schema");
    let edited = file("plan-frozen-edited.yaml", &today);
    let today = file("plan-frozen-today.yaml", &(TODAY.to_owned() + &instances(1)));
    let run = krono(&["plan", "-f", &edited, "--instances", &today, "--exit-code"]);
    assert_eq!(run.code, Some(3), "{run}");
    let refused = "  ! PersistentVolumeClaim box-0 (claim): refused by the API server; delete it to have it made anew\n      spec: ";
    let claim = run.stdout.find(refused);
    let map =
        run.stdout.find("  ~ ConfigMap box-0 (map)\n      @@ data @@\n      + more: x\n      - text: x\n");
    assert!(claim.is_some() && claim < map, "{run}");
}

#[test]
fn v25_claims_stay_and_others_go() {
    let (claim, rest) = (TODAY.find("  - id: claim").unwrap(), TODAY.len());
    let expect = "\
definition box of Box: the schema of the kind stays

default/box-0
  - Secret box-0 (secret): deleted
  = PersistentVolumeClaim box-0 (claim): kept, and krono's no longer

1 instance: 0 unchanged, 1 changed, 1 with deletions or replacements
2 resource writes: 1 deleted, 1 released
";
    check("gone", 1, (&TODAY[claim..rest], ""), &["--exit-code"], 3, expect);
}

#[test]
fn secrets_are_not_shown() {
    let edit = ("{word: swordfish}", "{word: tuna, other: secret}");
    let expect = "\
definition box of Box: the schema of the kind stays

default/box-0
  ~ Secret box-0 (secret)
      @@ data @@
      + other: \"***\"
      - word: \"*** (before)\"
      + word: \"*** (after)\"

1 instance: 0 unchanged, 1 changed, 0 with deletions or replacements
1 resource write: 1 changed
";
    check("secret", 1, edit, &[], 0, expect);
}

#[test]
fn v29_a_breaking_change_is_refused() {
    let today = file("plan-breaking-today.yaml", &(TODAY.to_owned() + &instances(1)));
    let edited = TODAY.replace("text: 'string | default=\"x\"', ", "").replace("${schema.spec.text}", "y");
    let edited = file("plan-breaking-edited.yaml", &edited);
    let run = krono(&["plan", "-f", &edited, "--instances", &today, "--exit-code"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stdout.contains("REFUSED, nothing of the edit reaches any instance\n    cannot update CRD boxes.kro.run: breaking changes detected: "), "{run}");
    assert!(run.stderr.contains("error: the edit would be refused"), "{run}");
    let allowed = std::fs::read_to_string(&edited).unwrap();
    let allowed =
        allowed.replace("{name: box}", "{name: box, annotations: {kro.run/allow-breaking-changes: 'true'}}");
    let run = krono(&["plan", "-f", &file("plan-breaking-allowed.yaml", &allowed), "--instances", &today]);
    assert_eq!(run.code, Some(0), "{run}");
}

#[test]
fn what_makes_no_graph_is_not_planned() {
    let today = file("plan-wrong-today.yaml", &(TODAY.to_owned() + &instances(1)));
    let edited = file("plan-wrong-edited.yaml", &TODAY.replace("schema.spec.text", "schema.spec.txt"));
    let run = krono(&["plan", "-f", &edited, "--instances", &today, "--exit-code"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run}");
    assert!(run.stderr.contains("undefined field 'txt'"), "{run}");
    let run = krono(&["plan", "-f", &file("plan-wrong-none.yaml", &instances(1)), "--instances", &today]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("left out, as it is no definition: Box box-0"), "{run}");
}

#[test]
fn v43_a_kept_plan_holds_while_nothing_changes() {
    let all = TODAY.to_owned() + &instances(2);
    let today = file("plan-kept-today.yaml", &all);
    let edited = file("plan-kept-edited.yaml", &TODAY.replace("swordfish", "tuna"));
    let kept = file("plan-kept.json", "");
    let plan = |edited: &str, more: &[&str]| {
        krono(&[&["plan", "-f", edited, "--instances", &today, "--summary"], more].concat())
    };
    let first = plan(&edited, &["--out", &kept]);
    assert_eq!(first.code, Some(0), "{first}");
    let again = plan(&edited, &["--check", &kept]);
    assert_eq!((again.code, &again.stdout), (Some(0), &first.stdout), "{again}");
    let other = file("plan-kept-other.yaml", &TODAY.replace("swordfish", "cod"));
    let run = plan(&other, &["--check", &kept]);
    assert!(run.code == Some(1) && run.stderr.contains("is the plan of another edit"), "{run}");
    file(
        "plan-kept-today.yaml",
        &(all.replace("name: box-1", "name: box-1, labels: {moved: 'on'}")
            + "---\napiVersion: kro.run/v1alpha1\nkind: Box\nmetadata: {name: box-9}\n"),
    );
    let run = plan(&edited, &["--check", &kept]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        run.stderr.contains("no longer holds: Box default/box-1 has changed; Box default/box-9 is new\n"),
        "{run}"
    );
    let run = plan(&edited, &["--check", &edited]);
    assert!(run.code == Some(1) && run.stderr.contains("is no kept plan"), "{run}");
}

#[test]
fn programs_are_told_everything() {
    let today = file("plan-json-today.yaml", &(TODAY.to_owned() + &instances(2)));
    let edited = file("plan-json-edited.yaml", &TODAY.replace("text: '${schema", "more: '${schema"));
    let run = krono(&["plan", "-f", &edited, "--instances", &today, "-o", "json"]);
    let plan: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(plan["summary"]["writes"], 2, "{run}");
    let change = &plan["definitions"][0]["instances"][1]["changes"][0];
    assert_eq!((&change["effect"], &change["name"]), (&"Update".into(), &"box-1".into()), "{run}");
    assert_eq!(change["diff"][0]["path"], "data.more", "{run}");
}
