//! What a node above its MAC counts, in few bytes: of the hundred counters of [`NodeCounters`] most
//! nodes of a large network need a handful.
//!
//! Those of them that an 802.11 network needs stand in place, in four bytes each, which is enough for
//! a month of frames; all others come with the first that is counted. The one invariant: each counter
//! of the total is counted at one place of a node.

use crate::counters::NodeCounters;
use acklab_wire::Class;

/// Declares the counters that stand in place; what they mean stands at those of the same name.
macro_rules! tally {
    ($( $field:ident, )*) => {
        /// The counters of a node.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct Tally {
            $( #[doc = concat!("See [`NodeCounters::", stringify!($field), "`].")] pub $field: u32, )*
            rest: Option<Box<NodeCounters>>,
        }

        impl Tally {
            /// All of them.
            #[must_use]
            pub fn total(&self) -> NodeCounters {
                let mut all = self.rest.as_deref().copied().unwrap_or_default();
                $( all.$field += u64::from(self.$field); )*
                all
            }
        }
    };
}

tally! {
    collisions,
    collisions_hidden,
    collisions_same_slot,
    capture_lost,
    retry_drops,
    retry_drops_tcp_data,
    retry_drops_tcp_ack,
    queue_drops,
    arp_drops,
    link_failures,
    false_route_failures,
    rreq_originated,
    rreq_sent,
    rrep_sent,
    rerr_sent,
    route_updates_sent,
    no_route_drops,
    purged_drops,
}

impl Tally {
    /// All others, to be counted on.
    #[inline]
    pub fn rest(&mut self) -> &mut NodeCounters {
        self.rest.get_or_insert_default()
    }

    /// All others, if any of them was counted.
    #[must_use]
    pub fn counted_rest(&self) -> Option<&NodeCounters> {
        self.rest.as_deref()
    }

    /// Counts a packet of `class` that the MAC gave up at a retry limit.
    pub fn count_retry_drop(&mut self, class: Class) {
        self.retry_drops += 1;
        match class {
            Class::TcpData => self.retry_drops_tcp_data += 1,
            Class::TcpAck => self.retry_drops_tcp_ack += 1,
            Class::Udp | Class::Routing | Class::Arp => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_told_apart_by_class() {
        let mut tally = Tally::default();
        for class in [
            Class::TcpData,
            Class::TcpAck,
            Class::Udp,
            Class::Routing,
            Class::Arp,
        ] {
            tally.count_retry_drop(class);
        }
        let all = tally.total();
        let tcp = (all.retry_drops_tcp_data, all.retry_drops_tcp_ack);
        assert_eq!((all.retry_drops, tcp), (5, (1, 1)));
    }

    #[test]
    fn both_parts_make_the_total() {
        let mut tally = Tally::default();
        assert_eq!(tally.total(), NodeCounters::default());
        tally.collisions = 3;
        tally.rest().collisions += 2;
        tally.rest().handoffs += 1;
        let all = NodeCounters {
            collisions: 5,
            handoffs: 1,
            ..Default::default()
        };
        assert_eq!(tally.total(), all);
    }
}
