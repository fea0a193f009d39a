"""Text never runs: every public callable is called with a payload in every place, and nothing may run it.

The callables are found by introspection; `specimens` holds one harmless argument for every type that they ask for.
An argument is replaced by a payload, alone or inside a list or a dict. Two alarms listen: a builtin that only a text
run as code can call, and SymPy's reader of text, which ends in `eval`.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import importlib
import inspect
import io
import itertools
import pkgutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot  # noqa: F401
import pytest
import scipy.integrate
import scipy.linalg
import scipy.optimize  # noqa: F401
import sympy as sp
from sympy.parsing import sympy_parser

import dalembert as da
from dalembert import algebra, analytic, codegen, expr, loops, simulate

PACKAGES = "analytic algebra formalisms loops analysis simulate codegen lsd mechanism expr view".split()
PAYLOADS = ("().__class__ or payload_runs(1)", "payload_runs(x)")  # the second is a formula of our own grammar
PATIENCE = 0.1
"""Seconds for a call: text is read at the door, so what works longer than this is past the reading."""

x, m, k = sp.symbols("x m k", positive=True)


class TimeUp(BaseException):
    """Not an Exception, so that no careful code under test swallows it."""


@contextlib.contextmanager
def bounded(seconds: float = PATIENCE) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)  # again, should a callback swallow the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pendulum() -> da.Mechanism:
    mechanism = da.Mechanism("pendulum")
    rod = mechanism.body("rod", mass="m", centre=[0, 0, "-l"])
    mechanism.join(da.earth, rod, da.revolute("x"), name="pivot")
    return mechanism


def specimens() -> dict[str, Any]:
    """One harmless argument for every type, by the name of the type or as package.parameter."""
    system = analytic.System("x", L="m*x_d**2/2 - k*x**2/2")
    mechanism = pendulum()
    values = {"m": 1.0, "k": 1.0, "l": 1.0, "x": 0.1, "p_x": 0.2}
    return {
        "analytic.System": system,
        "Hamilton": system.hamilton(),
        "HamiltonJacobi": system.hamilton_jacobi(),
        "Names": analytic.Names(["x"]),
        "Formula": "k*x**2/2",
        "Sequence[Formula]": ["k*x"],
        "Sequence[Sequence[Formula]]": [["k*x"]],
        "Mapping[str, Formula]": {"x": "k*x"},
        "Mapping[str, float]": values,
        "Mapping[str, Any]": values,
        "analytic.start": values,
        "analytic.amplitude": "a",
        "analytic.new": {"Q": "q", "P": "p"},
        "analytic.vector": ["k*x"],
        "sp.Expr": k * x**2 / 2,
        "dict[str, sp.Expr]": {"x": k * x},
        "dict[str, sp.Symbol]": {"x": x},
        "dict[str, Formula]": {"x": "k*t"},
        "tuple[sp.Expr, ...]": (k * x,),
        "tuple[sp.Symbol, ...]": (x,),
        "Iterable[sp.Symbol]": [x],
        "Iterable[Formula]": ["x"],
        "sp.Symbol": x,
        "sp.Matrix": sp.Matrix([k * x]),
        "Sequence[sp.Expr]": [k * x],
        "Sequence[Sequence[sp.Expr]]": [[k * x]],
        "Sequence[sp.Symbol]": [x],
        "Sequence[tuple[float, float]]": [(0.0, 1.0)],
        "tuple[float, float]": (0.0, 1.0),
        "str": "x",
        "Sequence[str]": ["x"],
        "Collection[str]": ["x"],
        "int": 1,
        "float": 1.0,
        "bool": True,
        "Mechanism": mechanism,
        "Model": mechanism.freeze(),
        "Layout": mechanism.layout(),
        "Equations": mechanism.equations(),
        "Body": mechanism.freeze().bodies["rod"],
        "Frame": mechanism.freeze().bodies["rod"].at([0, 0, 1]),
        "Joint": da.revolute("x"),
        "Effort": da.Torque("rod", (expr.symbol("x"), 0, 0)),
        "AxisLike": "z",
        "Sequence[Scalar]": [0, 0, 1],
        "Vector3": (0, 0, 1),
        "mechanism.first": da.earth,
        ".first": da.earth,
        ".text": "body",
        "Motion": mechanism.simulate((0, 0.1), start={"pivot.th": 0.1}, given={"l": 1, "m": 1}),
        "Array": [0.1],
        "ArrayLike": [0.1],
        "codegen.to": "c",
        "Linkage": loops.build_linkage(mechanism.layout(), {"l": 1}),
        "simulate.System": simulate.system_of(mechanism),
        "Term": algebra.vector("v"),
        "TermLike": algebra.vector("v"),
        "Rule": algebra.Rule(algebra.any_vector("u") + algebra.vector("v"), algebra.vector("v")),
        "Iterable[Rule]": [],
        "Mapping[Any, TermLike]": {algebra.vector("v"): algebra.vector("w")},
        "Expr": expr.symbol("x"),
        "Sequence[Expr]": [expr.symbol("x")],
        "Iterable[Expr]": [expr.symbol("x")],
        "Sequence[Sequence[Expr]]": [[expr.symbol("x")]],
        "Mapping[Expr, Scalar]": {expr.symbol("x"): 2},
        "Matrix": expr.Matrix([[expr.symbol("x")]]),
        "Scalar": 1,
    }


class Alarm:
    """Rings when a payload runs; keeps the calls during which it rang."""

    def __init__(self) -> None:
        self.rang: set[str] = set()
        self.call = ""

    def ring(self, *_: object, **__: object) -> Any:
        self.rang.add(self.call)
        raise SyntaxError("the payload ran")


@contextlib.contextmanager
def listening() -> Iterator[Alarm]:
    """Both alarms set."""
    bell, read = Alarm(), sympy_parser.parse_expr

    def listen(text: object, *rest: Any, **options: Any) -> Any:
        return bell.ring() if "payload_runs" in str(text) else read(text, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "payload_runs", bell.ring, raising=False)
        patch.setattr(sympy_parser, "parse_expr", listen)
        yield bell


def public(package: str) -> Iterator[tuple[str, Any]]:
    """The callables that a package shows and this project wrote."""
    module = importlib.import_module(f"dalembert.{package}".rstrip("."))
    for name in getattr(module, "__all__", [n for n in dir(module) if not n.startswith("_")]):
        thing = getattr(module, name)
        error = inspect.isclass(thing) and issubclass(thing, BaseException)
        if callable(thing) and not error and getattr(thing, "__module__", "").startswith("dalembert"):
            yield name, thing


def methods(instance: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods; each of a mechanism belongs to its own copy, since they change it."""
    for name in dir(type(instance)):
        if not name.startswith("_") and callable(getattr(type(instance), name, None)):
            owner = copy.deepcopy(instance) if isinstance(instance, da.Mechanism) else instance
            yield f"{type(instance).__name__}.{name}", getattr(owner, name)


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    with contextlib.suppress(ValueError, TypeError):
        return list(inspect.signature(function).parameters.values())
    return []


