"""ACK policies of one's own: what they are asked, what they decide, what happens when they fail."""

import json
import threading

import numpy as np
import pytest

import acklab
from acklab.errors import InputError, ScenarioError
from acklab.policy import changed, described, identity


class EveryThird(acklab.AckPolicy):
    """What the built-in policy `delayed` does with a count of three."""

    def __init__(self, count=3, wait_s=0.1):
        self.count = count
        self.wait_s = wait_s

    def on_segment(self, segment):
        assert 0 < segment.length <= segment.mss == 1000
        assert segment.waiting_bytes == segment.waiting * 1000
        return None if segment.waiting >= self.count else self.wait_s


class Restarting(EveryThird):
    restart_timer = True


class Fails(acklab.AckPolicy):
    def on_segment(self, segment):
        # Segment 20 itself may come out of order, of which this method is not asked.
        if segment.number >= 20:
            raise LookupError("no such number")


class Counts(acklab.AckPolicy):
    """Thins more the more ACKs have left: has state and hears of ACKs."""

    def __init__(self):
        self.acks = 0

    def on_segment(self, segment):
        return None if segment.waiting > self.acks // 20 else 0.05

    def on_ack_sent(self, now_s, reason):
        assert now_s > 0.0
        assert reason in {"count", "timer", "out-of-order", "duplicate", "gap-filled", "syn"}
        self.acks += 1


class Hears(acklab.AckPolicy):
    """Has a method for ACKs of its own object, not of its class."""

    version = "1"

    def __init__(self):
        self.reasons = set()
        self.on_ack_sent = self._hear

    def on_segment(self, segment):
        return None if self.reasons else 0.02

    def _hear(self, now_s, reason):
        self.reasons.add(reason)


@pytest.fixture
def chain():
    return acklab.Scenario.parse("""
    duration = "10 s"
    topology = { kind = "chain", nodes = 5, spacing = "200 m" }
    flow = [{ kind = "ftp", window = 8 }]
    """)


def digests(scenario, runs=3, workers=None):
    return [record["digest"] for record in acklab.run(scenario, runs, workers=workers).records]


@pytest.mark.parametrize(
    ("policy", "timer"), [(EveryThird(), "first-waiting"), (Restarting(), "every-waiting")]
)
def test_a_policy_in_python_is_the_built_in_one_if_it_decides_alike(chain, policy, timer):
    built_in = {"policy": "delayed", "count": 3, "interval": "100 ms", "timer": timer}
    assert digests(chain.with_({"flow.ack": policy})) == digests(
        chain.with_({"flow.ack": built_in})
    )


def test_each_run_has_a_policy_of_its_own(chain):
    policy = Counts()
    scenario = chain.with_({"flow.ack": policy})
    one, two = digests(scenario, 4, workers=1), digests(scenario, 4, workers=2)
    assert one == two
    assert one == digests(scenario, 4)
    assert policy.acks == 0


def test_two_flows_have_policies_of_their_own(chain):
    pair = chain.with_(flow=[{"kind": "ftp"}, {"kind": "ftp", "from": 4, "to": 0}])
    mixed = pair.with_({"flow.0.ack": EveryThird(2), "flow.1.ack": EveryThird(4)})
    delayed = {"policy": "delayed", "interval": "100 ms"}
    named = pair.with_({"flow.0.ack": delayed | {"count": 2}, "flow.1.ack": delayed | {"count": 4}})
    assert digests(mixed) == digests(named)


def test_a_policy_survives_further_changes_and_has_a_name_in_the_scenario(chain):
    scenario = chain.with_({"flow.ack": EveryThird()}).with_({"flow.window": 4})
    (name,) = scenario.resolve().policies
    assert name.startswith("EveryThird-")
    assert scenario.resolve().tree["flow"][0]["ack"] == {"policy": "own", "name": name}
    with pytest.raises(ScenarioError, match="no policy of this name was handed over") as caught:
        acklab.run(acklab.Scenario.parse(scenario.to_toml()), runs=1)
    assert caught.value.value == f'"{name}"'


def test_names_follow_class_state_and_version():
    assert identity(EveryThird(3)) == identity(EveryThird(3))
    different = [EveryThird(3), EveryThird(4), Restarting(3), Counts()]
    assert len({identity(policy) for policy in different}) == 4
    newer = EveryThird(3)
    newer.version = "2"
    assert identity(newer) != identity(EveryThird(3))
    too_long = type("A" * 60, (EveryThird,), {})
    with pytest.raises(InputError, match="cannot be named"):
        identity(too_long())


def test_an_exception_ends_its_run_with_the_place(chain):
    with pytest.raises(acklab.RunError) as caught:
        acklab.run(chain.with_({"flow.ack": Fails()}), runs=2)
    said = str(caught.value)
    assert "no such number" in said
    assert "LookupError" in said
    assert "test_policy.py, line" in said


