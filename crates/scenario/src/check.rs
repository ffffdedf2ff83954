//! A tree of values against the schema, with errors that a person can act on.
//!
//! Serde would refuse the same trees, but in terms of Rust types and without the path. The one
//! invariant: a tree that passes here becomes a [`crate::document::Document`].

use crate::error::{ScenarioError, did_you_mean};
use crate::origin::Origin;
use crate::quantity;
use crate::read::join;
use crate::shape::{
    accepted, bounds, branches, is_choice, kind_of, names, quantity_of, quoted, real_bounds,
    tables, tag_of,
};
use serde_json::{Map, Value};

/// Refuses a tree that does not fit `schema`.
pub(crate) fn check(origin: &Origin, schema: &Value, tree: &Value) -> Checked {
    Check { origin }.value("", schema, tree)
}

type Checked = Result<(), ScenarioError>;

struct Check<'a> {
    origin: &'a Origin,
}

impl Check<'_> {
    fn error(
        &self,
        key: &str,
        value: Option<&Value>,
        message: impl Into<String>,
        accepted: impl Into<String>,
    ) -> ScenarioError {
        ScenarioError::new(
            self.origin,
            key,
            value.map(Value::to_string),
            message,
            accepted,
        )
    }

    fn value(&self, key: &str, schema: &Value, value: &Value) -> Checked {
        if is_choice(schema) {
            return self.choice(key, schema, value);
        }
        match (kind_of(schema), value) {
            ("object", Value::Object(object)) => self.object(key, schema, object, &[]),
            ("array", Value::Array(items)) => self.array(key, schema, items),
            ("integer", Value::Number(_)) => self.integer(key, schema, value),
            ("number", Value::Number(_)) => self.number(key, schema, value),
            ("boolean", Value::Bool(_)) => Ok(()),
            ("string", Value::String(text)) => self.string(key, schema, value, text),
            ("string", Value::Number(_)) if quantity_of(schema).is_some() => {
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
        self.error(
            key,
            Some(value),
            format!("{found} does not fit here"),
            accepted(schema),
        )
    }

    /// `others` are the tables that might have been meant instead.
    fn object(
        &self,
        key: &str,
        schema: &Value,
        object: &Map<String, Value>,
        others: &[&Value],
    ) -> Checked {
        let Value::Object(properties) = &schema["properties"] else {
            let each = &schema["additionalProperties"];
            return object
                .iter()
                .try_for_each(|(name, value)| self.value(&join(key, name), each, value));
        };
        if let Some(name) = object.keys().find(|name| !properties.contains_key(*name)) {
            return Err(self.unknown_key(key, schema, properties, name, others));
        }
        for (name, value) in object {
            // A key with nothing in it (a Python None) is a key that is left out.
            if !value.is_null() {
                self.value(&join(key, name), &properties[name], value)?;
            }
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if object.get(name).is_none_or(Value::is_null) {
                let missing = join(key, name);
                return Err(self.error(&missing, None, "missing key", accepted(&properties[name])));
            }
        }
        Ok(())
    }

    fn unknown_key(
        &self,
        key: &str,
        schema: &Value,
        properties: &Map<String, Value>,
        name: &str,
        others: &[&Value],
    ) -> ScenarioError {
        let tag = tag_of(schema).unwrap_or_default();
        let named = |table: &Value| format!("{tag} = {}", table["properties"][tag]["const"]);
        let owner = others
            .iter()
            .find(|other| other["properties"].get(name).is_some());
        let message = match owner {
            Some(owner) => format!("a key of {}, not of {}", named(owner), named(schema)),
            None => {
                let names = properties.keys().map(String::as_str);
                format!("unknown key{}", did_you_mean(name, names))
            }
        };
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        self.error(&join(key, name), None, message, names.join(", "))
    }

    fn array(&self, key: &str, schema: &Value, items: &[Value]) -> Checked {
        let length = items.len() as u64;
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        if length < least || length > most {
            let needed = match (least, most) {
                _ if least == most => format!("{least} are needed"),
                _ if length < least => format!("at least {least} needed"),
                _ => format!("at most {most} accepted"),
            };
            let message = format!("a list of length {length}: {needed}");
            return Err(self.error(key, None, message, accepted(schema)));
        }
        let each = &schema["items"];
        let mut items = items.iter().enumerate();
        items.try_for_each(|(index, item)| self.value(&format!("{key}[{index}]"), each, item))
    }

    fn integer(&self, key: &str, schema: &Value, value: &Value) -> Checked {
        let (least, most) = bounds(schema);
        let message = match value.as_i64().or_else(|| value.as_u64().map(|_| i64::MAX)) {
            None => "not a whole number".to_owned(),
            Some(number) if number < least => format!("must be at least {least}"),
            Some(number) if number > most => format!("must be at most {most}"),
            Some(_) => return Ok(()),
        };
        Err(self.error(key, Some(value), message, accepted(schema)))
    }

    fn number(&self, key: &str, schema: &Value, value: &Value) -> Checked {
        let (least, most) = real_bounds(schema);
        let message = match value.as_f64() {
            Some(number) if number < least => format!("must be at least {least}"),
            Some(number) if number > most => format!("must be at most {most}"),
            _ => return Ok(()),
        };
        Err(self.error(key, Some(value), message, accepted(schema)))
    }

    fn string(&self, key: &str, schema: &Value, value: &Value, text: &str) -> Checked {
        let Some(kind) = quantity_of(schema) else {
            return Ok(());
        };
        let refused = |message: String| self.error(key, Some(value), message, accepted(schema));
        let number = quantity::read(kind, text).map_err(&refused)?;
        if schema["x-above-zero"] == true && !number.is_positive() {
            return Err(refused("must be greater than zero".to_owned()));
        }
        Ok(())
    }

    fn choice(&self, key: &str, schema: &Value, value: &Value) -> Checked {
        let names = names(schema);
        match value {
            Value::String(text) if names.contains(&text.as_str()) => return Ok(()),
            Value::Object(object) if !tables(schema).is_empty() => {
                return self.tagged(key, schema, object);
            }
            _ => {}
        }
        let fits = |branch: &&Value| match value {
            // A word without a digit is rather a misspelt name than a quantity.
            Value::String(text) => {
                quantity_of(branch).is_some() && text.bytes().any(|byte| byte.is_ascii_digit())
            }
            Value::Number(_) => quantity_of(branch).is_some() || kind_of(branch) == "integer",
            Value::Bool(_) => kind_of(branch) == "boolean",
            Value::Array(_) => kind_of(branch) == "array",
            Value::Null | Value::Object(_) => false,
        };
        match (branches(schema).iter().find(fits), value) {
            (Some(branch), _) => self
                .value(key, branch, value)
                .map_err(|error| ScenarioError {
                    accepted: accepted(schema).into(),
                    ..error
                }),
            (None, Value::String(text)) if !names.is_empty() => {
                let message = format!("unknown name{}", did_you_mean(text, names.into_iter()));
                Err(self.error(key, Some(value), message, accepted(schema)))
            }
            _ => Err(self.wrong_type(key, schema, value)),
        }
    }

    /// A table whose tag says which alternative it is.
    fn tagged(&self, key: &str, schema: &Value, object: &Map<String, Value>) -> Checked {
        let tables = tables(schema);
        let tag = tables
            .first()
            .and_then(|table| tag_of(table))
            .unwrap_or_default();
        let constant = |table: &Value| table["properties"][tag]["const"].clone();
        let constants: Vec<Value> = tables.iter().map(|table| constant(table)).collect();
        let names: Vec<&str> = constants.iter().filter_map(Value::as_str).collect();
        let refused = |value: Option<&Value>, message: String| {
            Err(self.error(&join(key, tag), value, message, quoted(&names)))
        };
        match object.get(tag) {
            None | Some(Value::Null) => refused(None, "missing key".to_owned()),
            Some(given @ Value::String(name)) => {
                match tables.iter().find(|table| constant(table) == *given) {
                    Some(table) => self.object(key, table, object, &tables),
                    None => {
                        let guess = did_you_mean(name, names.iter().copied());
                        refused(Some(given), format!("unknown name{guess}"))
                    }
                }
            }
            Some(other) => refused(Some(other), "not a name".to_owned()),
        }
    }
}
