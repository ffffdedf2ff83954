//! How much memory is taken by what waits in queues or is on its way: it hangs on the traffic, while the rest
//! hangs on the size of a network.

use crate::flow::Traffic;
use crate::world::World;

impl World {
    /// The room in bytes that packets and frames had which waited as the run came to its end: in interface queues,
    /// link layers and the hands of MACs, on their way to a station, and between TCP and the network. What
    /// the allocator adds is not counted.
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
        let ears = self.ears.iter().map(|one| one.room());
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