NO_WAITS = [0.0, -1.0, float("nan"), float("inf"), 1e-12, 4e-10, 1e10, 10**400]


TRUTHS = [True, False, np.bool_(True)]


@pytest.mark.parametrize("answer", [*NO_WAITS, "soon", [0.1], *TRUTHS], ids=ascii)
def test_an_answer_that_is_none_is_named_with_what_is_accepted(chain, answer):
    class Odd(acklab.AckPolicy):
        def on_segment(self, segment):
            return answer

    with pytest.raises(acklab.RunError, match="ACK policy Odd-") as caught:
        acklab.run(chain.with_({"flow.ack": Odd()}), runs=1)
    said = str(caught.value)
    assert f"on_segment returned {answer!r}; accepted: None to acknowledge now, or the" in said
    assert f"({__file__}, line {Odd.on_segment.__code__.co_firstlineno})" in said


@pytest.mark.parametrize("answer", [1e-9, 1, np.float32(0.1), 9e9])
def test_whatever_is_a_number_of_seconds_is_an_answer(chain, answer):
    class Waits(acklab.AckPolicy):
        def on_segment(self, segment):
            return answer

    assert len(acklab.run(chain.with_({"flow.ack": Waits()}), runs=1).records) == 1


@pytest.mark.parametrize("value", ["yes", None, 1])
def test_a_restart_timer_that_is_no_bool_is_refused_before_any_run(chain, value):
    class Odd(Fails):
        restart_timer = value

    with pytest.raises(InputError, match="restart_timer of Odd is no bool") as caught:
        chain.with_({"flow.ack": Odd()})
    assert (caught.value.value, caught.value.accepted) == (repr(value), "True or False")


def test_a_restart_timer_that_is_spoilt_later_is_named(chain):
    class Late(Fails):
        handed = False

        @property
        def restart_timer(self):
            return "yes" if self.handed else False

    scenario = chain.with_({"flow.ack": Late()})
    (policy,) = scenario.resolve().policies.values()
    policy.handed = True
    with pytest.raises(acklab.RunError, match="restart_timer is 'yes'; accepted: True or False"):
        acklab.run(scenario, runs=1)


def test_a_policy_that_says_nothing_is_an_error(chain):
    class Misspelt(acklab.AckPolicy):
        def on_segmnt(self, segment):
            return None

    with pytest.raises(InputError, match="does not define on_segment") as caught:
        chain.with_({"flow.ack": Misspelt()})
    assert (caught.value.place, caught.value.value) == ("flow.ack", "Misspelt")


def test_what_cannot_be_looked_at_is_named_with_its_error(chain):
    class Odd(Fails):
        @property
        def restart_timer(self):
            raise ValueError("not yet")

    with pytest.raises(InputError, match="restart_timer of Odd fails: ValueError: not yet"):
        chain.with_({"flow.ack": Odd()})
    numbered = Fails()
    numbered.version = 2
    with pytest.raises(InputError, match="version of Fails is no text") as caught:
        chain.with_({"flow.ack": numbered})
    assert (caught.value.value, caught.value.accepted) == ("2", "a str")


class Silent(Fails):
    def __init__(self, count):
        self.count = count

    def __repr__(self):
        return "Silent()" if self.count else self.count


def test_a_grid_says_what_is_wrong_with_how_policies_show_themselves(chain):
    with pytest.raises(InputError, match="has two policies that show themselves alike") as caught:
        acklab.Study(chain, grid={"flow.ack": [Silent(1), Silent(2)]})
    assert "a __repr__ that tells them apart" in caught.value.accepted
    with pytest.raises(InputError, match="has a value twice"):
        acklab.Study(chain, grid={"flow.ack": [Silent(1), Silent(1)]})
    with pytest.raises(InputError, match="repr of Silent fails: TypeError"):
        acklab.Study(chain, grid={"flow.ack": [Silent(0), Silent(1)]})


def counting():
    count = 0

    def counter():
        nonlocal count
        count += 1
        return count

    return counter


class Sharing(acklab.AckPolicy):
    """Remembers something where no copy has it for itself."""

    def __init__(self):
        self.counter = counting()

    def on_segment(self, segment):
        return None if self.counter() % 3 == 0 else 0.05


@pytest.mark.usefixtures("study_folder")
def test_a_policy_that_remembers_outside_of_itself_is_told(chain):
    scenario = chain.with_({"flow.ack": Sharing()})
    told = {warning.code: warning.message for warning in acklab.run(scenario, runs=2).warnings}
    assert "Sharing-" in told["policy-changed"]
    study = acklab.Study(chain, variants={"mine": {"flow.ack": Sharing()}}, runs=2)
    codes = [warning["code"] for warning in study.run("out").manifest["warnings"]]
    assert "policy-changed" in codes
    with pytest.raises(InputError, match="is not what it was when it was put into"):
        study.run("out")
    calm = acklab.run(chain.with_({"flow.ack": Counts()}), runs=2).warnings
    assert "policy-changed" not in {warning.code for warning in calm}


