//! The agent that watches pilots, beacon by beacon.

use acklab_agents::{HandoffAgent, HandoffConfig, HandoffOutput};
use acklab_base::{Address, Duration, Instant, NodeId, Purpose};

const OLD: NodeId = NodeId(5);
const NEW: NodeId = NodeId(7);

/// Levels of the paper's Figure 1 with L_Handoff = -80 dBm and α = 0.05: pacing below -76 dBm.
const CONFIG: HandoffConfig = HandoffConfig {
    handoff_level: -80_000,
    pacing_level: -76_000,
    hysteresis: 0,
    patience: Duration::from_millis(350),
    semisoft: None,
};

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

struct Talk {
    agent: HandoffAgent,
}

impl Talk {
    fn new(config: HandoffConfig) -> Self {
        Self {
            agent: HandoffAgent::new(config, at(0), OLD, -60_000),
        }
    }

    #[track_caller]
    fn beacon(&mut self, millis: u64, station: NodeId, dbm: i32, expected: &[HandoffOutput]) {
        self.agent.on_beacon(at(millis), station, dbm * 1_000);
        self.said(expected);
    }

    #[track_caller]
    fn wake(&mut self, millis: u64, expected: &[HandoffOutput]) {
        self.agent.on_wake(at(millis));
        self.said(expected);
    }

    #[track_caller]
    fn said(&mut self, expected: &[HandoffOutput]) {
        let said: Vec<_> = std::iter::from_fn(|| self.agent.poll()).collect();
        assert_eq!(said, expected);
    }
}

use HandoffOutput::{Attach, Good, Low, Prepare};

/// Figure 1 of cho2005: low below L_Pacing, handoff below L_Handoff, good above L_Pacing.
#[test]
fn the_pacing_period_brackets_the_handoff() {
    let mut talk = Talk::new(CONFIG);
    talk.beacon(100, OLD, -76, &[]);
    talk.beacon(150, NEW, -81, &[]);
    talk.beacon(200, OLD, -77, &[Low]);
    talk.beacon(250, NEW, -79, &[]);
    talk.beacon(300, OLD, -80, &[]);
    talk.beacon(400, OLD, -81, &[Attach(NEW)]);
    talk.beacon(450, NEW, -78, &[]);
    talk.beacon(550, NEW, -76, &[]);
    talk.beacon(650, NEW, -75, &[Good]);
}

#[test]
fn a_station_that_is_good_at_once_ends_the_period_with_the_handoff() {
    let mut talk = Talk::new(CONFIG);
    talk.beacon(150, NEW, -70, &[]);
    talk.beacon(200, OLD, -85, &[Low, Attach(NEW), Good]);
}

#[test]
fn a_weaker_station_and_one_within_the_hysteresis_are_not_taken() {
    let mut talk = Talk::new(HandoffConfig {
        hysteresis: 3_000,
        ..CONFIG
    });
    talk.beacon(150, NEW, -84, &[]);
    talk.beacon(200, OLD, -83, &[Low]);
    talk.beacon(250, NEW, -80, &[]);
    talk.beacon(350, NEW, -79, &[Attach(NEW)]);
}

/// Nothing is heard for the patience: a blackout, and the same station comes back.
#[test]
fn silence_is_low_until_the_station_is_heard_again() {
    let mut talk = Talk::new(CONFIG);
    talk.beacon(100, OLD, -60, &[]);
    assert_eq!(talk.agent.next_wake(), at(450));
    talk.wake(449, &[]);
    talk.wake(450, &[Low]);
    assert_eq!(talk.agent.next_wake(), Instant::NEVER);
    talk.wake(5_000, &[]);
    talk.beacon(6_000, OLD, -60, &[Good]);
}

#[test]
fn a_lost_station_is_left_for_any_that_is_heard() {
    let mut talk = Talk::new(CONFIG);
    talk.beacon(300, NEW, -95, &[]);
    talk.wake(350, &[Low, Attach(NEW)]);
    talk.beacon(400, OLD, -60, &[Attach(OLD), Good]);
}

/// What was heard too long ago is not believed.
#[test]
fn an_old_beacon_makes_no_handoff() {
    let mut talk = Talk::new(CONFIG);
    talk.beacon(100, NEW, -60, &[]);
    talk.beacon(150, OLD, -60, &[]);
    talk.beacon(449, OLD, -60, &[]);
    talk.beacon(450, OLD, -85, &[Low]);
    talk.beacon(500, NEW, -60, &[Attach(NEW), Good]);
}

#[test]
fn a_semisoft_handoff_prepares_and_then_attaches_once() {
    let mut talk = Talk::new(HandoffConfig {
        semisoft: Some(Duration::from_millis(100)),
        ..CONFIG
    });
    talk.beacon(150, NEW, -70, &[]);
    talk.beacon(200, OLD, -85, &[Low, Prepare(NEW)]);
    talk.beacon(250, NEW, -70, &[]);
    talk.beacon(299, OLD, -86, &[]);
    talk.wake(299, &[]);
    talk.wake(300, &[Attach(NEW), Good]);
}

/// Random beacons: a wake before its time leaves no trace, and one that is due leaves nothing due.
#[test]
fn spurious_wakes_change_nothing() {
    let semisoft = Some(Duration::from_millis(100));
    for seed in 0..100 {
        let mut draw = Address {
            seed,
            run: 0,
            node: NodeId(0),
            purpose: Purpose::Placement,
        }
        .open();
        let mut talk = Talk::new(HandoffConfig {
            semisoft: semisoft.filter(|_| seed % 2 == 0),
            ..CONFIG
        });
        let (mut now, mut early, mut turned) = (0, 0, 0);
        for _ in 0..100 {
            now += u64::from(draw.below(150));
            let due = talk.agent.next_wake() <= at(now);
            let before = format!("{:?}", talk.agent);
            talk.agent.on_wake(at(now));
            if !due {
                assert_eq!(format!("{:?}", talk.agent), before, "seed {seed}");
                early += 1;
            }
            assert!(talk.agent.next_wake() > at(now), "seed {seed}: {now} ms");
            let station = [OLD, NEW][draw.below(2) as usize];
            let level = -85_000 + 1_000 * draw.below(12) as i32;
            talk.agent.on_beacon(at(now), station, level);
            let said = std::iter::from_fn(|| talk.agent.poll());
            turned += said.filter(|one| matches!(one, Attach(_))).count();
        }
        assert!(early > 50 && turned > 0, "seed {seed}: {early}, {turned}");
    }
}
