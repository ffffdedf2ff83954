//! The JSON schema, made from the types of [`crate::document`], with the defaults beside it.
//!
//! No default is written down here: each is what [`crate::resolve`] fills in. A default that
//! depends on other keys is told by its description alone.

use crate::document::Document;
use crate::origin::Origin;
use crate::profile::{Profile, ProfileName};
use crate::read::join;
use crate::resolved::{Resolved, Source};
use crate::shape::{branches, is_choice, kind_of, tag_of};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// The JSON schema (draft 2020-12) of a scenario, as text.
///
/// Beside the standard words: `x-quantity` and `x-units` of strings that are quantities,
/// `x-above-zero`, and `x-defaults`, which holds for each profile the `value` that is filled in
/// (absent if it depends on other keys) and its `source`. `default` is there when all profiles
/// agree.
#[must_use]
pub fn json_schema() -> String {
    serde_json::to_string_pretty(with_defaults()).unwrap_or_default()
}

/// The schema of a document in plain form: no `null`, no nested alternatives.
pub(crate) fn plain() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schemars::schema_for!(Document).to_value();
        simplify(&mut schema);
        schema
    })
}

/// The plain schema with defaults.
pub(crate) fn with_defaults() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = plain().clone();
        for profile in Profile::ALL {
            for sample in samples(profile) {
                let tree = serde_json::to_value(sample.to_document()).unwrap_or_default();
                let notes = Notes {
                    profile,
                    resolved: &sample,
                };
                notes.note("", &mut schema, &tree);
            }
        }
        agree(&mut schema);
        schema
    })
}

