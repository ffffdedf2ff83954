"""Turns a trace of network.tcl into a conversation: what each node's router heard, and what it did.

Usage: python3 conversation.py TRACE > NAME.txt

One line an event: time in nanoseconds, node, a letter, fields. Small letters went into the router,
capitals came out of it.
  o uid source destination bytes        data made here (bytes as the transport counts them)
  r uid source destination ttl from bytes    data heard
  x uid source destination ttl next bytes    data that the MAC gave up on
  u from number                         the sender's update of that number heard
  S uid next ttl bytes    U number bytes    D uid reason
  V destination next hops                   a route that changed
"""

import re
import sys
from pathlib import Path

CHANGE = re.compile(r"VS[DU] (\S+) _(\d+)_ \((\d+),(-?\d+)->(\d+),-?\d+->-?\d+,(-?\d+)->(\d+),")
LOST = re.compile(r"VTO (\S+) _(\d+)_ marking (\d+)")
UNREACHABLE = "250"
IP_HEADER = 20


def nanoseconds(text: str) -> int:
    """Decimal seconds as whole nanoseconds, without going through a float."""
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0")[:9])


def parse(line: str) -> tuple[str, dict[str, str]]:
    """The mark of a trace line and its fields by name."""
    words = line.split()
    fields: dict[str, str] = {}
    for place, word in enumerate(words[1:-1], 1):
        if re.match(r"-[A-Z][a-z]*$|-t$", word):
            fields[word[1:]] = words[place + 1]
    return words[0], fields


class Conversation:
    """The events of a trace; numbers the updates of each node."""

    def __init__(self) -> None:
        self.sent: dict[str, int] = {}
        self.number: dict[str, int] = {}
        self.events: list[tuple[int, int, list[str | int]]] = []

    def own_line(self, line: str) -> None:
        """A line that DSDV wrote itself."""
        if change := CHANGE.match(line):
            at, node, destination, hops, new_hops, following, new_following = change.groups()
            same = (hops, following) == (new_hops, new_following)
            if same or (hops in ("-1", UNREACHABLE) and new_hops == UNREACHABLE):
                return
            what = [
                "V",
                destination,
                *(["-"] if new_hops == UNREACHABLE else [new_following, new_hops]),
            ]
            self.events.append((nanoseconds(at), int(node), what))
        elif lost := LOST.match(line):
            at, node, destination = lost.groups()
            self.events.append((nanoseconds(at), int(node), ["V", destination, "-"]))

    def packet_line(self, mark: str, f: dict[str, str]) -> list[str | int] | None:
        """The letter and fields of a trace line, or None if the routers have no part in it."""
        if f.get("It") not in ("tcp", "ack", "cbr", "message"):
            return None
        routing = f["It"] == "message"
        if f["Nl"] == "MAC":
            if mark == "d" and f.get("Nw") == "RET" and not routing:
                size = int(f["Il"]) - 58
                return ["x", *data(f), f["Iv"], int(f["Md"], 16), size]
            return None
        if f["Nl"] != "RTR":
            return None
        if routing:
            if mark == "s":
                number = self.sent.get(f["Hs"], 0)
                self.sent[f["Hs"]] = number + 1
                self.number[f["Ii"]] = number
                return ["U", number, f["Il"]]
            return ["u", int(f["Ms"], 16), self.number[f["Ii"]]] if mark == "r" else None
        if mark == "d":
            return ["D", f["Ii"], f["Nw"]]
        if mark == "r":
            if f["Is"].split(".")[0] == f["Hs"] and f["Ma"] == "0":
                return ["o", *data(f), f["Il"]]
            return ["r", *data(f), f["Iv"], int(f["Ms"], 16), f["Il"]]
        return ["S", f["Ii"], f["Hd"], f["Iv"], f["Il"]]


def data(f: dict[str, str]) -> list[str | int]:
    """What tells one data packet from another."""
    return [f["Ii"], f["Is"].split(".")[0], f["Id"].split(".")[0]]


def main(path: Path) -> None:
    """Prints the conversation of a trace."""
    talk = Conversation()
    explained: set[tuple[int, int]] = set()
    dropped: dict[tuple[int, int, str], dict[str, str]] = {}
    with path.open() as trace:
        for line in trace:
            if line.startswith("V"):
                talk.own_line(line)
                continue
            mark, fields = parse(line)
            found = talk.packet_line(mark, fields) if "Nl" in fields else None
            if not found:
                continue
            where = (nanoseconds(fields["t"]), int(fields["Hs"]))
            talk.events.append((*where, found))
            if found[0] == "x":
                explained.add(where)
            if found[0] == "D" and found[2] == "CBK":
                dropped[(*where, fields["Ii"])] = fields
    # ARP gives up without a word in the trace: it shows as packets given back without a failure
    # of the MAC to explain them.
    for (at, node, _), fields in dropped.items():
        if (at, node) not in explained:
            given_back = ["x", *data(fields), fields["Iv"], int(fields["Hd"]), fields["Il"]]
            talk.events.append((at, node, given_back))
    talk.events.sort(key=lambda one: one[0])
    for at, node, found in talk.events:
        print(at, node, *found)


main(Path(sys.argv[1]))
