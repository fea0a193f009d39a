"""House layout of LSD programs: one declaration a paragraph, long ones broken at their joints, comments kept."""

from __future__ import annotations

from dalembert.lsd._tables import tables
from dalembert.lsd.lexer import Token, scan
from dalembert.lsd.source import Report, Source

WIDTH = 110
_TIGHT_BEFORE = frozenset((",", ")", "]", "."))
_TIGHT_AFTER = frozenset(("(", "[", "."))
_OPERATORS = frozenset(("+", "-", "*", "/", "^", "@", "++", "||", "=", "<", "<=", ">", ">=", "<>", ".."))


def format_text(text: str, name: str = "<text>") -> str:
    """The same tokens and comments in the house layout; a text with unreadable characters is an `LsdError`.

    >>> print(format_text("let  a=1 ;let b = [a ,2,3];"), end="")
    let a = 1 ;
    let b = [a, 2, 3] ;
    """
    source, report = Source(text, name), Report()
    stream = list(scan(source, report))
    report.raise_if_failed()
    lines: list[str] = []
    pending: list[Token] = []
    depth = 0
    last_end = 0
    for token in stream:
        if not pending:
            blank = text.count("\n", last_end, token.start) > 1
            if blank and lines and lines[-1]:
                lines.append("")
            if token.type == "COMMENT":
                same_line = lines and lines[-1] and "\n" not in text[last_end : token.start] and last_end
                if same_line:
                    lines[-1] += "  " + token.text
                else:
                    lines.extend(("  " * depth + token.text).split("\n"))
                last_end = token.end
                continue
        pending.append(token)
        last_end = token.end
        if _opens(pending):
            back = depth and pending[0].text == "else"
            lines.append("  " * (depth - back) + _joined(pending))
            depth, pending = depth + 1 - back, []
        elif token.text == ";":
            if depth and pending[0].text == "end":
                depth -= 1
            lines.extend(_declaration(pending, "  " * depth))
            pending = []
    if pending:
        lines.extend(_declaration(pending, "  " * depth))
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n" if lines else ""


def _opens(tokens: list[Token]) -> bool:
    """Whether these tokens are the head of a block of declarations."""
    first, last = tokens[0].text, tokens[-1].text
    if first == "package":
        return last == "=" and (len(tokens) == 3 or (tokens[-2].text == ")" and _head(tokens) == len(tokens) - 2))
    return first == last == "else" or (first, last) in (("for", "do"), ("if", "then"))


def _head(tokens: list[Token]) -> int:
    """Where the parameters end that follow the name of a definition or of a package."""
    if len(tokens) < 3 or tokens[2].text != "(":
        return 0
    level = 0
    for k, token in enumerate(tokens):
        level += (token.text == "(") - (token.text == ")")
        if k > 1 and not level:
            return k
    return len(tokens)


def _joined(tokens: list[Token]) -> str:
    parts: list[str] = []
    for k, token in enumerate(tokens):
        if k and _spaced(tokens, k):
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)


def _spaced(tokens: list[Token], k: int) -> bool:
    before, token = tokens[k - 1], tokens[k]
    if token.type == "COMMENT" or before.type == "COMMENT":
        return True
    if ":" in (token.text, before.text):
        # `x : scalar` in the head of a definition, `package:member` elsewhere.
        return tokens[0].text in ("let", "package") and k < _head(tokens)
    if "." in (token.text, before.text) and {"INT", "FLOAT"} & {token.type, before.type}:
        return True  # a stray point must not become part of a number
    if token.text in _TIGHT_BEFORE or before.text in _TIGHT_AFTER or ".." in (token.text, before.text):
        return False
    if token.text == "[":  # of an index, or of a vector
        return before.text != "]" and (before.type != "ID" or before.text in _WORDS)
    if token.text == "(":
        return before.type not in ("ID", "UNKID") or (before.text in _WORDS and before.text != "link")
    if token.text == "^" or before.text == "^":
        return False
    # A sign stands tight before its operand when nothing stands before it.
    return not (before.text in ("+", "-") and _is_sign(tokens, k - 1))


_WORDS = frozenset(word for word in tables().words if word.isalpha())


def _is_sign(tokens: list[Token], k: int) -> bool:
    if k == 0:
        return True
    before = tokens[k - 1]
    return before.text in _OPERATORS or before.text in ("(", "[", ",") or before.text in _WORDS


def _declaration(tokens: list[Token], indent: str) -> list[str]:
    """One line if it fits; else broken before `with` and after the commas of the outermost records and lists."""
    whole = indent + _joined(tokens)
    if len(whole) <= WIDTH and "\n" not in whole:
        return [whole]
    lines: list[str] = []
    start = 0
    level = 0
    for k, token in enumerate(tokens):
        if token.text in ("(", "["):
            level += 1
        elif token.text in (")", "]"):
            level -= 1
        cut_here = token.text == "with" and k > start
        cut_after = (level == 0 and token.text == ",") or token.type == "COMMENT"
        if cut_here:
            lines.append(_joined(tokens[start:k]))
            start = k
        elif cut_after:
            lines.append(_joined(tokens[start : k + 1]))
            start = k + 1
    if start < len(tokens):
        lines.append(_joined(tokens[start:]))
    merged: list[str] = []
    for line in lines:
        fits = merged and len(indent) + 4 + len(merged[-1]) + 1 + len(line) <= WIDTH
        if fits and not line.startswith("with") and not merged[-1].endswith("*)"):
            merged[-1] += " " + line
        else:
            merged.append(line)
    return [indent + merged[0], *(indent + "  " + line for line in merged[1:])]
