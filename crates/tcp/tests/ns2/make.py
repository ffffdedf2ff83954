#!/usr/bin/env python3
"""Makes the fixtures of this folder with ns-2.35 (Debian package ns2): one run of one.tcl each.

usage: make.py [name ...]      (all without names)

Those with d > 2 need what `bench/peers/sink.py` builds, since ns-2 has no such sink of its own.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SINK = HERE.parents[3] / "bench" / "peers" / "sink.py"
DELACK = {"sink": "Agent/TCPSink/DelAck"}
COUNTED = "Agent/TCPSink/DelAck/Counted"
D3 = {"sink": COUNTED, "sset": "count_ 3"}
D4 = {"sink": COUNTED, "sset": "count_ 4"}
SACK = {"agent": "Agent/TCP/Sack1", "sink": "Agent/TCPSink/Sack1"}

VEGAS = {"agent": "Agent/TCP/Vegas"}
ALPHA_2 = {**VEGAS, "set": "v_alpha_ 2 v_beta_ 2 v_gamma_ 2"}


def losses(seed: int, rate: float, count: int, first: int = 0) -> str:
    """The numbers of the packets that are lost when each is lost with the given chance."""
    draw = random.Random(seed)
    return " ".join(str(n) for n in range(first, count) if draw.random() < rate)


def spikes(seed: int, until: int) -> str:
    """Short changes of the delay, so that later packets overtake earlier ones."""
    draw = random.Random(seed)
    at, words = 1.0, []
    while at < until:
        at += draw.random() * 0.03
        words += [f"{at:.5f}", f"{71 + 40 * draw.random():.4f}ms"]
        at += draw.random() * 0.03
        words += [f"{at:.5f}", "51.337ms"]
    return " ".join(words)


SCENARIOS: dict[str, dict[str, str]] = {
    "clean": {"stop": "1.5"},
    "clean-delack": {"stop": "2", **DELACK},
    "window-limited": {"window": "3", "stop": "1.5"},
    "window-of-one-delack": {"window": "1", "stop": "2", **DELACK},
    "single-loss": {"data": "20", "stop": "2"},
    "single-loss-delack": {"data": "20", "stop": "2", **DELACK},
    "double-loss": {"data": "20 22", "stop": "2"},
    "triple-loss": {"data": "20 21 24", "stop": "2.5"},
    "triple-loss-delack": {"data": "20 21 24", "stop": "3", **DELACK},
    "five-losses": {"data": "20 22 23 26 29", "stop": "3"},
    "lost-retransmission": {"data": "20 35", "stop": "3"},
    "whole-window": {"data": " ".join(str(n) for n in range(20, 41)), "stop": "3"},
    "whole-window-delack": {"data": " ".join(str(n) for n in range(20, 41)), "stop": "3", **DELACK},
    "ack-losses": {"acks": "4 5 6 7 12 13 20 21 22 23 24 25", "stop": "2"},
    "all-acks-of-a-window": {
        "window": "8",
        "acks": " ".join(str(n) for n in range(20, 29)),
        "stop": "2",
    },
    "all-acks-of-a-window-delack": {
        "window": "8",
        "acks": "8 9 10 11 12 13 14",
        "stop": "3",
        **DELACK,
    },
    "syn-lost": {"data": "0", "stop": "5"},
    "syn-lost-five-times": {"data": "0 1 2 3 4", "stop": "94"},
    "syn-ack-lost": {"acks": "0", "stop": "5"},
    "first-data-lost": {"data": "1", "stop": "3"},
    "first-window-lost": {"data": "1 2", "stop": "3"},
    "second-data-lost": {"data": "2", "init": "4", "stop": "3"},
    "first-of-four-lost": {"data": "1", "init": "4", "stop": "3"},
    "window-three-loss": {"window": "3", "data": "10", "stop": "2"},
    "window-three-loss-delack": {"window": "3", "data": "10", "stop": "3", **DELACK},
    "window-five-loss": {"window": "5", "data": "10", "stop": "2"},
    "repeated-timeouts": {"window": "8", "data": "20 27 28 29 30 31 32", "stop": "14"},
    "loss-after-recovery": {"data": "20 41", "stop": "3"},
    "no-limited-transmit": {"window": "6", "data": "12 31 33", "set": "singledup_ 0", "stop": "3"},
    "whole-halves": {"window": "7", "data": "15 40", "set": "precisionReduce_ false", "stop": "3"},
    "reno": {"agent": "Agent/TCP/Reno", "data": "20", "stop": "2"},
    "reno-double": {"agent": "Agent/TCP/Reno", "data": "20 22", "stop": "3"},
    "reno-triple": {"agent": "Agent/TCP/Reno", "data": "20 21 24", "stop": "3"},
    "tahoe": {"agent": "Agent/TCP", "data": "20", "stop": "2"},
    "tahoe-double": {"agent": "Agent/TCP", "data": "20 22", "stop": "3"},
    "slow-but-steady": {"data": "20 22 24", "set": "newreno_changes1_ 0", "stop": "3"},
    "pause": {"npk": "30", "again": "2 30", "stop": "4"},
    "spurious-timeout": {"window": "8", "spikes": "1 900ms 1.2 51.337ms", "stop": "4"},
    "spurious-timeout-back": {"window": "8", "back_spikes": "1 900ms 1.2 51.337ms", "stop": "4"},
    "reordered": {
        "window": "20",
        "data": losses(6, 0.04, 4000),
        "spikes": spikes(7, 8),
        "back_spikes": spikes(8, 8),
        "stop": "8",
    },
    "as-in-2003": {
        "data": "12 20 22 24",
        "set": "exitFastRetrans_ false precisionReduce_ false newreno_changes1_ 0 "
        "partial_window_deflation_ 0 minrto_ 1 rtxcur_init_ 6",
        "sset": "SYN_immediate_ack_ false",
        "stop": "4",
        **DELACK,
    },
    "random-3": {"window": "8", "data": losses(1, 0.03, 4000), "stop": "8"},
    "random-10": {
        "window": "8",
        "data": losses(2, 0.1, 4000),
        "acks": losses(3, 0.1, 4000),
        "stop": "20",
    },
    "random-10-delack": {
        "window": "8",
        "data": losses(4, 0.1, 4000),
        "acks": losses(5, 0.1, 4000),
        "stop": "30",
        **DELACK,
    },
    "vegas-clean": {"stop": "2", **VEGAS},
    "vegas-clean-2": {"stop": "2", **ALPHA_2},
    "vegas-clean-delack": {"stop": "3", **ALPHA_2, **DELACK},
    "vegas-window-of-four": {"window": "4", "stop": "2", **ALPHA_2},
    "vegas-single-loss": {"data": "20", "stop": "2", **VEGAS},
    "vegas-single-loss-delack": {"data": "20", "stop": "3", **ALPHA_2, **DELACK},
    "vegas-double-loss": {"data": "20 22", "stop": "3", **ALPHA_2},
    "vegas-five-losses": {"data": "40 42 43 46 49", "stop": "4", **ALPHA_2},
    "vegas-lost-retransmission": {"data": "40 47", "stop": "4", **ALPHA_2},
    "vegas-whole-window": {
        "data": " ".join(str(n) for n in range(20, 34)),
        "stop": "4",
        **ALPHA_2,
    },
    "vegas-small-window-loss": {"window": "3", "data": "10 25 30", "stop": "3", **ALPHA_2},
    "vegas-ack-losses": {"acks": "4 5 6 7 12 13 20 21 22 23 24 25", "stop": "3", **ALPHA_2},
    "vegas-all-acks-of-a-window": {
        "window": "8",
        "acks": " ".join(str(n) for n in range(20, 29)),
        "stop": "3",
        **ALPHA_2,
    },
    "vegas-first-data-lost": {"data": "1", "stop": "5", **ALPHA_2},
    "vegas-spurious-timeout": {
        "window": "8",
        "spikes": "1 900ms 1.2 51.337ms",
        "stop": "4",
        **ALPHA_2,
    },
    "vegas-longer-path": {"spikes": "1 90ms", "back_spikes": "3 95ms", "stop": "5", **ALPHA_2},
    "vegas-reordered": {
        "data": losses(6, 0.04, 4000),
        "spikes": spikes(7, 8),
        "back_spikes": spikes(8, 8),
        "stop": "8",
        **ALPHA_2,
    },
    "vegas-random-3": {"window": "8", "data": losses(1, 0.03, 4000), "stop": "10", **ALPHA_2},
    "vegas-random-10": {
        "window": "16",
        "data": losses(2, 0.1, 4000),
        "acks": losses(3, 0.1, 4000),
        "stop": "20",
        **ALPHA_2,
    },
    "clean-d3": {"stop": "2", **D3},
    "clean-d4": {"stop": "2", **D4},
    "window-of-two-d3": {"window": "2", "stop": "2", **D3},
    "single-loss-d3": {"data": "20", "stop": "2", **D3},
    "triple-loss-d4": {"data": "20 21 24", "stop": "3", **D4},
    "whole-window-d3": {"data": " ".join(str(n) for n in range(20, 41)), "stop": "3", **D3},
    "reordered-d3": {
        "data": losses(6, 0.04, 4000),
        "spikes": spikes(7, 8),
        "back_spikes": spikes(8, 8),
        "stop": "8",
        **D3,
    },
    "random-10-d3": {
        "window": "8",
        "data": losses(4, 0.1, 4000),
        "acks": losses(5, 0.1, 4000),
        "stop": "30",
        **D3,
    },
    "random-3-d4": {"window": "12", "data": losses(1, 0.03, 4000), "stop": "12", **D4},
    "vegas-random-3-d3": {
        "window": "16",
        "data": losses(1, 0.03, 4000),
        "stop": "10",
        **ALPHA_2,
        **D3,
    },
    "sack-clean": {"stop": "1.5", **SACK},
    "sack-single-loss": {"data": "20", "stop": "2", **SACK},
    "sack-whole-window": {
        "data": " ".join(str(n) for n in range(20, 41)),
        "stop": "3",
        **SACK,
    },
    "sack-lost-retransmission": {"data": "20 35", "stop": "3", **SACK},
    "sack-small-window-loss": {"window": "3", "data": "10", "stop": "2", **SACK},
    "sack-first-data-lost": {"data": "1", "stop": "3", **SACK},
    "sack-ack-losses": {"acks": "4 5 6 7 12 13 20 21 22 23 24 25", "stop": "2", **SACK},
    "sack-loss-after-recovery": {"data": "20 41", "stop": "3", **SACK},
    "vegas-random-10-delack": {
        "window": "16",
        "data": losses(4, 0.1, 4000),
        "acks": losses(5, 0.1, 4000),
        "stop": "30",
        **ALPHA_2,
        **DELACK,
    },
}


def run(name: str, arguments: dict[str, str]) -> None:
    """Runs ns-2 once and writes what it sent as NAME.csv."""
    arguments = {"rate": "1Mb", "delay": "51.337ms", **arguments}
    with tempfile.TemporaryDirectory() as folder:
        call = ["ns", str(HERE / "one.tcl"), *(f"{k}={v}" for k, v in arguments.items())]
        if arguments.get("sink") == COUNTED:
            built = subprocess.run([sys.executable, SINK], check=True, stdout=subprocess.PIPE)
            call.append(f"load={built.stdout.decode().strip()}")
        subprocess.run(call, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        rows: list[str] = []
        for line in (pathlib.Path(folder) / "trace.tr").read_text().splitlines():
            field = line.split()
            if field[0] == "+" and field[2:5] == ["0", "1", "tcp"]:
                rows.append(f"sent,{field[1]},{field[10]}")
            elif field[0] == "+" and field[2:5] == ["1", "0", "ack"]:
                rows.append(f"ack,{field[1]},{field[10]}")
        cwnd: dict[str, str] = {}
        last = ""
        for line in (pathlib.Path(folder) / "vars.tr").read_text().splitlines():
            field = line.split()
            if field[5] == "cwnd_":
                cwnd[field[0]] = field[6]
        for at, value in cwnd.items():
            if value != last:
                last = value
                rows.append(f"cwnd,{at},{float(value):g}")
    head = [f"# {k}={v}" for k, v in arguments.items()]
    text = "\n".join(["# ns-2.35, one.tcl with", *head, *rows]) + "\n"
    (HERE / f"{name}.csv").write_text(text)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or SCENARIOS:
        run(wanted, SCENARIOS[wanted])
