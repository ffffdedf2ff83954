//! A tree of values against the schema, with errors that a person can act on.
//!
//! Serde would refuse the same trees, but in terms of Rust types and without the path. The one
//! invariant: a tree that passes here becomes a [`crate::document::Document`].

use crate::error::{ScenarioError, did_you_mean};
use crate::origin::Origin;
use crate::quantity::{self, Kind};
use crate::read::join;
use serde_json::{Map, Value};

/// Refuses a value that does not fit `schema`.
pub(crate) fn check(
    origin: &Origin,
    key: &str,
    schema: &Value,
    value: &Value,
) -> Result<(), ScenarioError> {
    Check { origin }.value(key, schema, value)
}

struct Check<'a> {
    origin: &'a Origin,
}

type Checked = Result<(), ScenarioError>;

impl Check<'_> {
    fn error(
        &self,
        key: &str,
        value: Option<&Value>,
        message: impl Into<String>,
        accepted: impl Into<String>,
    ) -> ScenarioError {
        ScenarioError::new(self.origin, key, value.map(shown), message, accepted)
    }

    fn value(&self, key: &str, schema: &Value, value: &Value) -> Checked {
        if let Some(branches) = branches(schema) {
            return self.any_of(key, schema, branches, value);
        }
        match (kind_of(schema), value) {
            ("object", Value::Object(object)) => self.object(key, schema, object),
            ("array", Value::Array(items)) => self.array(key, schema, items),
            ("integer", Value::Number(_)) => self.integer(key, schema, value),
            ("boolean", Value::Bool(_)) => Ok(()),
            ("string", Value::String(text)) => self.string(key, schema, value, text),
            ("string", Value::Number(_)) if schema.get("x-quantity").is_some() => {
                Err(self.error(key, Some(value), "missing unit", accepted(schema)))
            }
            _ => Err(self.wrong_type(key, schema, value)),
        }
    }

    fn wrong_type(&self, key: &str, schema: &Value, value: &Value) -> ScenarioError {
        let found = match value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "a table",
        };
        let message = format!("{found} where something else is needed");
        self.error(key, Some(value), message, accepted(schema))
    }

    fn object(&self, key: &str, schema: &Value, object: &Map<String, Value>) -> Checked {
        let Some(Value::Object(properties)) = schema.get("properties") else {
            let any = &schema["additionalProperties"];
            return object
                .iter()
                .try_for_each(|(name, value)| self.value(&join(key, name), any, value));
        };
        for name in object.keys() {
            if !properties.contains_key(name) {
                let names: Vec<&str> = properties.keys().map(String::as_str).collect();
                let message = format!("unknown key{}", did_you_mean(name, names.iter().copied()));
                return Err(self.error(&join(key, name), None, message, names.join(", ")));
            }
        }
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        for name in required.iter().filter_map(Value::as_str) {
            if object.get(name).is_none_or(Value::is_null) {
                let missing = join(key, name);
                return Err(self.error(&missing, None, "missing key", accepted(&properties[name])));
            }
        }
        for (name, value) in object {
            // A key with nothing in it (a Python None) is a key that is left out.
            if !value.is_null() {
                self.value(&join(key, name), &properties[name], value)?;
            }
        }
        Ok(())
    }

    fn array(&self, key: &str, schema: &Value, items: &[Value]) -> Checked {
        let bound = |word: &str| schema[word].as_u64();
        let length = items.len() as u64;
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems").unwrap_or(u64::MAX);
        if length < least || length > most {
            let message = match (least, most) {
                _ if least == most => format!("{length} elements instead of {least}"),
                _ if length < least => format!("{length} elements: at least {least} are needed"),
                _ => format!("{length} elements: at most {most} are accepted"),
            };
            return Err(self.error(key, None, message, accepted(schema)));
        }
        let each = &schema["items"];
        items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| self.value(&format!("{key}[{index}]"), each, item))
    }

    fn integer(&self, key: &str, schema: &Value, value: &Value) -> Checked {
        let Some(number) = value.as_i64() else {
            return Err(self.error(key, Some(value), "not a whole number", accepted(schema)));
        };
        let (least, most) = bounds(schema);
        if number < least {
            let message = format!("must be at least {least}");
            return Err(self.error(key, Some(value), message, accepted(schema)));
        }
        if number > most {
            let message = format!("must be at most {most}");
            return Err(self.error(key, Some(value), message, accepted(schema)));
        }
        Ok(())
    }

    fn string(&self, key: &str, schema: &Value, value: &Value, text: &str) -> Checked {
        if let Some(name) = schema["const"].as_str() {
            if name == text {
                return Ok(());
            }
            return Err(self.error(key, Some(value), "unknown name", accepted(schema)));
        }
        let Some(kind) = schema["x-quantity"].as_str().and_then(Kind::named) else {
            return Ok(());
        };
        let refused = |message: String| self.error(key, Some(value), message, accepted(schema));
        let number = quantity::read(kind, text).map_err(&refused)?;
        if schema["x-above-zero"] == true && !number.is_positive() {
            return Err(refused("must be greater than zero".to_owned()));
        }
        Ok(())
    }

    fn any_of(&self, key: &str, schema: &Value, branches: &[Value], value: &Value) -> Checked {
        match value {
            Value::String(text) => {
                let names: Vec<&str> = names(branches);
                if names.contains(&text.as_str()) {
                    return Ok(());
                }
                match branches
                    .iter()
                    .find(|branch| branch.get("x-quantity").is_some())
                {
                    Some(branch) => {
                        self.string(key, branch, value, text)
                            .map_err(|error| ScenarioError {
                                accepted: accepted(schema).into(),
                                ..error
                            })
                    }
                    None if names.is_empty() => Err(self.wrong_type(key, schema, value)),
                    None => {
                        let guess = did_you_mean(text, names.iter().copied());
                        let message = format!("unknown name{guess}");
                        Err(self.error(key, Some(value), message, accepted(schema)))
                    }
                }
            }
            Value::Object(object) => self.tagged(key, schema, branches, object),
            _ => {
                let wanted = match value {
                    Value::Number(_) => "integer",
                    Value::Bool(_) => "boolean",
                    _ => "array",
                };
                match branches.iter().find(|branch| kind_of(branch) == wanted) {
                    Some(branch) => self
                        .value(key, branch, value)
                        .map_err(|error| ScenarioError {
                            accepted: accepted(schema).into(),
                            ..error
                        }),
                    None if value.is_number()
                        && branches.iter().any(|b| b.get("x-quantity").is_some()) =>
                    {
                        Err(self.error(key, Some(value), "missing unit", accepted(schema)))
                    }
                    None => Err(self.wrong_type(key, schema, value)),
                }
            }
        }
    }

    /// A table whose tag says which alternative it is.
    fn tagged(
        &self,
        key: &str,
        schema: &Value,
        branches: &[Value],
        object: &Map<String, Value>,
    ) -> Checked {
        let tables: Vec<&Value> = branches.iter().filter(|b| kind_of(b) == "object").collect();
        let Some(tag) = tables.first().and_then(|table| tag_of(table)) else {
            return Err(self.wrong_type(key, schema, &Value::Object(object.clone())));
        };
        let tag_key = join(key, tag);
        let names: Vec<&str> = tables
            .iter()
            .filter_map(|table| table["properties"][tag]["const"].as_str())
            .collect();
        let quoted = quoted(&names);
        match object.get(tag) {
            None | Some(Value::Null) => Err(self.error(&tag_key, None, "missing key", quoted)),
            Some(Value::String(name)) => {
                match tables
                    .iter()
                    .find(|table| table["properties"][tag]["const"] == name.as_str())
                {
                    Some(table) => self.object(key, table, object),
                    None => {
                        let guess = did_you_mean(name, names.iter().copied());
                        let message = format!("unknown name{guess}");
                        Err(self.error(&tag_key, object.get(tag), message, quoted))
                    }
                }
            }
            Some(other) => Err(self.error(&tag_key, Some(other), "not a name", quoted)),
        }
    }
}

