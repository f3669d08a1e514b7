//! `krono validate`, `krono render` and `krono graph`.

use serde_json::{Value, json};

use crate::corpus::{corpus, definitions};
use crate::krono::{Run, file, krono, krono_reading};

const DEFINITION: &str = "\
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata:
  name: pair
spec:
  schema:
    apiVersion: v1alpha1
    kind: Pair
    spec:
      size: integer | default=1 minimum=1
      open: boolean
    status:
      first: ${first.metadata.name}
  resources:
  - id: second
    includeWhen:
    - ${!schema.spec.?open.orValue(false)}
    template:
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: ${first.metadata.name}-2
      data:
        of: ${first.data.size}
  - id: first
    template:
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: ${schema.metadata.name}
      data:
        size: ${string(schema.spec.size)}
";

const INSTANCE: &str = "apiVersion: kro.run/v1alpha1\nkind: Pair\nmetadata:\n  name: a\n";

fn check(run: &Run, code: i32, stdout: &str, stderr: &str) {
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(code), stdout, stderr), "{run}");
}

#[test]
fn definitions_and_instances_are_validated_together() {
    let other = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
    let run = krono_reading(&format!("{INSTANCE}---\n{DEFINITION}---\n{other}"), &["validate", "-"]);
    let stdout = "<stdin>: Pair a is valid\n<stdin>: definition of Pair (kro.run/v1alpha1) is valid, with 2 resources\n";
    let stderr = "note: <stdin>:39:1: left out, as it is no definition and no instance of one: Secret s\n";
    check(&run, 0, stdout, stderr);
}

#[test]
fn every_problem_has_its_place_excerpt_and_cure() {
    let wrong = DEFINITION
        .replace("string(schema.spec.size)", "string(schema.spec.sise)")
        .replace("${first.metadata.name}-2", "${first.metadata.name + 2}")
        .replace("name: pair", "namespace: pair");
    let definition = file("pair-wrong.yaml", &wrong);
    let instance = file("pair-instance.yaml", &format!("{INSTANCE}spec: {{size: 0}}\n"));
    let expected = format!(
        "\
note: {instance}:1:1: left out, as the definition of Pair (kro.run/v1alpha1) is wrong: Pair a
error: {definition}:4:3: metadata.name: a definition needs a name
hint: write `metadata:`, and below it `name: my-app`
error: {definition}:22:17: spec.resources[0].template.metadata.name: found no matching overload for '_+_' applied to '(string, int)'
  | name: ${{first.metadata.name + 2}}
  |         ^^^^^^^^^^^^^^^^^^^^^^^
hint: `+` turns no int into text; write string(…) around it
"
    );
    let run = krono(&["validate", &definition, &instance]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.starts_with(&expected), "{run}");
    assert!(run.stderr.contains("undefined field 'sise'\n"), "{run}");
    assert!(run.stderr.contains("hint: did you mean `size`?\n"), "{run}");
}

#[test]
fn an_instance_with_wrong_values_is_refused_with_all_fields() {
    let definition = file("pair.yaml", DEFINITION);
    let instance = file("pair-refused.yaml", &format!("{INSTANCE}spec: {{size: 0, opne: true}}\n"));
    for arguments in [["validate", &definition, &instance], ["render", &definition, &instance]] {
        let run = krono(&arguments);
        assert_eq!(run.code, Some(1), "{run}");
        let place = format!("error: {instance}:5:14: spec.size: Invalid value: 0: ");
        assert!(run.stderr.contains(&place), "{run}");
        assert!(run.stderr.contains(":5:23: spec.opne: unknown field\n"), "{run}");
    }
}

