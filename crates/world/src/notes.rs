//! What the ends of a flow note on their way: counters, windows over time, events for a recorder.
//! Nothing here decides anything.

use crate::flow::{Flow, Traffic};
use crate::world::World;
use acklab_base::{Instant, NodeId};
use acklab_tcp::{Decision, ReceiverNote, SenderNote};
use acklab_trace::Event;

impl World {
    pub(crate) fn watch_window(&mut self, now: Instant, node: NodeId, flow: usize) {
        let id = self.flows[flow].id;
        let tcp = self.tcp(flow);
        let (cwnd, window) = (tcp.sender.cwnd(), tcp.sender.window());
        let ssthresh = tcp.sender.ssthresh();
        tcp.windows.set(now, cwnd, window, ssthresh);
        if let Some(batches) = &mut self.batches {
            batches.set_window(now, flow, [cwnd, window, ssthresh]);
        }
        if self.recorder.is_some() {
            self.record(
                now,
                node,
                Event::Window {
                    flow: id,
                    cwnd,
                    window,
                    ssthresh,
                },
            );
        }
    }

    pub(crate) fn note_sender(
        &mut self,
        now: Instant,
        node: NodeId,
        flow: usize,
        note: SenderNote,
    ) {
        let id = self.flows[flow].id;
        self.watch_repairs(now, flow, note);
        let counters = &mut self.flows[flow].counters;
        let event = match note {
            SenderNote::Timeout => {
                counters.timeouts += 1;
                self.timeout_near_handoff(now, flow);
                Event::Timeout { flow: id }
            }
            SenderNote::FastRetransmit => {
                counters.fast_retransmits += 1;
                Event::FastRetransmit { flow: id }
            }
            SenderNote::WindowCut => {
                counters.window_cuts += 1;
                Event::WindowCut { flow: id }
            }
            SenderNote::Vegas(decision) => {
                match decision {
                    Decision::Grow => counters.vegas_grown += 1,
                    Decision::Hold => counters.vegas_held += 1,
                    Decision::Shrink => counters.vegas_shrunk += 1,
                }
                return;
            }
            SenderNote::Established => Event::Established { flow: id },
            SenderNote::WindowProbe => {
                counters.window_probes += 1;
                return;
            }
            SenderNote::TailProbe => {
                counters.tail_probes += 1;
                return;
            }
            SenderNote::LossNotice => {
                counters.loss_notices += 1;
                return;
            }
            SenderNote::Paced => {
                counters.data_paced += 1;
                return;
            }
            SenderNote::AllAcked | SenderNote::RttSample(_) => return,
        };
        self.record(now, node, event);
    }

    /// What the watch over gaps must know of the sender.
    fn watch_repairs(&mut self, now: Instant, flow: usize, note: SenderNote) {
        let flow = &mut self.flows[flow];
        if let Traffic::Tcp(tcp) = &mut flow.traffic {
            match note {
                SenderNote::FastRetransmit => tcp.gaps.on_fast_retransmit(),
                SenderNote::Timeout => tcp.gaps.on_timeout(now, &mut flow.counters),
                _ => {}
            }
        }
    }

    pub(crate) fn note_receiver(&mut self, flow: usize, note: ReceiverNote) {
        let counters = &mut self.flows[flow].counters;
        match note {
            ReceiverNote::DupackHeld => {
                counters.dupacks_held += 1;
                let Flow {
                    traffic, counters, ..
                } = &mut self.flows[flow];
                if let Traffic::Tcp(tcp) = traffic {
                    tcp.gaps.on_held(counters);
                }
            }
            // By a policy of one's own, which may hold one by one, and where no gap is.
            ReceiverNote::AckHeld => counters.dupacks_held += 1,
            ReceiverNote::DupacksDiscarded(count) => {
                counters.dupacks_discarded += u64::from(count);
                self.note_hold_ends(flow, true);
            }
            ReceiverNote::AckPaced => {
                counters.acks_paced += 1;
                self.ack_paced_near_handoff(flow);
            }
        }
    }

    /// The time of held duplicate ACKs is over, or the gap was filled before.
    pub(crate) fn note_hold_ends(&mut self, flow: usize, in_time: bool) {
        let Flow {
            traffic, counters, ..
        } = &mut self.flows[flow];
        if let Traffic::Tcp(tcp) = traffic {
            tcp.gaps.on_hold_ends(in_time, counters);
        }
    }
}
