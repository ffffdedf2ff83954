"""What a paper's folder says, as plain data.

Nothing here runs or judges anything: `load` fills these types from TOML, `campaign` runs them and
`verdicts` judges. Invariant: every name that an entry uses for another is checked by `load`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Value = int | float | str
Cell = tuple[Value, ...]
"""One grid point: a value for each axis of its experiment, in the axes' order."""


@dataclass(frozen=True)
class Axis:
    """One dimension of a grid: its values and where each value goes in the scenario tree."""

    key: str
    label: str
    values: tuple[Value, ...]
    path: str
    choose: Mapping[str, Any] = field(default_factory=dict)
    """What stands in the scenario for a value; a value that is not listed stands for itself."""
    sets: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Named parts of the axis, such as the paper's "large" windows."""

    def named(self, name: str) -> tuple[Value, ...]:
        """The values of a named set; "all" is the whole axis."""
        return self.values if name == "all" else self.sets[name]


@dataclass(frozen=True)
class Entry:
    """One curve, or one bar of each group, of a panel: a cell without the panel's x axis."""

    label: str
    experiment: str
    cell: Mapping[str, Any]
    measure: str = ""
    """The measure, where it is not the item's own."""
    over: Mapping[str, Any] = field(default_factory=dict)
    """Another cell: what is shown is the gain over it, in percent."""
    stated: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the paper's text, by x; such an entry has no experiment."""
    look: int = 0
    """The place, from 1, whose colour, marker and hatch it has; 0: its own place."""


@dataclass(frozen=True)
class SearchRule:
    """A value that is searched for at each grid point: the best spacing, the best window."""

    path: str
    """Where the value goes in the scenario tree."""
    measure: str
    """What shall be highest."""
    shown_as: str
    """The measure as which the value found appears in every run."""
    values: tuple[float, ...]
    """The candidates of the first stage."""
    unit: str
    """The unit that the scenario's text carries; empty for a plain number."""
    resolution: Mapping[str, float]
    """The last stage's steps, quick and full; 0 where the candidates are all there is."""
    runs: Mapping[str, int]
    """Runs a candidate in the last stage, quick and full."""
    setting: Mapping[str, Mapping[str, Any]]
    """What searching changes in the scenario, quick and full: its duration, say."""


@dataclass(frozen=True)
class Runs:
    """How many independent runs a point gets; `cap` bounds what precision may ask for."""

    quick: int
    full: int
    cap: int


@dataclass(frozen=True)
class Experiment:
    """A scenario, a grid over it, and how often each point is run."""

    key: str
    title: str
    seed: int
    runs: Runs
    precision: float
    precision_measure: str
    duration: Mapping[str, str]
    scenario: Mapping[str, Any]
    axes: tuple[Axis, ...]
    setting: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the quick or the full setting changes in the scenario, besides its duration."""
    discard: int | None = None
    """Batches that each run leaves out at its start; None: no batches, a run counts as a whole."""
    observe: str = "batches"
    """One observation where there are batches: each, or the mean of each run's (placements)."""
    by_run: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Paths that hold a run's own value, the same for all schemes; without values: its index."""
    search: SearchRule | None = None
    """What is searched for at each grid point before it is run."""
    where: Mapping[str, Any] = field(default_factory=dict)
    """Values by path, put in after the axes' own, and only into tables that are there then."""
    log: str = ""
    """What is measured in each run's event log (`log_measures`)."""
    leave_out: Sequence[Mapping[str, Sequence[Value]]] = ()
    """Parts of the grid that are not run: values by axis."""

    def axis(self, key: str) -> Axis:
        """The axis of that name."""
        return next(a for a in self.axes if a.key == key)


@dataclass(frozen=True)
class Planned:
    """An experiment that claims need and that this version does not have yet."""

    key: str
    title: str