#[test]
fn programs_read_json() {
    let wrong = DEFINITION.replace("string(schema.spec.size)", "schema.spec.size");
    let run = krono_reading(&wrong, &["validate", "-", "-o", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{run}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["valid"], json!(false));
    assert_eq!(
        report["documents"],
        json!([{
            "file": "<stdin>", "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "name": "pair",
            "valid": false,
        }])
    );
    let found = &report["diagnostics"][0];
    assert_eq!((&found["line"], &found["column"]), (&json!(32), &json!(17)), "{run}");
    assert_eq!(found["path"], "spec.resources[1].template.data.size");
    assert_eq!(
        (&found["excerpt"], &found["advice"]),
        (&json!("schema.spec.size"), &json!("write ${string(schema.spec.size)}"))
    );
}

#[test]
fn files_that_cannot_be_read_do_not_hide_others() {
    let good = file("pair-good.yaml", DEFINITION);
    let run = krono(&["validate", "no/such.yaml", &good]);
    assert_eq!(run.code, Some(2), "{run}");
    assert!(run.stdout.contains("is valid, with 2 resources"), "{run}");
    assert_eq!(krono_reading("a: [\n", &["validate", "-"]).code, Some(1));
    let empty = krono(&["validate", &good, "--crds", &good]);
    assert_eq!(empty.code, Some(2), "{empty}");
}

#[test]
fn kinds_come_from_crds_and_from_other_definitions() {
    let crd = file("pairs-crd.yaml", &krono_reading(DEFINITION, &["schema", "expand", "-"]).stdout);
    let outer = DEFINITION
        .replace("kind: Pair", "kind: Outer")
        .replace("apiVersion: v1\n      kind: ConfigMap", "apiVersion: kro.run/v1alpha1\n      kind: Pair")
        .replace("data:\n        of: ${first.data.size}", "spec: {size: '${first.spec.size}'}")
        .replace("data:\n        size: ${string(schema.spec.size)}", "spec: {size: '${schema.spec.size}'}");
    let path = file("outer.yaml", &outer);
    let alone = krono(&["validate", &path]);
    assert_eq!(alone.code, Some(1), "{alone}");
    assert!(alone.stderr.contains("hint: give its CustomResourceDefinition with --crds"), "{alone}");
    let folder = std::path::Path::new(&crd).parent().unwrap().join("crds");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(&crd, folder.join("pair.yaml")).unwrap();
    for arguments in [
        &["validate", &path, "--crds", &crd][..],
        &["validate", &path, "--crds", folder.to_str().unwrap()],
        &["validate", &path, &crd],
        &["validate", &path, &file("inner.yaml", DEFINITION)],
    ] {
        assert_eq!(krono(arguments).code, Some(0), "{}", krono(arguments));
    }
    let twice = krono(&["validate", &path, &file("outer-again.yaml", &outer), "--crds", &crd]);
    assert_eq!(twice.code, Some(1), "{twice}");
    assert!(twice.stderr.contains("Outer in kro.run/v1alpha1 is defined by "), "{twice}");
}

#[test]
fn objects_are_rendered_in_order_and_the_rest_is_told() {
    let (definition, instance) = (file("render.yaml", DEFINITION), file("render-a.yaml", INSTANCE));
    let first =
        "apiVersion: v1\ndata:\n  size: \"1\"\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: default\n";
    let run = krono(&["render", &definition, &instance]);
    check(&run, 0, first, "note: second waits for first, which is not observed\n");
    let second = first.replace("size: \"1\"", "of: \"1\"").replace("name: a\n", "name: a-2\n");
    let observed = file("render-observed.yaml", first);
    let status = "note: the status would be\n  first: a\n";
    for more in [&["--observed", &observed][..], &["--assume-applied"]] {
        let run = krono(&[&["render", &definition, &instance], more].concat());
        check(&run, 0, &format!("{first}---\n{second}"), status);
    }
    let open = file("render-open.yaml", &format!("{INSTANCE}spec: {{open: true}}\n"));
    let run = krono(&["render", &definition, &open, "-n", "here", "-o", "json"]);
    assert_eq!(run.stderr, "note: second is left out: !schema.spec.?open.orValue(false) does not hold\n");
    let list: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&list["kind"], &list["items"][0]["metadata"]["namespace"]), (&json!("List"), &json!("here")));
}