def specimen(parameter: inspect.Parameter, package: str, known: dict[str, Any]) -> Any:
    """A harmless argument: by package and parameter, then by the first type of the annotation that is known."""
    kinds = str(parameter.annotation).split(" | ")
    keys = [f"{package}.{parameter.name}", *(f"{package}.{kind}" for kind in kinds), *kinds, "Formula"]
    return next(known[key] for key in keys if key in known)


def disguises(payload: str) -> list[Any]:
    return [payload, [payload], {payload: 1.0}, {"x": payload}, [[payload, payload]]]


def arguments(
    wanted: list[inspect.Parameter], package: str, known: dict[str, Any], put: tuple[str, Any] | None = None
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of one call: what is required, by specimens, and `put` = (parameter, value) in its place."""
    plain: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in wanted:
        chosen = put is not None and put[0] == parameter.name
        value = put[1] if chosen and put else None
        if parameter.kind is parameter.VAR_POSITIONAL:
            plain += [value] if chosen else []
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= {"x": value} if chosen else {}
        elif chosen or parameter.default is parameter.empty:
            value = value if chosen else specimen(parameter, package, known)
            if parameter.kind is parameter.POSITIONAL_ONLY:
                plain.append(value)
            else:
                named[parameter.name] = value
    return plain, named


def attempt(function: Callable[..., Any], plain: list[Any], named: dict[str, Any]) -> Any:
    """Call, and look at what was made as a user would; refusals and long work are both an answer."""
    made = None
    # a clock that rings once more while it is being stopped is caught by the outer one
    with contextlib.suppress(TimeUp), contextlib.suppress(Exception, TimeUp, SystemExit), bounded():
        made = function(*plain, **named)
        str(made)
        for name in dir(type(made)) if type(made).__module__.startswith("dalembert") else ():
            if not name.startswith("_"):
                with contextlib.suppress(Exception):
                    value = getattr(made, name)
                    if callable(value) and not any(p.default is p.empty for p in parameters(value)):
                        value()
    return made


def callables(package: str, known: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public callables of a package, and the methods of what it makes of harmless arguments."""
    made = [value for value in known.values() if type(value).__module__.startswith(f"dalembert.{package}")]
    for name, thing in public(package):
        yield name, thing
        made.append(attempt(thing, *arguments(parameters(thing), package, known)))
    for kind, instance in {type(i): i for i in reversed(made)}.items():
        if kind.__module__.startswith("dalembert"):
            yield from methods(instance)


def sweep() -> tuple[set[str], int]:
    """Where the alarm rang when everything was called, and how many callables that were."""
    known, seen = specimens(), set()
    with listening() as alarm:
        for package in ("", *PACKAGES):
            for name, function in callables(package, known):
                wanted, key = parameters(function), getattr(function, "__func__", function)
                for parameter, payload in itertools.product(wanted if key not in seen else (), PAYLOADS):
                    alarm.call = f"{package}.{name}({parameter.name}=...)"
                    for value in disguises(payload):
                        attempt(function, *arguments(wanted, package, known, (parameter.name, value)))
                seen.add(key)
    return alarm.rang, len(seen)


def test_no_public_callable_runs_the_text_it_is_given(tmp_path: Path):
    # in a process and folder of its own: calls cut short, operators declared and files written stay there
    command = [sys.executable, "-W", "ignore", __file__]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=400, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *rang, count = done.stdout.splitlines()
    assert rang == []
    assert int(count) > 500  # the search found the packages


def test_a_function_of_unknown_body_is_not_called_by_its_name():
    system = analytic.System("x", L="m*x_d**2/2 - payload_runs(x)")
    values, read = {"m": 1.0}, analytic.Names().read
    with listening() as alarm:
        for call in (
            lambda: analytic.flow(system, values)(0.0, [0.1, 0.2]),
            lambda: analytic.phase_portrait(system, values, (-1, 1), (-1, 1)),
            lambda: analytic.numeric_equilibrium(system, values, {"x": 0.1}),
            lambda: analytic.potential_landscape(sp.Symbol("payload_runs(1)"), [x], [(0, 1)]),
        ):
            with pytest.raises(da.ModelError, match="payload_runs"):
                call()
        assert analytic.equal(read("payload_runs(x)*2"), read("payload_runs(x) + payload_runs(x)"))
    assert alarm.rang == set()


@pytest.mark.parametrize("payload", PAYLOADS)
def test_text_among_expressions_is_refused_with_the_way_to_read_it(payload: str):
    for call in (
        lambda: analytic.tidy(payload),
        lambda: analytic.is_zero([payload]),
        lambda: analytic.rank_of([payload], [x]),
        lambda: analytic.frobenius([[payload, 1]], [x, k]),
        lambda: analytic.antiderivative(x, payload),
    ):
        with pytest.raises(da.ExpressionError, match=r"Text is never run.*Names\(\)\.read"):
            call()


def test_a_name_is_a_name_of_the_grammar():
    with pytest.raises(da.ExpressionError, match="is not a name"):
        analytic.Names([PAYLOADS[0]]).q  # noqa: B018


@pytest.mark.parametrize("to", ["c", "python", "fortran", "julia"])
def test_text_stays_in_the_comments_of_written_code(to: str):
    v, evil = expr.symbol("v"), 'a\npayload_runs(1)\n*/ payload_runs(2); /* """\npayload_runs(3)\n"""'
    function = codegen.Function("f", [[v]], [v])
    text = codegen.source([function], to, title=evil, comments=[evil], about={"f": evil})
    assert "*/ payload" not in text
    if to == "python":
        assert not [n for n in ast.walk(ast.parse(text)) if getattr(n, "id", "") == "payload_runs"]
    with pytest.raises(da.ExpressionError, match="cannot name an array"):
        codegen.source([function], to, groups=[evil])


@pytest.mark.parametrize("huge", ["9**9**9", "(9**9)**(9**9)", "x + 10**-999999999", "(1/3)**(10**9)", "1e999999999"])
def test_powers_that_no_machine_can_hold_are_refused(huge: str):
    with bounded(2.0):
        for read in (analytic.Names().read, expr.parse):
            with pytest.raises(da.ExpressionError, match=r"too large|more than|not finite"):
                read(huge)


if __name__ == "__main__":
    for module in pkgutil.walk_packages(da.__path__, "dalembert."):  # an import that is cut short stays broken
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of a peer that is not installed
                importlib.import_module(module.name)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        found, counted = sweep()
    print(*sorted(found), counted, sep="\n")
