//! Point-to-point links.

use super::{Filled, Filling, fixed, millis};
use crate::document_links::{self as document, Order};
use crate::error::ScenarioError;
use crate::quantities::{CountOrOff, Off, Share as ShareText, Size, Time};
use crate::resolved_links::{Arq, Errors, PointToPoint, time_to_ack};
use acklab_base::{Duration, NodeId, Share};

pub(super) fn links(
    filling: &mut Filling<'_>,
    given: &[document::PointToPoint],
    nodes: usize,
) -> Result<Vec<PointToPoint>, ScenarioError> {
    let mut links: Vec<PointToPoint> = Vec::with_capacity(given.len());
    for (index, written) in given.iter().enumerate() {
        let key = format!("point_to_point[{index}]");
        let between = ends(filling, &key, written.between, nodes)?;
        let same = |link: &&PointToPoint| {
            link.between.contains(&between[0]) && link.between.contains(&between[1])
        };
        if links.iter().any(|link| same(&link)) {
            return Err(filling.error(
                &format!("{key}.between"),
                Some(&written.between),
                "there is a link between these nodes already",
                "one link between any two nodes",
            ));
        }
        let link = link(filling, &key, written, between)?;
        if let Some(medium) = &link.medium {
            let same = |other: &&PointToPoint| other.medium.as_ref() == Some(medium);
            station(filling, &key, medium, between, links.iter().find(same))?;
        }
        links.push(link);
    }
    Ok(links)
}

/// Links of one medium have one station.
fn station(
    filling: &mut Filling<'_>,
    key: &str,
    medium: &str,
    between: [NodeId; 2],
    other: Option<&PointToPoint>,
) -> Result<(), ScenarioError> {
    let key = format!("{key}.medium");
    filling.given(&key);
    match other.map(|other| other.between[0]) {
        Some(station) if station != between[0] => Err(filling.error(
            &key,
            Some(&medium),
            format!(
                "another link of this medium begins at node {}, this one at {}",
                station.0, between[0].0
            ),
            "links that name the same node first, whose transmitter they share",
        )),
        _ => Ok(()),
    }
}

fn ends(
    filling: &mut Filling<'_>,
    key: &str,
    between: [u32; 2],
    nodes: usize,
) -> Result<[NodeId; 2], ScenarioError> {
    let key = format!("{key}.between");
    filling.given(&key);
    let last = nodes as u32 - 1;
    if between.iter().any(|&node| node > last) {
        let message = format!("there is no such node: the topology has {nodes} nodes");
        return Err(filling.error(&key, Some(&between), message, format!("0 to {last}")));
    }
    if between[0] == between[1] {
        let message = "a link from a node to itself";
        return Err(filling.error(&key, Some(&between), message, "two different nodes"));
    }
    Ok(between.map(NodeId))
}

fn link(
    filling: &mut Filling<'_>,
    key: &str,
    given: &document::PointToPoint,
    between: [NodeId; 2],
) -> Result<PointToPoint, ScenarioError> {
    filling.given(&format!("{key}.rate"));
    filling.given(&format!("{key}.delay"));
    let queue = filling.pick(
        &format!("{key}.queue"),
        given.queue,
        fixed(50, "the queue limit of ns-2 (Queue limit_)"),
    );
    let data_loss = filling.pick(
        &format!("{key}.data_loss"),
        given.data_loss,
        fixed(ShareText(Share::NONE), "no congestion elsewhere"),
    );
    let data_loss_lasts = filling.pick(
        &format!("{key}.data_loss_lasts"),
        given.data_loss_lasts,
        fixed(millis(0), "independent losses"),
    );
    idle(filling, key, given, data_loss.0)?;
    let mut way = |name: &str, own: &Option<document::Errors>| {
        let written = if own.is_some() { name } else { "errors" };
        let given = own.as_ref().or(given.errors.as_ref());
        errors(
            filling,
            &format!("{key}.{name}"),
            &format!("{key}.{written}"),
            given,
        )
    };
    let errors = [
        way("errors_forward", &given.errors_forward)?,
        way("errors_backward", &given.errors_backward)?,
    ];
    let arq = match &given.arq {
        Some(own) => Some(arq(filling, &format!("{key}.arq"), own, given)?),
        None => None,
    };
    Ok(PointToPoint {
        between,
        rate: given.rate.0,
        delay: given.delay.0,
        queue,
        data_loss: data_loss.0,
        data_loss_lasts: data_loss_lasts.0,
        errors,
        arq,
        medium: given.medium.clone(),
    })
}

