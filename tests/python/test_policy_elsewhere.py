"""Policies that hold what stands in another module than their own."""

import sys
import types

import pytest

import acklab
from acklab.errors import InputError
from acklab.policy import identity
from study_folder import BASE

ELSEWHERE = """
import functools

eager, lazy = (lambda segment: None), (lambda segment: 0.1)


def after(wait):
    def rule(segment):
        return wait

    return rule


def holding(wait):
    class Rule:
        def __call__(self, segment):
            return wait

    return Rule()


def logged(method):
    def wrapper(self, segment):
        return method(self, segment)

    return wrapper


def named(segment):
    return None
"""


@pytest.fixture
def elsewhere(monkeypatch):
    """A module that is not the policy's own."""
    made = types.ModuleType("rules_of_elsewhere")
    exec(ELSEWHERE, vars(made))
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


class Asks(acklab.AckPolicy):
    def __init__(self, rule):
        self.rule = rule

    def on_segment(self, segment):
        return self.rule(segment)


def test_what_has_no_name_of_its_own_in_another_module_is_looked_into(elsewhere):
    rules = [elsewhere.eager, elsewhere.lazy]
    rules += [make(wait) for make in (elsewhere.after, elsewhere.holding) for wait in (None, 0.1)]
    names = [identity(Asks(rule)) for rule in rules]
    assert len(set(names)) == 6
    again = [identity(Asks(elsewhere.after(0.1))), identity(Asks(elsewhere.holding(0.1)))]
    assert again == [names[3], names[5]]
    named = identity(Asks(elsewhere.named))
    elsewhere.named.__code__ = elsewhere.eager.__code__
    assert identity(Asks(elsewhere.named)) == named, "by its name alone"


def test_a_decorator_of_another_module_hides_no_method(elsewhere):
    def decorated(wait):
        class Decorated(acklab.AckPolicy):
            @elsewhere.logged
            def on_segment(self, segment):
                return wait

        return Decorated()

    assert identity(decorated(None)) != identity(decorated(0.1))
    assert identity(decorated(0.1)) == identity(decorated(0.1))


def test_flows_of_one_run_have_each_its_own_policy(elsewhere):
    both = {
        "flow": [{"kind": "ftp", "ack": Asks(rule)} for rule in (elsewhere.eager, elsewhere.lazy)]
    }
    result = acklab.run(acklab.Scenario.parse(BASE).with_(both), 1)
    acks, packets = (
        [result.flow(flow)[name].mean for flow in (0, 1)]
        for name in ("acks_sent", "delivered_packets")
    )
    assert acks[0] >= packets[0]
    assert acks[1] < packets[1]


def test_state_that_is_nested_too_deeply_is_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="nested too deeply"):
        identity(Asks(deep))


def test_no_address_stands_among_what_a_policy_holds(elsewhere):
    (told,) = acklab.policy.described({"asks": Asks(elsewhere.after(0.1))}).values()
    assert told["state"] == {"rule": "of the class function"}
