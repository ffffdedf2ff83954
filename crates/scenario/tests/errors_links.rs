//! Mistakes in point-to-point links.

use acklab_scenario::parse_toml;

const FTP: &str = "[[flow]]\nkind = \"ftp\"\n";

/// The message of a scenario with one link, whose table begins in line 5.
fn link(keys: &str) -> String {
    let text = format!(
        "duration = \"10 s\"\ntopology = {{kind = \"nodes\", nodes = 3}}\n{FTP}\
         [[point_to_point]]\n{keys}"
    );
    refusal(&text)
}

fn refusal(text: &str) -> String {
    parse_toml("s.toml", text)
        .and_then(|scenario| scenario.resolve())
        .and_then(|resolved| resolved.check_reachability(&[]))
        .expect_err("a mistake")
        .to_string()
}

/// A link whose ends, rate and delay are right, with more keys.
fn more(keys: &str) -> String {
    link(&format!(
        "between = [0, 1]\nrate = \"2 Mbit/s\"\ndelay = \"1 ms\"\n{keys}"
    ))
}

#[test]
fn ends_must_be_two_nodes_that_exist() {
    assert_eq!(
        link("between = [0, 3]\nrate = \"2 Mbit/s\"\ndelay = \"1 ms\""),
        "s.toml:6:1: point_to_point[0].between = [0,3]: there is no such node: the topology has \
         3 nodes; accepted: 0 to 2"
    );
    assert_eq!(
        link("between = [1, 1]\nrate = \"2 Mbit/s\"\ndelay = \"1 ms\""),
        "s.toml:6:1: point_to_point[0].between = [1,1]: a link from a node to itself; accepted: \
         two different nodes"
    );
    assert_eq!(
        more("[[point_to_point]]\nbetween = [1, 0]\nrate = \"1 Mbit/s\"\ndelay = \"0 s\""),
        "s.toml:10:1: point_to_point[1].between = [1,0]: there is a link between these nodes \
         already; accepted: one link between any two nodes"
    );
}

#[test]
fn error_models_are_checked() {
    assert_eq!(
        more("errors = {kind = \"uniform\", loss = \"101 %\"}"),
        "s.toml:9:29: point_to_point[0].errors.loss = \"101 %\": too large: at most 100 %; \
         accepted: a share such as \"3 %\" (units: %, ppm, ppb)"
    );
    assert_eq!(
        more("errors = {kind = \"exponential\", mean = \"0 B\"}"),
        "s.toml:9:33: point_to_point[0].errors.mean = \"0 B\": must be greater than zero; \
         accepted: a size such as \"1000 B\" (units: B, kB, MB, KiB, MiB)"
    );
    assert_eq!(
        more("errors = {kind = \"trace\", fates = \"..o\"}"),
        "s.toml:9:27: point_to_point[0].errors.fates = \"..o\": not a sequence of fates; \
         accepted: a text of \".\" (arrives) and \"x\" (lost), at least one character"
    );
    assert_eq!(
        more("errors_backward = {kind = \"list\", frames = [2, 1]}"),
        "s.toml:9:35: point_to_point[0].errors_backward.frames = [2,1]: frames are numbered from \
         1, and listed in order; accepted: ascending numbers, each once, the first at least 1"
    );
}

#[test]
fn a_retry_limit_in_sequence_is_refused() {
    assert_eq!(
        more("arq = {order = \"sequence\", tries = 3}"),
        "s.toml:9:28: point_to_point[0].arq.tries = 3: later packets would wait for ever for one \
         that is given up; accepted: \"off\" with order = \"sequence\", or order = \"arrival\""
    );
}

