"""Policies of one's own are told apart by what they do, and known again if they do the same."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import acklab
from acklab.errors import InputError
from acklab.policy import identity
from study_folder import BASE

LIMIT = 2


def helper(segment):
    return None if segment.waiting >= LIMIT else 0.1


class Calls(acklab.AckPolicy):
    def on_segment(self, segment):
        return helper(segment)


class Slots(acklab.AckPolicy):
    __slots__ = ("count",)

    def __init__(self, count):
        self.count = count


def closed(count):
    class Closed(acklab.AckPolicy):
        def on_segment(self, segment):
            return None if segment.waiting >= count else 0.1

    return Closed()


def default(count):
    class Default(acklab.AckPolicy):
        def on_segment(self, segment, count=count):
            return None if segment.waiting >= count else 0.1

    return Default()


def attribute(count):
    class Attribute(acklab.AckPolicy):
        limits = {"waiting": [count]}  # noqa: RUF012

        def on_segment(self, segment):
            return None if segment.waiting >= self.limits["waiting"][0] else 0.1

    return Attribute()


def inherited(count):
    class Base(acklab.AckPolicy):
        def limit(self):
            return count

    class Inherited(Base):
        def on_segment(self, segment):
            return None if segment.waiting >= self.limit() else 0.1

    return Inherited()


def typed(count):
    text = "class Typed(AckPolicy):\n def on_segment(self, segment):\n"
    text += f"  return None if segment.waiting >= {count} else 0.1\n"
    space = {"AckPolicy": acklab.AckPolicy}
    exec(text, space)
    return space["Typed"]()


def wrapped(count):
    def limited(method):
        return lambda self, segment: method(self, segment) if segment.waiting < count else None

    class Wrapped(acklab.AckPolicy):
        @limited
        def on_segment(self, segment):
            return 0.1

    return Wrapped()


KINDS = [closed, default, attribute, inherited, typed, wrapped, Slots]


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_another_thing_has_another_name(kind):
    assert identity(kind(2)) == identity(kind(2))
    assert identity(kind(2)) != identity(kind(4))


def test_a_changed_class_attribute_or_helper_changes_the_name(monkeypatch):
    policy = attribute(2)
    before = identity(policy)
    type(policy).limits = {"waiting": [4]}
    assert identity(policy) != before
    before = identity(Calls())
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert identity(Calls()) != before
    monkeypatch.undo()
    assert identity(Calls()) == before
    monkeypatch.setitem(globals(), "helper", lambda segment: None)
    assert identity(Calls()) != before


def test_two_of_a_kind_stay_two_in_one_run():
    chain = acklab.Scenario.parse(BASE)
    both = chain.with_({"flow.ack": closed(2)}).resolve().text
    assert identity(closed(2)) in both
    assert identity(closed(4)) not in both
    variants = {"two": {"flow.ack": closed(2)}, "four": {"flow.ack": closed(4)}}
    sent = acklab.Study(chain, variants=variants, runs=1).run().frame().sort("variant")
    four, two = sent["acks_sent"]
    assert two > 1.5 * four


def test_a_new_process_gives_the_same_name():
    code = "import test_policy_identity as t; from acklab.policy import identity; "
    code += "print(*(identity(kind(2)) for kind in t.KINDS), identity(t.Calls()))"
    command = [sys.executable, "-c", code]
    found = {
        subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    here = " ".join([*(identity(kind(2)) for kind in KINDS), identity(Calls())])
    assert found == {here + "\n"}


def test_state_that_nobody_can_look_into_needs_a_version():
    policy = Calls()
    policy.lock = threading.Lock()
    with pytest.raises(InputError, match="holds a lock") as error:
        identity(policy)
    assert error.value.value == "Calls"
    policy.version = "1"
    first = identity(policy)
    policy.version = "2"
    assert identity(policy) != first
