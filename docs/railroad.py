"""Railroad diagrams of EBNF rules as SVG, for the site: sequences run to the right, choices branch, loops run back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

_CHAR, _HIGH, _GAP, _ROW, _BEND = 7.4, 22, 12, 8, 10


@dataclass
class Part:
    """A piece of track: its size, and how to draw it with its left end at x, y (the line runs at height y)."""

    width: float
    up: float
    down: float
    draw: object


def diagram(rule: str) -> str:
    """The SVG of `name = body ;`."""
    name, _, body = rule.strip().rstrip(";").partition("=")
    part = _choice(_tokens(body), 0)[0]
    width, high = part.width + 60, part.up + part.down + 12
    y = part.up + 6
    inside = [f'<circle cx="8" cy="{y}" r="4"/>', _line(12, y, 30, y), *part.draw(30, y)]
    inside += [_line(30 + part.width, y, width - 12, y), f'<circle cx="{width - 8}" cy="{y}" r="4"/>']
    style = (
        "path{fill:none;stroke:currentColor;stroke-width:1.4}circle{fill:currentColor}"
        "text{font:12.5px monospace;fill:currentColor;text-anchor:middle}"
        "rect{fill:none;stroke:currentColor;stroke-width:1.2}"
    )
    return (
        f'<svg class="railroad" xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{high:.0f}" '
        f'viewBox="0 0 {width:.0f} {high:.0f}" role="img" aria-label="{escape(name.strip())}">'
        f"<style>{style}</style>{''.join(inside)}</svg>"
    )


def _tokens(body: str) -> list[str]:
    if body.strip().startswith("?"):
        return [body.strip(" ?")]
    return re.findall(r'"[^"]*"|\w+|[\[\]{}()|]', body)


def _line(x0: float, y0: float, x1: float, y1: float) -> str:
    if abs(y1 - y0) < 0.01:
        return f'<path d="M{x0:.1f} {y0:.1f}H{x1:.1f}"/>'
    half, bend = (x0 + x1) / 2, min(_BEND, abs(y1 - y0) / 2, abs(x1 - x0) / 2)
    step = bend if y1 > y0 else -bend
    return (
        f'<path d="M{x0:.1f} {y0:.1f}H{half - bend:.1f}Q{half:.1f} {y0:.1f} {half:.1f} {y0 + step:.1f}'
        f'V{y1 - step:.1f}Q{half:.1f} {y1:.1f} {half + bend:.1f} {y1:.1f}H{x1:.1f}"/>'
    )


def _box(token: str) -> Part:
    text = token.strip('"')
    width = _CHAR * len(text) + 16
    corner = 11 if token.startswith('"') else 2

    def draw(x: float, y: float) -> list[str]:
        return [
            f'<rect x="{x:.1f}" y="{y - _HIGH / 2}" width="{width:.1f}" height="{_HIGH}" rx="{corner}"/>',
            f'<text x="{x + width / 2:.1f}" y="{y + 4.5}">{escape(text)}</text>',
        ]

    return Part(width, _HIGH / 2, _HIGH / 2, draw)


def _sequence(parts: list[Part]) -> Part:
    width = sum(one.width for one in parts) + _GAP * max(len(parts) - 1, 0)

    def draw(x: float, y: float) -> list[str]:
        found: list[str] = []
        for k, one in enumerate(parts):
            found += one.draw(x, y)
            x += one.width
            if k + 1 < len(parts):
                found.append(_line(x, y, x + _GAP, y))
                x += _GAP
        return found

    up, down = (max((getattr(one, side) for one in parts), default=0) for side in ("up", "down"))
    return Part(width, up, down, draw)


def _branches(parts: list[Part]) -> Part:
    """The first straight on, the others below."""
    if len(parts) == 1:
        return parts[0]
    inner = max(one.width for one in parts)
    side = 2 * _BEND + 4
    drops, at = [0.0], parts[0].down
    for one in parts[1:]:
        drops.append(at + _ROW + one.up)
        at = drops[-1] + one.down

    def draw(x: float, y: float) -> list[str]:
        found: list[str] = []
        for drop, one in zip(drops, parts, strict=True):
            found.append(_line(x, y, x + side, y + drop))
            found += one.draw(x + side, y + drop)
            found.append(_line(x + side + one.width, y + drop, x + side + inner, y + drop))
            found.append(_line(x + side + inner, y + drop, x + 2 * side + inner, y))
        return found

    return Part(inner + 2 * side, parts[0].up, at, draw)


def _loop(part: Part) -> Part:
    """Straight past, or through the part below, as often as one goes back over the arch above."""
    side = 2 * _BEND + 4
    drop = _ROW + part.up + 6

    def draw(x: float, y: float) -> list[str]:
        right = x + 2 * side + part.width
        a, b, top = x + 3, right - 3, y - 13
        return [
            _line(x, y, right, y),
            _line(right - side, y + drop, right, y),
            *part.draw(x + side, y + drop),
            _line(x, y, x + side, y + drop),
            f'<path d="M{b:.1f} {y}Q{b + 7:.1f} {top} {b - 8:.1f} {top}H{a + 8:.1f}Q{a - 7:.1f} {top} {a:.1f} {y}"/>',
            f'<path d="M{x + part.width / 2 + side + 4:.1f} {top - 4}l-6 4l6 4"/>',
        ]

    return Part(part.width + 2 * side, 18, drop + part.down, draw)


def _choice(tokens: list[str], k: int) -> tuple[Part, int]:
    rows: list[list[Part]] = [[]]
    while k < len(tokens) and tokens[k] not in ("]", "}", ")"):
        token = tokens[k]
        if token == "|":
            rows.append([])
        elif token in ("[", "{", "("):
            inside, k = _choice(tokens, k + 1)
            skip = Part(0, 0, 0, lambda x, y: [])
            rows[-1].append(inside if token == "(" else _loop(inside) if token == "{" else _branches([skip, inside]))
        else:
            rows[-1].append(_box(token))
        k += 1
    return _branches([_sequence(row) for row in rows]), k
