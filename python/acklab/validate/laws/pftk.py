"""TCP's throughput over random loss, from two textbook models; nothing of the simulator is used.

Mathis, Semke, Mahdavi and Ott (CCR 1997): the window saws between W/2 and W. Padhye, Firoiu,
Towsley and Kurose (SIGCOMM 1998, the full model of section 2, without a window limit): timeouts
too. `p` is theirs: for Mathis et al. the probability that the network drops a packet, at random
(their section 2), for Padhye et al. the probability that a packet is lost, given that it is the
first of its round or that the one before it was not (their section 2). Where nobody knows it,
both estimate it by loss *indications* (a fast retransmit or a row of timeouts) per packet. With
independent losses the two differ, since several losses in a round are one indication. `b` is the
number of segments that one ACK acknowledges.
"""

from __future__ import annotations

import math


def mathis(p: float, rtt_s: float, b: int) -> float:
    """Packets per second: sqrt(3 / (2 b p)) / RTT, for losses that fast retransmit repairs."""
    return math.sqrt(3 / (2 * b * p)) / rtt_s


def timeout_share(p: float, window: float) -> float:
    """The probability that a loss indication is a timeout (their Q, equation 23)."""
    kept = 1 - p
    cubed = kept**3
    beyond = 1 - kept ** max(window - 3, 0.0)
    return float(min(1.0, (1 - cubed) * (1 + cubed * beyond) / (1 - kept**window)))


def pftk(p: float, rtt_s: float, rto_s: float, b: int) -> float:
    """Packets sent per second (their equation 28 with the full Q)."""
    shift = (2 + b) / (3 * b)
    window = shift + math.sqrt(8 * (1 - p) / (3 * b * p) + shift**2)
    half = (2 + b) / 6
    rounds = half + math.sqrt(2 * b * (1 - p) / (3 * p) + half**2)
    timeouts = timeout_share(p, window)
    backoff = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    packets = (1 - p) / p + window + timeouts / (1 - p)
    return packets / (rtt_s * (rounds + 1) + timeouts * backoff * rto_s / (1 - p))
