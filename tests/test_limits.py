"""Bounded work: what takes too long ends with a sentence; numbers that no machine can hold are refused."""

import os
import signal
import subprocess
import sys
import threading
import time
from math import prod
from pathlib import Path

import pytest

import dalembert as da
from dalembert import algebra, analysis, analytic, formalisms, limits, loops

ROOT = Path(__file__).parents[1]


def for_ever():
    while True:
        sum(range(1000))


def test_a_call_over_its_time_is_stopped_and_named():
    slow = limits.bounded("for_ever()", "Do less.", seconds=0.4)(for_ever)
    began = time.monotonic()
    with pytest.raises(
        da.LimitError, match=r"for_ever\(\) took longer than 0.4 s and was stopped. Do less. To allow more"
    ):
        slow()
    assert time.monotonic() - began < 5


def test_a_call_over_its_memory_is_stopped():
    def hoard():
        kept = []
        while True:
            kept.append(bytearray(4_000_000))
            time.sleep(0.02)

    with limits.budget(seconds=60, megabytes=60), pytest.raises(da.LimitError, match="more than 60 MB"):
        limits.bounded("hoard()")(hoard)()


def test_an_asked_budget_counts_and_is_given_back():
    slow = limits.bounded("for_ever()")(for_ever)
    with limits.budget(seconds=0.3), pytest.raises(da.LimitError, match=r"0\.3 s"):
        slow()
    assert limits._ASKED.get() is None
    with pytest.raises(da.LimitError, match="allows nothing"), limits.budget(seconds=0):
        pass


def test_other_threads_are_bounded_too():
    met = []

    def work():
        try:
            limits.bounded("for_ever()", seconds=0.3)(for_ever)()
        except da.LimitError as error:
            met.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert met
    assert "for_ever()" in met[0]


def test_inner_calls_share_the_budget_of_the_outer_one():
    inner = limits.bounded("inner", seconds=30)(for_ever)
    with pytest.raises(da.LimitError, match=r"^outer took"):
        limits.bounded("outer", seconds=0.3)(inner)()


def test_nothing_is_stopped_after_it_has_ended():
    quick = limits.bounded("quick", seconds=0.3)(lambda: 1)
    assert [quick() for _ in range(100)] == [1] * 100
    time.sleep(0.6)
    assert quick() == 1


def test_deep_nesting_is_a_sentence():
    def deep():
        return deep()

    with pytest.raises(da.LimitError, match="nested too deeply"):
        limits.bounded("deep()")(deep)()


@pytest.mark.parametrize("package", [analytic, algebra, loops, formalisms, analysis])
def test_every_public_function_is_bounded(package):
    names = getattr(package, "__all__", [n for n in vars(package) if not n.startswith("_")])
    functions = [getattr(package, n) for n in names]
    functions = [f for f in functions if callable(f) and not isinstance(f, type) and hasattr(f, "__code__")]
    assert functions
    assert [
        f.__name__ for f in functions if f.__module__.startswith(package.__name__) and not hasattr(f, "bounded")
    ] == []


def test_views_of_a_system_are_bounded():
    assert analytic.System.compare.bounded
    assert analytic.Lagrange.accelerations.func.bounded
    slow = analytic.System(
        "x y", L="x_d**2*cosh(y) + y_d**2*exp(x*y) + x_d*y_d*sin(x)**3 - sqrt(x**2+y**2+1)*atan(x*y)"
    )
    with limits.budget(seconds=0.01), pytest.raises(da.LimitError, match=r"System.compare took"):
        slow.compare()


@pytest.mark.parametrize(
    "door",
    [
        lambda: da.loads("let c = body mass = 9^(9^9), iframe = 0, inertia = 0 end ;"),
        lambda: da.loads("given k = (9^9)^(9^9) ;"),
        lambda: da.Mechanism("m").body("b", mass="9**9**9"),
        lambda: da.Mechanism("m").join(
            da.earth, da.Mechanism("m").body("b"), da.prismatic("x").with_efforts(x="9**9**9")
        ),
        lambda: analytic.check("9**9**9 == x"),
        lambda: analytic.check("x**(9**9**9) == x"),
        lambda: analytic.System("x", L="x_d**2*9**9**9"),
        lambda: analytic.Names().read("2**-(9**9**9)"),
        lambda: analytic.Names().read("(1/3)**(9**9)"),
        lambda: da.expr.parse("9**9**9"),
        lambda: da.expr.as_expr(9) ** 9**9,
        lambda: analytic.Names().read("9.5e300**9e300"),
    ],
)
def test_huge_powers_are_refused_at_every_door(door):
    began = time.monotonic()
    with pytest.raises(da.DalembertError, match=r"too large|too big|large"):
        door()
    assert time.monotonic() - began < 2


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name != "posix", reason="signals of POSIX")
def test_control_c_leaves_a_sentence(tmp_path):
    script = (
        "import dalembert.cli as cli, sys, time\n"
        "from dalembert import model\n"
        "def slow(*a, **k):\n    print('started', flush=True)\n    while True: time.sleep(0.01)\n"
        "import dalembert; dalembert.load = slow\n"
        "sys.argv = ['dalembert', 'equilibria', 'x.lsd']\ncli.main()\n"
    )
    (tmp_path / "x.lsd").write_text("")
    run = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert run.stdout.readline() == "started\n"
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=20)
    assert "dalembert equilibria was stopped by Ctrl-C" in told
    assert run.returncode == 130


