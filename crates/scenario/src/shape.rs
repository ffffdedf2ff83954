//! Reading the plain schema: what a node of it accepts.

use crate::quantity::Kind;
use serde_json::Value;

/// The alternatives of a schema; the schema itself if it has none.
pub(crate) fn branches(schema: &Value) -> &[Value] {
    match schema["anyOf"].as_array() {
        Some(branches) => branches,
        None => std::slice::from_ref(schema),
    }
}

/// Whether a schema offers alternatives.
pub(crate) fn is_choice(schema: &Value) -> bool {
    schema.get("anyOf").is_some()
}

/// The type that a schema asks for; empty if it offers alternatives.
pub(crate) fn kind_of(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("")
}

/// The quantity that a schema asks for.
pub(crate) fn quantity_of(schema: &Value) -> Option<Kind> {
    schema["x-quantity"].as_str().and_then(Kind::named)
}

/// The tables that a schema accepts.
pub(crate) fn tables(schema: &Value) -> Vec<&Value> {
    branches(schema)
        .iter()
        .filter(|part| kind_of(part) == "object")
        .collect()
}

/// The key whose constant tells tables apart.
pub(crate) fn tag_of(table: &Value) -> Option<&str> {
    let mut properties = table["properties"].as_object()?.iter();
    properties
        .find(|(_, schema)| schema.get("const").is_some())
        .map(|(name, _)| name.as_str())
}

/// The names that a schema accepts.
pub(crate) fn names(schema: &Value) -> Vec<&str> {
    branches(schema)
        .iter()
        .filter_map(|branch| branch["const"].as_str())
        .collect()
}

/// Names as they are written, with commas between them.
pub(crate) fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The least and largest whole number that a schema accepts.
pub(crate) fn bounds(schema: &Value) -> (i64, i64) {
    let (least, most) = match schema["format"].as_str() {
        Some("uint8") => (0, i64::from(u8::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    (
        schema["minimum"].as_i64().unwrap_or(least),
        schema["maximum"].as_i64().unwrap_or(most),
    )
}

/// The least and largest real number that a schema accepts.
pub(crate) fn real_bounds(schema: &Value) -> (f64, f64) {
    (
        schema["minimum"].as_f64().unwrap_or(f64::NEG_INFINITY),
        schema["maximum"].as_f64().unwrap_or(f64::INFINITY),
    )
}

/// What a schema accepts, in words.
pub(crate) fn accepted(schema: &Value) -> String {
    if is_choice(schema) {
        let simple = branches(schema)
            .iter()
            .filter(|branch| kind_of(branch) != "object");
        let mut parts: Vec<String> = simple.map(accepted).collect();
        let tables = tables(schema);
        if let Some(tag) = tables.first().and_then(|table| tag_of(table)) {
            let names: Vec<&str> = tables
                .iter()
                .filter_map(|table| table["properties"][tag]["const"].as_str())
                .collect();
            parts.push(format!(
                "a table with {tag} = {}",
                quoted(&names).replace(", ", " or ")
            ));
        }
        return parts.join(", ");
    }
    if let Some(name) = schema["const"].as_str() {
        return format!("\"{name}\"");
    }
    if let Some(kind) = quantity_of(schema) {
        return kind.accepted();
    }
    match kind_of(schema) {
        "integer" => {
            let (least, most) = bounds(schema);
            format!("a whole number from {least} to {most}")
        }
        "number" => {
            let (least, most) = real_bounds(schema);
            format!("a number from {least} to {most}")
        }
        "boolean" => "true or false".to_owned(),
        "array" => format!("a list, each element {}", accepted(&schema["items"])),
        "object" => "a table".to_owned(),
        _ => "text".to_owned(),
    }
}
