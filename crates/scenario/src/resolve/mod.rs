//! From a document to a resolved scenario: defaults filled with their source, values checked
//! against each other.
//!
//! What one value alone can show to be wrong, [`crate::check`] has already refused; here come the
//! rules that need several values, and all defaults. The one invariant: resolving what a resolved
//! scenario is written as gives the same resolved scenario.

mod access;
mod ack;
mod agents;
mod cell_mac;
mod cells;
mod delayed_dupacks;
mod dsdv;
mod dsr;
mod flow;
mod handoff;
mod idle;
mod links;
mod mac_rules;
mod motion;
mod moving;
mod network;
mod placing;
mod recovery;
mod routing;
mod sack;
mod script;
mod sessions;
mod slotted;
mod tcp;
mod tcp_rules;
mod together;
mod topology;
mod tree;
mod vegas;

use crate::document::Document;
use crate::error::ScenarioError;
use crate::origin::Origin;
use crate::profile::Profile;
use crate::quantities::Time;
use crate::resolved::{Energy, Flow, Link, Mac, Queue, Radio, Resolved, Source};
use crate::resolved_cells::{Cells, has_mac};
use crate::resolved_links::{Agent, PointToPoint};
use crate::sources::Sources;
use acklab_base::{Duration, LAST_TIME};
use std::collections::BTreeMap;

/// Fills every default of `document` and checks it.
pub(crate) fn resolve(document: &Document, origin: &Origin) -> Result<Resolved, ScenarioError> {
    let mut filling = Filling {
        origin,
        recorded: document.sources.as_ref(),
        sources: Sources::default(),
    };
    let document = &*access::unfolded(&filling, document)?;
    let profile = filling.pick(
        "profile",
        document.profile.map(Profile::from),
        fixed(Profile::default(), "the simulator of the papers"),
    );
    let duration = duration(&mut filling, document)?;
    let graph = topology::graph(&document.topology);
    let radio = radio(&mut filling, document, (profile, graph.is_some()))?;
    let energy = energy(&mut filling, document, graph.is_some());
    let (positions, moving) = moving::places(&mut filling, document, &radio)?;
    let (nodes, links, agents) = wires(&mut filling, document, positions.len())?;
    let cells = cells::cells(&mut filling, document, nodes)?;
    let slotted = slotted::slotted(&mut filling, document, graph.is_some())?;
    let radios = (!positions.is_empty(), slotted.is_some());
    let below = below(&mut filling, document, profile, (&cells, radios))?;
    let routing = routing::routing(&mut filling, document.routing.as_ref(), profile, radios)?;
    let setting = flow::Setting {
        nodes: nodes as usize,
        duration,
        profile,
        mac: has_mac(cells.as_ref(), radios == (true, false)).then_some(below.mac.profile),
    };
    let flows = flows(&mut filling, document, &setting)?;
    together::check(&filling, (&links, &agents, &flows), (&cells, &positions))?;
    let measured = document.measure.as_ref();
    let (measure_from, sample) = measure(&mut filling, document, &flows)?;
    Ok(Resolved {
        title: document.title.clone().unwrap_or_default(),
        profile,
        duration,
        measure_from,
        sample,
        batch: measured.and_then(|given| given.batch),
        stop_after: measured.and_then(|given| given.stop_after),
        positions: positions.into(),
        moving,
        nodes,
        links,
        agents,
        cells,
        graph,
        radio,
        energy,
        mac: below.mac,
        slotted,
        link: below.link,
        queue: below.queue,
        routing,
        flows,
        sources: filling.sources,
        origin: origin.clone(),
    })
}

/// How long a run is.
fn duration(filling: &mut Filling<'_>, document: &Document) -> Result<Duration, ScenarioError> {
    filling.given("duration");
    let Time(duration) = document.duration;
    if duration > LAST_TIME {
        return Err(filling.error(
            "duration",
            Some(&document.duration),
            "longer than a run can be",
            format!("at most {}", text(&Time(LAST_TIME))),
        ));
    }
    Ok(duration)
}

/// Nodes, the links between them, and what sits on them.
fn wires(
    filling: &mut Filling<'_>,
    document: &Document,
    radios: usize,
) -> Result<(u32, Vec<PointToPoint>, Vec<Agent>), ScenarioError> {
    let nodes = topology::nodes(filling, document, radios)?;
    let links = document.point_to_point.as_deref().unwrap_or_default();
    let links = links::links(filling, links, nodes as usize)?;
    let agents = document.agent.as_deref().unwrap_or_default();
    let agents = agents::agents(filling, agents, nodes)?;
    Ok((nodes, links, agents))
}

/// A graph has no radio; one is filled all the same, but its sources are of no interest.
fn radio(
    filling: &mut Filling<'_>,
    document: &Document,
    (profile, on_graph): (Profile, bool),
) -> Result<Radio, ScenarioError> {
    let mut unused = filling.aside();
    let filling = if on_graph { &mut unused } else { filling };
    network::radio(filling, document.radio.as_ref(), profile)
}

/// What lies below routing in a network of 802.11.
struct Below {
    mac: Mac,
    link: Link,
    queue: Queue,
}

/// A network with a slotted radio has none of this; it is filled all the same, without a note.
/// Neither have base stations a MAC, unless 802.11 is below, nor networks without radios anything.
fn below(
    filling: &mut Filling<'_>,
    document: &Document,
    profile: Profile,
    (cells, (has_radios, slotted)): (&Option<Cells>, (bool, bool)),
) -> Result<Below, ScenarioError> {
    let mac = cell_mac::mac(filling, document.mac.as_ref(), profile, cells.as_ref())?;
    let mut no_mac = filling.aside();
    let noting = if slotted { &mut no_mac } else { &mut *filling };
    let routing = document.routing.as_ref();
    let below = Below {
        mac: match mac {
            Some(mac) => mac,
            None => network::mac(noting, document.mac.as_ref(), profile)?,
        },
        link: network::link(noting, document.link.as_ref()),
        queue: network::queue(noting, document.queue.as_ref(), routing, profile),
    };
    if !has_radios {
        idle::without_radios(filling, cells.is_some())?;
    }
    Ok(below)
}