/// The alternatives of a schema.
pub(crate) fn branches(schema: &Value) -> Option<&[Value]> {
    schema
        .get("anyOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
}

/// The type that a schema asks for.
pub(crate) fn kind_of(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("")
}

/// The key whose constant tells alternatives apart.
pub(crate) fn tag_of(table: &Value) -> Option<&str> {
    let properties = table["properties"].as_object()?;
    properties
        .iter()
        .find(|(_, schema)| schema.get("const").is_some())
        .map(|(name, _)| name.as_str())
}

fn names(branches: &[Value]) -> Vec<&str> {
    branches
        .iter()
        .filter_map(|branch| branch["const"].as_str())
        .collect()
}

fn quoted(names: &[&str]) -> String {
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

/// What a schema accepts, in words.
pub(crate) fn accepted(schema: &Value) -> String {
    if let Some(branches) = branches(schema) {
        let mut parts: Vec<String> = Vec::new();
        let tables: Vec<&Value> = branches.iter().filter(|b| kind_of(b) == "object").collect();
        for branch in branches.iter().filter(|branch| kind_of(branch) != "object") {
            parts.push(accepted(branch));
        }
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
    if let Some(kind) = schema["x-quantity"].as_str().and_then(Kind::named) {
        return kind.accepted();
    }
    match kind_of(schema) {
        "integer" => {
            let (least, most) = bounds(schema);
            format!("a whole number from {least} to {most}")
        }
        "boolean" => "true or false".to_owned(),
        "array" => format!("a list, each element {}", accepted(&schema["items"])),
        "object" => "a table".to_owned(),
        _ => "text".to_owned(),
    }
}

/// A value as it would be written, shortened.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let head: String = text.chars().take(57).collect();
    format!("{head}...")
}
