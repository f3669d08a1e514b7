//! What came back from a conversion, checked as the real server checks it.

use serde_json::Value;

use crate::object::Object;

/// The converted objects with the metadata of the originals, but for labels and annotations; or what is wrong.
pub(super) fn check(
    converter: &str,
    originals: &[&Object],
    answered: Result<Vec<Value>, String>,
    api_version: &str,
) -> Result<Vec<Object>, String> {
    let about = originals.first().map(|it| kind_text(it)).unwrap_or_default();
    let answered = answered.map_err(|why| format!("{converter} for {about} failed: {why}"))?;
    if answered.len() != originals.len() {
        let (found, expected) = (answered.len(), originals.len());
        return Err(format!("{converter} for {about} returned {found} objects, expected {expected}"));
    }
    let pairs = originals.iter().zip(answered).enumerate();
    let objects = pairs.map(|(index, (original, converted))| {
        one(original, converted, api_version)
            .map_err(|why| format!("{converter} for {about} returned invalid object at index {index}: {why}"))
    });
    objects.collect()
}

fn one(original: &Object, converted: Value, api_version: &str) -> Result<Object, String> {
    match converted.get("metadata") {
        None => return Err("missing metadata in converted object".to_owned()),
        Some(metadata) if !metadata.is_object() => {
            return Err("invalid metadata in converted object".to_owned());
        }
        Some(_) => {}
    }
    let mut object = Object::new(converted).ok_or("not an object")?;
    if object.text("apiVersion") != api_version {
        let found = object.text("apiVersion");
        return Err(format!("invalid groupVersion (expected {api_version}, received {found})"));
    }
    if object.text("kind") != original.text("kind") {
        let (expected, found) = (original.text("kind"), object.text("kind"));
        return Err(format!("invalid kind (expected {expected}, received {found})"));
    }
    for (name, called) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let (expected, found) = (original.meta_text(name), object.meta_text(name));
        if expected != found {
            return Err(format!("must have the same {called}: {expected} != {found}"));
        }
    }
    restore_metadata(original, &mut object)?;
    Ok(object)
}

fn restore_metadata(original: &Object, object: &mut Object) -> Result<(), String> {
    let mut metadata = original.get("metadata").cloned().unwrap_or_default();
    for name in ["labels", "annotations"] {
        let texts = object.meta(name).cloned();
        if texts.as_ref().is_some_and(|it| !is_texts(it)) {
            return Err(format!("metadata.{name} is not a map of strings"));
        }
        let Some(fields) = metadata.as_object_mut() else { continue };
        match texts {
            Some(texts) => drop(fields.insert(name.to_owned(), texts)),
            None => drop(fields.remove(name)),
        }
    }
    object.set("metadata", Some(metadata));
    Ok(())
}

fn is_texts(value: &Value) -> bool {
    value.as_object().is_some_and(|entries| entries.values().all(Value::is_string))
}

/// `krono.dev/v1, Kind=Widget`.
fn kind_text(object: &Object) -> String {
    format!("{}, Kind={}", object.text("apiVersion"), object.text("kind"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn widget() -> Value {
        json!({
            "apiVersion": "krono.dev/v1", "kind": "Widget", "spec": {"size": 1},
            "metadata": {"name": "a", "namespace": "n", "uid": "u", "labels": {"a": "b"}, "generation": 3},
        })
    }

    fn verdict(answered: Result<Vec<Value>, String>) -> Result<Vec<Object>, String> {
        let original = Object::new(widget()).unwrap();
        check("conversion webhook", &[&original], answered, "krono.dev/v2")
    }

    #[test]
    fn metadata_is_put_back() {
        let mut converted = widget();
        converted["apiVersion"] = "krono.dev/v2".into();
        converted["metadata"]["labels"] = json!({"c": "d"});
        converted["metadata"]["generation"] = 9.into();
        converted["metadata"]["finalizers"] = json!(["x/y"]);
        let mut expect = converted.clone();
        expect["metadata"]["generation"] = 3.into();
        expect["metadata"].as_object_mut().unwrap().remove("finalizers");
        assert_eq!(verdict(Ok(vec![converted])).unwrap()[0].value(), &expect);
    }

    #[test]
    fn wrong_answers_are_refused() {
        let check = |change: fn(&mut Value), why: &str| {
            let mut converted = widget();
            converted["apiVersion"] = "krono.dev/v2".into();
            change(&mut converted);
            let expect = format!(
                "conversion webhook for krono.dev/v1, Kind=Widget returned invalid object at index 0: {why}"
            );
            assert_eq!(verdict(Ok(vec![converted])).unwrap_err(), expect);
        };
        let version = "invalid groupVersion (expected krono.dev/v2, received krono.dev/v1)";
        check(|it| it["apiVersion"] = "krono.dev/v1".into(), version);
        check(|it| it["kind"] = "Gadget".into(), "invalid kind (expected Widget, received Gadget)");
        check(|it| it["metadata"]["name"] = "b".into(), "must have the same name: a != b");
        check(|it| it["metadata"]["namespace"] = "b".into(), "must have the same namespace: n != b");
        check(|it| it["metadata"]["uid"] = "b".into(), "must have the same UID: u != b");
        check(
            |it| drop(it.as_object_mut().unwrap().remove("metadata")),
            "missing metadata in converted object",
        );
        check(|it| it["metadata"]["labels"] = json!({"a": 1}), "metadata.labels is not a map of strings");
        let count = "conversion webhook for krono.dev/v1, Kind=Widget returned 0 objects, expected 1";
        assert_eq!(verdict(Ok(Vec::new())).unwrap_err(), count);
        let failed = "conversion webhook for krono.dev/v1, Kind=Widget failed: no";
        assert_eq!(verdict(Err("no".to_owned())).unwrap_err(), failed);
    }
}