/// A graph has no radio, whose powers nobody asks for.
fn energy(filling: &mut Filling<'_>, document: &Document, on_graph: bool) -> Energy {
    let mut unused = filling.aside();
    let filling = if on_graph { &mut unused } else { filling };
    network::energy(filling, document.energy.as_ref())
}

/// The traffic: what is written, and what is drawn of it.
fn flows(
    filling: &mut Filling<'_>,
    document: &Document,
    setting: &flow::Setting,
) -> Result<Vec<Flow>, ScenarioError> {
    let written = placing::flows(filling, document, setting.nodes as u32)?;
    let mut flows = Vec::with_capacity(written.len());
    for (index, written) in written.iter().enumerate() {
        flows.push(flow::flow(filling, index, written, setting)?);
    }
    Ok(flows)
}

/// When measuring starts, and how often windows are sampled.
fn measure(
    filling: &mut Filling<'_>,
    document: &Document,
    flows: &[Flow],
) -> Result<(Duration, Option<Duration>), ScenarioError> {
    let earliest = flows
        .iter()
        .map(|flow| flow.start)
        .min()
        .unwrap_or_default();
    let given = document.measure.clone().unwrap_or_default();
    let duration = document.duration.0;
    let from = filling.pick(
        "measure.from",
        given.from,
        fixed(Time(earliest), "the earliest start of a flow"),
    );
    if from.0 >= duration {
        let accepted = format!(
            "a time before the end of the run at {}",
            text(&document.duration)
        );
        return Err(filling.error(
            "measure.from",
            Some(&from),
            "nothing is left to measure",
            accepted,
        ));
    }
    if let Some(sample) = given.sample {
        filling.given("measure.sample");
        if duration.whole(sample.0) > MAX_SAMPLES {
            return Err(filling.error(
                "measure.sample",
                Some(&sample),
                format!("more than {MAX_SAMPLES} samples in a run"),
                "a longer interval",
            ));
        }
    }
    Ok((from.0, given.sample.map(|sample| sample.0)))
}

/// Samples of one flow that a run may hold.
const MAX_SAMPLES: u64 = 10_000_000;

const fn secs(secs: u64) -> Time {
    Time(Duration::from_secs(secs))
}

const fn millis(millis: u64) -> Time {
    Time(Duration::from_millis(millis))
}

/// A value and where it comes from.
type Filled<T> = (T, Source);

/// A default that every profile shares.
fn fixed<T>(value: T, why: &str) -> Filled<T> {
    (value, Source::Default(why.to_owned()))
}

/// A default of its own for each profile.
fn by<T>(profile: Profile, ns2: (T, &str), standard: (T, &str)) -> Filled<T> {
    let (value, why) = match profile {
        Profile::Ns2 | Profile::Ns2At21b9 => ns2,
        Profile::Standard => standard,
    };
    (value, Source::Profile(profile, why.to_owned()))
}

/// A default of its own for each profile, where ns-2.1b9 was not as ns-2.35 is.
fn by_version<T>(
    profile: Profile,
    ns2_at_21b9: (T, &str),
    ns2: (T, &str),
    standard: (T, &str),
) -> Filled<T> {
    match profile {
        Profile::Ns2At21b9 => by(profile, ns2_at_21b9, standard),
        Profile::Ns2 | Profile::Standard => by(profile, ns2, standard),
    }
}

/// A quantity or a name as a person writes it.
fn text<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The work in progress: the sources so far, and what is needed to report a mistake.
struct Filling<'a> {
    origin: &'a Origin,
    recorded: Option<&'a BTreeMap<String, String>>,
    sources: Sources,
}

impl<'a> Filling<'a> {
    /// For parts whose sources are of no interest.
    fn aside(&self) -> Filling<'a> {
        Filling {
            origin: self.origin,
            recorded: None,
            sources: Sources::default(),
        }
    }

    /// The given value, or else the default; notes the source under `key`.
    fn pick<T: PartialEq>(&mut self, key: &str, given: Option<T>, default: Filled<T>) -> T {
        let (value, source) = default;
        let Some(given) = given else {
            self.sources.insert(key, source);
            return value;
        };
        // A resolved scenario that is read again gives every value. Its note is believed only
        // if it says what would be filled in here anyway.
        let noted = self.recorded.and_then(|notes| notes.get(key));
        let still_default = given == value && noted.is_some_and(|note| *note == source.to_string());
        self.sources
            .insert(key, if still_default { source } else { Source::Given });
        given
    }

    /// Whether somebody wrote `key`: it is no default, nor one that a resolved scenario shows.
    fn is_given(&self, key: &str) -> bool {
        self.sources.get(key) == Some(&Source::Given)
    }

    /// Notes that `key` is given.
    fn given(&mut self, key: &str) {
        self.sources.insert(key, Source::Given);
    }

    fn error<T: serde::Serialize>(
        &self,
        key: &str,
        value: Option<&T>,
        message: impl Into<String>,
        accepted: impl Into<String>,
    ) -> ScenarioError {
        let written = self.origin.written(key).or_else(|| value.map(text));
        ScenarioError::new(self.origin, key, written, message, accepted)
    }
}
