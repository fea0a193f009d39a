"""Small errors seeded in every package, and whether fast tests see them: `python benchmarks/mutate.py [COUNT] [SEED]`.

One place of the package (an operator, a comparison, a sign, a condition, a small number) is changed in a forked
process. First the fast tests run once with all places marked: `reach.jsonl` says which tests come to which place, and
what each costs. Then the tests that come to a place run against its error, the cheapest first, for SECONDS of processor
time. What no test sees is printed with its line, to be answered with a test of its class or shown to change nothing.
What is shipped as LLVM text is left out: any change of its sources fails the test of its fingerprint.
Journals are kept and read again: a run that was stopped goes on, `--again` tries survivors anew with the tests of now,
`--shard=0/2` takes every second one, `--map` makes the first journal only, `--some=8` from that many tests of a file.
"""

from __future__ import annotations

import ast
import builtins
import gc
import importlib
import importlib.machinery
import inspect
import json
import os
import random
import resource
import signal
import sys
import time
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
SECONDS = 20
#: Parts of the package that run as shipped LLVM text, not as the Python that they are written in.
TRANSLATED = ("simulate/loop", "simulate/sparse", "simulate/contact/step", "simulate/contact/crowd", "contact/crowd",
              "simulate/contact/read_block")  # fmt: skip

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
    piece = f"({piece})"
    made = (line[: node.col_offset] + piece.encode() + line[node.end_col_offset :]).decode()
    text = "".join([*lines[: node.lineno - 1], made, *lines[node.lineno :]])
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    return text


class Marker(ast.NodeTransformer):
    """Expressions that tell when they are asked, and are otherwise as they were."""

    def __init__(self, places: dict[tuple[int, int, str, str], int]) -> None:
        self.places = places

    def visit(self, node: ast.AST) -> Any:
        key = None
        if isinstance(node, ast.expr) and hasattr(node, "lineno"):
            key = self.places.get((node.lineno, node.col_offset, type(node).__name__, ast.unparse(node)))
        node = self.generic_visit(node)
        if key is None:
            return node
        told = ast.Call(ast.Name("_came_to", ast.Load()), [ast.Constant(key)], [])
        return ast.copy_location(ast.BoolOp(ast.Or(), [told, node]), node)


class Scout:
    """A plugin of pytest that keeps which places each test comes to, and what it costs."""

    def __init__(self, wanted: list[tuple[Mutant, str]], journal: Path, part: int, parts: int) -> None:
        self.came, self.journal, self.part, self.parts = set[int](), journal, part, parts
        self.done = {one["test"] for one in _lines(journal)}
        marked: dict[str, dict[tuple[int, int, str, str], int]] = {}
        for k, (one, _) in enumerate(wanted):
            whole = ast.unparse(ast.parse(one.before, mode="eval"))
            marked.setdefault(str(PACKAGE / one.file), {})[one.line, one.column, one.kind, whole] = k
        read = importlib.machinery.SourceFileLoader.get_code

        def get_code(loader: Any, name: str) -> Any:
            places = marked.get(loader.get_filename(name))
            if places is None:
                return read(loader, name)
            path = loader.get_filename(name)
            tree = Marker(places).visit(ast.parse(Path(path).read_text(encoding="utf-8")))
            return compile(ast.fix_missing_locations(tree), path, "exec")

        importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        vars(builtins)["_came_to"] = self.came.add

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        files: dict[str, list[Any]] = {}
        for one in items:
            files.setdefault(one.nodeid.partition("::")[0], []).append(one)
        mine = [files[name] for name in sorted(files)[self.part :: self.parts]]
        some = next((int(word[7:]) for word in sys.argv if "--some=" in word), None)
        if some is not None:  # of each file so many tests, evenly spread
            mine = [[one[k * len(one) // min(some, len(one))] for k in range(min(some, len(one)))] for one in mine]
        items[:] = [x for one in mine for x in one if x.nodeid not in self.done]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        self.came.clear()
        began = time.process_time()
        yield
        told = {"test": item.nodeid, "seconds": round(time.process_time() - began, 3), "places": sorted(self.came)}
        with self.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")


def _lines(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(x) for x in journal.read_text(encoding="utf-8").splitlines()] if journal.exists() else []


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

    def __init__(
        self,
        wanted: list[tuple[int, Mutant, str]],
        journal: Path,
        known: dict[str, str],
        reach: dict[int, list[tuple[float, str]]],
    ) -> None:
        self.wanted, self.journal, self.known, self.reach = wanted, journal, known, reach
        self.totals: Counter[str] = Counter()

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {one.nodeid: one for one in session.items}
        for k, mutant, text in self.wanted:
            key = json.dumps(asdict(mutant), sort_keys=True)
            found = self.known.get(key)
            if found is None:
                chosen = [items[name] for _, name in sorted(self.reach.get(k, [])) if name in items]
                found = self.judged(mutant, text, chosen) if chosen else "no fast test comes here"
                with self.journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"mutant": asdict(mutant), "found": found}) + "\n")
            self.totals[found] += 1
            if found != "caught":
                where = f"{mutant.file}:{mutant.line} {mutant.owner}"
                print(f"{found}: {where}: {mutant.before} -> {mutant.after}", flush=True)
        whole = max(1, sum(self.totals.values()))
        print(f"{whole} errors: {dict(self.totals)}, {100 * self.totals['caught'] / whole:.1f} % caught", flush=True)
        return True

    def judged(self, mutant: Mutant, text: str, chosen: list[Any]) -> str:
        child = os.fork()
        if not child:
            self.run(mutant, text, chosen)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return {0: "survived", 1: "caught", 2: "not held", -signal.SIGXCPU: "out of time"}.get(code, "caught")

    def run(self, mutant: Mutant, text: str, items: list[Any]) -> None:
        """In the forked process: it ends here."""
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        signal.alarm(40 * SECONDS)  # a test that waits for ever has seen something
        try:
            if not patch(mutant, text):
                os._exit(2)
            for item in items:
                if any(report.failed for report in runtestprotocol(item, nextitem=None, log=False)):
                    os._exit(1)
        except BaseException:
            os._exit(1)
        os._exit(0)


def sample(count: int, seed: int) -> list[tuple[Mutant, str]]:
    """Places drawn from every package, as many as it has a share of the lines, four at least."""
    rng = random.Random(seed)
    packages: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).as_posix().startswith(TRANSLATED):
            continue
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
    journal, reached = (Path(f"{name}-{part}-{parts}.jsonl").absolute() for name in ("mutants", "reach"))
    every = sample(count, seed)
    os.chdir(ROOT)
    options = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "--no-header", "-s", "tests"]
    if "--map" in sys.argv or not reached.exists():
        child = os.fork()  # what is marked is imported anew
        if not child:
            pytest.main(options, plugins=[Scout(every, reached, part, parts)])
            os._exit(0)
        os.waitpid(child, 0)
    if "--map" in sys.argv:
        return
    reach: dict[int, list[tuple[float, str]]] = {}
    for one in (x for k in range(parts) for x in _lines(reached.with_name(f"reach-{k}-{parts}.jsonl"))):
        for place in one["places"]:
            reach.setdefault(place, []).append((one["seconds"], one["test"]))
    known: dict[str, str] = {}
    for told in _lines(journal):
        if "--again" not in sys.argv or told["found"] == "caught":
            known[json.dumps(told["mutant"], sort_keys=True)] = told["found"]
    wanted = [(k, *one) for k, one in enumerate(every)][part::parts]
    pytest.main(options, plugins=[Mutator(wanted, journal, known, reach)])


if __name__ == "__main__":
    main()