@dataclass(frozen=True)
class Variant:
    """Other rules under which some experiments are run again, to see what they change."""

    key: str
    title: str
    base: str
    """What the rules of the experiments themselves are called."""
    settings: Mapping[str, Any]
    """Values by their path in the scenario."""
    where: Mapping[str, Any]
    """The same for tables that only some points have; without them a point stays as it is."""
    experiments: tuple[str, ...]
    share: float
    """How many runs, as a share of the experiment's own."""
    least: int = 3
    """Runs that a point gets at least under the full setting."""
    only: Mapping[str, Mapping[str, Sequence[Value]]] = field(default_factory=dict)
    """By experiment and axis, the values that are run."""
    swap: Mapping[str, str] = field(default_factory=dict)
    """Experiments of the folder that stand for others, so that nothing is run for the variant."""
    beside: tuple[str, ...] = ()
    """Experiments that stay as they are, for claims that need them besides the variant's."""

    def name(self, experiment: str) -> str:
        """What an experiment is called under this variant."""
        return self.swap.get(experiment, f"{experiment}@{self.key}")


@dataclass(frozen=True)
class Derived:
    """A measure made of others in each run: sum(weights × of) / sum(per) × scale."""

    key: str
    label: str
    of: tuple[str, ...]
    per: tuple[str, ...] = ()
    scale: float = 1.0
    weights: tuple[float, ...] = ()
    """A weight for each measure of `of`, such as watts for seconds; empty: all 1."""

    def top(self, values: Sequence[float]) -> float:
        """The weighted sum of the measures `of`."""
        if not self.weights:
            return sum(values)
        return sum(w * v for w, v in zip(self.weights, values, strict=True))


@dataclass(frozen=True)
class PerHandoff:
    """A measure made of what is noted of each handoff of a run; see `handoff_measures`."""

    key: str
    label: str
    of: str
    """The field that is noted of each handoff."""
    what: str
    band: tuple[float, ...] = ()
    where: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Which handoffs are meant: fields within [low, high]."""


SAMPLED = ("max", "max_after_fall", "p99", "falls", "falls_per_s_in", "reaches",
           "outside_after_handoff_s")  # fmt: skip


@dataclass(frozen=True)
class Sampled:
    """A measure made of a sampled series of each run's first flow.

    `what` is its largest value, the largest from its first fall on, its 99th percentile, how often
    it falls from one sample to the next, its falls for each second that it spends within `band`
    (both ends included), the time at which it `reaches` the one value in `band` (the end, if it
    never does), or how long it is outside `band` after the run's first handoff.
    """

    key: str
    label: str
    series: str
    what: str
    band: tuple[float, ...] = ()


@dataclass(frozen=True)
class Reference:
    """Numbers made elsewhere: rows of an independent simulator, or the paper's own."""

    key: str
    label: str
    file: str
    experiment: str
    beside: tuple[str, ...]
    """Further experiments that these numbers stand beside."""
    origin: str
    where: Mapping[str, Value]
    axes: Mapping[str, str]
    measures: Mapping[str, str]


@dataclass(frozen=True)
class Mark:
    """A number that the paper's text states, drawn into a figure.

    `point`: y at x. `level`: y everywhere. `best`: the x at which the series is said to be best.
    `from`: the x beyond which something is said to hold. `gain`: the series over another one, from
    `low` to `high`. `fall`: how far it is below its own best, likewise.
    """

    kind: str
    says: str
    series: Value | None = None
    over: Value | None = None
    x: tuple[Value, ...] = ()
    y: float = 0.0
    low: float = 0.0
    high: float = 0.0
    panel: str = ""
    """The experiment whose panel it belongs to; empty: the item's own."""