/// Refuses what the rest of a link leaves without effect.
fn idle(
    filling: &Filling<'_>,
    key: &str,
    given: &document::PointToPoint,
    data_loss: Share,
) -> Result<(), ScenarioError> {
    let lasts = given.data_loss_lasts.filter(|lasts| *lasts != millis(0));
    if data_loss == Share::NONE && lasts.is_some() {
        let message = "there are no losses that could last";
        let accepted = format!("\"0 s\", or {key}.data_loss such as \"1 %\"");
        return Err(filling.error(
            &format!("{key}.data_loss_lasts"),
            lasts.as_ref(),
            message,
            accepted,
        ));
    }
    let both = given.errors_forward.is_some() && given.errors_backward.is_some();
    if let Some(errors) = given.errors.as_ref().filter(|_| both) {
        let message = "both directions have errors of their own";
        let accepted = "errors, or errors_forward and errors_backward, or one of these beside it";
        return Err(filling.error(&format!("{key}.errors"), Some(errors), message, accepted));
    }
    Ok(())
}

/// `key` is where the resolved scenario has the model, `written` where the given one has it.
fn errors(
    filling: &mut Filling<'_>,
    key: &str,
    written: &str,
    given: Option<&document::Errors>,
) -> Result<Errors, ScenarioError> {
    let (tag, none) = (format!("{key}.kind"), document::Errors::None {});
    let given = given.cloned();
    if given.as_ref().is_none_or(|given| *given == none) {
        filling.pick(&tag, given, fixed(none, "no errors"));
        return Ok(Errors::None);
    }
    filling.given(&tag);
    Ok(match given.as_ref().unwrap_or(&none) {
        document::Errors::None {} => Errors::None,
        document::Errors::Exponential { mean } => Errors::Exponential { mean_bytes: mean.0 },
        document::Errors::Uniform { loss } => Errors::Uniform { loss: loss.0 },
        document::Errors::GilbertElliott {
            good,
            bad,
            loss_good,
            loss_bad,
        } => {
            let none = fixed(ShareText(Share::NONE), "good times are without errors");
            let all = fixed(ShareText(Share::ALL), "nothing comes through in bad times");
            Errors::GilbertElliott {
                good: good.0,
                bad: bad.0,
                loss_good: filling
                    .pick(&format!("{key}.loss_good"), *loss_good, none)
                    .0,
                loss_bad: filling.pick(&format!("{key}.loss_bad"), *loss_bad, all).0,
            }
        }
        document::Errors::List { frames, link_acks } => {
            let link_acks = filling.pick(
                &format!("{key}.link_acks"),
                link_acks.clone(),
                fixed(Vec::new(), "no link ACK is lost"),
            );
            ascending(filling, &format!("{written}.frames"), frames)?;
            ascending(filling, &format!("{written}.link_acks"), &link_acks)?;
            Errors::List {
                frames: frames.clone(),
                link_acks,
            }
        }
        document::Errors::Trace { fates } => trace(filling, written, fates)?,
    })
}