#[test]
fn what_has_no_effect_is_refused() {
    assert_eq!(
        more("data_loss_lasts = \"5 ms\""),
        "s.toml:9:1: point_to_point[0].data_loss_lasts = \"5 ms\": there are no losses that could \
         last; accepted: \"0 s\", or point_to_point[0].data_loss such as \"1 %\""
    );
    let own = "= {kind = \"uniform\", loss = \"2 %\"}\n";
    let both = more(&format!(
        "errors {own}errors_forward {own}errors_backward {own}"
    ));
    assert!(both.contains("point_to_point[0].errors = "), "{both}");
    assert!(
        both.contains("both directions have errors of their own; accepted: "),
        "{both}"
    );
}

#[test]
fn links_of_one_medium_have_one_station() {
    let other = |between: &str| {
        format!(
            "medium = \"air\"\n[[point_to_point]]\nbetween = {between}\nrate = \"2 Mbit/s\"\n\
             delay = \"1 ms\"\nmedium = \"air\"\n"
        )
    };
    assert_eq!(
        more(&other("[1, 2]")),
        "s.toml:14:1: point_to_point[1].medium = \"air\": another link of this medium begins at \
         node 0, this one at 1; accepted: links that name the same node first, whose transmitter \
         they share"
    );
    let text = format!(
        "duration = \"10 s\"\ntopology = {{kind = \"nodes\", nodes = 3}}\n{FTP}\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"2 Mbit/s\"\ndelay = \"1 ms\"\n{}",
        other("[0, 2]")
    );
    let resolved = parse_toml("s.toml", &text).and_then(|scenario| scenario.resolve());
    let links = resolved.expect("a scenario").links;
    assert_eq!(links[0].medium, links[1].medium);
}

#[test]
fn a_flow_needs_a_way() {
    assert_eq!(
        more(""),
        "s.toml:3:1: flow[0].to = 2: no link and no radio leads from node 0 to node 2; accepted: \
         nodes that links or radios connect, by way of others or not"
    );
}

#[test]
fn nodes_without_radio_are_either_all_or_extra() {
    let text = format!(
        "duration = \"10 s\"\nwired_nodes = 2\ntopology = {{kind = \"nodes\", nodes = 3}}\n{FTP}"
    );
    assert_eq!(
        refusal(&text),
        "s.toml:2:1: wired_nodes = 2: no node of this topology has a radio; accepted: a larger \
         topology.nodes"
    );
}

#[test]
fn agents_sit_on_nodes_and_watch_others() {
    assert_eq!(
        more("[[agent]]\nkind = \"snoop\"\nnode = 1\ntoward = 3"),
        "s.toml:12:1: agent[0].toward = 3: there is no such node: the topology has 3 nodes; \
         accepted: 0 to 2"
    );
    assert_eq!(
        more("[[agent]]\nkind = \"snoop\"\nnode = 1\ntoward = 1"),
        "s.toml:12:1: agent[0].toward = 1: an agent cannot watch the node that it sits on; \
         accepted: a neighbour of the node"
    );
    let twice = "[[agent]]\nkind = \"snoop\"\nnode = 1\ntoward = 2\n".repeat(2);
    assert_eq!(
        more(&twice),
        "s.toml:16:1: agent[1].toward = 2: there is an agent for this neighbour already; \
         accepted: one agent for each neighbour of a node"
    );
}

#[test]
fn agents_watch_neighbours() {
    assert_eq!(
        more("[[agent]]\nkind = \"snoop\"\nnode = 1\ntoward = 2"),
        "s.toml:12:1: agent[0].toward = 2: node 1 has no link to this node; accepted: a neighbour \
         of node 1: 0"
    );
    assert_eq!(
        more("[[agent]]\nkind = \"split\"\nnode = 2\ntoward = 0"),
        "s.toml:12:1: agent[0].toward = 0: node 2 has no link to this node; accepted: a neighbour, \
         once node 2 has a link"
    );
}

#[test]
fn a_shared_queue_has_no_limit_for_link_acks() {
    assert_eq!(
        more("arq = {shared_queue = true, ack_queue = 9}"),
        "s.toml:9:29: point_to_point[0].arq.ack_queue = 9: link ACKs have no queue of their own \
         with shared_queue = true; accepted: shared_queue = false, or this key left out"
    );
}

