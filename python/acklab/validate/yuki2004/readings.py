"""The claims under each reading of what the paper leaves open: which one explains which number."""

from __future__ import annotations

from html import escape

from acklab import papers
from acklab.papers.engine.verdicts import NOT_YET, UNDECIDABLE
from acklab.report.cells import tally
from acklab.report.readings import readings_of, sentences, statements_grid
from acklab.validate.model import Check, Context, Row, verdict

CLAIMS = 68


def readings(context: Context) -> list[Row]:
    """Every claim with its verdict in each reading."""
    mode = "full" if context.full else "quick"
    made = papers.reproduce(
        "yuki2004", mode=mode, out=context.folder / f"yuki2004-{mode}", workers=context.workers
    )
    found = readings_of(tuple(made.paper.readings), made.claims)
    head, *others = sentences(found)
    page = made.files["report.html"].read_text(encoding="utf-8")
    said = all(escape(sentence) in page for sentence in (head, *others))
    table = statements_grid(found)
    silent = [c.id for c in made.claims if c.verdict == NOT_YET or not c.reason]
    open_ = [c.id for c in made.claims if c.verdict == UNDECIDABLE]
    counts = ", ".join(f"{n} {what}" for what, n in tally(made.claims).items())
    under = found.under()
    return [
        Row(
            "each claim has a verdict in each reading, or a reason why none can be had",
            f"{len(under)} claims under each of {', '.join(found.labels)}, "
            f"{len(found.claims) - len(under)} apart from the readings, {len(open_)} with a reason "
            f"({', '.join(open_) or 'none'}); as a whole: {counts}",
            f"{CLAIMS} claims, none without",
            verdict(
                len(made.claims) == CLAIMS
                and not silent
                and len(found.claims) + len(open_) == CLAIMS
            ),
            f"without: {', '.join(silent)}" if silent else "",
        ),
        Row(
            "which reading explains which statement",
            f"{head} {others[0]}",
            "the table, and the sentence that the verdicts make, stand in the report",
            verdict(said and 'id="readings"' in page),
            others[1],
            [table.head, *table.rows],
        ),
    ]


READINGS = Check("yuki-readings", "claims under each reading", readings)
