"""Runs the LALR tables over the tokens; recovers at `;` so that one run reports several faults."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from dalembert.lsd._actions import actions
from dalembert.lsd._tables import Tables, tables
from dalembert.lsd.lexer import Token, tokens
from dalembert.lsd.source import Report, Source, TooManyErrors
from dalembert.lsd.syntax import Declaration, Program
from dalembert.lsd.syntax_errors import BEGINS, begins_declaration, closes_block, describe, unclosed

MAX_DEPTH = 250


def parse(text: str | Source, name: str = "<text>", *, strict: bool = False) -> Program:
    """Read a program; every syntax fault of the text is in one `LsdError`.

    >>> len(parse("let a = 1 ; let b = a ;").declarations)
    2
    """
    source = text if isinstance(text, Source) else Source(text, name)
    report = Report()
    program = parse_into(source, report, strict=strict)
    report.raise_if_failed()
    return program


def parse_into(source: Source, report: Report, *, strict: bool = False) -> Program:
    """Read what can be read; faults go to the report."""
    parsed: list[Declaration] = []
    with suppress(TooManyErrors):
        _run(source, tokens(source, report, strict=strict), report, parsed, strict=strict)
    return Program(tuple(parsed), source, strict)


def _run(source: Source, stream: list[Token], report: Report, parsed: list[Declaration], *, strict: bool) -> None:
    table = tables()
    build = actions(source, report, strict=strict)
    rules = [(r.origin, build.get(r.action), r.size, r.kept, r.spread, r.action == "=") for r in table.rules]
    moves, jumps = table.moves, table.jumps
    end = len(source.text)
    stream.append(Token("$END", "", end, end))
    states = [table.first]
    values: list[Any] = []
    starts: list[int] = []
    last_end = 0
    at = 0
    while True:
        token = stream[at]
        state = states[-1]
        move = moves[state].get(token[0])
        if move is None or (move >= 0 and len(states) > MAX_DEPTH):
            if move is None:
                at = _recover(source, stream, at, table, states, values, starts, report)
                if at < 0:
                    _collect(values, parsed)
                    return
            else:
                at = _refuse(source, stream, at, report)
                _unwind(table, states, values, starts)
            last_end = stream[at - 1].end if at else 0
            continue
        if move >= 0:
            states.append(move)
            values.append(token)
            starts.append(token[2])
            last_end = token[3]
            at += 1
            continue
        origin, action, size, kept, spread, unit = rules[-1 - move]
        if size == 1 and not spread:
            # Most reductions wrap one symbol: no need to touch the stacks.
            if not unit:
                kid = values[-1]
                kids = kid if type(kid) is list else [kid] if kept else []
                value = action(kids, (starts[-1], last_end))  # type: ignore[misc]
                if origin == "start":
                    parsed.extend(value)
                    return
                values[-1] = value
            states[-1] = jumps[states[-2]][origin]
            continue
        kids = []
        if size:
            base = len(values) - size
            start = starts[base]
            for k in kept:
                kid = values[base + k]
                if type(kid) is list:
                    # Left recursion: the list built so far is reused, so long programs stay linear.
                    kids = kid if not kids else kids + kid
                else:
                    kids.append(kid)
            del states[base + 1 :], values[base:], starts[base:]
        else:
            start = token[2]
        value = kids if spread else action(kids, (start, last_end))  # type: ignore[misc]
        if origin == "start":
            parsed.extend(value)
            return
        states.append(jumps[states[-1]][origin])
        values.append(value)
        starts.append(start)


def _refuse(source: Source, stream: list[Token], at: int, report: Report) -> int:
    """Report a token that is nested too deeply; give the place to go on from."""
    token = stream[at]
    report.add(source, (token.start, token.end), "nested too deeply", "name the inner parts with `let` or `local`")
    return _skip(stream, at)


def _collect(values: list[Any], parsed: list[Declaration]) -> None:
    """Declarations that were complete when the text stopped: they are at the bottom of the stack."""
    if values and type(values[0]) is list:
        parsed.extend(d for d in values[0] if isinstance(d, Declaration))


def _recover(
    source: Source,
    stream: list[Token],
    at: int,
    table: Tables,
    states: list[int],
    values: list[Any],
    starts: list[int],
    report: Report,
) -> int:
    """Report the fault at `stream[at]`; give the place to go on from, or -1 at the end of the text."""
    token = stream[at]
    accepted = frozenset(t for t in table.moves[states[-1]] if _would_shift(table, states, t))
    if not (report.failed and "LET" in accepted and closes_block(token)):  # the head of its block was told
        message, hint, span = unclosed(source, token, values, accepted) or describe(stream, at, accepted)
        report.add(source, span, message, hint)
    if at > 0 and begins_declaration(token, accepted):
        previous = stream[at - 1].end
        stream[at] = token._replace(type=table.words.get(token.text, token.type))
        stream.insert(at, Token("SEMICOLON", ";", previous, previous))
        return at
    if token.type == "$END":
        return -1
    after = _skip(stream, at)
    report.lost |= _declared(stream, at, after)
    _unwind(table, states, values, starts)
    return after


def _declared(stream: list[Token], at: int, after: int) -> set[str]:
    """Names that the broken declaration around `stream[at]` would have given."""
    first = at
    while stream[first].type != "LET":
        if first == 0 or stream[first - 1].type == "SEMICOLON":
            return set()  # the `and` of a join gives no name
        first -= 1
    pairs = zip(stream[first:after], stream[first + 1 : after], strict=False)
    return {name.text for word, name in pairs if word.type in ("LET", "AND") and name.type == "ID"}


def _would_shift(table: Tables, states: list[int], terminal: str) -> bool:
    """Whether a terminal is really possible here: LALR look-ahead sets also hold those of other contexts."""
    trial = list(states)
    while (move := table.moves[trial[-1]].get(terminal)) is not None:
        if move >= 0:
            return True
        rule = table.rules[-1 - move]
        if rule.origin == "start":
            return terminal == "$END"
        if rule.size:
            del trial[-rule.size :]
        trial.append(table.jumps[trial[-1]][rule.origin])
    return False


def _skip(stream: list[Token], at: int) -> int:
    """Just after the next `;`, or at the next word that begins a declaration."""
    while stream[at].type not in ("SEMICOLON", "$END"):
        at += 1
        if stream[at].type in BEGINS:
            return at
    return at + 1 if stream[at].type == "SEMICOLON" else at


def _unwind(table: Tables, states: list[int], values: list[Any], starts: list[int]) -> None:
    """Drop the broken declaration: back to the nearest state where one may begin."""
    while len(states) > 1 and "LET" not in table.moves[states[-1]]:
        states.pop()
        values.pop()
        starts.pop()
