//! The reference page of the scenario, written from the schema.

use crate::quantity::Kind;
use crate::read::join;
use crate::schema::with_defaults;
use crate::shape::{self, accepted, branches, is_choice, kind_of, quantity_of, tables, tag_of};
use acklab_base::math;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The description of the word "off", which its name says already.
const OFF: &str = "The word `\"off\"`.";

/// What stands before the generated part.
const HEAD: &str = include_str!("reference_head.md");

/// The reference page in Markdown: `docs/scenario.md`.
#[must_use]
pub fn reference_markdown() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n## Units\n\n| kind | units | example |\n| --- | --- | --- |\n");
    for kind in Kind::ALL {
        let units = kind.units().join("`, `");
        let _ = writeln!(
            page,
            "| {} | `{units}` | `\"{}\"` |",
            kind.name(),
            kind.example()
        );
    }
    section(&mut page, "", with_defaults());
    page
}

/// A table of keys, then the sections of the tables among them.
fn section(page: &mut String, key: &str, schema: &Value) {
    let title = if key.is_empty() {
        "Top level".to_owned()
    } else {
        format!("`{key}`")
    };
    let _ = write!(page, "\n## {title}\n\n{}\n", description(schema));
    if let Some(default) = default_text(schema) {
        let _ = write!(page, "\nDefault: {default}.\n");
    }
    let tables = tables(schema);
    for table in &tables {
        let tag = tag_of(table);
        if let Some(name) = tag.and_then(|tag| table["properties"][tag]["const"].as_str()) {
            let tag = tag.unwrap_or_default();
            let _ = write!(
                page,
                "\n### `{key}` with `{tag} = \"{name}\"`\n\n{}\n",
                description(table)
            );
        }
        if let Some(properties) = table["properties"].as_object() {
            keys(page, properties, tag, &table["required"]);
        }
    }
    // Kinds of flows share some tables; each is described once.
    let mut described = Vec::new();
    for table in tables {
        for (name, inner) in table["properties"].as_object().into_iter().flatten() {
            let inner = if kind_of(inner) == "array" {
                &inner["items"]
            } else {
                inner
            };
            if !shape::tables(inner).is_empty()
                && kind_of(&inner["additionalProperties"]) != "string"
                && !described.contains(&name)
            {
                described.push(name);
                section(page, &join(key, name), inner);
            }
        }
    }
}

fn keys(page: &mut String, properties: &Map<String, Value>, tag: Option<&str>, required: &Value) {
    let rows: Vec<_> = properties
        .iter()
        .filter(|(name, _)| Some(name.as_str()) != tag)
        .collect();
    if rows.is_empty() {
        page.push_str("\nNo keys.\n");
        return;
    }
    page.push_str("\n| key | accepted | default | meaning |\n| --- | --- | --- | --- |\n");
    for (name, schema) in rows {
        let needed = required
            .as_array()
            .is_some_and(|list| list.iter().any(|key| key == name));
        let default = match default_text(schema) {
            Some(text) => text,
            None if needed => "required".to_owned(),
            None => "–".to_owned(),
        };
        let _ = writeln!(
            page,
            "| `{name}` | {} | {} | {} |",
            cell(&values(schema)),
            cell(&default),
            cell(told_once(&meaning(schema), default != "–")),
        );
    }
}

/// What a key takes, shorter than in an error: the units have a table of their own.
fn values(schema: &Value) -> String {
    if let Some(kind) = quantity_of(schema) {
        return kind.name().to_owned();
    }
    if is_choice(schema) {
        let simple = branches(schema)
            .iter()
            .filter(|part| kind_of(part) != "object");
        let mut words: Vec<String> = simple.map(values).collect();
        if !tables(schema).is_empty() {
            words.push("a table".to_owned());
        }
        return words.join(", ");
    }
    match schema["const"].as_str() {
        Some(name) => format!("`\"{name}\"`"),
        None if kind_of(schema) == "array" => format!("list, each {}", values(&schema["items"])),
        None => accepted(schema),
    }
}

/// The description, and those of the names that are accepted.
fn meaning(schema: &Value) -> String {
    let mut text = description(schema);
    for part in branches(schema) {
        if let (Some(name), Some(what)) = (part["const"].as_str(), part["description"].as_str())
            && what != OFF
        {
            let _ = write!(text, " `\"{name}\"`: {what}");
        }
    }
    text
}

/// A meaning that ends with the default, for keys of which the column does not know it: where it does, that is
/// said once.
fn told_once(meaning: &str, in_column: bool) -> &str {
    match meaning.rsplit_once(" Default ") {
        Some((meaning, _)) if in_column => meaning,
        _ => meaning,
    }
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or("").to_owned()
}

/// The defaults of those profiles that have one, with their reasons.
fn default_text(schema: &Value) -> Option<String> {
    let defaults = schema.get("x-defaults")?;
    let one = |profile: &str| -> Option<String> {
        let default = defaults.get(profile)?;
        let source = default["source"].as_str()?;
        Some(match default.get("value") {
            Some(value) => format!("`{}` ({source})", legible(value)),
            None => source.to_owned(),
        })
    };
    let ns2 = one("ns2");
    let others = ["ns2-2.1b9", "standard"].map(|profile| {
        let other = one(profile).filter(|other| Some(other) != ns2.as_ref())?;
        Some(format!("{profile}: {other}"))
    });
    let others: Vec<String> = others.into_iter().flatten().collect();
    match ns2 {
        Some(ns2) if others.is_empty() => Some(ns2),
        Some(ns2) => Some(format!("ns2: {ns2}; {}", others.join("; "))),
        None => (!others.is_empty()).then(|| others.join("; ")),
    }
}

/// A value as people write it: levels that are tenths of a dBm are not shown in watts.
fn legible(value: &Value) -> String {
    let watts = (value.as_str())
        .and_then(|text| text.strip_suffix(" W"))
        .and_then(|number| number.parse::<f64>().ok());
    let tenths = watts.map(|watts| 100.0 * math::log10(watts * 1e3));
    match tenths {
        Some(tenths) if (tenths - tenths.round()).abs() < 1e-9 => {
            format!("\"{:.1} dBm\"", tenths.round() / 10.0)
        }
        _ => value.to_string(),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