@dataclass(frozen=True)
class Item:
    """A table or figure of the paper: what is shown of which experiment."""

    key: str
    title: str
    kind: str
    caption: str
    experiment: str
    measure: str = ""
    x: str = ""
    series: str = ""
    x_label: str = ""
    y_label: str = ""
    series_label: str = ""
    x_values: tuple[Value, ...] = ()
    series_values: tuple[Value, ...] = ()
    references: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    """Measures printed side by side with the reference, beyond the item's own."""
    entries: tuple[Entry, ...] = ()
    """A panel's curves or bars, each from its own experiment; empty for plain items."""
    place: str = ""
    """Where the paper has it, such as "Fig. 2"; empty for what was added here."""
    at: Mapping[str, Value] = field(default_factory=dict)
    """Values of the axes that the item does not show."""
    below: tuple[str, ...] = ()
    """Experiments whose curves are drawn below the item's own, on the same horizontal axis."""
    titles: tuple[str, ...] = ()
    """What the item's own curves and those below are called; empty where nothing is below."""
    marks: tuple[Mark, ...] = ()
    x_names: Mapping[str, str] = field(default_factory=dict)
    series_names: Mapping[str, str] = field(default_factory=dict)
    """What x values of a panel, and series of curves, are called; the others by their keys."""
    slots: tuple[int, int] = (0, 0)
    """The first slot of a slot diagram, and how many it shows."""

    @property
    def experiments(self) -> tuple[str, ...]:
        """Every experiment that the item shows, its own first."""
        entries = (e.experiment for e in self.entries if not e.stated)
        return tuple(dict.fromkeys((self.experiment, *self.below, *self.beside, *entries)))


@dataclass(frozen=True)
class Part:
    """One checkable piece of a claim: default settings and the checks of each level."""

    label: str
    needs: tuple[str, ...]
    defaults: Mapping[str, Any]
    holds: tuple[tuple[Mapping[str, Any], ...], ...]
    direction: tuple[tuple[Mapping[str, Any], ...], ...]
    """Of both levels alternatives; each is a group of checks that must all be met."""


@dataclass(frozen=True)
class Repeat:
    """Other claims, judged again elsewhere: the verdicts must be the same."""

    claims: tuple[str, ...]
    swap: Mapping[str, str]
    """Names that stand for others: experiments, and values or sets of axes."""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper in our words, its place and how it is decided."""

    id: str
    place: str
    says: str
    kind: str
    criterion: str
    needs: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    follows: tuple[str, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    undecidable: str = ""
    note: str = ""
    why: str = ""
    """Why it does not hold here, not as stated, or why that cannot be told."""
    tested_by: tuple[str, ...] = ()
    """What shows that: experiments, variants, or other claims."""
    tests: tuple[str, ...] = ()
    """Rust tests that must pass, "package path::of::test": what is exact needs no statistics."""
    quorum: int = 0
    """How many parts must reach a level for "in direction"; 0 means all."""
    direction_suffices: bool = False
    """It holds if the claims that it follows hold, if only in direction."""
    changed_rule: str = ""
    """How the rule differs from the one first written down for the claim, and why."""


@dataclass(frozen=True)
class Choice:
    """Something that the paper leaves open, the choice made and why."""

    key: str
    open: str
    choice: str
    reason: str
    evidence: str = ""  # an experiment that tried another choice


@dataclass(frozen=True)
class Paper:
    """One paper's folder."""

    key: str
    folder: Path
    title: str
    authors: tuple[str, ...]
    year: int
    venue: str
    doi: str
    experiments: Mapping[str, Experiment]
    variants: Mapping[str, Variant]
    planned: Mapping[str, Planned]
    derived: Mapping[str, Derived]
    sampled: Mapping[str, Sampled | PerHandoff]
    references: Mapping[str, Reference]
    items: Mapping[str, Item]
    claims: tuple[Claim, ...]
    choices: tuple[Choice, ...]
    remark: str = ""
    """What a reader of the report must know of the material, at its head."""
    readings: Mapping[str, str] = field(default_factory=dict)
    """Complete readings of what it leaves open, by the label of the parts judged under each."""

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that can be asked for: items and variants."""
        return (*self.items, *self.variants)

    def needed_by(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Experiments that these items and variants take, in the order of the folder."""
        wanted: set[str] = set()
        for name in names:
            if name in self.items:
                wanted |= set(self.items[name].experiments)
            else:
                variant = self.variants[name]
                wanted |= {*variant.experiments, *map(variant.name, variant.experiments)}
        return tuple(key for key in self.experiments if key in wanted)

    def item_of(self, experiment: str) -> str:
        """The item that shows an experiment (its key itself if none does)."""
        for item in self.items.values():
            if experiment in item.experiments:
                return item.key
        return experiment