def test_a_waiting_person_is_told_after_a_second(capsys):
    with limits.working("thinking", seconds=None, show=True):
        time.sleep(1.6)
    assert "thinking: working, " in capsys.readouterr().err


forks = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="work apart needs a fork")


def uninterruptible():
    """A factor that C looks for without asking Python: two primes of forty digits."""
    from flint import fmpz

    return [int(p) for p, _ in fmpz((2**127 - 1) * (10**40 + 121)).factor()]


@forks
def test_work_apart_gives_its_answer_or_its_error():
    assert limits.apart(lambda: {"a": [1, 2.5]}, "adding") == {"a": [1, 2.5]}
    assert len(limits.apart(lambda: b"x" * 3_000_000, "writing")) == 3_000_000
    with pytest.raises(da.ModelError, match="of the child"):
        limits.apart(lambda: (_ for _ in ()).throw(da.ModelError("of the child")), "raising")
    with pytest.raises(RuntimeError, match="no plain data"):
        limits.apart(lambda: for_ever.__code__, "giving code")


@forks
@pytest.mark.parametrize("work", [for_ever, uninterruptible], ids=["Python", "C"])
def test_work_apart_ends_with_the_budget_around_it(work):
    began = time.monotonic()
    with limits.budget(seconds=0.5), pytest.raises(da.LimitError, match=r"long work took longer than 0\.5 s"):
        limits.bounded("long work")(lambda: limits.apart(work, "a part"))()
    with pytest.raises(da.LimitError, match=r"a part took longer than 0\.3 s"):
        limits.apart(work, "a part", seconds=0.3)
    assert time.monotonic() - began < 8
    assert limits.bounded("short work")(lambda: 1)() == 1


@forks
def test_work_apart_ends_with_its_memory():
    with limits.budget(seconds=60, megabytes=200), pytest.raises(da.LimitError, match="memory"):
        limits.bounded("hoarding")(lambda: limits.apart(lambda: len(bytearray(10**9)), "hoarding"))()


@forks
def test_the_budget_holds_where_flint_works():
    """The cyclic 7-roots, and a root of a number that is hard to factor."""
    from flint import fmpq_mpoly_ctx

    v = fmpq_mpoly_ctx.get(tuple("abcdefg"), "lex").gens()
    cyclic = [sum(prod(v[(i + j) % 7] for j in range(d)) for i in range(7)) for d in range(1, 7)] + [prod(v) - 1]
    number = (2**127 - 1) * (10**40 + 121)
    m = da.Mechanism("bars")
    rods = [m.body(name) for name in "abc"]
    m.join(da.earth, rods[0], da.revolute("z"), name="A")
    m.join(rods[0].at([da.expr.sqrt(number) / 10**40, 0, 0]), rods[1], da.revolute("z"), name="B")
    m.join(da.earth.at([1, 0, 0]), rods[2], da.revolute("z"), name="D")
    m.join(rods[1].at([1, 0, 0]), rods[2].at([1, 0, 0]), da.revolute("z"), name="C")
    for call in (lambda: loops.groebner_basis(cyclic, "flint"), lambda: loops.closure_ideal(m)):
        began = time.monotonic()
        with limits.budget(seconds=0.6), pytest.raises(da.LimitError, match=r"took longer than 0\.6 s"):
            call()
        assert time.monotonic() - began < 6


def test_derivations_are_bounded():
    """Sixty bodies in a chain by Lagrange; the set-up of a motion of 800; and what was stopped can be asked again."""

    def chain(count, word):
        m = da.Mechanism(f"chain {word}")
        last = da.earth
        for k in range(count):
            rod = m.body(f"rod{k}", mass=f"{word}{k}", centre=[0, 0, f"l{k}"], inertia=[1, 1, 1])
            m.join(last, rod, da.universal() if k % 2 else da.revolute("x"), name=f"joint{k}")
            last = rod.at([0, 0, f"l{k}"])
        m.gravity = [0, 0, -9.81]
        return m

    with limits.budget(seconds=0.02), pytest.raises(da.LimitError, match=r"derive\(\) took|of .chain p"):
        chain(60, "p").equations("lagrange")
    numbers = {f"{x}{k}": 1.0 for x in "ql" for k in range(800)}
    with limits.budget(seconds=0.02), pytest.raises(da.LimitError, match=r"of 'chain q'|dynamics_of"):
        chain(800, "q").simulate((0, 1), given=numbers)  # seconds of derivation, stopped at a fiftieth of one
    assert chain(2, "p").equations("kane").mass_matrix.shape == (3, 3)


