"""Small errors seeded in every package, and whether tests see them: `python benchmarks/mutate.py [COUNT] [SEED]`.

One place of the package (see `mutate_places`) is changed in a forked process. First the fast tests run once with all
places marked: `reach.jsonl` says which tests come to which place, and what each costs. Then tests that come to a place
run against its error, nearest and cheapest first, as many as cost SECONDS of processor time without it. What no test
sees is printed with its line, to be answered with a test of its class, or judged by hand to change nothing that can be
observed: `mutate_equivalent.json` keeps those with their reasons. A run that does not end has been seen, too.
Journals are kept and read again: a run that was stopped goes on. Words:
`--map` makes the first journal only, `--some=2` from that many cases of a test, `--shard=0/2` from every second file;
`--again` tries survivors anew with the tests of now, `--seconds=60` with more of them; `--only=expr,io` in packages;
`--slow` maps and runs slow tests too; `--tests=tests/loops,tests/view` looks for tests there only; `--copy` writes each
error into a copy of the sources, for what is decided while modules are imported, or in processes of their own.
"""

from __future__ import annotations

import ast
import builtins
import gc
import hashlib
import importlib
import importlib.machinery
import inspect
import json
import os
import pkgutil
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from mutate_places import PACKAGE, ROOT, Mutant, sample

SECONDS = 15
LONGEST = 6.0  # seconds of processor time that a test may take for its place on the map
EQUIVALENT = Path(__file__).with_name("mutate_equivalent.json")
SEEN = ("caught", "hung")
WORDS = dict(word.removeprefix("--").partition("=")[::2] for word in sys.argv[1:] if word.startswith("--"))


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

    def __init__(self, wanted: list[Mutant], journal: Path) -> None:
        self.came, self.journal = set[int](), journal
        self.keys = [one.key for one in wanted]
        self.done = {one["test"] for one in _lines(journal)}
        marked: dict[str, dict[tuple[int, int, str, str], int]] = {}
        for k, one in enumerate(wanted):
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
        signal.signal(signal.SIGPROF, _too_long)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        files: dict[str, list[Any]] = {}
        for one in items:
            files.setdefault(one.nodeid.partition("::")[0], []).append(one)
        part, parts = (int(x) for x in WORDS.get("shard", "0/1").split("/"))
        mine = [files[name] for name in sorted(files)[part::parts]]
        if "some" in WORDS:  # of each function so many cases, evenly spread
            mine = [_spread(one, int(WORDS["some"])) for one in mine]
        items[:] = [x for one in mine for x in one if x.nodeid not in self.done]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        self.came.clear()
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds, places = round(time.process_time() - began, 3), [self.keys[k] for k in sorted(self.came)]
        _keep(self.journal, {"test": item.nodeid, "seconds": seconds, "places": places})


