"""Levels of the operators: a flat chain of operands becomes a tree (spec 1.2)."""

from __future__ import annotations

from dalembert.lsd import syntax as s
from dalembert.lsd.lexer import Token
from dalembert.lsd.source import Report, Source

LEVELS = {"@": 1, "++": 2, "||": 3, "+": 4, "-": 4, "*": 5, "/": 5, "^": 6}
PRINTED_LEVELS = {"||": 1, "@": 2, "++": 3, "+": 4, "-": 4, "*": 5, "/": 5, "^": 6}
ALONE = frozenset(("@", "++", "||"))


def resolve(
    first: s.Expression,
    rest: list[tuple[Token, s.Expression]],
    *,
    strict: bool,
    source: Source,
    report: Report,
) -> s.Expression:
    """Operator-precedence reading of `first op e op e ...`; `@ ++ ||` do not associate."""
    levels = PRINTED_LEVELS if strict else LEVELS
    operands = [first]
    operators: list[Token] = []
    for operator, operand in rest:
        level = levels[operator.text]
        while operators and levels[operators[-1].text] >= level:
            if operator.text in ALONE and operators[-1].text == operator.text:
                report.add(
                    source,
                    (operator.start, operator.end),
                    f"syntax error: `a {operator.text} b {operator.text} c` has no meaning, `{operator.text}` does not"
                    " associate",
                    "use parentheses",
                )
            _reduce(operands, operators)
        operators.append(operator)
        operands.append(operand)
    while operators:
        _reduce(operands, operators)
    return operands[0]


def _reduce(operands: list[s.Expression], operators: list[Token]) -> None:
    right = operands.pop()
    left = operands.pop()
    operator = operators.pop().text
    span = (left.span[0], right.span[1])
    if operator == "@":
        operands.append(s.FrameAt(left, right, span))
    elif operator == "++":
        operands.append(s.Displacement(left, right, span))
    elif operator == "||":
        operands.append(s.Rotation(left, right, span))
    else:
        operands.append(s.Binary(operator, left, right, span))
