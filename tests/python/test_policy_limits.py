"""What a policy of one's own may need, and what is refused before it runs."""

import functools
import subprocess
import sys
import weakref

import numpy
import pytest

import acklab
from acklab.errors import InputError
from acklab.policy import identity
from acklab.study import Study

CHAIN = acklab.Scenario.parse(
    'duration = "2 s"\n'
    'topology = { kind = "chain", nodes = 3, spacing = "200 m" }\n'
    'flow = [{ kind = "ftp", window = 8 }]\n'
)

DEEP = """
import acklab

class Deep(acklab.AckPolicy):
    def on_segment(self, segment):
        class Endless:
            def __lt__(self, other):
                return sorted([Endless(), Endless()]) > []
        sorted([Endless(), Endless()])

chain = acklab.Scenario.parse('''
duration = "2 s"
topology = { kind = "chain", nodes = 2, spacing = "200 m" }
flow = [{ kind = "ftp", window = 8 }]
''')
try:
    acklab.run(chain.with_({"flow.ack": Deep()}))
except acklab.RunError as error:
    print(error)
"""


def test_a_policy_has_as_much_stack_as_python_itself():
    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-500:]
    assert "RecursionError" in done.stdout


class Thinning(acklab.AckPolicy):
    def __init__(self, count):
        self.count = count

    def on_segment(self, segment):
        return None if segment.waiting >= self.count else 0.1


class Forgetful(Thinning):
    def __deepcopy__(self, memo):
        Forgetful(self.count)


class Named(Thinning):
    def __deepcopy__(self, memo):
        return "rfc5681"


@pytest.mark.parametrize("kind", [Forgetful, Named])
@pytest.mark.parametrize("key", ["flow.ack", "flow.0.ack", "flow"])
def test_a_copy_that_is_something_else_is_refused(kind, key):
    value = kind(3)
    changes = {key: [{"kind": "ftp", "ack": value}] if key == "flow" else value}
    with pytest.raises(InputError, match="has a copy of another kind") as caught:
        CHAIN.with_(changes)
    assert caught.value.value == kind.__name__


def test_what_is_handed_over_stays_as_it_is():
    ack = {"policy": "delayed", "count": 3, "interval": "100 ms"}
    CHAIN.with_({"flow.ack": ack, "flow.ack.count": 4})
    assert ack["count"] == 3


class Asking(acklab.AckPolicy):
    def __init__(self, ask):
        self.ask = ask

    def on_segment(self, segment):
        return None if self.ask(segment.waiting) else 0.1


def test_functions_that_only_call_themselves_alike_are_told_apart():
    made = numpy.frompyfunc(lambda waiting: waiting >= 3, 1, 1)
    with pytest.raises(InputError, match="by which nobody can tell it"):
        identity(Asking(made))
    assert identity(Asking(numpy.sin)) == identity(Asking(numpy.sin))
    assert identity(Asking(numpy.sin)) != identity(Asking(numpy.cos))
    assert identity(Asking(functools.partial(pow, 2)))


class Failing(Thinning):
    @property
    def version(self):
        raise ZeroDivisionError("no version")


def test_a_version_that_fails_is_named():
    with pytest.raises(InputError, match="version of Failing fails: ZeroDivisionError"):
        CHAIN.with_({"flow.ack": Failing(3)})


def test_a_long_answer_is_cut_short():
    class Wordy(acklab.AckPolicy):
        def on_segment(self, segment):
            return "x" * 100_000

    with pytest.raises(acklab.RunError, match="on_segment returned 'xxx") as caught:
        acklab.run(CHAIN.with_({"flow.ack": Wordy()}))
    assert len(str(caught.value)) < 2000


def repeated(method):
    @functools.wraps(method)
    def twice(*arguments):
        method(*arguments)
        return method(*arguments)

    return twice


class Decorated(acklab.AckPolicy):
    @repeated
    def on_segment(self, segment):
        return "soon"


def test_a_wrong_answer_of_a_decorated_method_names_the_method():
    line = Decorated.on_segment.__wrapped__.__code__.co_firstlineno
    with pytest.raises(acklab.RunError, match=rf"test_policy_limits\.py, line {line}\)"):
        acklab.run(CHAIN.with_({"flow.ack": Decorated()}))


