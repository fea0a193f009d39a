"""Small errors seeded in every package, and whether fast tests see them: `python benchmarks/mutate.py [COUNT] [SEED]`.

One place of the package (an operator, a comparison, a sign, a condition, a small number) is changed in a forked
process. The tests that speak of that place run against it: those of its module, its package and its names, without the
slow ones, for SECONDS of processor time, the files in turns; a file whose first tests do not come to the place waits
until the others are through. What no test sees is printed with its line, to be answered with a test of its class or
shown to change nothing. Tests are collected once; what numba or LLVM compiled before is not touched.
The journal is kept and read again: a run that was stopped goes on, `--again` tries survivors anew, and
`--shard=0/2` takes every second one.
"""

from __future__ import annotations

import ast
import builtins
import gc
import importlib
import inspect
import json
import os
import random
import re
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dalembert"
SECONDS = 12
MOST_FILES = 6
PATIENCE = 3  # tests of a file that may miss the place before others come first
#: What a changed expression does beside: it tells that a test has come to it.
REACHED = "_place_of_the_mutant_was_reached"

#: Where packages without a folder of tests of their own are tested.
ELSEWHERE = {
    "kinematics": ["dynamics", "formalisms", "mechanism"],
    "presentation": ["formalisms"],
    "errors.py": ["lsd", "mechanism"],
    "files.py": ["test_safety.py", "cli", "faults"],
    "limits.py": ["test_limits.py"],
    "verbs.py": ["test_public_faults.py"],
    "model": ["test_classics.py", "mechanism", "test_public_faults.py", "analysis", "identify", "view", "lsd"],
}
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
    line: int
    column: int
    kind: str
    owner: str  # the function around it
    before: str
    after: str


def mutants_of(path: Path) -> Iterator[tuple[Path, str, ast.expr, ast.expr]]:
    """Every small error of a file: the function around it, the expression and what it becomes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for owner in ast.walk(tree):
        if isinstance(owner, ast.FunctionDef) and not owner.name.startswith("__"):
            for node in _inside(owner):
                for changed in _changes(node):
                    yield path, owner.name, node, changed


def made(path: Path, owner: str, node: ast.expr, changed: ast.expr) -> tuple[Mutant, str] | None:
    """The mutant and the text of its file."""
    text = path.read_text(encoding="utf-8")
    new = _spliced(text.splitlines(keepends=True), node, changed)
    if new is None:
        return None
    before = ast.get_source_segment(text, node) or ""
    where = (str(path.relative_to(PACKAGE)), node.lineno, node.col_offset)
    return Mutant(*where, type(node).__name__, owner, before, ast.unparse(changed)), new


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


def _spliced(lines: list[str], node: ast.expr, changed: ast.expr) -> str | None:
    """The text with one expression written anew; None where it stands on several lines, or inside a formatted text."""
    if node.lineno != node.end_lineno or node.end_col_offset is None:
        return None
    line = lines[node.lineno - 1].encode()
    piece = ast.unparse(ast.fix_missing_locations(ast.Expression(changed)))
    piece = f"(__import__('builtins').__dict__.update({{{REACHED!r}: True}}) or ({piece}))"
    made = (line[: node.col_offset] + piece.encode() + line[node.end_col_offset :]).decode()
    text = "".join([*lines[: node.lineno - 1], made, *lines[node.lineno :]])
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    return text


def tests_for(mutant: Mutant) -> list[str]:
    """Test files that speak of the place, most to the point first."""
    path = Path(mutant.file)
    package = path.parts[0]
    folders = ELSEWHERE.get(package, [path.parent.name or package.removesuffix(".py"), package])
    stem = path.stem.strip("_")
    words = [mutant.owner.strip("_"), f"{path.parent.as_posix().replace('/', '.')}.{path.stem}"]
    public = _public(PACKAGE / mutant.file)
    module = "dalembert." + ".".join(path.with_suffix("").parts)
    for other in PACKAGE.rglob("*.py"):  # who uses it speaks of it, too
        if f"from {module} import" in other.read_text(encoding="utf-8"):
            public += _public(other)
    scored: list[tuple[float, str]] = []
    for file in (ROOT / "tests").rglob("test_*.py"):
        text = file.read_text(encoding="utf-8")
        near = any(part in (file.parent.name, file.name) for part in folders)
        score = 4.0 * near + 6.0 * (near and stem in file.stem)
        score += sum(3.0 for word in words if len(word) > 4 and word in text)
        score += min(3.0, sum(1.0 for word in public if len(word) > 5 and not word.startswith("_") and word in text))
        if score >= 3:
            scored.append((score - 1e-6 * len(text), str(file.relative_to(ROOT))))
    return [name for _, name in sorted(scored, reverse=True)[:MOST_FILES]]


def _public(path: Path) -> list[str]:
    return re.findall(r"^(?:def|class) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def patch(mutant: Mutant, text: str) -> bool:
    """Give the function around the place its changed code, wherever it is held; False if nobody holds it."""
    name = "dalembert." + ".".join(Path(mutant.file).with_suffix("").parts)
    module = importlib.import_module(name.removesuffix(".__init__"))
    old, new = (
        next((c for c in _outermost(compile(source, str(module.__file__), "exec")) if _holds(c, mutant.line)), None)
        for source in ((PACKAGE / mutant.file).read_text(encoding="utf-8"), text)
    )
    if old is None or new is None:
        return False
    held = [
        one
        for one in gc.get_objects()
        if isinstance(one, FunctionType)
        and one.__code__.co_filename == str(module.__file__)
        and (one.__code__.co_firstlineno, one.__code__.co_name) == (old.co_firstlineno, old.co_name)
        and len(one.__code__.co_freevars) == len(new.co_freevars)
    ]
    for one in held:
        one.__code__ = new
    return bool(held)


def _outermost(code: CodeType) -> Iterator[CodeType]:
    """Functions of a module and of its classes; those inside functions are part of them."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            inner = one.co_flags & inspect.CO_OPTIMIZED
            yield from (one,) if inner else _outermost(one)


