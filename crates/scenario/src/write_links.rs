//! From resolved links back to their part of the document.

use crate::document_agents::Agent;
use crate::document_links::{Arq, Errors, PointToPoint};
use crate::quantities::{Rate, Share, Size, Time};
use crate::resolved_links as resolved;

pub(crate) fn link(link: &resolved::PointToPoint) -> PointToPoint {
    PointToPoint {
        between: link.between.map(|node| node.0),
        rate: Rate(link.rate),
        delay: Time(link.delay),
        queue: Some(link.queue),
        data_loss: Some(Share(link.data_loss)),
        data_loss_lasts: Some(Time(link.data_loss_lasts)),
        errors: None,
        errors_forward: Some(errors(&link.errors[0])),
        errors_backward: Some(errors(&link.errors[1])),
        arq: link.arq.as_ref().map(arq),
        medium: link.medium.clone(),
    }
}

fn errors(errors: &resolved::Errors) -> Errors {
    match errors {
        resolved::Errors::None => Errors::None {},
        resolved::Errors::Exponential { mean_bytes } => Errors::Exponential {
            mean: Size(*mean_bytes),
        },
        resolved::Errors::Uniform { loss } => Errors::Uniform { loss: Share(*loss) },
        resolved::Errors::GilbertElliott {
            good,
            bad,
            loss_good,
            loss_bad,
        } => Errors::GilbertElliott {
            good: Time(*good),
            bad: Time(*bad),
            loss_good: Some(Share(*loss_good)),
            loss_bad: Some(Share(*loss_bad)),
        },
        resolved::Errors::List { frames, link_acks } => Errors::List {
            frames: frames.clone(),
            link_acks: Some(link_acks.clone()),
        },
        resolved::Errors::Trace { lost } => Errors::Trace {
            fates: lost
                .iter()
                .map(|&lost| if lost { 'x' } else { '.' })
                .collect(),
        },
    }
}

fn arq(arq: &resolved::Arq) -> Arq {
    Arq {
        order: Some(arq.order),
        tries: Some(arq.tries.into()),
        ack_size: Some(Size(arq.ack_bytes)),
        ack_queue: (!arq.shared_queue).then_some(arq.ack_queue),
        min_timer: Some(Time(arq.min_timer)),
        acks_first: Some(arq.acks_first),
        retransmissions_first: Some(arq.retransmissions_first),
        shared_queue: Some(arq.shared_queue),
    }
}

pub(crate) fn agent(agent: &resolved::Agent) -> Agent {
    let (node, toward) = (agent.node.0, agent.toward.0);
    match agent.kind {
        resolved::AgentKind::Snoop(options) => Agent::Snoop {
            node,
            toward,
            rules: Some(options.rules),
            cache: Some(options.cache),
            min_timer: Some(Time(options.min_timer)),
        },
        resolved::AgentKind::LossNotice { memory } => Agent::LossNotice {
            node,
            toward,
            memory: Some(memory),
        },
        resolved::AgentKind::Split => Agent::Split { node, toward },
        resolved::AgentKind::MTcp { least_silence } => Agent::MTcp {
            node,
            toward,
            least_silence: Some(Time(least_silence)),
        },
    }
}
