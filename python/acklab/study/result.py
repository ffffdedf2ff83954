"""What a study found: one row per run, points with intervals, paired comparisons.

A `StudyResult` is read from the study's folder, now or years later. The one invariant: its rows are
sorted by point and run, whatever order they were finished in.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from acklab import arguments, stats
from acklab.errors import InputError, RunError
from acklab.frames import as_pandas, read_table
from acklab.measures import no_value_of
from acklab.places import MANIFEST
from acklab.study.means import summary
from acklab.study.points import Label, as_text, in_column

if TYPE_CHECKING:
    import polars

__all__ = ["StudyResult", "compare_studies"]

NOT_MEASURES = ("point", "seed", "run", "simulated_s", "events", "digest", "warnings")
"""Columns of the table of runs that are neither labels nor measures."""

ASKED = (
    *("format", "kind", "title", "labels", "code", "seed"),
    *("precision", "measure", "baseline", "points"),
)
"""What a manifest says that was asked; the rest is how it came about."""

_MENDED = "the table as it was written; the study's own command writes it again"

_SHOWN = 5

_PER = ("run", "flow", "node", "sample")


@dataclass(frozen=True, repr=False)
class StudyResult:
    """The runs of a study, or a part of them.

    Attributes:
        title: the study's.
        folder: where its files are.
        labels: the columns that tell points apart: ``variant`` and the keys of the grid.
        table: one row per run (polars): the labels, then ``point`` (from 0), ``seed``, ``run``,
            ``simulated_s``, ``events``, ``digest``, ``warnings`` (JSON), then every measure.
        manifest: seed, code, failures and warnings of the study (``failures`` is a list with
            ``labels`` of the point, ``scenario``, ``seed``, ``run`` and ``message``).
    """

    title: str
    folder: Path
    labels: tuple[str, ...]
    table: polars.DataFrame
    manifest: Mapping[str, Any]

    @classmethod
    def load(cls, folder: str | Path) -> StudyResult:
        """Read a study that has been run.

        Raises:
            InputError: the folder holds no finished study.
        """
        folder = arguments.path(folder, "the path of a study's folder", "folder")
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            if manifest["kind"] != "study":
                raise KeyError("kind")
            title, labels = str(manifest["title"]), tuple(manifest["labels"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            accepted = "a folder that acklab sweep has finished"
            raise InputError("holds no finished study", str(folder), None, accepted) from error
        table = read_table(folder / "table.parquet", _MENDED)
        return cls(title, folder, labels, table, manifest)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return self.table.height

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of all measures."""
        other = {*self.labels, *NOT_MEASURES}
        return tuple(name for name in self.table.columns if name not in other)

    def frame(
        self, per: Literal["run", "flow", "node", "sample"] = "run", *, pandas: bool = False
    ) -> Any:
        """Return all rows as a polars frame, or as a pandas one.

        Args:
            per: ``"run"`` for one row per run; ``"flow"``, ``"node"`` and ``"sample"`` for what the
                study kept besides.
            pandas: return a pandas frame (which does not come with acklab).

        Raises:
            InputError: there is no such kind of row, the study has not kept it, or another one has
                taken the folder since.
        """
        if per not in _PER:
            raise InputError("is no kind of row", "per", repr(per), ", ".join(_PER))
        frame = self.table if per == "run" else self._kept(per)
        return as_pandas(frame) if pandas else frame

    def _kept(self, per: str) -> polars.DataFrame:
        self._check_still_there()
        path = self.folder / f"{per}s.parquet"
        if not path.exists():
            kept = [name for name in _PER[1:] if (self.folder / f"{name}s.parquet").exists()]
            raise InputError("was not kept", "per", per, ", ".join(["run", *kept]))
        wanted = self.table.select("point").unique()
        return read_table(path, _MENDED).join(wanted, on="point", how="semi", maintain_order="left")

    def _check_still_there(self) -> None:
        """Refuse to read on where the tables are those of another study by now."""
        try:
            there = json.loads((self.folder / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            there = None
        asked = [name for name in ASKED if name in self.manifest]
        if not isinstance(there, dict) or any(there.get(n) != self.manifest[n] for n in asked):
            reason = "no longer holds this study, but another one or another form of it"
            accepted = "acklab.StudyResult.load for what is there now; a folder of its own for each"
            raise InputError(reason, str(self.folder), None, accepted)

    def warned(self) -> polars.DataFrame:
        """Return the runs that carry warnings of their own, as rows of the table.

        The column ``warnings`` has them as JSON: a list of ``code``, ``message`` and ``count``.
        What the whole study warns of stands in ``manifest["warnings"]``.
        """
        return self.table.filter(self.table.get_column("warnings") != "[]")

    def comparison(self) -> polars.DataFrame:
        """Return each variant of the whole study against its baseline, run by run.

        Columns: ``variant`` and those of `acklab.compare`. Without a baseline, or where nothing
        could be compared (``manifest["warnings"]`` says why), the frame is empty.

        Raises:
            InputError: another study has taken the folder since.
        """
        import polars

        self._check_still_there()
        path = self.folder / "comparison.parquet"
        return read_table(path, _MENDED) if path.exists() else polars.DataFrame()

    def where(self, labels: Mapping[str, Any] | None = None, /, **named: Any) -> StudyResult:
        """Return the part with these labels: ``result.where(variant="third")``.

        A value is given as it stood in the grid (``None``, a table, a policy too), or as the table
        shows it.

        Raises:
            InputError: there is no such label, no point with this value, or no run of it.
        """
        if not isinstance(labels, Mapping | None):
            raise InputError("are no labels", "labels", repr(labels), '{"flow.window": 8}')
        found = self
        for name, value in {**(labels or {}), **named}.items():
            if name not in self.labels:
                raise InputError("is no label", name, None, ", ".join(self.labels) or "none")
            known = found.table.get_column(name).unique(maintain_order=True).to_list()
            shown = self._shown(name, value)
            if shown not in known and isinstance(value, Mapping):
                # Its keys may stand in another order.
                shown = next((text for text in known if _is_table(text, value)), shown)
            if shown not in known:
                said = self._why_absent(name, shown) or "no point has it"
                raise InputError(said, name, repr(value), ", ".join(map(repr, known)) or "none")
            found = found.part(**{name: shown})
        return found

    def part(self, **named: Any) -> StudyResult:
        """Return the part with these labels, which may have no run at all."""
        table = self.table
        for name, value in named.items():
            table = table.filter(table.get_column(name) == value)
        return replace(self, table=table)

    def _shown(self, label: str, value: Any) -> Label:
        """Return a value of the grid as the table shows it."""
        import polars

        return in_column(value, self.table.schema[label] == polars.String)

    def _why_absent(self, label: str, shown: Label) -> str | None:
        """Return why runs failed that have this label."""
        points = self.manifest.get("points", ())
        mine = {
            point["scenario"]
            for point in points
            if label in point["labels"] and self._shown(label, point["labels"][label]) == shown
        }
        messages = [
            f"no run of it came through; run {failure['run']}: {failure['message']}"
            for failure in self.manifest.get("failures", ())
            if failure["scenario"] in mine
        ]
        return messages[0] if messages else None

    def points(self, measure: str = "goodput_pps", confidence: float = 0.95) -> polars.DataFrame:
        """Return one row per point: its labels, and the measure's mean, low, high, n and unit.

        Raises:
            MeasureError: there is no such measure, or no run has a value of it.
            RunError: no run of the study came through.
        """
        self._known(measure)
        return summary(self.table, self.labels, [measure], arguments.confidence(confidence))

    def _known(self, measure: str) -> None:
        failures = self.manifest.get("failures")
        if failures and self.table.is_empty():
            first = failures[0]
            raise RunError(f"no run came through; run {first['run']}: {first['message']}")
        if not isinstance(measure, str) or not self.tells(measure):
            others = [name for name in self.measures if name != measure]
            raise no_value_of(measure, "measure", others)

    def tells(self, measure: str) -> bool:
        """Whether some run has a value of a measure."""
        if measure not in self.measures:
            return False
        values = self.table.get_column(measure)
        return values.null_count() < len(values)

    def __repr__(self) -> str:
        count = self.table.get_column("point").n_unique()
        # Points of which all runs failed have no row, nor has what is no part of this.
        whole = len(self.manifest.get("points", ()))
        points = f"{count} of {whole}" if count < whole else f"{count}"
        failed = len(self.manifest.get("failures", ()))
        more = f" ({failed} of the study failed)" if failed else ""
        return f"<acklab.StudyResult of {self.title!r}: {points} points, {self.runs} runs{more}>"


def compare_studies(
    a: StudyResult, b: StudyResult, measure: str, on: str | Sequence[str] | None, least: int = 1
) -> polars.DataFrame:
    """Return the paired difference *a − b* at each combination of the labels ``on``.

    Columns: the labels, ``difference``, ``low``, ``high`` (95 % interval of the paired
    difference), ``a``, ``b`` (the two means), ``ratio`` (difference over *b*) and ``n`` pairs.
    Combinations with fewer than two pairs are left out. With ``on=[]`` all runs of one point are
    compared with those of another, whatever their labels.

    Raises:
        InputError: a label is not common to both, no combination of their values is, or fewer than
            ``least`` of them have two runs in common.
        MeasureError: there is no such measure, or no run of a side has a value of it.
    """
    import polars

    keys = _meeting(a, b, [on] if isinstance(on, str) else on)
    seeds = [set(side.table.get_column("seed").unique()) for side in (a, b)]
    if least and all(seeds) and not seeds[0] & seeds[1]:
        of_both = " and ".join(str(min(some)) for some in seeds)
        raise InputError("studies of different seeds are not paired", "seed", of_both, "one seed")
    sides = []
    for name, side in (("a", a), ("b", b)):
        if side.table.select(*keys, "seed", "run").is_duplicated().any():
            loose = ", ".join(label for label in side.labels if label not in keys)
            at = ", ".join(keys) or "nothing"
            raise InputError("has several points there", "on", at, f"also {loose}")
        if least:
            side._known(measure)
        values = polars.col(measure) if side.tells(measure) else polars.lit(None, polars.Float64)
        sides.append(side.table.select(*keys, "seed", "run", values.alias(name)))
    for key in keys:
        sides = _of_one_kind(sides, key)
    if least:
        _check_meeting(sides, keys)
    pairs = sides[0].join(sides[1], on=[*keys, "seed", "run"], maintain_order="left")
    pairs = pairs.drop_nulls(["a", "b"])
    parts = pairs.partition_by(keys, maintain_order=True) if keys and pairs.height else [pairs]
    rows = []
    for part in parts:
        if part.height < 2:
            continue
        found = stats.paired(part.get_column("a").to_list(), part.get_column("b").to_list())
        named = part.select(keys).row(0, named=True) if keys else {}
        difference = found.difference
        numbers = {"difference": difference.mean, "low": difference.low, "high": difference.high}
        both = {"a": found.a.mean, "b": found.b.mean, "ratio": found.ratio}
        rows.append(named | numbers | both | {"n": difference.n})
    if len(rows) < least:
        raise InputError("too few runs in common", "a, b", "fewer than 2", "2 or more pairs")
    schema: dict[str, Any] = {name: sides[0].schema[name] for name in keys}
    schema |= dict.fromkeys(("difference", "low", "high", "a", "b", "ratio"), polars.Float64)
    return polars.DataFrame(rows, schema=schema | {"n": polars.Int64})


def _is_table(text: Label, value: Mapping[str, Any]) -> bool:
    """Whether a label says this table of a scenario."""
    try:
        return bool(tomllib.loads(f"it = {text}")["it"] == value)
    except tomllib.TOMLDecodeError:
        return False


def _of_one_kind(sides: Sequence[polars.DataFrame], label: str) -> list[polars.DataFrame]:
    """Give a label's columns one type, as it has where its values stand in one study."""
    import polars

    kinds = {side.schema[label] for side in sides}
    if len(kinds) == 1:
        return list(sides)
    of_numbers = all(kind.is_numeric() for kind in kinds)
    shown: Callable[[Any], Any] = float if of_numbers else as_text
    return [
        side.with_columns(polars.Series(label, [shown(value) for value in side.get_column(label)]))
        for side in sides
    ]


def _check_meeting(sides: Sequence[polars.DataFrame], keys: Sequence[str]) -> None:
    """Refuse sides that have no values of the labels in common, which no more runs would mend."""
    a, b = sides
    if not keys or a.is_empty() or b.is_empty() or a.join(b, on=keys, how="semi").height:
        return
    found = "; ".join(f"{key} = {_values(a, key)} in a and {_values(b, key)} in b" for key in keys)
    accepted = "labels at whose values both have runs, or on=[], which compares one point's runs"
    message = "there is nothing in common"
    raise InputError(message, f"on = {list(keys)}", found, f"{accepted} with another's")


def _values(side: polars.DataFrame, label: str) -> str:
    """Return the first values that a side has of a label, as a list."""
    values = side.get_column(label).unique(maintain_order=True).to_list()
    more = ", …" if len(values) > _SHOWN else ""
    return f"[{', '.join(map(repr, values[:_SHOWN]))}{more}]"


def _meeting(a: StudyResult, b: StudyResult, on: Sequence[str] | None) -> list[str]:
    """Return the labels at whose values two sides meet."""
    shared = [label for label in a.labels if label in b.labels]
    if on is None:
        return [label for label in shared if label != "variant"]
    if not isinstance(on, list | tuple):
        raise InputError("are no labels", "on", repr(on), '"flow.window", or a list of labels')
    for label in on:
        if label not in shared:
            raise InputError("is no label of both", "on", label, ", ".join(shared) or "none")
    return list(dict.fromkeys(on))
