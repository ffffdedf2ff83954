//! Where each value of a scenario came from, by key path.
//!
//! A flow has some forty of them, and the flows of a large network mostly have the same ones: what is
//! noted of a flow is stored once for all that follow each other and agree in it. The one invariant: it
//! says what a map from key paths would say.

use crate::resolved::Source;
use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::Arc;

type Notes = BTreeMap<String, Source>;

/// Sources by key path such as `mac.data_rate`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// Those of no flow.
    plain: Notes,
    /// Those of each flow, by what comes after `flow[0].`.
    flows: Vec<Arc<Notes>>,
}

/// The flow that a key is of, and what it says of it.
fn of_flow(key: &str) -> Option<(usize, &str)> {
    let (index, rest) = key.strip_prefix("flow[")?.split_once("].")?;
    Some((index.parse().ok()?, rest))
}

impl Sources {
    /// Where the value of a key came from.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Source> {
        match of_flow(key) {
            Some((flow, rest)) => self.flows.get(flow)?.get(rest),
            None => self.plain.get(key),
        }
    }

    /// All of them, in no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = (String, &Source)> {
        let plain = self.plain.iter().map(|(key, why)| (key.clone(), why));
        let flows = self.flows.iter().enumerate().flat_map(|(flow, notes)| {
            let path = move |rest: &String| format!("flow[{flow}].{rest}");
            notes.iter().map(move |(rest, why)| (path(rest), why))
        });
        plain.chain(flows)
    }

    /// All keys, in no order that means anything.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn insert(&mut self, key: &str, source: Source) {
        let Some((flow, rest)) = of_flow(key) else {
            self.plain.insert(key.to_owned(), source);
            return;
        };
        while self.flows.len() <= flow {
            self.share_last();
            self.flows.push(Arc::default());
        }
        let notes = Arc::make_mut(&mut self.flows[flow]);
        notes.insert(rest.to_owned(), source);
    }

    pub(crate) fn remove(&mut self, key: &str) {
        match of_flow(key) {
            Some((flow, rest)) => {
                if let Some(notes) = self.flows.get_mut(flow) {
                    Arc::make_mut(notes).remove(rest);
                }
            }
            None => {
                self.plain.remove(key);
            }
        }
    }

    /// Removes what is noted of the keys of one table, and gives it out in the order of the keys.
    pub(crate) fn take_table(&mut self, table: &str) -> Vec<(String, Source)> {
        let of_table = |key: &str| {
            let rest = key.strip_prefix(table);
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        let taken = self.plain.iter().filter(|(key, _)| of_table(key));
        let taken = taken.map(|(key, why)| (key.clone(), why.clone())).collect();
        self.plain.retain(|key, _| !of_table(key));
        taken
    }

    /// All is noted of the last flow: if it is the same as of the one before, it is stored once.
    fn share_last(&mut self) {
        if let [.., before, last] = &mut self.flows[..]
            && before == last
        {
            *last = Arc::clone(before);
        }
    }
}

impl<K: AsRef<str>> Index<K> for Sources {
    type Output = Source;

    /// Panics if nothing is noted of the key.
    fn index(&self, key: K) -> &Source {
        self.get(key.as_ref()).expect("a key of the scenario")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_a_map_would_say() {
        let mut map = Notes::new();
        let mut sources = Sources::default();
        let keys = ["mac.slot", "flow", "flow[3]", "flow[x].from", "flows.count"];
        let of_flows = (0..40_u32).flat_map(|flow| {
            // Some have the same notes as the one before.
            let names = ["from", "to", "rto.min", "ack.name"];
            let count = if flow / 4 % 2 == 0 { 4 } else { 3 };
            let name = move |name| format!("flow[{flow}].{name}");
            names.into_iter().take(count).map(name)
        });
        for (step, key) in keys
            .map(str::to_owned)
            .into_iter()
            .chain(of_flows)
            .enumerate()
        {
            let source = [Source::Given, Source::Default(format!("{}", step / 9))];
            let source = source[usize::from(key.len() % 2 == 0)].clone();
            map.insert(key.clone(), source.clone());
            sources.insert(&key, source);
        }
        for key in ["flow[2].to", "mac.slot", "flow[9].none", "flow[99].to"] {
            map.remove(key);
            sources.remove(key);
        }
        map.insert("flow[1].to".to_owned(), Source::Given);
        sources.insert("flow[1].to", Source::Given);
        let all: Notes = sources
            .iter()
            .map(|(key, why)| (key, why.clone()))
            .collect();
        assert_eq!(all, map);
        assert!(map.iter().all(|(key, why)| sources.get(key) == Some(why)));
        assert_eq!(sources.keys().count(), map.len());
        assert_eq!(sources.get("flow[2].to"), None);
    }

    #[test]
    fn flows_that_agree_share_their_notes() {
        let mut sources = Sources::default();
        for flow in 0..10 {
            sources.insert(&format!("flow[{flow}].from"), Source::Given);
        }
        let shared = |pair: &[Arc<Notes>]| Arc::ptr_eq(&pair[0], &pair[1]);
        // The last one may have more to come.
        assert!(sources.flows[..9].windows(2).all(shared));
    }
}
