//! Networks with point-to-point links.

use super::{example, scenario};
use acklab_scenario::Resolved;

/// A base station between a wired host and a chain of radios: nodes 0, 1, 2 have radios, node 3
/// hangs on node 0 by a link, and so does node 4 on node 3.
fn both(routing: &str) -> Resolved {
    scenario(&format!(
        "duration = \"5 s\"\nwired_nodes = 2\n[topology]\nkind = \"chain\"\nnodes = 3\n\
         spacing = \"200 m\"\n{routing}\n\
         [[point_to_point]]\nbetween = [3, 0]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
         errors = {{kind = \"uniform\", loss = \"2 %\"}}\narq = {{order = \"sequence\"}}\n\
         [[point_to_point]]\nbetween = [3, 4]\nrate = \"1 Mbit/s\"\ndelay = \"7 ms\"\n\
         errors_backward = {{kind = \"gilbert-elliott\", good = \"300 ms\", bad = \"20 ms\"}}\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 4\nto = 2\nwindow = 8\nstart = \"200 ms\"\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 1\nto = 3\nwindow = 8\nstart = \"300 ms\"\n"
    ))
}

/// A slow link whose queues fill, with everything that retransmission can be told.
fn crowded() -> Resolved {
    let flows = "[[flow]]\nkind = \"ftp\"\nwindow = 40\nstart = \"0 s\"\n".repeat(2);
    scenario(&format!(
        "duration = \"6 s\"\n[topology]\nkind = \"nodes\"\nnodes = 2\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"800 kbit/s\"\ndelay = \"250 ms\"\n\
         queue = 12\nerrors = {{kind = \"exponential\", mean = \"9000 B\"}}\n\
         arq = {{tries = 3, shared_queue = true, acks_first = false, \
         retransmissions_first = false, min_timer = \"20 ms\"}}\n{flows}\
         [[flow]]\nkind = \"ftp\"\nfrom = 1\nto = 0\nwindow = 30\nstart = \"500 ms\"\n\
         [[flow]]\nkind = \"cbr\"\ninterval = \"50 ms\"\nstart = \"500 ms\"\n"
    ))
}

/// Snoop between a wired host and a lossy link, with two connections; one of them with Delayed Dupacks.
fn snoop() -> Resolved {
    scenario(
        "duration = \"9 s\"\n[topology]\nkind = \"nodes\"\nnodes = 3\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         data_loss = \"1 %\"\n\
         [[point_to_point]]\nbetween = [1, 2]\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\n\
         errors = {kind = \"exponential\", mean = \"30000 B\"}\n\
         [[agent]]\nkind = \"snoop\"\nnode = 1\ntoward = 2\n\
         [[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nstart = \"0 s\"\n\
         [[flow]]\nkind = \"ftp\"\nstart = \"500 ms\"\n\
         ack = {policy = \"delayed-dupacks\", delay = \"80 ms\"}\n",
    )
}

/// Two hosts behind one base station: a split connection to one, marked ACKs for the other.
fn agents() -> Resolved {
    let flow = |to: u32, more: &str| {
        format!("[[flow]]\nkind = \"ftp\"\nfrom = 0\nto = {to}\nstart = \"0 s\"\n{more}\n")
    };
    scenario(&format!(
        "duration = \"9 s\"\n[topology]\nkind = \"nodes\"\nnodes = 4\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
         data_loss = \"1 %\"\ndata_loss_lasts = \"5 ms\"\n\
         [[point_to_point]]\nbetween = [1, 2]\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\n\
         errors = {{kind = \"exponential\", mean = \"30000 B\"}}\n\
         [[point_to_point]]\nbetween = [1, 3]\nrate = \"2 Mbit/s\"\ndelay = \"5 ms\"\n\
         errors = {{kind = \"exponential\", mean = \"30000 B\"}}\n\
         [[agent]]\nkind = \"split\"\nnode = 1\ntoward = 2\n\
         [[agent]]\nkind = \"loss-notice\"\nnode = 1\ntoward = 3\n{}{}{}",
        flow(2, "variant = \"reno\""),
        flow(2, "variant = \"sack\"\nhandshake = false"),
        flow(3, "eln = true"),
    ))
}

/// Three hosts that share the medium of one station, each with weather, delay and scheme of its
/// own, and traffic both ways.
fn hosts() -> Resolved {
    let link = |host: u32, more: &str| {
        format!(
            "[[point_to_point]]\nbetween = [1, {host}]\nrate = \"2 Mbit/s\"\nmedium = \"air\"\n{more}\n"
        )
    };
    scenario(&format!(
        "duration = \"9 s\"\n[topology]\nkind = \"nodes\"\nnodes = 5\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n{}{}{}\
         [[flow]]\nkind = \"ftp\"\nfrom = 0\nto = 2\nstart = \"0 s\"\n\
         ack = {{policy = \"delayed-dupacks\", delay = \"80 ms\"}}\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 0\nto = 3\nstart = \"100 ms\"\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 4\nto = 0\nstart = \"200 ms\"\n",
        link(
            2,
            "delay = \"20 ms\"\nerrors = {kind = \"exponential\", mean = \"16384 B\"}\narq = {}"
        ),
        link(
            3,
            "delay = \"1 ms\"\nqueue = 12\nerrors = {kind = \"uniform\", loss = \"5 %\"}"
        ),
        link(
            4,
            "delay = \"5 ms\"\nerrors = {kind = \"uniform\", loss = \"5 %\"}\narq = {order = \"sequence\"}"
        ),
    ))
}

/// Every network with links.
pub(crate) fn wired_networks() -> Vec<(&'static str, Resolved)> {
    vec![
        ("example wireless-link", example("wireless-link.toml", 9)),
        ("example access-tree", example("access-tree.toml", 8)),
        ("links and radios", both("")),
        (
            "links and radios, static",
            both("[routing]\nprotocol = \"static\""),
        ),
        ("crowded link", crowded()),
        ("Snoop", snoop()),
        ("split connections and loss notices", agents()),
        ("hosts of one medium", hosts()),
        ("base stations", super::cells::busy_cells("")),
        (
            "base stations over 802.11",
            super::cells::busy_cells("mac = \"802.11\""),
        ),
    ]
}
