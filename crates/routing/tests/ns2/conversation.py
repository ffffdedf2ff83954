"""Turns a trace of network.tcl into a conversation: what each node's router heard, and what it did.

Usage: python3 conversation.py TRACE > NAME.txt

One line an event: time in nanoseconds, node, a letter, fields. Small letters went into the router,
capitals came out of it. Hops are counted as RFC 3561 counts them (ns-2 counts one more).
  o uid source destination              data made here
  r uid source destination ttl from     data heard
  x uid source destination ttl next     data that the MAC gave up on
  q from origin id destination seq origin_seq hops ttl     request heard
  p from origin destination seq hops lifetime_ns ttl        reply heard
  e from count first                    error heard (the trace shows no more of it)
  S uid next ttl    Q origin id destination seq origin_seq hops ttl
  P next origin destination seq hops lifetime_ns ttl    E count first    D uid reason
"""

import re
import sys
from pathlib import Path


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


def message(f: dict[str, str]) -> list[str | int]:
    """The fields of a routing message that the conversation keeps."""
    kind = f["Pc"]
    if kind == "REQUEST":
        return [f["Ps"], f["Pb"], f["Pd"], f["Pds"], f["Pss"], int(f["Ph"]) - 1, f["Iv"]]
    if kind == "REPLY":
        origin = f["Id"].split(".")[0]
        life = round(float(f["Pl"]) * 1e9)
        return [origin, f["Pd"], f["Pds"], int(f["Ph"]) - 1, life, f["Iv"]]
    return [f["Ph"], f["Pd"]]


LETTER = {"REQUEST": "q", "REPLY": "p", "ERROR": "e"}


def event(mark: str, f: dict[str, str]) -> list[str | int] | None:
    """The letter and fields of a trace line, or None if the routers have no part in it."""
    if f.get("It") not in ("tcp", "ack", "cbr", "AODV"):
        return None
    node, routing = f["Hs"], f["It"] == "AODV"
    if f["Nl"] == "MAC":
        if mark == "d" and f.get("Nw") == "RET" and not routing:
            return ["x", *data(f), f["Iv"], int(f["Md"], 16)]
        return None
    if f["Nl"] != "RTR":
        return None
    if mark == "d":
        return ["D", "-" if routing else f["Ii"], f["Nw"]]
    if mark == "r":
        sender = int(f["Ms"], 16)
        if routing:
            return [LETTER[f["Pc"]], sender, *message(f)]
        source = f["Is"].split(".")[0]
        if source == node and f["Ma"] == "0":
            return ["o", *data(f)]
        return ["r", *data(f), f["Iv"], sender]
    if not routing:
        return ["S", f["Ii"], f["Hd"], f["Iv"]]
    following = [f["Hd"]] if f["Pc"] == "REPLY" else []
    return [LETTER[f["Pc"]].upper(), *following, *message(f)]


def data(f: dict[str, str]) -> list[str | int]:
    """What tells one data packet from another."""
    return [f["Ii"], f["Is"].split(".")[0], f["Id"].split(".")[0]]


def main(path: Path) -> None:
    """Prints the conversation of a trace."""
    events: list[tuple[int, int, list[str | int]]] = []
    explained: set[tuple[int, int]] = set()
    dropped: dict[tuple[int, int], dict[str, str]] = {}
    with path.open() as trace:
        for line in trace:
            mark, fields = parse(line)
            found = event(mark, fields) if "Nl" in fields else None
            if not found:
                continue
            where = (nanoseconds(fields["t"]), int(fields["Hs"]))
            events.append((*where, found))
            if found[0] in {"x", "e"}:
                explained.add(where)
            if found[0] == "D" and found[2] == "CBK":
                dropped.setdefault(where, fields)
    # ARP gives up without a word in the trace: it shows as packets given back with neither a
    # failure of the MAC nor an error of a neighbour to explain them.
    for where, fields in dropped.items():
        if where not in explained:
            events.append((*where, ["x", *data(fields), fields["Iv"], int(fields["Hd"])]))
    events.sort(key=lambda one: one[0])
    for at, node, found in events:
        print(at, node, *found)


main(Path(sys.argv[1]))
