//! Access networks with base stations and mobiles.

use super::scenario;
use acklab_scenario::Resolved;

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