fn trace(filling: &Filling<'_>, key: &str, fates: &str) -> Result<Errors, ScenarioError> {
    if fates.is_empty() || fates.bytes().any(|fate| fate != b'.' && fate != b'x') {
        return Err(filling.error(
            &format!("{key}.fates"),
            Some(&fates),
            "not a sequence of fates",
            "a text of \".\" (arrives) and \"x\" (lost), at least one character",
        ));
    }
    Ok(Errors::Trace {
        lost: fates.bytes().map(|fate| fate == b'x').collect(),
    })
}

fn ascending(filling: &Filling<'_>, key: &str, list: &[u32]) -> Result<(), ScenarioError> {
    let first_is_wrong = list.first() == Some(&0);
    if first_is_wrong || !list.is_sorted_by(|a, b| a < b) {
        return Err(filling.error(
            key,
            Some(&list),
            "frames are numbered from 1, and listed in order",
            "ascending numbers, each once, the first at least 1",
        ));
    }
    Ok(())
}

fn arq(
    filling: &mut Filling<'_>,
    key: &str,
    given: &document::Arq,
    link: &document::PointToPoint,
) -> Result<Arq, ScenarioError> {
    let at = |name: &str| format!("{key}.{name}");
    let order = filling.pick(
        &at("order"),
        given.order,
        fixed(Order::Arrival, "vaidya1999 section 5"),
    );
    let tries = filling.pick(
        &at("tries"),
        given.tries,
        fixed(CountOrOff::Off(Off::Off), "vaidya1999 names no limit"),
    );
    if order == Order::Sequence && tries != CountOrOff::Off(Off::Off) {
        return Err(filling.error(
            &at("tries"),
            Some(&tries),
            "later packets would wait for ever for one that is given up",
            "\"off\" with order = \"sequence\", or order = \"arrival\"",
        ));
    }
    let paper = "vaidya1999 section 6";
    let ack_size = filling.pick(&at("ack_size"), given.ack_size, fixed(Size(14), paper));
    let shared_queue = filling.pick(
        &at("shared_queue"),
        given.shared_queue,
        fixed(false, "vaidya1999 section 6: two queues"),
    );
    let ack_queue = ack_queue(filling, &at("ack_queue"), given.ack_queue, shared_queue)?;
    let min_timer = filling.pick(
        &at("min_timer"),
        given.min_timer,
        default_timer(time_to_ack(link.rate.0, link.delay.0, ack_size.0)),
    );
    let paper = "vaidya1999 section 5";
    let acks_first = filling.pick(&at("acks_first"), given.acks_first, fixed(true, paper));
    let retransmissions_first = filling.pick(
        &at("retransmissions_first"),
        given.retransmissions_first,
        fixed(true, paper),
    );
    Ok(Arq {
        order,
        tries: tries.into(),
        ack_bytes: ack_size.0,
        ack_queue,
        min_timer: min_timer.0,
        acks_first,
        retransmissions_first,
        shared_queue,
    })
}

/// A timer that runs out before a link ACK can come would have every packet sent again for ever.
fn default_timer(time_to_ack: Duration) -> Filled<Time> {
    let usual = Duration::from_millis(100);
    if time_to_ack < usual {
        fixed(
            Time(usual),
            "left open by vaidya1999: one tick of ns-2's TCP",
        )
    } else {
        fixed(
            Time(time_to_ack * 2),
            "twice the time to a link ACK, which takes 100 ms or more",
        )
    }
}

/// A queue of their own, which link ACKs in that of the packets do not have.
fn ack_queue(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<u32>,
    shared: bool,
) -> Result<u32, ScenarioError> {
    match given {
        Some(given) if shared => Err(filling.error(
            key,
            Some(&given),
            "link ACKs have no queue of their own with shared_queue = true",
            "shared_queue = false, or this key left out",
        )),
        // Nothing reads it, so that it has no source.
        None if shared => Ok(ACK_QUEUE),
        _ => {
            let default = fixed(ACK_QUEUE, "vaidya1999 section 6");
            Ok(filling.pick(key, given, default))
        }
    }
}

const ACK_QUEUE: u32 = 40;
