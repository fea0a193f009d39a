"""Words for syntax errors: what was found, what was expected, and the hint for the common mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dalembert.lsd._tables import tables
from dalembert.lsd.lexer import DECLARING, Token
from dalembert.lsd.scope import FUNCTIONS, similar
from dalembert.lsd.source import Source, Span
from dalembert.mechanism.constraint import MAY_OPEN

_STARTS_EXPRESSION = frozenset(("ID", "INT", "LSQB", "LPAR"))
_OPERATORS = frozenset(("@", "++", "||", "+", "-", "*", "/", "^"))
_HUMAN = {
    "ID": "a name",
    "PRIMED": "a primed name",
    "INT": "a number",
    "FLOAT": "a number",
    "UNKID": "an unknown",
    "STRING": 'a file name in "quotes"',
    "$END": "the end of the text",
}


@cache
def _spelling() -> dict[str, str]:
    return {name: text for text, name in tables().words.items()}


def _shown(token: Token) -> str:
    return "the end of the text" if token.type == "$END" else f"`{token.text}`"


def expected(accepted: frozenset[str]) -> str:
    """The accepted tokens in words, an expression counted as one thing."""
    left = set(accepted)
    words: list[str] = []
    if left >= _STARTS_EXPRESSION:
        words.append("an expression")
        left -= {"ID", "INT", "FLOAT", "LSQB", "LPAR", "UNKID", "PRIMED", "PLUS", "MINUS", "LOCAL", "LINK"}
        left -= {"BODY", "FORCE", "TORQUE"}
    elif left >= {"ID", "BODY", "FORCE", "TORQUE"}:
        words.append("a field name" if "LINK" not in left else "a type name")
        left -= {"ID", "BODY", "FORCE", "TORQUE", "LINK"}
    spelling = _spelling()
    if any(spelling.get(t) in _OPERATORS for t in left):
        words.append("an operator")
        left = {t for t in left if spelling.get(t) not in _OPERATORS}
    if left >= {"LET", "JOIN", "APPLY"}:
        kinds = "let, join, apply, spring, torsion, bushing, constrain, drive, roll, gear, rope, contact, limit, rub"
        words.append(f"a declaration ({kinds}, package, for, if, output, given, start, gravity, use)")
        left = {t for t in left if not spelling.get(t, "").isalpha()}
    words += [_HUMAN[t] for t in sorted(left) if t in _HUMAN]
    words += [f"`{spelling[t]}`" for t in sorted(left) if t in spelling]
    unique = list(dict.fromkeys(words))
    return unique[0] if len(unique) == 1 else ", ".join(unique[:-1]) + " or " + unique[-1] if unique else "nothing"


def describe(stream: list[Token], at: int, accepted: frozenset[str]) -> tuple[str, str | None, Span]:
    """Message, hint and place for the token that no rule accepts."""
    token = stream[at]
    previous = stream[at - 1] if at else None
    if token.type == "END" and "LET" in accepted:
        return "this `end` closes nothing: no block is open here", "drop it", (token.start, token.end)
    message = f"syntax error at {_shown(token)}: expected {expected(accepted)}"
    span = (token.start, max(token.end, token.start + 1))
    if previous and begins_declaration(token, accepted):
        return "missing `;` after this declaration", "every declaration ends with `;`", (previous.end - 1, previous.end)
    return message, _hint(previous, token, stream, at, accepted), span


BEGINS = frozenset(("LET", "JOIN", "PACKAGE", "APPLY", *(word.upper() for word in DECLARING)))


def begins_declaration(token: Token, accepted: frozenset[str]) -> bool:
    """Whether a declaration begins at a token that no rule accepts, or its block ends: a `;` is missing before it.

    After a `;` a word such as `given` is read as a word; where the `;` is missing it looks like a name.
    """
    if "SEMICOLON" not in accepted:
        return False
    closes = token.type == "$END" or (closes_block(token) and "ID" not in accepted)
    return closes or token.type in BEGINS or (token.type == "ID" and token.text in DECLARING)


#: Words that begin what `end` closes.
_OPENS = frozenset(("BODY", "LINK", "FORCE", "TORQUE", "LOCAL", "PACKAGE", "FOR", "IF"))


def unclosed(
    source: Source, token: Token, read: Sequence[object], accepted: frozenset[str]
) -> tuple[str, str | None, Span] | None:
    """What is told where a declaration or the text ends before the `end` of a block that is open there.

    `read` is what the parser holds: the last of its opening words is that of the innermost open block.
    """
    ends = token.type in ("SEMICOLON", "$END") or token.type in BEGINS or token.text in DECLARING
    if not ends or "END" not in accepted or token.type in accepted:
        return None
    opened = next((x for x in reversed(read) if isinstance(x, Token) and x.type in _OPENS), None)
    if opened is None:
        return None
    line, column = source.place(opened.start)
    message = f"the `{opened.text}` of line {line}, column {column}, has no `end`"
    if token.type == "$END":
        hint, span = "every block needs an `end ;` of its own where it is over", (opened.start, opened.end)
    else:
        hint, span = "write `end` before this", (token.start, max(token.end, token.start + 1))
    return message, hint, span


def closes_block(token: Token) -> bool:
    """`end` and `else`; the second looks like a name where its block was not understood."""
    return token.type in ("END", "ELSE") or (token.type == "ID" and token.text == "else")


#: Units of other systems, exactly.
_FOREIGN = {
    **{"lb": "0.45359237 kg", "lbs": "0.45359237 kg", "oz": "28.349523125 g", "lbf": "4.4482216152605 N"},
    **{"ft": "0.3048 m", "inch": "2.54 cm", "in": "2.54 cm", "yd": "0.9144 m", "mile": "1609.344 m"},
    **{"mph": "0.44704 m/s", "kmh": "1 km/h", "kph": "1 km/h", "kgf": "9.80665 N", "kp": "9.80665 N"},
    **{"bar": "100 kPa", "psi": "6894.757293168361 Pa"},
}


def _is_unit(word: str) -> bool:
    from dalembert.lsd.units import UNITS

    return word in UNITS


def _unit_meant(word: str) -> str | None:
    """The unit that is spelled so in other letters, or in full: `Kg`, `metre`."""
    from dalembert.lsd.units import UNITS

    known = {"meter": "m", "metre": "m", "second": "s", "sec": "s", "gram": "g", "newton": "N", "joule": "J"}
    known |= {"watt": "W", "degree": "deg", "radian": "rad", "kilogram": "kg", "minute": "min", "hour": "h"}
    known |= {name.lower(): name for name in UNITS if len(name) > 1}
    lower = word.lower()
    return known.get(lower) or known.get(lower.removesuffix("s"))


def _hint(previous: Token | None, token: Token, stream: list[Token], at: int, accepted: frozenset[str]) -> str | None:
    kind, text = token.type, token.text
    if text == "effort" and "LET" in accepted:
        return "an effort on a coordinate is written in its link: link(th) dof = th || [0, 0, 1], effort = tau end"
    if "LET" in accepted and kind == "ID":
        return _declaration_meant(token, stream, at)
    if previous is None:
        return "a program is a list of declarations, each ended by `;`" if kind == "ID" else None
    if "FOR" in (stream[max(at - 2, 0)].type, stream[max(at - 4, 0)].type):
        return "a loop is written `for i in 1..3 do ... end ;`"
    if previous.type == "UNKID" and kind == "INT":
        return f"unknowns have letters only: `{previous.text}`"
    if kind in ("INT", "FLOAT") and text[0] in "+-" and previous.type in ("ID", "INT", "FLOAT", "RPAR", "PRIMED"):
        return f"in strict LSD a sign is glued to its number: write `{previous.text} {text[0]} {text[1:]}`"
    if previous.type == "FLOAT" and kind == "DOT":
        return "a number has one decimal point"
    if previous.type == "INT" and kind == "DOT":
        return f"a decimal point needs digits after it: `{previous.text}.0`"
    if previous.type == "QUANTITY" and (kind == "DOT" or (kind == "ID" and _is_unit(text))):
        return f"units are multiplied with `*`, without blanks: `{previous.text}*{'m' if kind == 'DOT' else text}`"
    if kind == "DOT":
        after_value = previous.type in ("ID", "PRIMED", "UNKID", "RPAR", "RSQB", "END")
        named = "only a name has fields: give the object a name with `let`"
        if previous.type == "RPAR":
            named += "; a component of a place or velocity is `pos(tip, x)`, `vel(tip, x)`"
        return named if after_value else "a decimal number needs digits before its point: `0.5`"
    if previous.type in ("INT", "FLOAT") and (kind in ("ID", "LPAR", "PRIMED") or text in _FOREIGN):
        unit = _unit_meant(text) if kind == "ID" else None
        if text == "t":
            return f"t is the time: multiplication is written `{previous.text}*t`, and a tonne is 1000 kg"
        if text in _FOREIGN:
            return f"{text} is no unit here: it is {_FOREIGN[text]}"
        meant = f"did you mean the unit `{previous.text} {unit}`? Otherwise m" if unit else "m"
        return f"{meant}ultiplication is written: `{previous.text}*{text}`"
    if kind == "STAR" and previous.type == "STAR":
        return "powers are written with `^`"
    if kind == "RSQB" and "COMMA" in accepted:
        return "a vector has three components: [x, y, z]"
    if kind == "COMMA" and "RSQB" in accepted:
        return "a vector has three components: [x, y, z]"
    if text in ("<=", ">=", "<", ">") and "EQUAL" in accepted and (asked := _after("constrain", stream, at)):
        told = f"{asked} >= ..." if text[0] == ">" else f"... >= {asked}"
        return f"{MAY_OPEN}: `contact {told}`"
    if text in (">", "<", "<=") and tables().words[">="] in accepted and _after("contact", stream, at):
        return "a contact is written with what must not be negative: `contact ... >= 0`"
    if kind == "EQUAL" and previous.type in _LAWS:
        return f"a law of a contact has no `=`: `{previous.text} 0.3`"
    if kind == "LSQB" and previous.type in ("FORCE", "TORQUE"):
        return f"write `{previous.text} value = [x, y, z] end`"
    if previous.type in ("FORCE", "TORQUE", "BODY", "LINK") and kind not in ("SEMICOLON", "EQUAL"):
        return f"`{previous.text}` begins an object; quote it to use it as a name: `` `{previous.text}` ``"
    if kind == "ID" and previous.text in FUNCTIONS:
        return f"the argument of a function is in parentheses: `{previous.text}({text})`"
    if "IN" in accepted and (stop := _after("limit", stream, at)):
        return f"stops are written `limit {stop} in [0, 1]`"
    if "ABOUT" in accepted or "ALONG" in accepted:
        what = ("torque", "about") if "ABOUT" in accepted else ("force", "along")
        return f"say its axis: `by {what[0]} on {_after('on', stream, at)} {what[1]} [0, 0, 1]`"
    if "EQUAL" in accepted and kind != "EQUAL":
        owner = f"{stream[at - 3].text}." if at > 2 and stream[at - 2].type == "DOT" else ""
        return f"write `{owner}{previous.text} = ...`"
    if kind == "EQUAL" and previous.type == "EQUAL":
        return "one `=` is enough"
    if kind == previous.type == "SEMICOLON":
        return "one `;` is enough"
    if kind == "END" and accepted >= _STARTS_EXPRESSION:
        return "something is missing before `end`"
    if kind == "AND" and "COMMA" in accepted:
        return "the fields of an object are separated by `,`"
    if kind == "COMMA" and "AND" in accepted:
        return "several definitions of one `let` are separated by `and`"
    if previous.type == "ID" and kind == "ID" and "SEMICOLON" in accepted:
        return "two names side by side: an operator or `;` is missing between them"
    if kind in _spelling() and "ID" in accepted and text.isalpha():
        return f"`{text}` is a word of the language; quote it to use it as a name: `` `{text}` ``"
    return None


_LAWS = frozenset(("RESTITUTION", "FRICTION", "STATIC", "ROLLING", "DRILLING", "SLIP"))


def _declaration_meant(token: Token, stream: list[Token], at: int) -> str:
    """What was meant by a name where a declaration begins."""
    text = token.text
    following = stream[at + 1].type if at + 1 < len(stream) else ""
    if following == "LPAR":
        return f"what is built has a name: `let part = {text}(...) ;`"
    if text == "while":
        return "loops run through whole numbers: `for i in 1..3 do ... end ;`"
    words = ("let", "join", "package", "apply", *DECLARING)
    return similar(text, list(words)) or "a program is a list of declarations, each ended by `;`"


def _after(word: str, stream: list[Token], at: int) -> str:
    """What was written in this declaration since a word of it; nothing where it has no such word."""
    back = next((i for i in range(at - 1, -1, -1) if stream[i].type == "SEMICOLON"), -1)
    place = next((i for i in range(at - 1, back, -1) if stream[i].text == word), None)
    if place is None:
        return ""
    pairs = zip(stream[place:at], stream[place + 1 : at], strict=False)
    return "".join(" " * (two.start > one.end) + two.text for one, two in pairs).strip()
