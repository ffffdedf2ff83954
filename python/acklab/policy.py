"""ACK policies of one's own, written in Python.

    class EveryOther(acklab.AckPolicy):
        def on_segment(self, segment):
            return None if segment.waiting >= 2 else 0.1

    scenario = chain.with_({"flow.ack": EveryOther()})
    acklab.run(scenario, runs=10)

The core asks a policy about each in-order segment with no gap behind it, the only ones that may
wait (RFC 5681 §4.2); a real receiver knows no more. The profiles of ns-2 also ask about a
repetition of the newest in-order segment, and ``ns2-2.1b9`` about the SYN (number 0, length 0).
Every receiver of every run gets a deep copy, so state in a policy is that of one connection.
"""

from __future__ import annotations

import hashlib
import json

from acklab._native import Segment
from acklab.errors import InputError
from acklab.portrait import Portraitist

__all__ = ["AckPolicy", "Segment", "identity"]


class AckPolicy:
    """The base of a policy of one's own: override `on_segment`.

    A policy must decide by what it is told and by its own state alone (no clock, no generator
    without a fixed seed), or the same seed gives different results.

    Attributes:
        restart_timer: ``False``: the wait counts from the first waiting segment (RFC 1122);
            ``True``: every waiting segment starts it anew. The last answer holds either way.
        version: change it when something changes outside of the class's own module, such as a
            function of another one that it calls; studies then do not reuse earlier runs.
    """

    restart_timer: bool = False
    version: str = ""

    def on_segment(self, segment: Segment) -> float | None:
        """Decide about a segment that came in order.

        Args:
            segment: what the receiver sees: ``now_s``, ``number`` (of the packet, from 1; a SYN
                has 0), ``length`` and ``mss`` (bytes), ``waiting`` (segments that wait for an ACK,
                this one included), ``waiting_bytes``.

        Returns:
            ``None`` to acknowledge now, or how many seconds it may wait for others: at least a
            nanosecond, which is what time is counted in.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define on_segment")

    def on_ack_sent(self, now_s: float, reason: str) -> None:
        """Learn that an ACK left at ``now_s``.

        ``reason`` is one of ``count`` (as `on_segment` wanted), ``timer``, ``out-of-order``,
        ``duplicate``, ``gap-filled``, ``syn``, ``window`` (it closes or opens the window around a
        handoff, or answers a probe). Not overriding it makes runs a little faster.
        """


def identity(policy: AckPolicy) -> str:
    """Return the name under which the core and studies know a policy: class, code and state.

    Raises:
        InputError: the policy's class name is too long; its `restart_timer` is no bool; or two
            policies like this one could not be told from each other, and it has no version.
    """
    kind = type(policy)
    if not kind.__name__.isascii() or len(kind.__name__) > 46:
        accepted = "a class name of at most 46 ASCII characters"
        raise InputError("cannot be named", "flow.ack", kind.__name__, accepted)
    if not isinstance(policy.restart_timer, bool):
        reason = f"restart_timer of {kind.__name__} is no bool"
        raise InputError(reason, "flow.ack", repr(policy.restart_timer), "True or False")
    known = frozenset({AckPolicy, object})
    modules = frozenset(base.__module__ for base in kind.__mro__ if base not in known)

    def opaque(value: object) -> str:
        if policy.version:
            return type(value).__qualname__
        reason = f"holds a {type(value).__name__}, by which nobody can tell it from another policy"
        accepted = "state that can be pickled; or a version that you change with the policy"
        raise InputError(reason, "flow.ack", kind.__name__, accepted)

    drawn = Portraitist(modules, known, opaque).of(policy)
    told = json.dumps([drawn, policy.version, policy.restart_timer])
    return f"{kind.__name__}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
