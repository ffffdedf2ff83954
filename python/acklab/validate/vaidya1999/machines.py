"""Link-level retransmission and Snoop, each alone, against properties and scripts."""

from __future__ import annotations

from acklab.validate.foundation.tools import tests_row
from acklab.validate.model import Check, Context, Row


def arq(context: Context) -> list[Row]:
    """The link at random loss, reordering, lost link ACKs, and timelines by hand."""
    bar = (
        "each packet handed up exactly once, within a bound of its own by how often it was lost, "
        "nothing lost without a retry limit"
    )
    whole = ("-p", "acklab-mac", "--test", "machines", "--", "p2p::", "p2p_properties::")
    halves = ("-p", "acklab-mac", "--lib", "p2p::arq::shuffled")
    what = "link-level retransmission"
    loss = "random loss of 0 to 50 % and bursts, of link ACKs too"
    return [
        tests_row(context.root, f"{what}: timelines, {loss}", bar, *whole),
        tests_row(context.root, f"{what}: reordered frames and link ACKs, {loss}", bar, *halves),
    ]


def snoop(context: Context) -> list[Row]:
    """Snoop against scripts."""
    row = tests_row(
        context.root,
        "Snoop in scripts: losses, timeouts, reordered ACKs, wrap, full cache",
        "expected packets and suppressions, one by one",
        *("-p", "acklab-agents", "--test", "agents", "snoop::"),
    )
    return [row]


ARQ = Check("vaidya-arq", "link-level retransmission alone", arq)
SNOOP = Check("vaidya-snoop", "Snoop against scripts", snoop)