#[test]
fn what_cannot_be_rendered_is_an_error() {
    let definition = file("unrendered.yaml", DEFINITION);
    let other = file("unrendered-other.yaml", &INSTANCE.replace("Pair", "Pear"));
    let run = krono(&["render", &definition, &other]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        run.stderr.contains("there is no definition of Pear in kro.run/v1alpha1\nhint: there is one of Pair"),
        "{run}"
    );
    let failing = file(
        "unrendered-failing.yaml",
        &DEFINITION.replace("string(schema.spec.size)", "string(1 / (schema.spec.size - 1))"),
    );
    let run = krono(&["render", &failing, &file("unrendered-a.yaml", INSTANCE)]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("error: first: data.size: "), "{run}");
    let large = krono(&["render", &definition, &definition]);
    assert_eq!(large.code, Some(1), "{large}");
}

#[test]
fn v36_windows_that_are_past_are_told_beforehand() {
    let windows = "  propagation: {windows: [{schedule: '0 0 9 * * * 2020', duration: 1h}]}\n";
    let run = krono_reading(&format!("{DEFINITION}{windows}"), &["validate", "-"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("no window opens again"), "{run}");
}

#[test]
fn graphs_are_drawn() {
    let draw = |format: &str| krono_reading(DEFINITION, &["graph", "-", "-o", format]);
    let text = "\
Pair kro.run/v1alpha1

level 1
  first   ConfigMap v1

level 2
  second  ConfigMap v1  needs first
            included when !schema.spec.?open.orValue(false)
";
    check(&draw("text"), 0, text, "");
    assert!(draw("dot").stdout.contains("  \"first\" -> \"second\";\n"));
    assert!(draw("mermaid").stdout.contains("  n1 --> n0\n"));
    let svg = draw("svg").stdout;
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.matches("<rect class").count() == 2,
        "{svg}"
    );
    let wrong = krono_reading(&DEFINITION.replace("kind: Pair", "kind: pair"), &["graph", "-"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(1), ""), "{wrong}");
    assert_eq!(krono_reading(INSTANCE, &["graph", "-"]).code, Some(1));
}

#[test]
fn every_definition_of_the_corpus_is_valid() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for path in definitions(&corpus) {
        // Its template has fields that its kind does not have, on purpose.
        if path.to_string_lossy().contains("check-unknown-fields") {
            continue;
        }
        let path = path.to_str().unwrap();
        let run = krono(&["validate", path]);
        assert_eq!(run.code, Some(0), "{path}: {run}");
        checked += 1;
    }
    assert!(checked >= 20, "{checked}");
}