/// A flow with more keys in line 7, over the path 0 – 1 – 2.
fn path(flow: &str, wireless: &str) -> String {
    let ends = |one: u32| {
        let other = one + 1;
        format!(
            "[[point_to_point]]\nbetween = [{one}, {other}]\nrate = \"2 Mbit/s\"\ndelay = \"1 ms\"\n"
        )
    };
    format!(
        "duration = \"10 s\"\n[topology]\nkind = \"nodes\"\nnodes = 3\n{FTP}{flow}\n{}{}{wireless}",
        ends(0),
        ends(1)
    )
}

#[test]
fn an_adaptive_delay_needs_a_link_that_sends_again() {
    let adaptive = "ack = {policy = \"delayed-dupacks\", delay = \"adaptive\"}";
    assert_eq!(
        refusal(&path(adaptive, "")),
        "s.toml:7:36: flow[0].ack.delay = \"adaptive\": no link of node 2 sends again, so that \
         none tells how long it takes; accepted: a time such as \"80 ms\", or arq = {} in a link \
         of node 2"
    );
    let resolved = parse_toml("s.toml", &path(adaptive, "arq = {shared_queue = true}"))
        .and_then(|scenario| scenario.resolve())
        .expect("no mistake");
    let again = parse_toml("s.toml", &resolved.to_toml()).and_then(|scenario| scenario.resolve());
    assert_eq!(again.expect("no mistake").to_toml(), resolved.to_toml());
}

#[test]
fn loss_notices_need_somebody_who_gives_them() {
    let snoop = "[[agent]]\nkind = \"snoop\"\nnode = 1\ntoward = 2\n";
    let told = snoop.replace("snoop", "loss-notice");
    // Another agent, and the right one that watches where the data comes from.
    for agent in [snoop, &told.replace("toward = 2", "toward = 0")] {
        assert_eq!(
            refusal(&path("eln = true", agent)),
            "s.toml:7:1: flow[0].eln = true: no agent on the way of its data says which losses are the \
             radio's; accepted: false, or an [[agent]] with kind = \"loss-notice\" between sender and \
             receiver"
        );
    }
    let told = path("eln = true", &told);
    assert!(
        parse_toml("s.toml", &told)
            .and_then(|s| s.resolve())
            .is_ok()
    );
}

#[test]
fn tables_of_a_radio_are_refused_where_nobody_has_one() {
    let wires = "duration = \"10 s\"\ntopology = {kind = \"nodes\", nodes = 2}\n\
                 point_to_point = [{between = [0, 1], rate = \"2 Mbit/s\", delay = \"1 ms\"}]\n";
    let given = [
        ("radio", "capture = \"strongest\""),
        ("energy", "idle = \"1 W\""),
        ("link", "arp = false"),
        ("queue", "capacity = 20"),
        ("mac", "rts_threshold = \"off\""),
    ];
    for (table, line) in given {
        let (key, value) = line.split_once(" = ").expect("a key and a value");
        assert_eq!(
            refusal(&format!("{wires}{FTP}[{table}]\n{line}")),
            format!(
                "s.toml:7:1: {table}.{key} = {value}: without effect: no node of this network has \
                 a place and a radio; accepted: no such key, or a topology of nodes that have places"
            )
        );
    }
    // Nor does a resolved scenario show any of them.
    let scenario = parse_toml("s.toml", &format!("{wires}{FTP}"));
    let resolved = scenario.and_then(|scenario| scenario.resolve());
    let resolved = resolved.expect("a scenario");
    let tables = given.map(|(table, _)| table);
    for key in resolved.sources.keys() {
        let table = key.split('.').next().expect("a first part");
        assert!(!tables.contains(&table), "{key}");
    }
    let text = resolved.to_toml();
    for table in tables {
        assert!(!text.contains(&format!("[{table}]")), "{text}");
    }
}
