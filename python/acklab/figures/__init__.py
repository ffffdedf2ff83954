"""Figures of papers: data in, SVG, PDF and PNG out, in one house style.

Nothing here computes a result: every number comes in a frame with its interval.
"""

from acklab.figures.curves import Panel, draw_curves

__all__ = ["Panel", "draw_curves"]
