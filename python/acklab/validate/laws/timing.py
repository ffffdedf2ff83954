"""Durations of 802.11b frames and exchanges, from the clauses of the standard alone.

What it is: the arithmetic that the laws share (IEEE 802.11-1999 clauses 7.2, 9.2.10,
802.11b-1999 clauses 18.2, 18.3.3, and RFC 1042). All times are microseconds as plain floats.
What it is not: the simulator's arithmetic, which is integer nanoseconds and written elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ACK_BYTES", "CTS_BYTES", "NS2", "RTS_BYTES", "STANDARD", "Timing"]

RTS_BYTES = 20
CTS_BYTES = 14
ACK_BYTES = 14

PLCP_US = {"long": 192.0, "short": 96.0}
"""144 + 48 bits at 1 Mbit/s; short: 72 bits at 1 Mbit/s and 48 bits at 2 Mbit/s (18.2.2)."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Everything that fixes how long an exchange takes.

    Attributes:
        data_mbps: rate of unicast data frames, Mbit/s.
        basic_mbps: rate of RTS, CTS and ACK, Mbit/s.
        preamble: ``long`` or ``short``.
        mac_overhead_bytes: what a data frame has beside its packet: header, LLC and SNAP, and
            frame check sequence.
        window: number of values that the first backoff is drawn from, 0 to ``window - 1`` slots.
        slot_us: slot time.
        sifs_us: short inter-frame space.
        delay_us: propagation delay one way.
    """

    data_mbps: float = 11.0
    basic_mbps: float = 1.0
    preamble: str = "long"
    mac_overhead_bytes: int = 36
    window: int = 32
    slot_us: float = 20.0
    sifs_us: float = 10.0
    delay_us: float = 0.0

    @property
    def difs_us(self) -> float:
        """DIFS = SIFS + 2 slots (9.2.10)."""
        return self.sifs_us + 2 * self.slot_us

    @property
    def eifs_us(self) -> float:
        """EIFS = SIFS + ACK at the lowest mandatory rate + DIFS (9.2.10).

        That is 1 Mbit/s, which has the long preamble only (18.2.2.2), whatever the basic rate is.
        """
        return self.sifs_us + PLCP_US["long"] + 8 * ACK_BYTES + self.difs_us

    @property
    def rts_us(self) -> float:
        """Airtime of an RTS."""
        return self._airtime(RTS_BYTES, self.basic_mbps)

    @property
    def cts_us(self) -> float:
        """Airtime of a CTS."""
        return self._airtime(CTS_BYTES, self.basic_mbps)

    @property
    def ack_us(self) -> float:
        """Airtime of an ACK."""
        return self._airtime(ACK_BYTES, self.basic_mbps)

    def data_us(self, payload_bytes: int) -> float:
        """Airtime of a data frame that carries a packet of ``payload_bytes``."""
        return self._airtime(payload_bytes + self.mac_overhead_bytes, self.data_mbps)

    def success_us(self, payload_bytes: int, *, rts: bool) -> float:
        """A finished exchange up to the end of the DIFS that follows its ACK."""
        reservation = 0.0
        if rts:
            reservation = self.rts_us + self.cts_us + 2 * (self.sifs_us + self.delay_us)
        data = self.data_us(payload_bytes) + self.sifs_us + self.ack_us + 2 * self.delay_us
        return reservation + data + self.difs_us

    def _airtime(self, size: int, mbps: float) -> float:
        return PLCP_US[self.preamble] + 8 * size / mbps


STANDARD = Timing()
"""802.11b: backoff uniform on 0..31, three addresses: 24 B of header, 8 of LLC and SNAP (RFC 1042),
4 of check sequence."""

NS2 = Timing(data_mbps=1.0, mac_overhead_bytes=34, window=31)
"""ns-2.35: backoff uniform on 0..30 (its draw is *modulo* CW), four addresses in every frame, no
LLC and SNAP."""
