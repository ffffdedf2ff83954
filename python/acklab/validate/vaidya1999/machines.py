"""Link-level retransmission and Snoop, each alone, against properties and scripts."""

from __future__ import annotations

from acklab.validate.foundation.tools import tests_row
from acklab.validate.model import Check, Context, Row


def arq(context: Context) -> list[Row]:
    """The link at random loss, reordering, lost link ACKs, and timelines by hand."""
    row = tests_row(
        context.root,
        "link-level retransmission: timelines, and random loss of 0 to 50 %",
        "each packet handed up exactly once, in bounded time, nothing lost without a retry limit",
        *("-p", "acklab-mac", "--test", "p2p", "--test", "p2p_properties"),
    )
    return [row]


def snoop(context: Context) -> list[Row]:
    """Snoop against scripts."""
    row = tests_row(
        context.root,
        "Snoop in scripts: losses, timeouts, reordered ACKs, wrap, full cache",
        "expected packets and suppressions, one by one",
        *("-p", "acklab-agents", "--test", "snoop"),
    )
    return [row]


ARQ = Check("vaidya-arq", "link-level retransmission alone", arq)
SNOOP = Check("vaidya-snoop", "Snoop against scripts", snoop)
