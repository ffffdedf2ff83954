//! The generated texts: the reference page, the JSON schema, the starter scenario.

use acklab_scenario::{json_schema, parse_toml, reference_markdown, starter};
use serde_json::Value;
use std::path::Path;

#[test]
fn the_committed_reference_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenario.md");
    let fresh = reference_markdown();
    if std::env::var_os("ACKLAB_WRITE_DOCS").is_some() {
        std::fs::write(&path, &fresh).expect("docs can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == fresh,
        "docs/scenario.md is out of date: run ACKLAB_WRITE_DOCS=1 cargo test -p acklab-scenario"
    );
}

#[test]
fn the_starter_resolves() {
    let resolved = parse_toml("starter.toml", starter()).and_then(|s| s.resolve());
    assert_eq!(resolved.map(|r| r.positions.len()), Ok(9));
}

#[test]
fn the_commented_lines_of_the_starter_are_the_defaults() {
    let commented = |line: &&str| {
        let body = line.trim_start_matches("# ");
        *line != body
            && (body.starts_with('[')
                || body.split_once(" = ").is_some_and(|(key, _)| {
                    key.bytes().all(|c| c.is_ascii_lowercase() || c == b'_')
                }))
    };
    let full: Vec<&str> = starter()
        .lines()
        .map(|line| if commented(&line) { &line[2..] } else { line })
        .collect();
    assert!(full.len() > 40);
    let resolve = |text: &str| parse_toml("starter.toml", text).and_then(|s| s.resolve());
    let mut full = resolve(&full.join("\n")).expect("all lines together resolve");
    let short = resolve(starter()).expect("the live lines resolve");
    // Two lines show no default: sampling is off, and 24.5 dBm is a round form of ns-2's value.
    full.sample = None;
    assert!((full.radio.tx_power_w - short.radio.tx_power_w).abs() < 1e-6);
    full.radio.tx_power_w = short.radio.tx_power_w;
    full.sources = short.sources.clone();
    assert_eq!(full, short);
}

/// The schema at a path of property names; a step through alternatives or lists is implied.
fn at<'a>(schema: &'a Value, path: &[&str]) -> &'a Value {
    let Some((name, rest)) = path.split_first() else {
        return schema;
    };
    let inner = if schema["type"] == "array" {
        &schema["items"]
    } else {
        schema
    };
    let alternatives = inner["anyOf"]
        .as_array()
        .map_or(std::slice::from_ref(inner), Vec::as_slice);
    alternatives
        .iter()
        .find_map(|part| part["properties"].get(name))
        .map_or(&Value::Null, |found| at(found, rest))
}

#[test]
fn the_schema_carries_descriptions_units_and_defaults() {
    let schema: Value = serde_json::from_str(&json_schema()).expect("JSON");
    let rate = at(&schema, &["mac", "data_rate"]);
    assert_eq!(rate["x-quantity"], "bit rate");
    assert_eq!(rate["x-defaults"]["ns2"]["value"], "1 Mbit/s");
    assert_eq!(rate["x-defaults"]["standard"]["value"], "11 Mbit/s");
    assert_eq!(rate["default"], Value::Null);
    assert_eq!(at(&schema, &["mac", "slot"])["default"], "20 us");
    assert_eq!(
        at(&schema, &["routing", "network_diameter"])["x-defaults"]["ns2"]["value"],
        30
    );
    assert_eq!(
        at(&schema, &["flow", "window"])["x-defaults"]["ns2"]["value"],
        20
    );
    assert_eq!(at(&schema, &["profile"])["default"], "ns2");
    assert_eq!(at(&schema, &["flow", "window"])["default"], Value::Null);
    assert_eq!(
        at(&schema, &["flow", "ack"])["x-defaults"]["standard"]["value"],
        "rfc5681"
    );
    assert_eq!(
        at(&schema, &["flow", "rto", "min"])["x-defaults"]["ns2"]["value"],
        "200 ms"
    );
    // Where the flow ends depends on the topology: only the reason is told.
    let to = &at(&schema, &["flow", "to"])["x-defaults"]["ns2"];
    assert_eq!(
        (&to["value"], &to["source"]),
        (&Value::Null, &Value::from("the last node"))
    );
}

#[test]
fn every_key_is_described() {
    fn walk(path: &str, schema: &Value, missing: &mut Vec<String>) {
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            if inner.get("const").is_none()
                && inner["description"].as_str().is_none_or(str::is_empty)
            {
                missing.push(path.clone());
            }
            walk(&path, inner, missing);
        }
        for part in schema["anyOf"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(schema.get("items"))
        {
            walk(path, part, missing);
        }
    }
    let schema: Value = serde_json::from_str(&json_schema()).expect("JSON");
    let mut missing = Vec::new();
    walk("", &schema, &mut missing);
    assert!(missing.is_empty(), "{missing:?}");
}

/// What the draft asks of a schema's own words, as far as it takes no reader of schemas to see it.
fn assert_is_a_schema(place: &str, schema: &Value) {
    let words = schema
        .as_object()
        .unwrap_or_else(|| panic!("{place}: {schema}"));
    if let Some(properties) = words.get("properties") {
        let named = properties.as_object();
        let named = named.unwrap_or_else(|| panic!("{place}.properties: {properties}"));
        for (name, inner) in named {
            assert_is_a_schema(&format!("{place}.{name}"), inner);
        }
    }
    for inner in ["items", "additionalProperties"].map(|word| &schema[word]) {
        if !inner.is_null() && !inner.is_boolean() {
            assert_is_a_schema(place, inner);
        }
    }
    for (at, branch) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        assert_is_a_schema(&format!("{place}/{at}"), branch);
    }
}

#[test]
fn the_schema_is_one_that_its_readers_take() {
    // An editor refuses a schema whole that has one `null` where a table belongs.
    let schema: Value = serde_json::from_str(&json_schema()).expect("JSON");
    assert_is_a_schema("scenario", &schema);
    for (name, inner) in schema["$defs"].as_object().into_iter().flatten() {
        assert_is_a_schema(name, inner);
    }
}
