"""Quantities of a claim as text: "a / b - 1" over named estimates.

Only names, numbers, + - * / and brackets; anything else is refused when the folder is loaded.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from acklab.papers.engine.errors import PaperError
from acklab.papers.engine.estimate import Estimate

ACCEPTED = "names of cells, numbers, + - * / and brackets"


def names(text: str, place: str) -> set[str]:
    """The cells that an expression uses; raises `PaperError` if it is not one."""
    tree = _parse(text, place)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def evaluate(text: str, cells: Mapping[str, Estimate]) -> Estimate:
    """The estimate that the expression makes of its cells."""
    result = _value(_parse(text, "quantity").body, cells, text)
    if not isinstance(result, Estimate):
        raise PaperError("quantity", text, "an expression that uses at least one cell")
    return result


def number(text: str, place: str) -> float:
    """The value of an expression of numbers alone."""
    if used := names(text, place):
        raise PaperError(place, sorted(used), "numbers alone")
    return float(_value(_parse(text, place).body, {}, text))  # type: ignore[arg-type]


def _parse(text: str, place: str) -> ast.Expression:
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        raise PaperError(place, text, ACCEPTED) from None
    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Load)
    operators = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)
    for node in ast.walk(tree):
        if not isinstance(node, allowed + operators):
            raise PaperError(place, text, ACCEPTED)
        if isinstance(node, ast.Constant) and not isinstance(node.value, int | float):
            raise PaperError(place, text, ACCEPTED)
    return tree


def _value(node: ast.expr, cells: Mapping[str, Estimate], text: str) -> Estimate | float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            if name not in cells:
                raise PaperError("quantity", name, sorted(cells), f"cell in {text!r}")
            return cells[name]
        case ast.UnaryOp(operand=operand):
            return -_value(operand, cells, text)
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = _value(left, cells, text), _value(right, cells, text)
            match operator:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case _:
                    return a / b
        case _:
            raise PaperError("quantity", text, ACCEPTED)
