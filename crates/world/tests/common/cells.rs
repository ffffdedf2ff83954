//! Access networks with base stations and mobiles.

use super::{integer, log, options, scenario};
use acklab_scenario::Resolved;

pub(crate) const US: u64 = 1_000;
pub(crate) const MS: u64 = 1_000 * US;
/// When a mobile hands off that leaves the left station at 0 s with 70 km/h.
pub(crate) const HANDOFF: u64 = 6_200 * MS;
/// A datagram of 500 B (520 B with its header) over a wired hop and over the air.
pub(crate) const HOP: u64 = 5_416 * US;
pub(crate) const AIR: u64 = 3_080 * US;
/// An update (40 B).
pub(crate) const UPDATE_HOP: u64 = 5_032 * US;
pub(crate) const UPDATE_AIR: u64 = 1_160 * US;
/// Datagrams begin at 1 s and come every 10 ms.
pub(crate) const START: u64 = 1_000 * MS;
pub(crate) const EVERY: u64 = 10 * MS;
/// The crossover node is two hops from the correspondent.
pub(crate) const AT_CROSSOVER: u64 = 2 * HOP;

/// When datagram `k` is at the crossover node.
pub(crate) fn at_crossover(k: u64) -> u64 {
    START + k * EVERY + AT_CROSSOVER
}

/// A flow of such datagrams.
pub(crate) fn datagrams(to: u32) -> String {
    format!(
        "[[flow]]\nkind = \"cbr\"\nfrom = 0\nto = {to}\nstart = \"1 s\"\npacket = \"500 B\"\n\
         interval = \"10 ms\"\n"
    )
}

/// Numbers of the datagrams that arrived, in order of arrival.
pub(crate) fn arrivals(resolved: &Resolved) -> Vec<u64> {
    let events = log(resolved, &options(1));
    let received = events.iter().filter(|one| one["kind"] == "udp_received");
    received.map(|one| integer(one, "number")).collect()
}

/// Correspondent 0, gateway 1, crossover 2, then the routers of the left branch and its station,
/// then those of the right branch: stations are `left` and `right` hops below the crossover. The
/// mobiles come last. All wired links have 10 Mbit/s and 5 ms (cho2005 §4).
pub(crate) struct Access {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) mobiles: u32,
}

impl Access {
    pub(crate) fn left_station(&self) -> u32 {
        2 + self.left
    }

    pub(crate) fn right_station(&self) -> u32 {
        2 + self.left + self.right
    }

    pub(crate) fn mobile(&self, which: u32) -> u32 {
        self.right_station() + 1 + which
    }

    /// `cells` are further lines of the table of cells, `rest` what follows it: blackouts, mobiles
    /// and flows. The stations stand 230 m apart.
    pub(crate) fn text(&self, duration: &str, cells: &str, rest: &str) -> String {
        let mut links = vec![[0, 1], [1, 2]];
        for (first, hops) in [(3, self.left), (3 + self.left, self.right)] {
            links.extend((0..hops).map(|hop| match hop {
                0 => [2, first],
                _ => [first + hop - 1, first + hop],
            }));
        }
        let nodes = self.right_station() + 1 + self.mobiles;
        let mut text =
            format!("duration = \"{duration}\"\n[topology]\nkind = \"nodes\"\nnodes = {nodes}\n");
        for [one, other] in links {
            text += &format!(
                "[[point_to_point]]\nbetween = [{one}, {other}]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n"
            );
        }
        text += &format!("[cells]\ngateway = 1\nrate = \"2 Mbit/s\"\n{cells}\n");
        for (node, metres) in [(self.left_station(), 0), (self.right_station(), 230)] {
            text += &format!(
                "[[cells.station]]\nnode = {node}\nposition = [\"{metres} m\", \"0 m\"]\n"
            );
        }
        text + rest
    }

    pub(crate) fn scenario(&self, duration: &str, cells: &str, rest: &str) -> Resolved {
        scenario(&self.text(duration, cells, rest))
    }
}

/// A mobile that goes from one end of the road to the other and back, at 70 km/h.
pub(crate) fn shuttle(node: u32, from: u32, to: u32) -> String {
    format!(
        "[[cells.mobile]]\nnode = {node}\nmotion = {{kind = \"back-and-forth\", from = [\"{from} m\", \"0 m\"], \
         to = [\"{to} m\", \"0 m\"], speed = \"70 km/h\"}}\n"
    )
}

/// Two mobiles that meet, with traffic of all kinds, errors, shadowing and a blackout; `more` are
/// further lines of the table of cells.
pub(crate) fn busy_cells(more: &str) -> Resolved {
    let access = Access {
        left: 1,
        right: 3,
        mobiles: 2,
    };
    let [one, other] = [0, 1].map(|which| access.mobile(which));
    let rest = shuttle(one, 0, 230)
        + &shuttle(other, 230, 0)
        + "[[cells.blackout]]\nduring = [\"12 s\", \"13 s\"]\n"
        + &format!(
            "[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {one}\nhandoff = \"pacing\"\n\
             [[flow]]\nkind = \"ftp\"\nfrom = {other}\nto = 0\nhandoff = \"pacing\"\n\
             [[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {other}\nhandoff = \"freeze\"\n\
             [[flow]]\nkind = \"cbr\"\nfrom = {one}\nto = {other}\ninterval = \"50 ms\"\n"
        );
    let cells = format!(
        "loss = \"5 %\"\nshadowing = \"4 dB\"\nbeacon_loss = \"10 %\"\n\
         handoff = \"semisoft\"\ndelay_device = \"30 ms\"\n{more}"
    );
    access.scenario("20 s", &cells, &rest)
}
