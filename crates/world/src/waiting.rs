//! How much memory is taken by what waits in queues or is on its way: it hangs on the traffic, while the rest
//! hangs on the size of a network.

use crate::flow::Traffic;
use crate::world::World;

impl World {
    /// The room in bytes that packets and frames had which waited as the run came to its end or was stopped: in
    /// interface queues and link layers, those that a MAC broadcast or gave up, frames on their way to
    /// stations that come and go from a crowd (others have a fixed room), and what TCP hands out. Not
    /// counted are what the allocator adds, the packet in hand of a MAC, and what routers, agents, wires,
    /// cells and slotted radios hold. Zero before the run.
    #[must_use]
    pub const fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// The same now.
    pub(crate) fn count_waiting(&self) -> usize {
        let stacks = self
            .stacks
            .iter()
            .map(|one| one.queue.room() + one.link.room());
        let stations = self.stations.iter().map(|one| one.dcf.room());
        let ears = self.ears.iter().filter(|_| self.crowd.gathers());
        let ears = ears.map(|one| one.room());
        let flows = self.flows.iter().map(|flow| match &flow.traffic {
            Traffic::Tcp(tcp) => tcp.sender.room() + tcp.receiver.room(),
            Traffic::Cbr(_) => 0,
        });
        self.crowd.room()
            + stacks
                .chain(stations)
                .chain(ears)
                .chain(flows)
                .sum::<usize>()
    }
}
