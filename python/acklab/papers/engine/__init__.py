"""The engine that runs papers: data in, runs, intervals, figures and verdicts out.

`load` reads a paper's folder, `grid` expands its experiments, `campaign` runs them through a
`provider` with a `store` of finished runs, `results` turns runs into points, `verdict_rules` and
`verdicts` judge claims, `reproduce` ties it together. A new paper is a new folder, not new code.
"""
