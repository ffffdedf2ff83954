"""ACK policies of one's own, written in Python.

    class EveryOther(acklab.AckPolicy):
        def on_segment(self, segment):
            return None if segment.waiting >= 2 else 0.1

    scenario = chain.with_({"flow.ack": EveryOther()})
    acklab.run(scenario, runs=10)

The core asks a policy about each in-order segment with no gap behind it, the only ones that may
wait by RFC 5681 §4.2, and by another method about all others (but for those that come while the
window is closed around a handoff); a real receiver knows no more. The profiles of ns-2 take a
repetition of the newest in-order segment for one in order, and ``ns2-2.1b9`` the SYN (number 0,
length 0).
Every receiver of every run gets a deep copy, so state in a policy is that of one connection.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from acklab._native import Segment
from acklab.errors import InputError
from acklab.portrait import Portraitist, state_of

__all__ = ["CHANGED", "AckPolicy", "Segment", "changed", "described", "identity", "shown"]


CHANGED = (
    "is no longer what it was when it was put into the scenario: what it uses of its class, its "
    "module or a closure has changed, which all receivers, runs and threads share; `self` is "
    "copied for each"
)
"""What to say of a policy that `changed` names."""

_SCRIPT = "__main__"
# Enough for parameters; a table of thousands is no text for a manifest.
_LONGEST = 200


class AckPolicy:
    """The base of a policy of one's own: override `on_segment`.

    A policy must decide by what it is told and by its own state alone (no clock, no generator
    without a fixed seed), or the same seed gives different results.

    Attributes:
        restart_timer: ``False``: the wait counts from the first waiting segment (RFC 1122);
            ``True``: every waiting segment starts it anew. The last answer holds either way. It is
            asked for once, when a receiver gets its policy.
        version: change it when something changes outside of the class's own module, such as a
            function of another one that it calls; studies then do not reuse earlier runs.
    """

    restart_timer: bool = False
    version: str = ""

    def on_segment(self, segment: Segment) -> float | None:
        """Decide about a segment that came in order.

        Args:
            segment: what the receiver sees: ``now_s``, ``number`` (of the packet, from 1; a SYN
                has 0), ``expected`` (the number that comes next), ``length`` and ``mss`` (bytes),
                ``waiting`` (in-order segments that wait for an ACK, this one included),
                ``waiting_bytes``.

        Returns:
            ``None`` to acknowledge now, or how many seconds it may wait for others: at least a
            nanosecond, which is what time is counted in.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define on_segment")

    def on_disorder(self, segment: Segment, kind: str) -> float | None:
        """Decide about a segment that came otherwise; by default its ACK leaves at once.

        While the window is closed around a handoff nobody is asked, and every ACK leaves at once.

        Args:
            segment: what the receiver sees, as in `on_segment`; ``waiting`` counts this one only
                if it fills a gap, and nothing that lay beyond one. If its ``number`` is greater
                than ``expected``, it lies beyond the gap, as one that came before may, too.
            kind: ``out-of-order`` (its data lies beyond a gap), ``duplicate`` (all of it was here
                already) or ``gap-filled`` (in order, while later data was here already).

        Returns:
            ``None`` to acknowledge now (RFC 5681 §4.2), or how many seconds it may wait. One that
            fills a gap then waits like one in order. The ACK for another one is held by itself,
            from now on whatever `restart_timer` says: it leaves when its time is over, or is thrown
            away when the next expected segment comes, whose ACK says more (and may itself wait).
            Not overriding it makes runs a little faster.
        """

    def on_ack_sent(self, now_s: float, reason: str) -> None:
        """Learn that an ACK left at ``now_s``; one that ACK Pacing holds back leaves later.

        ``reason`` is one of ``count`` (as `on_segment` wanted), ``timer``, ``out-of-order``,
        ``duplicate``, ``gap-filled``, ``held`` (it was held by itself), ``syn``, ``window`` (it
        closes or opens the window around a handoff, or answers a probe). Not overriding it makes
        runs a little faster.
        """