/// Removes the `null` that optional fields bring (leaving a key out says the same), flattens
/// alternatives of alternatives into one `anyOf`, and joins the lines of descriptions.
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
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            for word in ["oneOf", "anyOf"] {
                if let Some(Value::Array(branches)) = object.shift_remove(word) {
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

/// Flows of every kind and with every ACK policy, each with `own` in it.
fn sample_flows(own: &Value) -> Vec<Value> {
    let acks = [
        json!(null),
        json!("delayed"),
        json!("rfc5681"),
        json!("dynamic"),
        json!("oracle-window"),
        json!("delayed-dupacks"),
        json!({"policy": "delayed-dupacks", "release": "paced"}),
    ];
    let ftp = |key: &str, value: Value| {
        let mut flow = own.clone();
        flow["kind"] = json!("ftp");
        flow[key] = value;
        flow
    };
    let more = [
        ftp("variant", json!("vegas")),
        ftp("variant", json!("sack")),
        ftp("variant", json!("westwood")),
        json!({"kind": "cbr", "interval": "20 ms"}),
        json!({"kind": "sessions"}),
    ];
    acks.into_iter()
        .map(|ack| ftp("ack", ack))
        .chain(more)
        .collect()
}

/// Scenarios of one profile in which each key that has a default is left out at least once, in
/// two versions that differ in every value that other defaults are made from.
fn samples(profile: Profile) -> Vec<Resolved> {
    let flows = |own: Value| sample_flows(&own);
    let chain = |nodes: u32| json!({"kind": "chain", "nodes": nodes, "spacing": "200 m"});
    // The default profile is not given, so that it shows as a default too.
    let given = (profile != Profile::default()).then_some(ProfileName::from(profile));
    let first = json!({
        "profile": given, "duration": "100 s", "topology": chain(9), "flow": flows(json!({})),
    });
    let mut second = first.clone();
    second["topology"] = chain(5);
    let own = json!({"window": 7, "packet": "2000 B", "start": "3 s"});
    second["flow"] = json!(flows(own));
    // Without a window of its own: the default may follow from the packet.
    second["flow"][0]["window"] = json!(null);
    let last = second["flow"].as_array().map_or(0, Vec::len) - 1;
    second["flow"][last - 1]["start"] = json!("4 s");
    second["flow"][last]["start"] = json!("5 s");
    second["routing"] =
        json!({"protocol": "aodv", "network_diameter": 11, "active_route_timeout": "7 s"});
    let routed = ["dsdv", "dsr"].map(|protocol| {
        let mut tree = first.clone();
        tree["routing"] = json!({"protocol": protocol});
        tree
    });
    let (slotted, over_links) = (on_slots(&first), adaptive(wired(&first)));
    let mobile = with_cells(&first);
    [first, second]
        .into_iter()
        .chain(routed)
        .chain([over_links, softly(&mobile), mobile])
        .chain(slotted)
        .filter_map(|tree| serde_json::from_value::<Document>(tree).ok())
        .filter_map(|document| crate::resolve::resolve(&document, &Origin::default()).ok())
        .collect()
}

/// The same with links instead of radios.
fn wired(sample: &Value) -> Value {
    let bursts = json!({"kind": "gilbert-elliott", "good": "1 s", "bad": "1 s"});
    let listed = json!({"kind": "list", "frames": [1]});
    let mut wired = sample.clone();
    wired["topology"] = json!({"kind": "nodes", "nodes": 2});
    wired["point_to_point"] = json!([{
        "between": [0, 1], "rate": "2 Mbit/s", "delay": "1 ms", "arq": {},
        "errors_forward": bursts, "errors_backward": listed,
    }]);
    wired["agent"] = json!([
        {"kind": "snoop", "node": 0, "toward": 1},
        {"kind": "loss-notice", "node": 1, "toward": 0},
    ]);
    wired
}

/// With a flow more, whose delay is made from the repairs of the link below it.
fn adaptive(mut sample: Value) -> Value {
    let ack = json!({"policy": "delayed-dupacks", "delay": "adaptive"});
    if let Some(flows) = sample["flow"].as_array_mut() {
        flows.push(json!({"kind": "ftp", "ack": ack}));
    }
    sample
}

/// The same with a mobile below a gateway, and flows whose ends know of handoffs.
fn with_cells(sample: &Value) -> Value {
    let mut cells = wired(sample);
    cells["topology"]["nodes"] = json!(3);
    cells["agent"] = json!([{"kind": "m-tcp", "node": 0, "toward": 1}]);
    let resting = json!({"kind": "resting", "position": ["0 m", "0 m"]});
    cells["cells"] = json!({
        "gateway": 0, "rate": "2 Mbit/s",
        "station": [{"node": 1, "position": ["0 m", "0 m"]}],
        "mobile": [{"node": 2, "motion": resting}],
        "blackout": [{"during": ["1 s", "2 s"]}],
    });
    if let Some(flows) = cells["flow"].as_array_mut() {
        let schemes = ["pacing", "freeze"];
        flows.extend(schemes.map(|scheme| json!({"kind": "ftp", "handoff": scheme})));
    }
    cells
}

/// The same with the keys that only semisoft handoffs and shadowing have.
fn softly(mobile: &Value) -> Value {
    let mut soft = mobile.clone();
    soft["cells"]["handoff"] = json!("semisoft");
    soft["cells"]["shadowing"] = json!("4 dB");
    soft
}

/// A scenario on the slotted radio, in two readings that differ in every default.
fn on_slots(scenario: &Value) -> [Value; 2] {
    [json!({}), json!({"reading": "h", "combining": "data-ack"})].map(|table| {
        let mut tree = scenario.clone();
        tree["slotted"] = table;
        tree
    })
}

/// Writes the defaults that a resolved scenario shows into the schema.
struct Notes<'a> {
    profile: Profile,
    resolved: &'a Resolved,
}

impl Notes<'_> {
    fn note(&self, key: &str, schema: &mut Value, value: &Value) {
        if let Value::Object(object) = value
            && is_choice(schema)
        {
            let tag = branches(schema)
                .iter()
                .find_map(tag_of)
                .unwrap_or_default()
                .to_owned();
            let Some(name) = object.get(&tag) else { return };
            self.leaf(&join(key, &tag), schema, name);
            let parts = schema["anyOf"].as_array_mut().into_iter().flatten();
            for part in parts.filter(|part| part["properties"][&tag]["const"] == *name) {
                self.note(key, part, value);
            }
            return;
        }
        match value {
            Value::Object(object) => {
                // Asked for by index, what is absent would be put there as `null`.
                let properties = schema.get_mut("properties");
                let Some(properties) = properties.and_then(Value::as_object_mut) else {
                    return;
                };
                for (name, value) in object {
                    if let Some(inner) = properties.get_mut(name) {
                        self.note(&join(key, name), inner, value);
                    }
                }
            }
            Value::Array(items) if kind_of(&schema["items"]) != "integer" => {
                for (index, item) in items.iter().enumerate() {
                    self.note(&format!("{key}[{index}]"), &mut schema["items"], item);
                }
            }
            _ => self.leaf(key, schema, value),
        }
    }

    fn leaf(&self, key: &str, schema: &mut Value, value: &Value) {
        let why = match self.resolved.sources.get(key) {
            None | Some(Source::Given) => return,
            Some(Source::Default(why) | Source::Profile(_, why)) => why,
        };
        let profile = self.profile.to_string();
        let known = &mut schema["x-defaults"][&profile];
        if known.is_null() {
            *known = json!({"value": value, "source": why});
        } else if known.get("value").is_some_and(|before| before != value)
            && let Some(known) = known.as_object_mut()
        {
            // Another value for the same reason: it is made from other keys.
            known.shift_remove("value");
        }
    }
}

/// Adds `default` where the defaults of all profiles are one value. What only the default
/// profile notes is the default of `profile` itself. What ns-2.1b9 shares with ns-2.35 is noted
/// once.
fn agree(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(agree),
        Value::Object(object) => {
            object.values_mut().for_each(agree);
            let Some(notes) = object.get_mut("x-defaults").and_then(Value::as_object_mut) else {
                return;
            };
            let same = |notes: &Map<String, Value>, name: &str| {
                let ns2 = notes.get("ns2").and_then(|note| note.get("value"));
                notes.get(name).map(|note| note.get("value") == ns2)
            };
            if same(notes, OLD) == Some(true) {
                notes.shift_remove(OLD);
            }
            let differs = [OLD, "standard"].map(|name| same(notes, name) == Some(false));
            let ns2 = notes.get("ns2").and_then(|note| note.get("value"));
            if let Some(shared) = ns2.cloned()
                && differs == [false; 2]
            {
                object.insert("default".to_owned(), shared);
            }
        }
        _ => {}
    }
}

/// The profile whose notes stand only where it differs from ns-2.35.
const OLD: &str = "ns2-2.1b9";
