"""What a policy of one's own has to say to segments that do not come in order."""

from pathlib import Path

import pytest

import acklab
from acklab.errors import InputError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class DelayedDupacks(acklab.AckPolicy):
    """Vaidya et al. 1999 §5 as anybody would write it.

    The third duplicate ACK of a gap waits for d, and those behind it until that is over.
    """

    def __init__(self, delay_s):
        self.delay_s = delay_s
        self.start_anew()

    def start_anew(self):
        self.beyond = 0
        self.until_s = None

    def on_segment(self, segment):
        self.start_anew()

    def on_disorder(self, segment, kind):
        if kind == "gap-filled":
            self.start_anew()
        # What lies beyond the gap counts, also when it comes again.
        if segment.number <= segment.expected:
            return None
        self.beyond += 1
        if self.beyond <= 2:
            return None
        if self.until_s is None:
            self.until_s = segment.now_s + self.delay_s
        left_s = self.until_s - segment.now_s
        return left_s if left_s >= 1e-9 else None


class Listens(acklab.AckPolicy):
    """Notes at its class what it is asked about, and what leaves."""

    version = "1"
    heard: list[tuple[object, ...]] = []  # noqa: RUF012 - that of all copies

    def on_segment(self, segment):
        return None

    def on_disorder(self, segment, kind):
        self.heard.append((kind, segment.number, segment.waiting, segment.length))
        return 0.005 if kind == "out-of-order" else None

    def on_ack_sent(self, now_s, reason):
        self.heard.append((reason,))


class Answers(acklab.AckPolicy):
    def __init__(self, answer):
        self.answer = answer

    def on_segment(self, segment):
        return None

    def on_disorder(self, segment, kind):
        return self.answer


@pytest.fixture
def lossy():
    return acklab.Scenario.load(EXAMPLES / "wireless-link.toml")


def records(scenario):
    return acklab.run(scenario, 3).records


@pytest.mark.parametrize("loss", ["1 %", "10 %"])
def test_delayed_dupacks_can_be_written_as_a_policy(lossy, loss):
    lossy = lossy.with_({"point_to_point.0.data_loss": loss})
    built_in = {"policy": "delayed-dupacks", "delay": "80 ms"}
    theirs, mine = (
        records(lossy.with_({"flow.ack": ack})) for ack in (built_in, DelayedDupacks(0.08))
    )
    assert [one["digest"] for one in mine] == [one["digest"] for one in theirs]
    # The built-in one has a reason of its own for ACKs at once, and a gap is held once at the most.
    own = {"acks_by_count": 0.0, "holds": 0.0, "holds_in_time": 0.0}
    for one, other in zip(mine, theirs, strict=True):
        assert other["measures"]["holds"] > one["measures"]["holds"] == 0.0
        assert one["measures"] | own == other["measures"] | own
    assert sum(one["measures"]["dupacks_discarded"] for one in mine) > 0
    plain = records(lossy)
    assert [one["digest"] for one in mine] != [one["digest"] for one in plain]


def test_it_hears_of_each_segment_and_of_acks_that_were_held(lossy):
    Listens.heard.clear()
    acklab.run(lossy.with_({"flow.ack": Listens()}), 1)
    kinds = {one[0] for one in Listens.heard}
    assert {"out-of-order", "gap-filled", "held", "count"} <= kinds
    asked = [one for one in Listens.heard if len(one) == 4]
    # Nothing waits by `on_segment`; what fills a gap is in order and would be the first.
    assert {(one[0], one[2]) for one in asked} <= {
        ("out-of-order", 0),
        ("duplicate", 0),
        ("gap-filled", 1),
    }
    assert all(number > 0 and length == 960 for _, number, _, length in asked)


def test_by_default_what_is_in_disorder_is_acknowledged_at_once(lossy):
    class Every(acklab.AckPolicy):
        version = "1"

        def on_segment(self, segment):
            return None

    mine, theirs = (records(lossy.with_({"flow.ack": ack})) for ack in (Every(), "every"))
    assert [one["digest"] for one in mine] == [one["digest"] for one in theirs]


def test_what_cannot_be_asked_is_refused_with_the_scenario(lossy):
    class Wrong(acklab.AckPolicy):
        version = "1"
        on_disorder = None

        def on_segment(self, segment):
            return None

    with pytest.raises(InputError, match="on_disorder of Wrong is no method"):
        lossy.with_({"flow.ack": Wrong()})


@pytest.mark.parametrize("answer", ["soon", True, -1.0, 0.0])
def test_a_wrong_answer_ends_the_run_and_is_named(lossy, answer):
    with pytest.raises(acklab.RunError, match=r"on_disorder returned .*; accepted: None to ack"):
        acklab.run(lossy.with_({"flow.ack": Answers(answer)}), 1)
