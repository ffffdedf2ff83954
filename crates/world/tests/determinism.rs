//! The same scenario and seed give the same run, bit for bit, whatever else goes on; another
//! seed gives another; and what one flow does moves no draw of anybody else.

use crate::common::{all_networks, chain, log, log_text, options, run, scenario};
use acklab_scenario::Resolved;
use acklab_world::{RunOptions, World};
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn the_same_seed_gives_the_same_result_with_and_without_trace() {
    for (name, resolved) in all_networks() {
        let first = run(&resolved, &options(7));
        let delivered = first.flows.iter().map(|flow| flow["delivered_packets"]);
        assert!(delivered.sum::<f64>() > 0.0, "{name} tests nothing");
        assert_eq!(first, run(&resolved, &options(7)), "{name}");
        let traced = RunOptions {
            trace: true,
            ..options(7)
        };
        assert_eq!(first, run(&resolved, &traced), "{name}");
    }
}

#[test]
fn another_seed_or_run_gives_another_digest() {
    for (name, resolved) in all_networks() {
        let digest = |seed, number| {
            let options = RunOptions {
                run: number,
                ..options(seed)
            };
            run(&resolved, &options).digest
        };
        let base = digest(7, 0);
        assert_ne!(base, digest(8, 0), "{name}");
        assert_ne!(base, digest(7, 1), "{name}");
    }
}

fn world(resolved: &Resolved, seed: u64) -> World {
    let options = RunOptions {
        trace: true,
        ..options(seed)
    };
    acklab_world::build(resolved, &options).expect("the scenario can be built")
}

fn events(world: &World) -> Vec<u8> {
    let mut out = Vec::new();
    let recorder = world.recorder().expect("a trace was asked for");
    recorder
        .write_events(&mut out)
        .expect("memory can be written");
    out
}

/// Two worlds advance in turns on one thread: neither sees the other.
#[test]
fn interleaved_worlds_do_not_disturb_each_other() {
    let one = chain(9, 8, "window = 20", "");
    let two = chain(6, 8, "window = 8", "profile = \"standard\"");
    // Asked to stop, a world returns after some thousand events, and goes on when run again.
    let stop = AtomicBool::new(true);
    let (mut first, mut second) = (world(&one, 3), world(&two, 3));
    let (mut done, mut turns) = ([false; 2], 0);
    while done != [true; 2] {
        done[0] = done[0] || first.run(Some(&stop));
        done[1] = done[1] || second.run(Some(&stop));
        turns += 1;
    }
    assert!(turns >= 3, "{turns} turns are hardly interleaved");
    for (resolved, interleaved) in [(one, first), (two, second)] {
        let alone = log_text(&resolved, &options(3));
        assert!(alone.into_bytes() == events(&interleaved));
    }
}

/// One worker or two: the same digests in the same places.
#[test]
fn workers_do_not_change_results() {
    let all_networks = all_networks();
    let digests = |workers: usize| {
        let next = std::sync::atomic::AtomicUsize::new(0);
        let results = std::sync::Mutex::new(vec![String::new(); all_networks.len()]);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some((_, resolved)) = all_networks.get(place) else {
                            return;
                        };
                        let digest = run(resolved, &options(2)).digest;
                        results.lock().expect("no worker panics")[place] = digest;
                    }
                });
            }
        });
        results.into_inner().expect("no worker panics")
    };
    assert_eq!(digests(1), digests(2));
}

/// Two pairs of nodes, kilometres apart. The ACK policy of the first pair changes.
fn two_islands(ack: &str) -> Resolved {
    scenario(&format!(
        "duration = \"6 s\"\n[topology]\nkind = \"positions\"\npositions = [[\"0 m\", \"0 m\"], \
         [\"200 m\", \"0 m\"], [\"9 km\", \"0 m\"], [\"9.2 km\", \"0 m\"], [\"9.4 km\", \"0 m\"]]\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 0\nto = 1\nwindow = 8\nstart_jitter = \"1 s\"\nack = {ack}\n\
         [[flow]]\nkind = \"ftp\"\nfrom = 2\nto = 4\nwindow = 8\nstart_jitter = \"1 s\"\n"
    ))
}