def identity(policy: AckPolicy) -> str:
    """Return the name under which the core and studies know a policy: class, code and state.

    Raises:
        InputError: the policy's class name is too long, or it has no `on_segment`; its
            `restart_timer` is no bool or its `version` no text; or two policies like this one could
            not be told from each other, and it has no version.
    """
    kind = type(policy)
    restart_timer = _checked(policy)
    known = frozenset({AckPolicy, object})
    # A script's names mean nothing in another process.
    modules = frozenset(base.__module__ for base in kind.__mro__ if base not in known) | {_SCRIPT}

    def opaque(value: object) -> str:
        if policy.version:
            return type(value).__qualname__
        reason = f"holds a {type(value).__name__}, by which nobody can tell it from another policy"
        accepted = "state that can be pickled; or a version that you change with the policy"
        raise InputError(reason, "flow.ack", kind.__name__, accepted)

    try:
        drawn = Portraitist(modules, known, opaque).of(policy)
    except RecursionError as error:
        reason = "holds something that is nested too deeply to be told from another one"
        raise InputError(reason, "flow.ack", kind.__name__, "flatter state") from error
    told = json.dumps([drawn, policy.version, restart_timer])
    return f"{kind.__name__}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _checked(policy: AckPolicy) -> bool:
    """Refuse what could not decide in a run; return its `restart_timer`."""
    name = type(policy).__name__
    if not name.isascii() or len(name) > 46:
        accepted = "a class name of at most 46 ASCII characters"
        raise InputError("cannot be named", "flow.ack", name, accepted)
    asked = getattr(policy, "on_segment", None)
    if not callable(asked) or getattr(asked, "__func__", None) is AckPolicy.on_segment:
        accepted = "on_segment(self, segment), which returns None or the seconds to wait"
        raise InputError("does not define on_segment", "flow.ack", name, accepted)
    for optional in ("on_disorder", "on_ack_sent"):
        if not callable(_asked(policy, optional, "a method")):
            reason = f"{optional} of {name} is no method"
            raise InputError(reason, "flow.ack", name, "a method, or none of this name")
    version = _asked(policy, "version", "a str")
    if not isinstance(version, str):
        raise InputError(f"version of {name} is no text", "flow.ack", repr(version), "a str")
    restart_timer = _asked(policy, "restart_timer", "True or False")
    if not isinstance(restart_timer, bool):
        reason = f"restart_timer of {name} is no bool"
        raise InputError(reason, "flow.ack", repr(restart_timer), "True or False")
    return restart_timer


def _asked(policy: AckPolicy, what: str, accepted: str) -> Any:
    """Return an attribute of a policy, which may be a property that fails."""
    try:
        return getattr(policy, what)
    except Exception as error:
        name = type(policy).__name__
        reason = f"{what} of {name} fails: {type(error).__name__}: {error}"
        raise InputError(reason, "flow.ack", name, accepted) from error


def changed(policies: Mapping[str, AckPolicy]) -> list[str]:
    """Return the names of policies that are no longer what they were when they were named.

    Somebody changed their class or a value of its module since, or they keep something there, or in
    a closure, which no copy of a policy has for itself.
    """

    def told(policy: AckPolicy) -> str | None:
        try:
            return identity(policy)
        except InputError:
            # It could be told when it was named.
            return None

    return sorted(name for name, policy in policies.items() if told(policy) != name)


def shown(policy: AckPolicy) -> str:
    """How its class shows it, as every dataclass does, else its class with a hash."""
    name = identity(policy)
    if type(policy).__repr__ is object.__repr__:
        return name
    try:
        text = repr(policy)
    except Exception as error:
        reason = f"repr of {type(policy).__name__} fails: {type(error).__name__}: {error}"
        raise InputError(reason, "flow.ack", type(policy).__name__, "a text") from error
    # An address says nothing, and is another one each time.
    return name if " at 0x" in text or "\n" in text else text


def described(policies: Mapping[str, AckPolicy]) -> dict[str, Any]:
    """Return what to keep of policies beside a result: their class, and what they hold."""
    return {
        name: {
            "class": f"{type(policy).__module__}.{type(policy).__qualname__}",
            "state": {key: _text(value) for key, value in state_of(policy).items()},
        }
        for name, policy in sorted(policies.items())
    }


def _text(value: object) -> str:
    try:
        text = repr(value)[:_LONGEST]
        # An address says nothing, and is another one each time.
        return f"of the class {type(value).__qualname__}" if " at 0x" in text else text
    except Exception as error:
        return f"{type(value).__name__}, whose repr fails: {type(error).__name__}"
