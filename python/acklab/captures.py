"""Is there anything in a capture? What a reader must know of one that holds no packet.

Invariant: a capture is looked at as it was written, up to its first packet.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from acklab.result import RunWarning

__all__ = ["empty_captures"]

_PCAP_HEAD = 24
_PACKETS = (3, 6)
"""Kinds of blocks of pcapng that hold a packet: simple and enhanced."""


def empty_captures(files: Mapping[str, Path]) -> tuple[RunWarning, ...]:
    """Return a warning for each capture without a packet, with what holds something instead."""
    found = []
    path = files.get("pcap")
    if path is not None and path.is_file() and not _has_frame(path):
        found.append(
            f"{path} holds no frame: nothing was sent over 802.11; the capture at one node "
            "(ip_pcap) holds the packets of an end, the log (events) all that happened"
        )
    path = files.get("ip_pcap")
    if path is not None and path.is_file() and path.stat().st_size <= _PCAP_HEAD:
        found.append(
            f"{path} holds no packet: this node is no end of a flow that sent something, and what "
            "it passes on is not captured; take the node of an end, or the log (events)"
        )
    return tuple(RunWarning("empty-capture", message, 1, (0,)) for message in found)


def _has_frame(path: Path) -> bool:
    with path.open("rb") as file:
        while len(head := file.read(8)) == 8:
            kind, length = struct.unpack("<II", head)
            if kind in _PACKETS:
                return True
            file.seek(max(length, 8) - 8, 1)
    return False