class Peer:
    """Something that a weak reference can point at."""


PEER = Peer()


class Weak(acklab.AckPolicy):
    version = "1"

    def __init__(self):
        self.peer = weakref.ref(PEER)

    def on_segment(self, segment):
        return None


@pytest.mark.slow
@pytest.mark.usefixtures("no_cache")
def test_what_cannot_be_sent_to_a_worker_is_named_before_anything_is(tmp_path):
    pytest.importorskip("distributed")
    study = Study(CHAIN, variants={"every": {}, "weak": {"flow.ack": Weak()}}, runs=1)
    with pytest.raises(InputError, match="cannot be sent to a worker") as caught:
        study.run(tmp_path / "out", on="local-cluster", workers=1)
    assert caught.value.value.startswith("Weak-")
    assert study.run(tmp_path / "out").runs == 2


def test_a_study_refuses_a_policy_that_was_not_handed_over():
    named = {"flow.ack": {"policy": "own", "name": "x"}}
    with pytest.raises(InputError, match="no policy of this name") as caught:
        Study(CHAIN, variants={"a": {"flow.ack": "every"}, "b": named}, runs=2)
    assert "variant=b: flow[0].ack.name" in str(caught.value)


SLOW = """
import os, signal, sys, threading, time
import acklab

class InDecisions(acklab.AckPolicy):
    def on_segment(self, segment):
        time.sleep(0.02)

class InWhatItLearns(acklab.AckPolicy):
    def on_segment(self, segment):
        return None

    # Behind a gap ACKs leave without a decision, so that only this is called.
    def on_ack_sent(self, now_s, reason):
        time.sleep(0.3 if reason in ("duplicate", "out-of-order") else 0.0)

slow = globals()[sys.argv[2]]()
lossy = acklab.Scenario.parse(sys.argv[1]).with_({"flow.ack": slow})
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    acklab.run(lossy, runs=50)
except acklab.Interrupted:
    sys.exit(7)
"""

LOSSY = """
duration = "20 s"
[topology]
kind = "nodes"
nodes = 2
[[point_to_point]]
between = [0, 1]
rate = "10 Mbit/s"
delay = "20 ms"
errors = { kind = "list", frames = [20] }
[[flow]]
kind = "ftp"
start = "0 s"
window = 64
"""


@pytest.mark.parametrize("where", ["InDecisions", "InWhatItLearns"])
def test_a_slow_policy_does_not_end_the_process(where):
    command = [sys.executable, "-c", SLOW, LOSSY, where]
    ended = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (7, "")


STUCK = """
import os, signal, sys, threading, time
import acklab

class Endless(acklab.AckPolicy):
    def on_segment(self, segment):
        while True:
            pass

class EndlessAtItsCopy(acklab.AckPolicy):
    version = "1"

    def on_segment(self, segment):
        return None

    def __deepcopy__(self, memo):
        # The scenario has a copy of its own, made before any run.
        while threading.current_thread() is not threading.main_thread():
            pass
        return EndlessAtItsCopy()

class EndlessWhateverComes(acklab.AckPolicy):
    def on_segment(self, segment):
        tried = 0
        while tried < 3:
            try:
                while True:
                    pass
            except BaseException:
                tried += 1

stuck = globals()[sys.argv[2]]()
lossy = acklab.Scenario.parse(sys.argv[1]).with_({"flow.ack": stuck})
for pause in map(float, sys.argv[3:]):
    threading.Timer(pause, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    acklab.run(lossy, runs=4)
except (acklab.Interrupted, KeyboardInterrupt):
    sys.exit(7)
"""


@pytest.mark.parametrize(
    ("where", "interrupts"),
    [
        ("Endless", ["1"]),
        ("EndlessAtItsCopy", ["1"]),
        ("EndlessWhateverComes", ["1"]),
        ("Endless", ["1", "1.5"]),
    ],
)
def test_a_policy_that_never_answers_ends_with_its_study(where, interrupts):
    command = [sys.executable, "-c", STUCK, LOSSY, where, *interrupts]
    ended = subprocess.run(command, timeout=60, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (7, "")
