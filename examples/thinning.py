"""A notebook: does ACK thinning pay on a chain of nine nodes?

marimo edit examples/thinning.py     look at it and change it
python examples/thinning.py          run it from top to bottom

It needs marimo: pip install marimo
"""

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import acklab

    return acklab, mo


@app.cell
def _(mo):
    mo.md("""
    # Does ACK thinning pay?

    TCP's ACKs compete with its data for the same radio. The study below runs a chain of nine
    nodes with and without thinned ACKs, over three window sizes. Run *k* of every point sees the
    same weather, so schemes are compared in pairs.
    """)
    return


@app.cell
def _(acklab):
    chain = acklab.Scenario.parse("""
    duration = "20 s"
    topology = { kind = "chain", nodes = 9, spacing = "200 m" }
    flow = [{ kind = "ftp", window = 8 }]
    """)
    return (chain,)


@app.cell
def _(acklab, chain):
    study = acklab.Study(
        chain,
        grid={"flow.window": [2, 5, 10]},
        variants={
            "every": {"flow.ack": "every"},
            "third": {"flow.ack": {"policy": "delayed", "count": 3, "interval": "100 ms"}},
        },
        title="Does ACK thinning pay",
        runs=8,
    )
    result = study.run()
    return (result,)


@app.cell
def _(acklab, result):
    # Paired: both schemes met the same luck, so the interval is that of the difference.
    gain = acklab.compare(result.where(variant="third"), result.where(variant="every"))
    gain
    return (gain,)


@app.cell
def _(acklab, result):
    picture = acklab.plot.curves(result, x="flow.window", x_label="window (packets)")
    picture
    return (picture,)


if __name__ == "__main__":
    app.run()
