"""The folder of elrakabawy2005: complete, consistent, and its scenarios run."""

from __future__ import annotations

import json
import re
from pathlib import Path

from acklab.papers.engine import grid
from acklab.papers.engine.comparison import touched_by
from acklab.papers.engine.load import load_paper
from acklab.papers.engine.model import Claim
from acklab.papers.engine.provider import Job, NativeProvider
from acklab.papers.engine.references import read_reference
from acklab.papers.engine.results import ExperimentRuns, Results

PAPER = load_paper("elrakabawy2005")


def test_every_claim_in_order_with_a_way_to_decide_it() -> None:
    assert [claim.id for claim in PAPER.claims] == [f"elra-{i}" for i in range(1, 181)]
    for claim in PAPER.claims:
        assert claim.says
        assert claim.place
        assert claim.criterion
        assert claim.parts or claim.follows or claim.undecidable
    # What other work found with comparators that the paper does not use either.
    # What receivers do not count: whose frames collided.
    assert [c.id for c in PAPER.claims if c.undecidable] == ["elra-14", "elra-104", "elra-130"]
    assert not PAPER.planned


def criterion_of(claim: Claim) -> str:
    """The criterion with that of the claim that it refers to."""
    named = re.match(r"as (\d+)", claim.criterion)
    if named is None:
        return claim.criterion
    other = next(c for c in PAPER.claims if c.id == f"elra-{named[1]}")
    return f"{claim.criterion} {criterion_of(other)}"


def test_only_a_criterion_that_has_one_gives_a_direction() -> None:
    # "D:" says it; `order`, `num` and `none` define it; between H and a stated N there is D.
    gives = re.compile(r"\b[DN]: |\border\b|\bnum\(|\bnone\b")
    for claim in PAPER.claims:
        has = any(part.direction for part in claim.parts) or claim.quorum
        if has:
            assert gives.search(criterion_of(claim)), claim.id
        if "D: " in claim.criterion and claim.parts:
            assert has, claim.id


def test_every_layout_judges_the_grids_claims() -> None:
    for variant in PAPER.variants.values():
        touched = touched_by(PAPER, variant)
        # elra-121's further windows are run in one layout only.
        of_grid = {f"elra-{i}" for i in range(115, 130)} - {"elra-121"}
        assert of_grid | {"elra-5", "elra-13", "elra-178"} <= touched
        assert not touched & {"elra-10", "elra-89", "elra-158"}
        assert all(variant.swap[key] in PAPER.experiments for key in variant.experiments)


def test_every_table_and_figure_is_there() -> None:
    wanted = {f"fig{i}" for i in (*range(2, 15), 16, 17, 18, 19)} | {"table2", "table3", "table4"}
    assert wanted <= set(PAPER.items)


def test_every_experiment_is_shown() -> None:
    assert set(PAPER.needed_by(tuple(PAPER.items))) == set(PAPER.experiments)


def test_every_scenario_resolves() -> None:
    provider = NativeProvider()
    for experiment in PAPER.experiments.values():
        for mode in ("quick", "full"):
            for cell in grid.cells(experiment):
                tree = grid.of_run(experiment, grid.tree(experiment, cell, mode), 0)
                json.loads(provider.resolve(tree, experiment.key))


def test_chains_longer_than_the_diameter_of_aodv_get_a_larger_one() -> None:
    chain = PAPER.experiments["chain"]
    for hops in chain.axis("h").values:
        tree = grid.tree(chain, (hops, "newreno"), "quick")
        assert tree["topology"]["nodes"] == int(hops) + 1
        assert tree["routing"].get("network_diameter", 30) >= int(hops)


def test_schemes_differ_in_tcp_alone() -> None:
    chain = PAPER.experiments["chain"]
    trees = [grid.tree(chain, (8, scheme), "quick") for scheme in chain.axis("scheme").values]
    for tree in trees:
        flow = tree["flow"][0]
        for key in ("variant", "vegas", "ack"):
            flow.pop(key, None)
        tree.pop("title")
    assert all(tree == trees[0] for tree in trees)


def test_every_grid_has_21_nodes_200_m_apart_and_six_flows() -> None:
    def metres(node: list[str]) -> tuple[float, ...]:
        return tuple(float(text.removesuffix(" m")) for text in node)

    for key in ("grid", "grid-7x3", "grid-7x3-near", "grid-lattice"):
        scenario = PAPER.experiments[key].scenario
        places = [metres(node) for node in scenario["topology"]["positions"]]
        assert len(set(places)) == 21
        ends = [(places[f["from"]], places[f["to"]]) for f in scenario["flow"]]
        assert [a[1] == b[1] for a, b in ends] == [True] * 3 + [False] * 3
        assert [a[0] == b[0] for a, b in ends] == [False] * 3 + [True] * 3
        for (x, y), (to_x, to_y) in ends:
            steps = int((to_x - x + to_y - y) / 200)
            way = [
                (x + k * (to_x - x) / steps, y + k * (to_y - y) / steps) for k in range(steps + 1)
            ]
            assert set(way) <= set(places)


def test_the_papers_tables_are_its_own() -> None:
    three = read_reference(PAPER, "paper-table3")
    assert three.values((11, "vegas2-thin"), "fairness") == [0.94]
    four = read_reference(PAPER, "paper-table4")
    assert four.values((2, "newreno"), "fairness") == [0.22]
    assert len(three.cells) == len(four.cells) == 12


def test_reference_files_say_where_they_come_from() -> None:
    for path in Path(PAPER.folder / "reference").glob("*.csv"):
        assert path.read_text(encoding="utf-8").startswith("# ")


def test_the_cores_own_batches_are_observations() -> None:
    chain = PAPER.experiments["chain"]
    tree = grid.tree(chain, (2, "newreno"), "quick")
    tree["measure"] |= {"batch": 50, "stop_after": 200}
    provider = NativeProvider()
    job = Job(provider.resolve(tree, "chain"), chain.seed, 0)
    ((_, row),) = provider.run([job], 1)
    results = Results(
        {"chain": ExperimentRuns(chain, {(2, "newreno"): {0: row}})}, PAPER.derived, PAPER.sampled
    )
    assert len(results.column("chain", (2, "newreno"), "goodput_kbps")) == 3
    for measure in ("rtx_per_packet", "energy_per_packet_j", "active_energy_per_packet"):
        assert len(results.column("chain", (2, "newreno"), measure)) == 3
