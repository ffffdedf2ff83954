"""What a report covers, where its folder holds more: said in the report and in the terminal."""

from __future__ import annotations

from acklab.papers.engine.reproduce import Reproduction
from acklab.papers.engine.summary import NAMED


def extent(made: Reproduction) -> list[str]:
    """Sentences about verdicts from earlier runs, and about items that are no longer shown."""
    told = []
    if made.earlier:
        runs = sum(made.earlier.values())
        few = ", ".join(made.earlier)
        many = f"{len(made.earlier)} further experiments"
        told.append(
            f"The verdicts rest on these {made.runs} runs and on {runs} that earlier reproductions "
            f"left in this folder ({few if len(made.earlier) <= NAMED else many})."
        )
    if made.no_longer_shown:
        full = " --full" if made.before.mode == "full" else ""
        told.append(
            f"The report that stood here also showed {', '.join(made.no_longer_shown)}; acklab "
            f"reproduce {made.paper.key}{full} shows all again, from the runs that are kept."
        )
    return told
