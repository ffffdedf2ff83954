"""Policies of one's own are told apart by what they do, and known again if they do the same."""

import collections
import copy
import enum
import functools
import os
import pickle
import random
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
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


class Slots(Calls):
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


@functools.cache
def remembered(number):
    return 2


@functools.singledispatch
def dispatched(number):
    return 2


class Remembers(acklab.AckPolicy):
    def on_segment(self, segment):
        return remembered(segment) + dispatched(segment)


class Window(collections.deque):
    pass


class Named(set):
    pass


class Mode(enum.Enum):
    FAST = {"one", "two"}  # noqa: RUF012


class Limit(NamedTuple):
    count: int

    def reached(self, waiting):
        return waiting >= self.count


class Holds(Calls):
    """State of classes of elsewhere, and of classes that are made of those."""

    def __init__(self, count=2):
        words = {"one", "two", "three", "four", str(count)}
        self.recent = collections.deque([words, frozenset(words)], maxlen=9)
        self.groups = collections.defaultdict(set, all=words)
        self.window = Window([count, words])
        self.named = Named(words)
        self.mode = Mode.FAST
        self.limit = Limit(count)
        self.draw = random.Random(count).random
        self.weights = [np.arange(count), np.arange(count)]


KINDS = [closed, default, attribute, inherited, typed, wrapped, Slots, Holds]


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_another_thing_has_another_name(kind):
    assert identity(kind(2)) == identity(kind(2))
    assert identity(kind(2)) != identity(kind(4))


class Items(acklab.AckPolicy, dict):
    def on_segment(self, segment):
        return None if segment.waiting >= self["count"] else 0.1


class Draws(acklab.AckPolicy, random.Random):
    def on_segment(self, segment):
        return None if self.random() < 0.5 else 0.1


def test_what_a_base_of_c_holds_is_part_of_the_name():
    for one, other in [(Items(count=1), Items(count=4)), (Draws(1), Draws(2))]:
        assert identity(one) != identity(other)
        assert identity(one) == identity(copy.deepcopy(one))


def test_a_class_attribute_counts_whatever_its_name():
    def named(value):
        return identity(type("Mine", (Calls,), {"__count__": value})())

    assert named(1) == named(1) != named(4)


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


# In each of them 2 is the number that is edited.
HELPERS = {
    "cache": "@functools.cache\ndef count(): return 2",
    "lru_cache": "@functools.lru_cache(maxsize=8)\ndef count(): return 2",
    "cache of a cache": "@functools.cache\n@functools.cache\ndef count(): return 2",
    "bound to a cache": "@functools.cache\ndef inner(): return 2\ncount = inner.__call__",
    "singledispatch": "@functools.singledispatch\ndef count(n=0): return 2",
    "registered": "@functools.singledispatch\ndef count(n=0): return 0\n"
    "@count.register(int)\ndef _(n): return 2",
    "attribute": "def count(): return count.limit\ncount.limit = 2",
    "elsewhere": "def inner(): return 2\ndef count(): return count.__wrapped__()\n"
    "functools.update_wrapper(count, inner)\ncount.__module__ = 'elsewhere'",
    "items": "class Items(dict): pass\ncounts = Items(few=2)\ndef count(): return counts['few']",
    "factory": "factory = collections.defaultdict(lambda: 2)\ndef count(): return factory[0]",
    "method": "draw = random.Random(2).random\ndef count(): return draw()",
    "class of a tuple": "class Own(tuple):\n def limit(self): return 2\n"
    "own = collections.deque([Own()])\ndef count(): return own[0].limit()",
}
METHODS = {
    "cache": "@functools.cache\n def count(self): return 2",
    "cached_property": "@functools.cached_property\n def count(self): return 2",
    "special": "@functools.cache\n def __call__(self): return 2",
    "static": "@staticmethod\n @functools.cache\n def __class_getitem__(n): return 2",
    "singledispatchmethod": "@functools.singledispatchmethod\n def count(self, n): return 0\n"
    " @count.register(int)\n def _(self, n): return 2",
    "partialmethod": "def inner(self, n): return n\n count = functools.partialmethod(inner, 2)",
    "wrapped by partialmethod": "def inner(self, n): return 2 * n\n"
    " count = functools.partialmethod(inner, 1)",
}


def name_of_written(helper="", method="", version=""):
    space = {"AckPolicy": acklab.AckPolicy, "__name__": "written"}
    text = "import collections, functools, random\n"
    text += f"{helper}\nclass Mine(AckPolicy):\n version = {version!r}\n {method}\n"
    text += " def on_segment(self, segment): return count()\n"
    exec(text, space)
    return identity(space["Mine"]())


@pytest.mark.parametrize("text", HELPERS.values(), ids=HELPERS.keys())
def test_an_edited_helper_behind_a_decorator_changes_the_name(text):
    assert name_of_written(text) == name_of_written(text)
    assert name_of_written(text) != name_of_written(text.replace("2", "4"))


@pytest.mark.parametrize("text", METHODS.values(), ids=METHODS.keys())
def test_an_edited_method_behind_a_decorator_changes_the_name(text):
    assert name_of_written(method=text) == name_of_written(method=text)
    assert name_of_written(method=text) != name_of_written(method=text.replace("2", "4"))


def test_what_a_cache_remembers_is_no_part_of_the_name():
    policy = Remembers()
    before = identity(policy)
    policy.on_segment(7)
    assert identity(policy) == before


def test_a_set_that_leads_back_to_its_policy_has_an_end():
    policy = Calls()
    policy.peers = collections.deque([{policy}])
    assert identity(policy) == identity(policy)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_copy_has_the_same_name(again):
    assert identity(again(Holds())) == identity(Holds())


def test_a_new_process_gives_the_same_name():
    code = "import test_policy_identity as t; from acklab.policy import identity; "
    code += "print(*(identity(kind(2)) for kind in t.KINDS), identity(t.Calls()))"
    command = [sys.executable, "-c", code]
    found = {
        subprocess.run(
            command,
            cwd=Path(__file__).parent,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
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


def hidden(held):
    class Hidden(acklab.AckPolicy):
        def on_segment(self, segment):
            return next(held, None) if held else None

    return Hidden()


def test_a_closure_that_nobody_can_look_into_needs_a_version_too():
    with pytest.raises(InputError, match="holds a generator"):
        identity(hidden(wait for wait in (0.1,)))

    # A cell that nothing was put into is no such thing.
    def late():
        class Late(acklab.AckPolicy):
            def on_segment(self, segment):
                return never

        if LIMIT < 0:
            never = None
        return Late()

    assert identity(late()) == identity(late())


@dataclass
class Waits(acklab.AckPolicy):
    """Shows itself, as every dataclass does."""

    seconds: float

    def on_segment(self, segment):
        return self.seconds


class Address(Waits):
    """Shows itself as nobody can tell it again."""

    def __repr__(self):
        return object.__repr__(self)


def test_a_grid_names_policies_as_they_show_themselves():
    grid = {"flow.ack": ["every", Waits(0.01), Waits(0.02), Address(0.01)]}
    base = acklab.Scenario.parse(BASE)
    named = [point.labels["flow.ack"] for point in acklab.Study(base, grid).points]
    assert named[:3] == ["every", "Waits(seconds=0.01)", "Waits(seconds=0.02)"]
    assert named[3] == identity(Address(0.01))
