"""The reference page of measures, made from what the core declares.

``python -m acklab.reference`` prints the page; a test compares it with ``docs/measures.md``.
"""

from __future__ import annotations

from acklab.measures import MeasureInfo, measure_info

_HEAD = """\
# Measures

Made from the core's own declarations by `python -m acklab.reference`; do not edit. The same names
stand in `Result.measures`, in the columns of every frame and file, and in the manifest. For the
network as a whole counts are added up, means are averaged, and of maxima the largest counts.
"""

_SCOPES = {
    "flow": "One value per flow, and one for the network.",
    "node": "One value per node, and one for the network.",
    "network": "One value for the whole network.",
}


def page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD]
    for scope, what in _SCOPES.items():
        rows = [_row(info) for info in measure_info().values() if info.scope == scope]
        table = ["| measure | unit | what it is |", "| --- | --- | --- |", *rows]
        parts.append("\n".join([f"## Per {scope}", "", what, "", *table, ""]))
    return "\n".join(parts)


def _row(info: MeasureInfo) -> str:
    what = info.what.replace("|", "\\|")
    return f"| `{info.name}` | {info.unit} | {what} |"


if __name__ == "__main__":
    print(page(), end="")