def test_every_command_that_computes_takes_seconds(tmp_path):
    from typer.testing import CliRunner

    from dalembert.cli import COMMANDS, UNBOUNDED, app

    for name in COMMANDS:
        told = CliRunner().invoke(app, [name, "--help"]).output
        assert ("--seconds" in told) == (name not in UNBOUNDED), name
    file = ROOT / "examples/loops/antenna_2.lsd"
    stopped = CliRunner().invoke(app, ["mobility", str(file), "--seconds", "0.1"])
    assert "dalembert mobility took longer than 0.1 s" in str(stopped.exception)
    assert "To allow more: --seconds 1" in str(stopped.exception)


_PROFILED = """
import sys
from dalembert.errors import LimitError
from dalembert.limits import budget, working

def work():
    with working("a sum"):
        return sum(range(10))

work()
try:
    with budget(seconds=0.01), working("a loop"):
        while True:
            pass
except LimitError:
    pass
seen = []
sys.setprofile(lambda frame, event, argument: seen.append(event))
work()
sys.setprofile(None)
assert seen
for _ in range(100_000):  # no exception is still to come
    pass
"""


def test_profilers_and_debuggers_work_after_a_call_under_a_budget():
    """An exception for a thread that is set to nothing makes CPython 3.11 look for it for ever."""
    done = subprocess.run([sys.executable, "-c", _PROFILED], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_what_a_library_makes_of_the_stop_is_still_the_stop():
    """Some turn every interruption into an error of their own."""

    def work():
        try:
            while True:
                pass
        except BaseException:
            raise RuntimeError("the callback failed") from None

    with (
        limits.budget(seconds=0.05),
        pytest.raises(da.LimitError, match=r"took longer than 0\.05 s"),
        limits.working("x"),
    ):
        work()
    with limits.budget(seconds=5), pytest.raises(RuntimeError, match="its own"), limits.working("x"):
        raise RuntimeError("its own")


def test_a_library_that_is_being_imported_is_imported_whole(tmp_path, monkeypatch):
    """A report within 0.3 s cut the import of matplotlib, and every later picture failed in half a library."""
    (tmp_path / "slow_library.py").write_text("import time\nfor _ in range(60):\n    time.sleep(0.01)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)

    def import_and_go_on():
        import slow_library  # noqa: F401

        for_ever()

    with pytest.raises(da.LimitError):
        limits.bounded("an import", "Do less.", seconds=0.1)(import_and_go_on)()
    assert sys.modules["slow_library"].whole


def test_a_budget_holds_in_what_is_imported(tmp_path, monkeypatch):
    text = "from dalembert import limits\nwith limits.working('x', seconds=0.1):\n    while True:\n        pass\n"
    (tmp_path / "endless_library.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(da.LimitError):
        import endless_library  # noqa: F401


def test_a_stop_that_comes_while_a_call_is_being_left_is_told(monkeypatch):
    """Giving back what a large derivation held takes longer than the watchdog waits before it stops the call again."""

    class StoppedAgain:
        def __init__(self, *args, **kwargs):
            self.block = working(*args, **kwargs)

        def __enter__(self):
            return self.block.__enter__()

        def __exit__(self, *error):
            raise limits._Expired

    working = limits.working
    monkeypatch.setattr(limits, "working", StoppedAgain)
    with pytest.raises(da.LimitError, match=r"a large call took longer than 0.05 s .* Ask for less"):
        limits.bounded("a large call", "Ask for less.", seconds=0.05)(for_ever)()


def test_a_slow_machine_stretches_the_guards_and_no_budget(monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 0.1)
    monkeypatch.setattr(limits, "GRACE", 4.0)
    with pytest.raises(da.LimitError, match=r"took longer than 0\.4 s"), limits.working("a loop", seconds=0.1):
        for_ever()
    with (
        limits.budget(seconds=0.2),
        pytest.raises(da.LimitError, match=r"took longer than 0\.2 s"),
        limits.working("a loop", seconds=0.1),
    ):
        for_ever()


@pytest.mark.parametrize("told", ["soon", "0.5", "nan", "inf", "-3"])
def test_a_grace_that_is_no_factor_is_told(told):
    with pytest.warns(UserWarning, match="DALEMBERT_GRACE"):
        assert limits._grace(told) == 1.0
