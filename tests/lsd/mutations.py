"""Random damage to LSD programs: characters, tokens, lines, splices."""

from __future__ import annotations

import random
import re
from pathlib import Path

GALLERY = sorted((Path(__file__).parents[2] / "examples").glob("*.lsd"))
_TOKEN = re.compile(r"\(\*(?s:.*?)\*\)|[A-Za-z_][A-Za-z_0-9]*'*|\?[A-Za-z]+|[0-9.]+|\+\+|\|\||\s+|.")
POOL = [
    *"()[],;:.=+-*/^@'?`\"#\n\t0123456789",
    *(
        "++",
        "||",
        "(*",
        "*)",
        "''",
        "1e999",
        "1e-3",
        "0.5",
        "99999999999999999999",
        "x'",
        "?s",
        "?v",
        "?fs",
        "?fs(x,x')",
    ),
    *("let", "join", "and", "with", "apply", "on", "package", "local", "in", "end", "as", "given", "start", "gravity"),
    *("use", "body", "link", "force", "torque", "earth", "pi", "t", "constrain", "mass", "iframe", "inertia", "dof"),
    *("output y =", "norm(vel(b))"),
    *("30 cm", "5 N/m", "2 rad/s", "9.81 m/s^2", "3 deg"),
    *("for", "i", "1..3", "do", "if", "then", "else", "..", "<", "<>", "[i]", "b[i]", "package p(a : scalar = 1) ="),
    *("dof1", "dof2", "dof7", "frame", "value", "displ", "effort", "sin", "sqrt", "log", "quaternion", "body_speeds"),
    *(
        "[0,0,0]",
        "[1,0,0]",
        "body end",
        "link end",
        "0 || [0,0,0]",
        "1/0",
        "9^9^9",
        "((((",
        "x.frame",
        "a:b",
        "é",
        "\u2028",
    ),
]


def programs() -> list[str]:
    return [*(path.read_text(encoding="utf-8") for path in GALLERY), *PARTS]


PARTS = [
    """let rod = body mass = 2 kg, iframe = [0, 0, -30 cm], inertia = 0 end ;
join earth and rod.frame with link(th) dof = th || [1, 0, 0], torque = [-k*th - 0.1 N*m*s*th', 0, 0] end as hinge ;
spring [1 m, 0, 0] @ earth and rod.frame with stiffness = 12 N/m, length = l as s ;
gravity [0, 0, -9.81 m/s^2] ; given k = 2 N*m, l = 5 mm ; start hinge.th = 30 deg, hinge.th' = 10 rpm ;""",
    """let tip[0] = earth ; let n = 3 ;
for i in 1..n do
  let b[i] = body mass = m*i, iframe = 0, inertia = 0 end ;
  if i > 1 and i <> 5 then join tip[i-1] and b[i].frame with link(x) dof = [x,0,0] end as j[i] ;
  else join earth and b[i].frame with link(x) dof = [x,0,0] end as j[i] ; end ;
  let tip[i] = [0,0,1] @ b[i] ; start j[i].x = 0.1*i ;
end ; given b[2].mass = 3 ;""",
    """package p = package q(at : frame, l : scalar = 2) =
  let a = body mass = 1, iframe = [0,0,l], inertia = 0 end ; let foot = [0,0,l] @ a ;
  join at and a.frame with link(th) dof = th || [0,0,1] end as k ; limit k.th in [0, 1] ; drive k.th = sin(t) ;
end ; end ;
let u = p:q(earth) and w[1] = p:q(at = earth, l = 1) ;
spring u.foot and w[1].foot with stiffness = 2 as s ; constrain u.k.th = w[1].k.th ; start w[1].k.th' = 1 ;""",
]


def mutate(rng: random.Random, texts: list[str]) -> str:
    """One damaged program."""
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        text = rng.choice((_characters, _tokens, _tokens, _tokens, _lines, _splice))(rng, text, texts)
    return text[:20_000]


def _characters(rng: random.Random, text: str, _texts: list[str]) -> str:
    at = rng.randrange(len(text) + 1)
    how = rng.randrange(3)
    if how == 0:
        return text[:at] + text[at + rng.randint(1, 5) :]
    if how == 1:
        return text[:at] + rng.choice(POOL) + text[at:]
    return text[:at] + chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x2FFF)))) + text[at + 1 :]


def _tokens(rng: random.Random, text: str, _texts: list[str]) -> str:
    parts = _TOKEN.findall(text)
    if not parts:
        return text
    solid = [k for k, p in enumerate(parts) if not p.isspace() and not p.startswith("(*")] or [0]
    a, b = rng.choice(solid), rng.choice(solid)
    how = rng.randrange(5)
    if how == 0:
        del parts[a]
    elif how == 1:
        parts[a], parts[b] = parts[b], parts[a]
    elif how == 2:
        parts[a] = rng.choice(POOL)
    elif how == 3:
        parts.insert(a, rng.choice((parts[b], rng.choice(POOL))))
    else:
        parts[a] = f" {rng.choice(('-', '(', '[', 'f(', 'sin('))}" * rng.randrange(40) + parts[a]
    return "".join(parts)


def _lines(rng: random.Random, text: str, _texts: list[str]) -> str:
    lines = text.split("\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.5:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines.insert(a, lines[b])
    return "\n".join(lines)


def _splice(rng: random.Random, text: str, texts: list[str]) -> str:
    other = rng.choice(texts)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]