@pytest.mark.usefixtures("study_folder")
def test_a_study_whose_policy_was_changed_is_not_run_under_its_old_name(chain, monkeypatch):
    class Late(EveryThird):
        least = 2

        def on_segment(self, segment):
            return None if segment.waiting >= self.least else 0.1

    study = acklab.Study(chain, variants={"mine": {"flow.ack": Late()}}, runs=2)
    truth = study.run("out").frame()
    monkeypatch.setattr(Late, "least", 4)
    with pytest.raises(InputError, match="is not what it was") as caught:
        study.run("other")
    assert caught.value.value.startswith("Late-")
    monkeypatch.setattr(Late, "least", 2)
    assert study.run("out").frame().equals(truth)


class Locking(EveryThird):
    """Holds at its class what nobody can look into, from the first segment on."""

    held = None

    def on_segment(self, segment):
        Locking.held = threading.Lock()
        return super().on_segment(segment)


def test_what_cannot_be_looked_at_any_more_loses_no_run(chain):
    result = acklab.run(chain.with_({"flow.ack": Locking()}), runs=2)
    with pytest.raises(InputError, match="holds a lock"):
        identity(Locking())
    assert result.runs == 2
    assert "policy-changed" in {warning.code for warning in result.warnings}


count = 1


def test_a_global_of_an_attributes_name_is_another_thing(chain, monkeypatch):
    scenario = chain.with_({"flow.ack": EveryThird(2)})
    monkeypatch.setitem(globals(), "count", 5)
    assert not changed(scenario.resolve().policies)


TABLE = [2, 3]


class Tabled(EveryThird):
    def __init__(self, table=TABLE):
        super().__init__(table[0])
        self.table = table

    def on_segment(self, segment):
        return super().on_segment(segment) if TABLE else None


def test_a_policy_is_what_its_copy_in_the_scenario_is():
    topology = {"kind": "chain", "nodes": 3, "spacing": "200 m"}
    tree = {"topology": topology, "duration": "5 s", "flow": [{"kind": "ftp", "ack": Tabled()}]}
    scenario = acklab.Scenario.from_dict(tree)
    assert not changed(scenario.resolve().policies)
    assert not scenario.with_({"flow.ack": "every"}).resolve().policies


class Slotted(acklab.AckPolicy):
    __slots__ = ("odd", "wait_s")

    def on_segment(self, segment):
        return self.wait_s


class Odd:
    def __repr__(self):
        raise RuntimeError("no words")


def test_state_is_described_wherever_it_stands():
    policy = Slotted()
    policy.wait_s, policy.odd = 0.1, Odd()
    (told,) = described({"it": policy}).values()
    assert told["state"] == {"wait_s": "0.1", "odd": "Odd, whose repr fails: RuntimeError"}


def test_what_is_kept_says_which_policy_it_was(chain, tmp_path):
    result = acklab.run(chain.with_({"flow.ack": EveryThird(5)}), runs=2)
    kept = json.loads((result.save(tmp_path / "out") / "manifest.json").read_text())["policies"]
    (policy,) = kept.values()
    assert policy == {
        "class": f"{EveryThird.__module__}.EveryThird",
        "state": {"count": "5", "wait_s": "0.1"},
    }


@pytest.mark.usefixtures("study_folder")
def test_the_rest_of_a_study_goes_on_when_a_policy_fails(chain):
    variants = {"mine": {"flow.ack": EveryThird()}, "fails": {"flow.ack": Fails()}}
    result = acklab.Study(chain, variants=variants, runs=3).run("out")
    assert result.frame().get_column("variant").to_list() == ["mine"] * 3
    failures = result.manifest["failures"]
    assert repr(result).endswith(": 1 of 2 points, 3 runs (3 of the study failed)>")
    assert [(f["labels"], f["seed"], f["run"]) for f in failures] == [
        ({"variant": "fails"}, 1, run) for run in range(3)
    ]
    assert "no such number" in failures[0]["message"]
    again = acklab.Study(chain, variants=variants, runs=3).run("out")
    assert again.manifest["reused_runs"] == 3


def test_a_method_for_acks_that_an_object_has_for_itself_is_called(chain):
    class Deaf(Hears):
        def __init__(self):
            self.reasons = set()

    assert digests(chain.with_({"flow.ack": Hears()}), 1) != digests(
        chain.with_({"flow.ack": Deaf()}), 1
    )