def _spread(items: list[Any], cases: int) -> list[Any]:
    functions: dict[str, list[Any]] = {}
    for one in items:
        functions.setdefault(one.nodeid.partition("[")[0], []).append(one)
    return [x for one in functions.values() for x in (one if len(one) <= cases else one[:: -(-len(one) // cases)])]


def _too_long(*_: Any) -> None:
    pytest.skip("too long for a map")


def _lines(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(x) for x in journal.read_text(encoding="utf-8").splitlines()] if journal.exists() else []


def _keep(journal: Path, told: dict[str, Any]) -> None:
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(told) + "\n")


def patch(mutant: Mutant, functions: dict[tuple[str, int, str], list[FunctionType]]) -> bool:
    """Give the function around the place its changed code, wherever it is held; False if nobody holds it."""
    path = str(PACKAGE / mutant.file)
    old, new = (
        next((c for c in _outermost(compile(source, path, "exec")) if _holds(c, mutant.line)), None)
        for source in ((PACKAGE / mutant.file).read_text(encoding="utf-8"), mutant.text() or "")
    )
    if old is None or new is None:
        return False
    held = 0
    for one, other in _both(old, new):  # inner functions that were made when the package was imported, too
        for function in functions.get((path, one.co_firstlineno, one.co_name), []):
            if len(function.__code__.co_freevars) == len(other.co_freevars):
                function.__code__ = other
                held += 1
    return bool(held)


def _both(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    yield old, new
    inner = ([x for x in code.co_consts if isinstance(x, CodeType)] for code in (old, new))
    for one, other in zip(*inner):
        yield from _both(one, other)


def functions_held() -> dict[tuple[str, int, str], list[FunctionType]]:
    """Functions of the package by file, line and name, after all of it is imported: forked processes need not do it."""
    package = importlib.import_module("dalembert")
    for module in pkgutil.walk_packages(package.__path__, "dalembert."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(module.name)
    gc.unfreeze()  # the studio hides what it has loaded
    found: dict[tuple[str, int, str], list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(str(PACKAGE)):
            code = one.__code__
            found.setdefault((code.co_filename, code.co_firstlineno, code.co_name), []).append(one)
    gc.freeze()  # memory that stays shared
    return found


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

    def __init__(self, wanted: list[Mutant], journal: Path, reach: dict[str, list[tuple[float, str]]]) -> None:
        self.wanted, self.journal, self.reach = wanted, journal, reach
        self.seconds = float(WORDS.get("seconds", SECONDS))

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {one.nodeid: one for one in session.items}
        self.functions = functions_held()
        for mutant in self.wanted:
            chosen = self.chosen(mutant, items)
            found, by = self.judged(mutant, chosen) if chosen else ("no test comes here", "")
            _keep(self.journal, {"key": mutant.key, "found": found, "by": by, "of": len(chosen), **asdict(mutant)})
            print(f"{found}: {mutant.line}: {mutant.key}", flush=True)
        return True

    def chosen(self, mutant: Mutant, items: dict[str, Any]) -> list[tuple[float, Any]]:
        """Tests within the budget: the cheapest, those of the same room before others, each function once at first."""
        path = Path(mutant.file).with_suffix("")

        def rank(told: tuple[float, str]) -> float:
            near = 10 if path.name.strip("_") in told[1].partition("::")[0] else 1
            return (told[0] + 0.01) / (near * (5 if mutant.package in told[1].split("/") else 1))

        order, seen, left, found = sorted(self.reach.get(mutant.key, []), key=rank), Counter[str](), self.seconds, []
        for seconds, name in sorted(order, key=lambda x: _later(seen, x[1])):
            if name in items and (seconds <= left or not found):
                found.append((seconds, items[name]))
                left -= seconds
        return found

    def judged(self, mutant: Mutant, chosen: list[tuple[float, Any]]) -> tuple[str, str]:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            self.run(mutant, chosen, write)
        os.close(write)
        with os.fdopen(read) as pipe:
            by = pipe.read().splitlines()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        stopped = dict.fromkeys((-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL), "hung")
        return ({0: "survived", 2: "not held"} | stopped).get(code, "caught"), by[-1] if by else ""

    def run(self, mutant: Mutant, chosen: list[tuple[float, Any]], told: int) -> None:
        """In the forked process, which ends here; in a session of its own, for signals that an error sends."""
        os.setsid()
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        enough = int(30 + 4 * sum(seconds for seconds, _ in chosen))  # four times of what it takes without an error
        resource.setrlimit(resource.RLIMIT_CPU, (enough, enough + 5))
        signal.alarm(4 * enough)  # a test that waits for ever has seen something
        if mutant.package == "codegen":
            os.environ["DALEMBERT_CACHE"] = ""  # what is found there was not made with the error
        try:
            if not patch(mutant, self.functions):
                os._exit(2)
            for _, item in chosen:
                os.write(told, f"{item.nodeid}\n".encode())
                if any(report.failed for report in runtestprotocol(item, nextitem=None, log=False)):
                    os._exit(1)
        except BaseException:
            os._exit(1)
        os._exit(0)


def _later(seen: Counter[str], test: str) -> int:
    """Which of its function's cases a test is."""
    seen[test.partition("[")[0]] += 1
    return seen[test.partition("[")[0]]


def on_copies(wanted: list[Mutant], journal: Path, options: list[str]) -> None:
    """Each error in the sources of a copy, which a process of its own tests; without one, all of them pass there."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__"))
        environment = os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        call = [sys.executable, "-m", "pytest", "-x", *options]

        def told() -> subprocess.CompletedProcess[str]:
            return subprocess.run(call, cwd=tree, env=environment, capture_output=True, text=True, check=False)

        if (first := told()).returncode:
            raise SystemExit(f"these tests fail without an error, too:\n{first.stdout[-2000:]}")
        for mutant in wanted:
            file = tree / PACKAGE.relative_to(ROOT) / mutant.file
            before = file.read_text(encoding="utf-8")
            file.write_text(mutant.text() or before, encoding="utf-8")
            run = told()
            file.write_text(before, encoding="utf-8")
            found = "survived" if run.returncode == 0 else "caught"
            by = next((x.split()[1] for x in run.stdout.splitlines() if x.startswith(("FAILED", "ERROR"))), "")
            _keep(journal, {"key": mutant.key, "found": found, "by": by, "of": 0, **asdict(mutant)})
            print(f"{found}: {mutant.line}: {mutant.key}", flush=True)


def summary(every: list[Mutant], found: dict[str, str], equivalent: dict[str, str]) -> None:
    """Counts for each package, with those that change nothing apart."""
    packages: dict[str, Counter[str]] = {}
    for one in every:
        word = "equivalent" if one.key in equivalent else found.get(one.key, "not tried")
        packages.setdefault(one.package, Counter())["caught" if word in SEEN else word] += 1
    for name, counts in sorted(packages.items()):
        print(f"{name:14}", dict(counts))
    total = sum(packages.values(), Counter[str]())
    print(
        f"{len(every)} errors: {dict(total)}; {total['caught'] / max(1, len(every) - total['equivalent']):.1%} caught"
    )


def kept_sample(folder: Path, count: int, seed: int) -> list[Mutant]:
    """The sample of these sources, read again where it was drawn before: it takes a walk through the whole package."""
    texts = "".join(path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py")))
    kept = folder / f"sample-{count}-{seed}-{hashlib.sha256(texts.encode()).hexdigest()[:12]}.jsonl"
    if not kept.exists():
        for one in sample(count, seed):
            _keep(kept, asdict(one))
    return [Mutant(**one) for one in _lines(kept)]


def main() -> None:
    numbers = [int(x) for x in sys.argv[1:] if x.isdigit()]
    folder = Path.cwd()
    every = kept_sample(folder, *(numbers + [220, 0][len(numbers) :])[:2])
    journal, reached = folder / "mutants.jsonl", folder / f"reach-{WORDS.get('shard', '0/1').replace('/', '-')}.jsonl"
    os.chdir(ROOT)
    options = ["-q", "-p", "no:cacheprovider", "--no-header", "-s", *WORDS.get("tests", "tests").split(",")]
    options += [] if "slow" in WORDS else ["-m", "not slow"]
    if "map" in WORDS:
        pytest.main(options, plugins=[Scout(every, reached)])
        return
    reach: dict[str, dict[str, float]] = {}
    for told in (x for file in sorted(folder.glob("reach-*.jsonl")) for x in _lines(file)):
        for place in told["places"]:
            reach.setdefault(place, {})[told["test"]] = told["seconds"]
    found = {told["key"]: told["found"] for told in _lines(journal)}
    equivalent = json.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    tried = {key for key, word in found.items() if word in SEEN or "again" not in WORDS}
    wanted = [one for one in every if one.key not in tried | equivalent.keys()]
    wanted = [one for one in wanted if one.package in WORDS.get("only", one.package).split(",")]
    if wanted and "copy" in WORDS:
        on_copies(wanted, journal, options)
    elif wanted:
        tests = {key: [(seconds, test) for test, seconds in one.items()] for key, one in reach.items()}
        pytest.main(options, plugins=[Mutator(wanted, journal, tests)])
    summary(every, {told["key"]: told["found"] for told in _lines(journal)}, equivalent)


if __name__ == "__main__":
    main()
