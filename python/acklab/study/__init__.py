"""Studies: one base scenario, a grid and named variants over it, many runs, nothing lost.

    study = acklab.Study.load("study.toml")
    result = study.run()
    result.frame()                      # polars: one row per run
    result.points("goodput_pps")        # one row per point, with its interval

`plan` says what is asked, `points` what has to be run, `index` and `archive` what is there
already, `cache` and `borrowing` what other studies have, `rounds` which runs come next, `backends`
where they are done and `cluster` one of these places; `campaign` brings them together, with
`progress` and `interrupts`; `finish` writes what came out, and `result` reads it. The one
invariant: the sorted table of a study depends on its plan and the code alone, never on workers,
interruptions, or what was reused.
"""

from acklab.study.plan import Plan
from acklab.study.progress import StudyProgress
from acklab.study.result import StudyResult
from acklab.study.study import DryRun, Study

__all__ = ["DryRun", "Plan", "Study", "StudyProgress", "StudyResult"]
