"""LALR tables of the grammar file: read from the cache when it matches the grammar, else built by lark."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

GRAMMAR = "lsd.lark"
CACHE = "tables.json"


@dataclass(frozen=True, slots=True)
class Rule:
    """A production: its action, how many symbols it pops, and which of them carry a value."""

    origin: str
    action: str
    size: int
    kept: tuple[int, ...]
    spread: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """Shift/reduce automaton: `moves[state][terminal]` is a state (>= 0) or minus a rule number minus one."""

    moves: tuple[Mapping[str, int], ...]
    jumps: tuple[Mapping[str, int], ...]
    rules: tuple[Rule, ...]
    first: int
    patterns: Mapping[str, str]
    words: Mapping[str, str]


def grammar_text() -> str:
    """The grammar file as text."""
    return (resources.files(__package__) / GRAMMAR).read_text(encoding="utf-8")


def build(text: str) -> dict[str, Any]:
    """Plain data of the tables of a grammar, made by lark's LALR analysis."""
    from lark import Lark
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(text, parser="lalr", lexer="basic", start="start", maybe_placeholders=False)
    # `_parse_table` with string symbols is what lark itself serialises.
    table = lark.parser.parser._parse_table  # type: ignore[attr-defined]
    nonterminals = {rule.origin.name for rule in lark.rules}
    order = _numbered(table.states, table.start_states["start"], Shift)
    described = {rule: _described(rule) for rule in lark.rules}
    rules = sorted({tuple(map(str, d)): d for d in described.values()}.values(), key=str)
    moves: list[dict[str, int]] = [{} for _ in order]
    jumps: list[dict[str, int]] = [{} for _ in order]
    for state, k in order.items():
        for symbol, (action, target) in sorted(table.states[state].items()):
            if action is Shift:
                (jumps if symbol in nonterminals else moves)[k][symbol] = order[target]
            else:
                moves[k][symbol] = -1 - rules.index(described[target])
    _shorten(moves, jumps, rules)
    patterns, words = {}, {}
    for terminal in lark.terminals:
        if terminal.pattern.type == "str":
            words[terminal.pattern.value] = terminal.name
        elif not terminal.name.startswith("__IGNORE"):
            patterns[terminal.name] = terminal.pattern.value
    return {
        "grammar": digest(text),
        "moves": moves,
        "jumps": jumps,
        "rules": rules,
        "first": 0,
        "patterns": patterns,
        "words": words,
    }


def _numbered(states: Any, first: Any, shift: Any) -> dict[Any, int]:
    """States in breadth-first order: the same tables on every run, whatever order the analysis used."""
    order, queue = {first: 0}, [first]
    for state in queue:
        for _symbol, (action, target) in sorted(states[state].items()):
            if action is shift and target not in order:
                order[target] = len(order)
                queue.append(target)
    return order


def _described(rule: Any) -> list[Any]:
    """A production as plain data."""
    valued = ("ID", "PRIMED", "INT", "FLOAT", "QUANTITY", "UNKID", "STRING")
    kept = [
        k for k, s in enumerate(rule.expansion) if rule.options.keep_all_tokens or not s.is_term or s.name in valued
    ]
    origin = str(rule.origin.name)
    action = rule.alias or ("=" if rule.options.expand1 and len(kept) == 1 else origin)
    return [origin, action, len(rule.expansion), kept, origin.startswith("_")]


def _shorten(moves: list[dict[str, int]], jumps: list[dict[str, int]], rules: list[list[Any]]) -> None:
    """Jump over the states that can only pass one symbol on unchanged: half of the reductions of an expression."""
    passing: dict[int, str] = {}
    for state, row in enumerate(moves):
        targets = set(row.values())
        if len(targets) == 1 and (target := targets.pop()) < 0 and rules[-1 - target][1] == "=":
            passing[state] = rules[-1 - target][0]
    for row in jumps:
        for symbol, state in row.items():
            while state in passing:
                state = row[passing[state]]
            row[symbol] = state


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def tables() -> Tables:
    """The automaton of lsd.lark."""
    text = grammar_text()
    stored = resources.files(__package__) / CACHE
    data: dict[str, Any] = json.loads(stored.read_text(encoding="utf-8")) if stored.is_file() else {}
    if data.get("grammar") != digest(text):
        data = build(text)
    rules = tuple(Rule(o, a, n, tuple(k), s) for o, a, n, k, s in data["rules"])
    return Tables(tuple(data["moves"]), tuple(data["jumps"]), rules, data["first"], data["patterns"], data["words"])


def main() -> None:
    """Write the tables of the grammar file beside it: `python -m dalembert.lsd._tables` after each change."""
    from pathlib import Path

    from dalembert.files import write_text

    text = json.dumps(build(grammar_text()), sort_keys=True, separators=(",", ":"))
    write_text(Path(__file__).with_name(CACHE), text + "\n")


if __name__ == "__main__":
    main()
