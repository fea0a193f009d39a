"""Places of the package where a small error can be seeded, and a fair sample of them.

An error is another operator, comparison, sign, condition or small number. It is known by what it does in which
function, not by its line, and drawn by a lot made from that: changes elsewhere leave the sample as it was.
What is shipped as LLVM text is left out: any change of its sources fails the test of its fingerprint.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dalembert"
#: Parts of the package that run as shipped LLVM text, not as the Python that they are written in.
TRANSLATED = ("simulate/loop", "simulate/sparse", "simulate/contact/step", "simulate/contact/crowd", "contact/crowd",
              "contact/few", "simulate/contact/read_block")  # fmt: skip

SWAPS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Mutant:
    """One place and what is done there."""

    file: str
    owner: str  # the function around it
    before: str
    after: str
    nth: int  # among the same changes in functions of this name
    line: int
    column: int
    kind: str

    @property
    def key(self) -> str:
        return f"{self.file} {self.owner}: {self.before} -> {self.after} [{self.nth}]"

    @property
    def package(self) -> str:
        return self.file.partition("/")[0].removesuffix(".py")

    def text(self) -> str | None:
        """The text of the file with the error in it; None where the place stands inside a formatted text."""
        lines = (PACKAGE / self.file).read_text(encoding="utf-8").splitlines(keepends=True)
        line, start = lines[self.line - 1].encode(), self.column
        made = line[:start] + f"({self.after})".encode() + line[start + len(self.before.encode()) :]
        text = "".join([*lines[: self.line - 1], made.decode(), *lines[self.line :]])
        try:
            ast.parse(text)
        except SyntaxError:
            return None
        return text


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every small error of a file whose place stands on one line."""
    text, seen = path.read_text(encoding="utf-8"), Counter[tuple[str, str, str]]()
    lines = [line.encode() for line in text.splitlines()]
    file = path.relative_to(PACKAGE).as_posix()
    for owner in ast.walk(ast.parse(text)):
        if isinstance(owner, ast.FunctionDef):
            for node in sorted(_inside(owner), key=lambda x: (x.lineno, x.col_offset)):
                for changed in _changes(node) if node.lineno == node.end_lineno else ():
                    before = lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()
                    said = owner.name, before, ast.unparse(ast.fix_missing_locations(ast.Expression(changed)))
                    yield Mutant(file, *said, seen[said], node.lineno, node.col_offset, type(node).__name__)
                    seen[said] += 1


def _inside(owner: ast.FunctionDef) -> Iterator[ast.expr]:
    """Expressions that decide something: no annotations, messages of errors, or inner functions (they come alone)."""
    waiting: list[ast.AST] = list(owner.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.JoinedStr | ast.Assert):
            continue
        if isinstance(node, ast.AnnAssign):
            waiting += [node.value] if node.value else []
            continue
        if isinstance(node, ast.expr):
            yield node
        waiting += ast.iter_child_nodes(node)


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not _of_text(node):
        yield ast.BinOp(node.left, SWAPS[type(node.op)](), node.right)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield ast.Compare(node.left, [SWAPS[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPS[type(node.op)](), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < 4:
        yield ast.Constant(node.value + 1)


def _of_text(node: ast.BinOp) -> bool:
    parts = (node.left, node.right)
    return any(isinstance(x, ast.JoinedStr) or (isinstance(x, ast.Constant) and type(x.value) is str) for x in parts)


def sample(count: int, seed: int) -> list[Mutant]:
    """Places drawn from every package, as many as it has a share of the text, at least four (two of a module)."""
    packages: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if not path.relative_to(PACKAGE).as_posix().startswith(TRANSLATED):
            packages.setdefault(path.relative_to(PACKAGE).parts[0], []).append(path)
    sizes = {name: sum(p.stat().st_size for p in paths) for name, paths in packages.items()}
    found: list[Mutant] = []
    for name, paths in packages.items():
        wanted = max(4 if len(paths) > 1 else 2, round(count * sizes[name] / sum(sizes.values())))
        every = sorted((one for path in paths for one in mutants_of(path)), key=lambda one: _lot(one, seed))
        possible = (one for one in every if one.text() is not None)
        found += [one for one, _ in zip(possible, range(wanted))]
    return sorted(found, key=lambda one: _lot(one, seed))


def _lot(mutant: Mutant, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()
