//! What an observer notes about periods of low signal and about the way back after a handoff: data and
//! ACKs sent meanwhile, bursts afterwards, when everything is acknowledged again. Nothing here decides
//! anything.

use super::{Cells, MobileAt};
use crate::flow::Traffic;
use crate::world::World;
use acklab_base::{Duration, Instant};

/// ACKs so soon after the one before are no paced ones (cho2005 §3.2 has 100 ms).
const PACED: Duration = Duration::from_millis(100);
/// Bursts so soon after the signal is good again are looked for.
const BURSTS_WITHIN: Duration = Duration::from_secs(1);

/// A period of low signal under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct LowPeriod {
    pub(super) since: Instant,
    data_sent: u32,
    acks_sent: u32,
    acks_soon: u32,
    acks_paced: u32,
    last_ack: Option<Instant>,
}

impl LowPeriod {
    pub(super) const fn new(since: Instant) -> Self {
        Self {
            since,
            data_sent: 0,
            acks_sent: 0,
            acks_soon: 0,
            acks_paced: 0,
            last_ack: None,
        }
    }
}

/// What is watched after a period with a handoff in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aftermath {
    /// When the signal was good again, and where the handoff stands in the log.
    good: Option<(Instant, usize)>,
    /// Data packets that left at this instant.
    burst: (Instant, u32),
    /// A flow whose bytes up to here were sent before the crossover node was updated.
    recovery: Option<(usize, u64)>,
}

impl MobileAt {
    /// The signal is good again.
    pub(super) fn low_period_ends(
        &mut self,
        now: Instant,
        log: &mut [super::handoffs::HandoffSample],
    ) {
        let Some(period) = self.low.take() else {
            return;
        };
        let Some((at, place)) = self.last.filter(|(at, _)| *at >= period.since) else {
            return;
        };
        self.aftermath.good = Some((now, place));
        let sample = &mut log[place];
        sample.low_after_s = Some((now - at).as_secs_f64());
        sample.low_data_sent = period.data_sent;
        sample.low_acks_sent = period.acks_sent;
        sample.low_acks_soon = period.acks_soon;
        sample.low_acks_paced = period.acks_paced;
    }
}

impl Cells {
    /// The mobile at an end of a flow.
    fn mobile_of(&mut self, ends: [acklab_base::NodeId; 2]) -> Option<&mut MobileAt> {
        let mut mobiles = self.mobiles.iter_mut();
        mobiles.find(|mobile| ends.contains(&mobile.node))
    }
}

impl World {
    fn watched(&mut self, flow: usize) -> Option<&mut MobileAt> {
        let ends = [self.flows[flow].from, self.flows[flow].to];
        self.cells.as_mut()?.mobile_of(ends)
    }

    /// A sender sent data.
    pub(crate) fn data_near_handoff(&mut self, now: Instant, flow: usize) {
        let Some(mobile) = self.watched(flow) else {
            return;
        };
        if let Some(period) = &mut mobile.low {
            period.data_sent += 1;
        }
        let Some((good, place)) = mobile.aftermath.good else {
            return;
        };
        let burst = &mut mobile.aftermath.burst;
        *burst = (now, if burst.0 == now { burst.1 + 1 } else { 1 });
        let size = burst.1;
        if now.saturating_since(good) <= BURSTS_WITHIN
            && let Some(cells) = &mut self.cells
        {
            let largest = &mut cells.log[place].burst_after;
            *largest = (*largest).max(size);
        }
    }

    /// A receiver sent an ACK.
    pub(crate) fn ack_near_handoff(&mut self, now: Instant, flow: usize) {
        if let Some(period) = self.watched(flow).and_then(|mobile| mobile.low.as_mut()) {
            let last = period.last_ack.replace(now);
            period.acks_sent += 1;
            period.acks_soon += u32::from(last.is_some_and(|last| now - last < PACED));
        }
    }

    /// A receiver lets an ACK wait for its turn.
    pub(crate) fn ack_paced_near_handoff(&mut self, flow: usize) {
        if let Some(period) = self.watched(flow).and_then(|mobile| mobile.low.as_mut()) {
            period.acks_paced += 1;
        }
    }

    /// The crossover node of a handoff has the new route: what was sent until now is to be acknowledged.
    pub(super) fn watch_recovery(&mut self, index: usize) {
        let Some(cells) = &self.cells else { return };
        let node = cells.mobiles[index].node;
        let flow = self
            .flows
            .iter()
            .position(|flow| [flow.from, flow.to].contains(&node));
        let mark = flow.and_then(|flow| match &self.flows[flow].traffic {
            Traffic::Tcp(tcp) => Some((flow, tcp.sender.sent_bytes())),
            Traffic::Cbr(_) => None,
        });
        if let Some(cells) = &mut self.cells {
            cells.mobiles[index].aftermath.recovery = mark;
        }
    }

    /// An ACK came to a sender: perhaps everything from before a handoff is acknowledged.
    pub(crate) fn recovery_near_handoff(&mut self, now: Instant, flow: usize) {
        let Traffic::Tcp(tcp) = &self.flows[flow].traffic else {
            return;
        };
        let acked = tcp.sender.acked_bytes();
        let Some(mobile) = self.watched(flow) else {
            return;
        };
        let due = mobile.aftermath.recovery;
        if due.is_some_and(|(watched, mark)| watched == flow && acked >= mark) {
            mobile.aftermath.recovery = None;
            let last = mobile.last;
            if let (Some((at, place)), Some(cells)) = (last, &mut self.cells) {
                cells.log[place].recovered_s = Some((now - at).as_secs_f64());
            }
        }
    }
}