/// What is wrong with a changed definition, without places and values: `path: hint`.
fn found(from: &str, to: &str) -> Vec<String> {
    let changed = DEFINITION.replacen(from, to, 1);
    assert_ne!(changed, DEFINITION, "{from}");
    let run = krono_reading(&changed, &["validate", "-", "-o", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(run.code == Some(0), report["valid"] == true, "{run}");
    let diagnostics = report["diagnostics"].as_array().unwrap();
    diagnostics
        .iter()
        .map(|it| {
            assert!(it["advice"].as_str().is_some_and(|it| !it.is_empty()), "{it}");
            it["path"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn what_the_api_server_would_refuse_of_a_definition_is_found() {
    let check = |from: &str, to: &str, paths: &[&str]| assert_eq!(found(from, to), paths, "{to}");
    let schema = |more: &str| format!("    kind: Pair\n    {more}\n");
    let within = |more: &str, paths: &[&str]| check("    kind: Pair\n", &schema(more), paths);
    for group in ["example", "Example.Com", "a/b", "apps"] {
        within(&format!("group: {group}"), &["spec.schema.group"]);
    }
    within("shortNames: [A]", &["spec.schema.shortNames[0]"]);
    within("shortNames: [ab, ab]", &["spec.schema.shortNames[1]"]);
    within("categories: [Bad]", &["spec.schema.categories[0]"]);
    let column = |of: &str| format!("additionalPrinterColumns: [{{name: X, {of}}}]");
    let at = |field: &str| format!("spec.schema.additionalPrinterColumns[0].{field}");
    within(&column("type: strin, jsonPath: .spec.x"), &[&at("type")]);
    within(&column("type: string, jsonPath: spec.x"), &[&at("jsonPath")]);
    within(&column("type: string"), &[&at("jsonPath")]);
    within("metadata: {labels: {\"bad key!\": x}}", &["spec.schema.metadata.labels"]);
    check("name: pair", "name: Bad_Name", &["metadata.name"]);
    check("name: pair", "name: pair\n  labels: {a: 5}", &["metadata"]);
    check("name: pair", "name: pair\n  lables: {a: b}", &["metadata.lables"]);
    check("name: pair", "name: Pair\n  labels: {\"a b\": c}", &["metadata.name", "metadata.labels"]);
}

#[test]
fn what_is_wrong_with_one_field_hides_nothing_of_another() {
    let paths = found(
        "  - id: first\n",
        "  - id: first\n    deletionPolicy: Keep\n    propagateWhen: [\"${nothing}\"]\n",
    );
    assert_eq!(paths, ["spec.resources[1].deletionPolicy", "spec.resources[1].propagateWhen[0]"]);
    let run = krono_reading(
        &format!("a: b: c\n---\n{INSTANCE}spec: {{size: 0}}\n---\n{DEFINITION}"),
        &["validate", "-"],
    );
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("<stdin>:1:5: mapping values are not allowed"), "{run}");
    assert!(run.stderr.contains("<stdin>:7:14: spec.size: Invalid value"), "{run}");
}

#[test]
fn instances_as_a_cluster_has_them_are_taken() {
    let live = format!(
        "{INSTANCE}  uid: 1-2\n  generation: 3\n  managedFields: []\nspec: {{size: 2}}\nstatus: {{assignment: {{revision: 1}}, state: ACTIVE}}\n"
    );
    let definition = file("pair-live.yaml", DEFINITION);
    for command in ["validate", "render"] {
        let run = krono_reading(&live, &[command, &definition, "-"]);
        assert_eq!(run.code, Some(0), "{run}");
    }
}

#[test]
fn lists_are_as_many_objects() {
    let indented = |text: &str| text.replace('\n', "\n  ");
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n",
        indented(DEFINITION.trim_end()),
        indented(&format!("{INSTANCE}spec: {{size: 0}}"))
    );
    let run = krono_reading(&list, &["validate", "-"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stdout.contains("definition of Pair (kro.run/v1alpha1) is valid, with 2 resources"), "{run}");
    assert!(run.stderr.starts_with("error: <stdin>:40:16: spec.size: Invalid value: 0"), "{run}");
}

#[test]
fn files_with_nothing_to_check_are_an_error() {
    let check = |text: &str, words: &str| {
        let run = krono_reading(text, &["validate", "-"]);
        assert_eq!(run.code, Some(1), "{run}");
        assert!(run.stderr.contains(words), "{run}");
    };
    check("", "error: <stdin>: holds no definition and no instance of one\nhint: ");
    check("# nothing\n", "holds no definition");
    check("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n", "holds no definition");
    check("apiVersion: v1\nkind: List\nitems: []\n", "holds no definition");
    check("just text\n", "<stdin>:1:1: expected an object with apiVersion and kind");
    check("- a\n", "expected an object");
    check(
        &DEFINITION.replace("kind: ResourceGraphDefinition", "kind: ResourceGraphDefinitions"),
        "2:7: kind: nothing defines ResourceGraphDefinitions in kro.run/v1alpha1\nhint: did you mean `ResourceGraphDefinition`?\n",
    );
    check(&format!("{DEFINITION}---\n{}", INSTANCE.replace("Pair", "Pairs")), "hint: did you mean `Pair`?");
    check(INSTANCE, "hint: name the file with its definition too");
}

#[test]
fn plain_keys_are_read_as_kubectl_does() {
    let changed = DEFINITION.replace("open: boolean", "open: boolean\n      on: boolean");
    let run = krono_reading(&changed, &["validate", "-"]);
    assert_eq!(run.code, Some(0), "{run}");
    let warning = "<stdin>:12:7: the key `on` is read as `true`, as kubectl does; write it in quotes, \"on\"";
    assert!(run.stderr.contains(warning), "{run}");
}
