//! The JSON schema, made from the types of [`crate::document`].

use crate::document::Document;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// The schema of a document in plain form: no `null`, no nested alternatives.
pub(crate) fn plain() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schemars::schema_for!(Document).to_value();
        simplify(&mut schema);
        schema
    })
}

/// Removes the `null` that optional fields bring (leaving a key out says the same), and flattens
/// alternatives of alternatives into one `anyOf`.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(object) => {
            object.values_mut().for_each(simplify);
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    object["type"] = only.clone();
                }
            }
            for word in ["oneOf", "anyOf"] {
                if let Some(Value::Array(branches)) = object.remove(word) {
                    flatten(object, branches);
                }
            }
        }
        _ => {}
    }
}

fn flatten(object: &mut Map<String, Value>, branches: Vec<Value>) {
    let mut flat = Vec::new();
    for branch in branches {
        if branch == json!({"type": "null"}) {
            continue;
        }
        match branch.get("anyOf") {
            Some(Value::Array(inner)) => flat.extend(inner.iter().cloned()),
            _ => flat.push(branch),
        }
    }
    // A single alternative is the schema itself; what was said outside goes before.
    if let [Value::Object(only)] = flat.as_slice() {
        for (key, value) in only {
            object.entry(key.clone()).or_insert_with(|| value.clone());
        }
    } else {
        object.insert("anyOf".to_owned(), Value::Array(flat));
    }
}
