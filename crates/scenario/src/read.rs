//! From text to a tree of values, with the place of each key.
//!
//! TOML and JSON give the same tree; only TOML gives places, since JSON comes from programs.

use crate::error::ScenarioError;
use crate::origin::{Origin, Place, Text};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use toml::de::{DeArray, DeTable, DeValue};

/// Arrays with more elements than this get no place for each of them.
const PLACED_ELEMENTS: usize = 1_000;

/// What is wrong with a value whatever its key, and what is accepted.
type Refusal = (&'static str, &'static str);

const TOO_LONG: Refusal = (
    "a number out of range",
    "a whole number of up to 18 digits, or less by its key",
);
const NOT_FINITE: Refusal = ("not a finite number", "a number below 1.8e308");
const A_DATE: Refusal = (
    "no key of a scenario takes a date",
    "a text in quotes, a number, true or false, a list or a table, by its key",
);

/// Reads TOML: where it comes from, and what it says.
pub(crate) fn toml(file: &str, text: &str) -> Result<(Origin, Value), ScenarioError> {
    let table = DeTable::parse(text).map_err(|error| {
        let lines = Lines::new(text);
        let place = error.span().map(|span| lines.place(span.start));
        syntax(
            file,
            place,
            format!("not TOML: {}", error.message().replace('\n', ", ")),
        )
    })?;
    let mut walk = Walk::new(None);
    let tree = walk.table("", table.into_inner());
    let origin = Origin::new(file, Text::Toml(text.into()));
    match walk.refused {
        Some((key, text, (message, accepted))) => {
            let found = Some(text);
            Err(ScenarioError::new(&origin, &key, found, message, accepted))
        }
        None => Ok((origin, tree)),
    }
}

/// The place of each key of a text that is TOML.
pub(crate) fn places(text: &str) -> BTreeMap<String, Place> {
    let mut walk = Walk::new(Some(Places {
        lines: Lines::new(text),
        of: BTreeMap::new(),
    }));
    if let Ok(table) = DeTable::parse(text) {
        walk.table("", table.into_inner());
    }
    walk.places.map_or(BTreeMap::new(), |places| places.of)
}

/// What a text says that is TOML.
pub(crate) fn toml_tree(text: &str) -> Value {
    let table = DeTable::parse(text);
    table.map_or(Value::Null, |table| {
        Walk::new(None).table("", table.into_inner())
    })
}

/// Reads JSON.
pub(crate) fn json(file: &str, text: &str) -> Result<(Origin, Value), ScenarioError> {
    let tree = serde_json::from_str(text).map_err(|error| {
        let place = Place {
            line: error.line() as u32,
            column: error.column() as u32,
        };
        let said = error.to_string();
        let reason = said.split(" at line ").next().unwrap_or(&said);
        syntax(file, Some(place), format!("not JSON: {reason}"))
    })?;
    Ok((Origin::new(file, Text::Json(text.into())), tree))
}

fn syntax(file: &str, place: Option<Place>, message: String) -> ScenarioError {
    let place = place.filter(|place| place.line > 0);
    ScenarioError {
        file: file.into(),
        place,
        key: "".into(),
        value: None,
        accepted: "".into(),
        message: message.into(),
    }
}

/// Where lines start in a text.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            text,
            starts: std::iter::once(0)
                .chain(newlines.map(|(at, _)| at + 1))
                .collect(),
        }
    }

    fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let before = self.text.get(self.starts[line - 1]..offset).unwrap_or("");
        Place {
            line: line as u32,
            column: before.chars().count() as u32 + 1,
        }
    }
}

/// Where keys stand.
struct Places<'a> {
    lines: Lines<'a>,
    of: BTreeMap<String, Place>,
}

/// A walk over a TOML tree, which it takes apart: what has been read is not needed any more.
struct Walk<'a> {
    /// Noted if somebody asks.
    places: Option<Places<'a>>,
    /// The first value that has no counterpart in JSON: its key, its text, what is wrong.
    refused: Option<(String, String, Refusal)>,
}

impl<'a> Walk<'a> {
    const fn new(places: Option<Places<'a>>) -> Self {
        Self {
            places,
            refused: None,
        }
    }

    fn note(&mut self, key: &str, offset: usize) {
        if let Some(places) = &mut self.places {
            let place = places.lines.place(offset);
            places.of.insert(key.to_owned(), place);
        }
    }

    fn table(&mut self, key: &str, table: DeTable<'_>) -> Value {
        let mut entries: Vec<_> = table.into_iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut object = Map::with_capacity(entries.len());
        for (name, value) in entries {
            let path = join(key, name.get_ref());
            self.note(&path, name.span().start);
            let name = name.into_inner().into_owned();
            object.insert(name, self.value(&path, value.into_inner()));
        }
        Value::Object(object)
    }

    fn array(&mut self, key: &str, array: DeArray<'_>) -> Value {
        let placed = array.len() <= PLACED_ELEMENTS;
        let element = |(index, value): (usize, toml::Spanned<DeValue<'_>>)| {
            let path = format!("{key}[{index}]");
            if placed {
                self.note(&path, value.span().start);
            }
            self.value(&path, value.into_inner())
        };
        Value::Array(array.into_iter().enumerate().map(element).collect())
    }

    fn value(&mut self, key: &str, value: DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => Value::String(text.into_owned()),
            DeValue::Boolean(value) => Value::Bool(value),
            DeValue::Array(array) => self.array(key, array),
            DeValue::Table(table) => self.table(key, table),
            DeValue::Integer(integer) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix());
                match number {
                    Ok(number) => Value::Number(number.into()),
                    Err(_) => self.refuse(key, integer.as_str(), TOO_LONG),
                }
            }
            DeValue::Float(float) => match float.as_str().parse().ok().and_then(Number::from_f64) {
                Some(number) => Value::Number(number),
                None => self.refuse(key, float.as_str(), NOT_FINITE),
            },
            DeValue::Datetime(date) => self.refuse(key, &date.to_string(), A_DATE),
        }
    }

    fn refuse(&mut self, key: &str, text: &str, why: Refusal) -> Value {
        self.refused
            .get_or_insert((key.to_owned(), text.to_owned(), why));
        Value::Null
    }
}

/// The path of `name` inside `key`.
pub(crate) fn join(key: &str, name: &str) -> String {
    if key.is_empty() {
        name.to_owned()
    } else {
        format!("{key}.{name}")
    }
}