/// The weather stays: chance is addressed by node and purpose, so another ACK policy on one
/// island moves no backoff, no jitter and no start time on the other.
#[test]
fn another_ack_policy_leaves_the_weather_elsewhere_alone() {
    let island = |ack: &str| -> Vec<String> {
        let there = |line: &&str| {
            [2, 3, 4]
                .iter()
                .any(|node| line.contains(&format!("\"node\":{node},")))
        };
        let log = log_text(&two_islands(ack), &options(11));
        // Frames are numbered in the order of the whole run.
        let plain = |line: &str| match (line.find(",\"frame\":"), line.find("\"other_frame\"")) {
            (Some(at), None) => {
                let rest = &line[at + 9..];
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
                format!("{}{}", &line[..at], &rest[digits..])
            }
            (Some(at), Some(_)) => line[..at].to_owned(),
            _ => line.to_owned(),
        };
        log.lines().filter(there).map(plain).collect()
    };
    let every = island("\"every\"");
    assert!(every.len() > 5_000, "only {} lines", every.len());
    let thinned = "{ policy = \"delayed\", count = 4, timer = \"every-waiting\" }";
    assert_eq!(every, island(thinned));
    assert_eq!(every, island("\"dynamic\""));
}

/// In one network, two policies see the same run up to the first ACK that one of them spares.
#[test]
fn schemes_part_at_the_first_spared_ack() {
    let jitter = "window = 4\nstart_jitter = \"300 ms\"";
    let every = chain(3, 3, jitter, "");
    let delayed = format!("{jitter}\nack = {{ policy = \"delayed\", count = 2 }}");
    let delayed = chain(3, 3, &delayed, "");
    let (one, two) = (log(&every, &options(4)), log(&delayed, &options(4)));
    let same = one.iter().zip(&two).take_while(|(a, b)| a == b).count();
    let parting = &one[same];
    assert!(same > 100, "parted after {same} events");
    assert_eq!(parting["kind"], "tcp_sent", "{parting}");
    assert_eq!(parting["forward"], false, "{parting}");
    assert_eq!(parting["node"], 2, "{parting}");
}

#[test]
fn files_on_disk_do_not_change_the_run() {
    let resolved = chain(4, 2, "window = 4", "");
    let folder = std::env::temp_dir().join(format!("acklab-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let with_files = RunOptions {
        pcap: Some(folder.join("air.pcapng")),
        ip_pcap: Some((0, folder.join("ip.pcap"))),
        events: Some(folder.join("events.jsonl")),
        ..options(9)
    };
    let files = run(&resolved, &with_files);
    assert_eq!(files, run(&resolved, &options(9)));
    for name in ["air.pcapng", "ip.pcap", "events.jsonl"] {
        let size = std::fs::metadata(folder.join(name)).map(|meta| meta.len());
        assert!(size.is_ok_and(|bytes| bytes > 1_000), "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

/// Where nobody records, what stations counted is handed in when a run stops, and it goes on all the same.
#[test]
fn a_run_that_is_stopped_says_what_it_counted_and_goes_on() {
    let resolved = chain(9, 8, "window = 8", "");
    let stop = AtomicBool::new(true);
    let mut world = acklab_world::build(&resolved, &options(3)).expect("the scenario can be built");
    while !world.run(Some(&stop)) {}
    let (gone_on, whole) = (
        world.into_result(&options(3), true),
        run(&resolved, &options(3)),
    );
    assert_eq!(gone_on, whole);
    let stopped = acklab_world::run(&resolved, &options(3), Some(&stop)).expect("it can be built");
    assert!(!stopped.complete);
    for measure in ["rts_sent", "missing_cts", "receiving_s"] {
        let counted = stopped.measures[measure];
        assert!(
            counted > 0.0 && counted < whole.measures[measure],
            "{measure}: {counted}"
        );
    }
}
