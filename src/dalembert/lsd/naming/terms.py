"""Matrix terms of the compiled table in the operators `&* &+ &s &~ &t`, with zero and identity propagation."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.mechanism import AnyTurn, QuaternionTurn


@dataclass(frozen=True, slots=True)
class Term:
    """`op`: zero identity name scalar vector diagonal matrix turns product sum scale tilde transpose block."""

    op: str
    args: tuple[Term, ...] = ()
    name: str = ""
    scalars: tuple[Expr, ...] = ()
    turns: tuple[AnyTurn, ...] = ()

    @property
    def is_zero(self) -> bool:
        return self.op == "zero"

    @property
    def is_identity(self) -> bool:
        return self.op == "identity"


ZERO = Term("zero")
IDENTITY = Term("identity")


def name(text: str) -> Term:
    return Term("name", name=text)


def scalar(value: Expr) -> Term:
    return ZERO if value is ex.ZERO else Term("scalar", scalars=(value,))


def vector(value: tuple[Expr, ...]) -> Term:
    return ZERO if all(x is ex.ZERO for x in value) else Term("vector", scalars=tuple(value))


def diagonal(value: tuple[Expr, ...]) -> Term:
    return ZERO if all(x is ex.ZERO for x in value) else Term("diagonal", scalars=tuple(value))


def rotation(turns: tuple[AnyTurn, ...]) -> Term:
    return Term("turns", turns=turns) if turns else IDENTITY


def product(*factors: Term) -> Term:
    kept = [f for f in factors if not f.is_identity]
    if any(f.is_zero for f in kept):
        return ZERO
    if len(kept) < 2:
        return kept[0] if kept else IDENTITY
    return Term("product", tuple(kept))


def total(*parts: Term) -> Term:
    kept = [p for p in parts if not p.is_zero]
    if len(kept) < 2:
        return kept[0] if kept else ZERO
    return Term("sum", tuple(kept))


def scaled(factor: Expr, term: Term) -> Term:
    if factor is ex.ZERO or term.is_zero:
        return ZERO
    if term.op == "scale":
        return scaled(factor * term.scalars[0], term.args[0])
    return term if factor is ex.ONE else Term("scale", (term,), scalars=(factor,))


def tilde(term: Term) -> Term:
    return ZERO if term.is_zero else Term("tilde", (term,))


def transpose(term: Term) -> Term:
    return term if term.is_zero or term.is_identity else Term("transpose", (term,))


def block(a: Term, b: Term, c: Term, d: Term) -> Term:
    return ZERO if all(t.is_zero for t in (a, b, c, d)) else Term("block", (a, b, c, d))


def text(term: Term) -> str:
    """As the thesis prints it: `M0R_0_4 &* V4T_4_45`, `&s(-mu_4,&~(V0T_4_45) &* &~(V0T_4_45))`."""
    op, args = term.op, term.args
    if op == "zero":
        return "0"
    if op == "identity":
        return "Id"
    if op == "name":
        return term.name
    if op == "scalar":
        return ex.text(term.scalars[0])
    if op == "vector":
        return "[" + ",".join(ex.text(x) for x in term.scalars) + "]"
    if op == "diagonal":
        return "diag(" + ",".join(ex.text(x) for x in term.scalars) + ")"
    if op == "matrix":
        rows = [",".join(ex.text(x) for x in term.scalars[3 * k : 3 * k + 3]) for k in range(3)]
        return "[" + ",".join(f"[{row}]" for row in rows) + "]"
    if op == "turns":
        return " ".join(_turn_text(t) for t in term.turns)
    if op == "product":
        return " &* ".join(f"({text(a)})" if a.op == "sum" else text(a) for a in args)
    if op == "sum":
        return " &+ ".join(text(a) for a in args)
    if op == "scale":
        return f"&s({ex.text(term.scalars[0])},{text(args[0])})"
    if op == "tilde":
        return f"&~({text(args[0])})"
    if op == "transpose":
        return f"&t({text(args[0])})"
    return "Block(" + ", ".join(text(a) for a in args) + ")"


def axis_letter(turn: AnyTurn) -> str | None:
    if isinstance(turn, QuaternionTurn):
        return None
    ones = [k for k, c in enumerate(turn.axis) if c is ex.ONE]
    zeros = sum(c is ex.ZERO for c in turn.axis)
    return "xyz"[ones[0]] if len(ones) == 1 and zeros == 2 else None


def _turn_text(turn: AnyTurn) -> str:
    letter = axis_letter(turn)
    if letter:
        return f"R{letter}({ex.text(turn.angle)})"  # type: ignore[union-attr]
    if isinstance(turn, QuaternionTurn):
        return "Q(" + ",".join(ex.text(x) for x in turn.components) + ")"
    return f"R({ex.text(turn.angle)},[" + ",".join(ex.text(x) for x in turn.axis) + "])"


def latex(term: Term) -> str:
    """The same term for a paper."""
    op, args = term.op, term.args
    if op == "zero":
        return "0"
    if op == "identity":
        return r"\mathrm{Id}"
    if op == "name":
        return latex_name(term.name)
    if op == "scalar":
        return ex.latex(term.scalars[0])
    if op == "vector":
        return r"\begin{bmatrix}" + r"\\".join(ex.latex(x) for x in term.scalars) + r"\end{bmatrix}"
    if op == "diagonal":
        return r"\operatorname{diag}(" + ", ".join(ex.latex(x) for x in term.scalars) + ")"
    if op == "matrix":
        rows = ["&".join(ex.latex(x) for x in term.scalars[3 * k : 3 * k + 3]) for k in range(3)]
        return r"\begin{bmatrix}" + r"\\".join(rows) + r"\end{bmatrix}"
    if op == "turns":
        return r"\,".join(_turn_latex(t) for t in term.turns)
    if op == "product":
        return r"\,".join(rf"\left({latex(a)}\right)" if a.op == "sum" else latex(a) for a in args)
    if op == "sum":
        return " + ".join(latex(a) for a in args)
    if op == "scale":
        return rf"\left({ex.latex(term.scalars[0])}\right)\,{latex(args[0])}"
    if op == "tilde":
        return rf"\widetilde{{{latex(args[0])}}}"
    if op == "transpose":
        return rf"{{{latex(args[0])}}}^{{\mathsf T}}"
    a, b, c, d = (latex(x) for x in args)
    return rf"\begin{{bmatrix}}{a}&{b}\\{c}&{d}\end{{bmatrix}}"


def _turn_latex(turn: AnyTurn) -> str:
    letter = axis_letter(turn)
    if letter:
        return rf"R_{letter}\!\left({ex.latex(turn.angle)}\right)"  # type: ignore[union-attr]
    if isinstance(turn, QuaternionTurn):
        return r"Q\!\left(" + ", ".join(ex.latex(x) for x in turn.components) + r"\right)"
    return rf"R\!\left({ex.latex(turn.angle)}; " + ", ".join(ex.latex(x) for x in turn.axis) + r"\right)"


def latex_name(variable: str) -> str:
    """`V0T_4_45` -> roman stem with its indices below."""
    stem, *indices = variable.split("_")
    below = ",".join(indices)
    return rf"\mathrm{{{stem}}}" + (rf"_{{{below}}}" if below else "")