def _holds(code: CodeType, line: int) -> bool:
    return any(n == line for *_, n in code.co_lines()) or any(
        isinstance(one, CodeType) and _holds(one, line) for one in code.co_consts
    )


class Mutator:
    """A plugin of pytest that runs the tests of each mutant in a forked process, instead of all tests once."""

    def __init__(self, wanted: list[tuple[Mutant, str]], journal: Path, known: dict[str, str]) -> None:
        self.wanted, self.journal, self.known = wanted, journal, known
        self.totals: Counter[str] = Counter()

    def pytest_runtestloop(self, session: Any) -> bool:
        for mutant, text in self.wanted:
            key = json.dumps(asdict(mutant), sort_keys=True)
            found = self.known.get(key)
            if found is None:
                found = self.judged(mutant, text, session.items)
                with self.journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"mutant": asdict(mutant), "found": found}) + "\n")
            self.totals[found] += 1
            if found != "caught":
                where = f"{mutant.file}:{mutant.line} {mutant.owner}"
                print(f"{found}: {where}: {mutant.before} -> {mutant.after}", flush=True)
        whole = max(1, sum(self.totals.values()))
        print(f"{whole} errors: {dict(self.totals)}, {100 * self.totals['caught'] / whole:.1f} % caught", flush=True)
        return True

    def judged(self, mutant: Mutant, text: str, items: list[Any]) -> str:
        files = tests_for(mutant)
        chosen = [one for name in files for one in items if one.nodeid.startswith(f"{name}::")]
        if not chosen:
            return "no tests"
        child = os.fork()
        if not child:
            self.run(mutant, text, chosen)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return {0: "survived", 1: "caught", 2: "not held", -signal.SIGXCPU: "survived"}.get(code, "caught")

    def run(self, mutant: Mutant, text: str, items: list[Any]) -> None:
        """In the forked process: it ends here."""
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        signal.alarm(20 * SECONDS)  # a test that waits for ever has seen something
        try:
            if not patch(mutant, text):
                os._exit(2)
            for item in in_turns(items):
                if any(report.failed for report in runtestprotocol(item, nextitem=None, log=False)):
                    os._exit(1)
        except BaseException:
            os._exit(1)
        os._exit(0)


def in_turns(items: list[Any]) -> Iterator[Any]:
    """A test of each file in turn, as long as its tests come to the place; then the rest."""
    files: dict[str, list[Any]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    missed, late = Counter[str](), list[Any]()
    while files:
        for name in list(files):
            vars(builtins)[REACHED] = False
            yield files[name].pop(0)
            missed[name] = 0 if _reached() else missed[name] + 1
            if missed[name] >= PATIENCE:
                late += files[name]
            if missed[name] >= PATIENCE or not files[name]:
                del files[name]
    yield from late


def _reached() -> bool:
    return bool(vars(builtins).get(REACHED))


def sample(count: int, seed: int) -> list[tuple[Mutant, str]]:
    """Places drawn from every package, as many as it has a share of the lines, four at least."""
    rng = random.Random(seed)
    packages: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        packages.setdefault(path.relative_to(PACKAGE).parts[0], []).append(path)
    sizes = {name: sum(len(p.read_text(encoding="utf-8")) for p in paths) for name, paths in packages.items()}
    whole = sum(sizes.values())
    found: list[tuple[Mutant, str]] = []
    for name, paths in packages.items():
        wanted = max(4 if len(paths) > 1 else 2, round(count * sizes[name] / whole))
        every = [one for path in paths for one in mutants_of(path)]
        rng.shuffle(every)
        for one in every:
            mutant = made(*one) if wanted else None
            if mutant is not None:
                found.append(mutant)
                wanted -= 1
    rng.shuffle(found)
    return found


def main() -> None:
    numbers = [int(x) for x in sys.argv[1:] if x.isdigit()]
    count, seed = (numbers + [220, 0][len(numbers) :])[:2]
    part, parts = next(([int(x) for x in word[8:].split("/")] for word in sys.argv if "--shard=" in word), [0, 1])
    journal = Path(f"mutants-{part}-{parts}.jsonl").absolute()
    known: dict[str, str] = {}
    if journal.exists():
        for line in journal.read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            if "--again" not in sys.argv or told["found"] == "caught":
                known[json.dumps(told["mutant"], sort_keys=True)] = told["found"]
    wanted = sample(count, seed)[part::parts]
    os.chdir(ROOT)
    options = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "--no-header", "-s", "tests"]
    pytest.main(options, plugins=[Mutator(wanted, journal, known)])


if __name__ == "__main__":
    main()
