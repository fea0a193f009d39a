"""Bounded work: every symbolic call ends in time, with a sentence that names it and the remedy.

A call that is guarded may take `seconds` of time and `megabytes` of memory; then it is stopped with a `LimitError`. The
default is a minute for formulas of hand size (`analytic`, `algebra`), ten for the proofs of `loops`, 4000 MB for all.

    with dalembert.limits.budget(seconds=5): ...        # or megabytes=500, or seconds=None for no limit

A watchdog looks at the calls that run, a few times a second, and raises in the thread of one that is over its budget;
so Ctrl-C stays what it is. What Python cannot interrupt is done `apart`, in a process that ends with the call, or
refused when it is read (a huge power of numbers). On a terminal a line tells after a second what is being done.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, wraps
from types import FrameType, FunctionType, ModuleType
from typing import Any, TypeVar

from dalembert.errors import LimitError

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

SECONDS = 60.0
"""Seconds that a guarded call may take unless its package or a `budget` says otherwise."""

MEGABYTES = 4000.0
"""Memory that a guarded call may add to the process: half of a small machine."""


def _grace(told: str) -> float:
    try:
        factor = float(told)
    except ValueError:
        factor = 0.0
    if not 1.0 <= factor < float("inf"):
        warnings.warn(f"DALEMBERT_GRACE={told!r} is no factor of 1 or more: times are not stretched.", stacklevel=2)
        return 1.0
    return factor


GRACE = _grace(os.environ.get("DALEMBERT_GRACE", "1"))
"""What the guards of a minute and more are stretched by on a slow or crowded machine; a `budget` stays as it is."""

PATIENCE = 1.0
"""Seconds before a waiting person is told that something is being done."""

_LOOK = 0.2
"""Seconds between two looks of the watchdog, unless a budget is shorter: Python answers within them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a call may use; None is no limit."""

    seconds: float | None = SECONDS
    megabytes: float | None = MEGABYTES


_ASKED: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def budget(*, seconds: float | None = SECONDS, megabytes: float | None = MEGABYTES) -> Iterator[Budget]:
    """The budget of every guarded call made inside the block.

    >>> with budget(seconds=5) as b:
    ...     b.seconds
    5
    """
    for name, value in (("seconds", seconds), ("megabytes", megabytes)):
        if value is not None and not value > 0:
            raise LimitError(f"a budget of {value} {name} allows nothing: give a positive number, or None for no limit")
    asked = Budget(seconds, megabytes)
    token = _ASKED.set(asked)
    try:
        yield asked
    finally:
        _ASKED.reset(token)


class _Expired(BaseException):
    """Raised by the watchdog in the thread of a call that is over its budget; no `except Exception` swallows it."""


@dataclass(slots=True)
class _Call:
    name: str
    budget: Budget
    show: bool
    began: float
    grace: float = 1.0
    imports: int = 0  # that were under way when it began
    memory: float | None = None
    over: str = ""
    looks: int = 0  # since it was over
    told: bool = False


_calls: dict[int, _Call] = {}
_lock = threading.Lock()
_awake = threading.Event()
_short = threading.Event()
"""Set when a call comes whose budget ends before the next look."""
_watchdog: threading.Thread | None = None


def _watch() -> None:
    while True:
        _awake.wait()
        if _short.wait(_LOOK):
            _short.clear()
            with _lock:
                least = min((call.budget.seconds or _LOOK for call in _calls.values()), default=0.0)
            time.sleep(min(least, _LOOK))
        with _lock:
            if not _calls:
                _awake.clear()
            for thread, call in _calls.items():
                _look(thread, call)


def _look(thread: int, call: _Call) -> None:
    spent = time.monotonic() - call.began
    if call.show and spent > PATIENCE:
        print(f"\r{call.name}: working, {spent:.0f} s ", end="", file=sys.stderr, flush=True)
        call.told = True
    limit, most = call.budget.seconds, call.budget.megabytes
    if call.memory is None:
        call.memory = _memory()
    if limit is not None and spent > limit * call.grace:
        call.over = f"took longer than {limit * call.grace:g} s"
    elif most is not None and _memory() - call.memory > most:
        call.over = f"needed more than {most:g} MB of memory"
    if call.over and _imports(sys._current_frames().get(thread)) <= call.imports:
        call.looks += 1
        if not call.looks & (call.looks - 1):  # ever more seldom: what gives back much memory loses them
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Expired))


def _imports(frame: FrameType | None) -> int:
    """How deep a thread is in imports: one that is cut short leaves half a library, for all who ask for it later."""
    found = 0
    while frame is not None:
        found += frame.f_code.co_filename.startswith("<frozen importlib")
        frame = frame.f_back
    return found


def _memory(kind: str = "resident") -> float:
    """Memory of this process in megabytes, where the system tells it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[kind == "resident"]) * 4096 / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0


def _enter(call: _Call) -> None:
    global _watchdog
    call.imports = _imports(sys._getframe())
    if _watchdog is None or not _watchdog.is_alive():
        _watchdog = threading.Thread(target=_watch, name="dalembert watchdog", daemon=True)
        _watchdog.start()
    with _lock:
        _calls[threading.get_ident()] = call
        if call.budget.seconds is not None and call.budget.seconds < _LOOK:
            _short.set()
        _awake.set()


def _take_back(thread: int) -> None:
    """End with no exception under way: one that may still come is replaced by one that is caught here.

    To set it to nothing would leave the interpreter looking for it for ever: loops a few parts in a hundred slower, and
    profilers and debuggers that hang (CPython 3.11).
    """
    try:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Expired))
        for _ in range(1000):  # it comes at the next turn of a loop
            pass
    except _Expired:
        pass


def _leave() -> None:
    thread = threading.get_ident()
    with _lock:
        call = _calls.pop(thread, None)
    if call is not None and call.over:
        _take_back(thread)
    if call is not None and call.told:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)


@contextmanager
def working(
    name: str, remedy: str = "", *, seconds: float | None = SECONDS, show: bool | None = None, more: str = ""
) -> Iterator[None]:
    """Run a block under the budget that was asked for, or under `seconds`; the outermost block of a thread counts.

    `more` tells how a person allows more time, where it is not by a `budget`.
    """
    if threading.get_ident() in _calls:
        yield
        return
    grace = GRACE if (asked := _ASKED.get()) is None and (seconds or 0.0) >= SECONDS else 1.0
    show = bool(sys.stderr and sys.stderr.isatty()) if show is None else show
    call = _Call(name, asked or Budget(seconds), show, time.monotonic(), grace)
    try:
        try:
            _enter(call)
            yield
        except RecursionError as error:
            raise LimitError(f"{name} met a formula that is nested too deeply. {remedy}".strip()) from error
        finally:
            _leave()
    except (_Expired, Exception) as error:
        _leave()
        if isinstance(error, LimitError) or not call.over:  # else a library met the stop and said something of its own
            raise
        raise _stopped(name, call.over, remedy, more) from None


def _stopped(name: str, over: str, remedy: str, more: str = "") -> LimitError:
    longer = more or "with dalembert.limits.budget(seconds=600):"
    allow = longer if "longer" in over else "budget(megabytes=16000)"
    return LimitError(f"{name} {over} and was stopped. {remedy}{' ' * bool(remedy)}To allow more: {allow}")


def allowed() -> Budget:
    """What the running call may use."""
    return call.budget if (call := _calls.get(threading.get_ident())) else _ASKED.get() or Budget()


def share(part: float) -> float | None:
    """That part of the seconds that the running call may use; None when it has no limit.

    >>> share(0.5)
    30.0
    """
    return None if (seconds := allowed().seconds) is None else part * seconds


def apart(function: Callable[[], T], name: str, *, seconds: float | None = None) -> T:
    """What a function gives, computed in a process of its own: it ends with the budget around it, or with Ctrl-C.

    For work in C that Python cannot interrupt. What it gives must be plain data (numbers, text, lists of them). Where
    the system has no `fork`, it is computed here.

    >>> apart(lambda: 6 * 7, "multiplying")
    42
    """
    if not hasattr(os, "fork") or sys.platform == "darwin":  # Apple's libraries do not survive a fork
        return function()
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        _compute(function, theirs)
    os.close(theirs)
    ends = None if seconds is None else time.monotonic() + seconds
    try:
        answer = bytearray()
        while True:
            # short waits: what the watchdog or Ctrl-C raises is met between them
            if select.select([ours], [], [], _LOOK)[0]:
                part = os.read(ours, 1 << 20)
                if not part:
                    break
                answer += part
            elif ends is not None and time.monotonic() > ends:
                raise LimitError(f"{name} took longer than {seconds:g} s and was stopped.")
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)  # a child that has ended waits for us: its number is still its own
        os.waitpid(child, 0)
    if not answer:
        raise LimitError(f"{name} needed more memory than there is, and was stopped.")
    good, value = pickle.loads(answer)
    if not good:
        raise value
    return value  # type: ignore[no-any-return]


def _compute(function: Callable[[], Any], target: int) -> None:
    """The child: nothing of the parent's is cleaned up, written or called back."""
    try:
        import resource  # where there is a fork, there is this

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        asked = call.budget if (call := _calls.get(threading.get_ident())) else Budget(None)
        # no watchdog lives here: guarded calls run as parts of the one that asked, and the system keeps the budget
        _calls[threading.get_ident()] = _Call("", asked, False, 0.0)
        limits = []
        if asked.megabytes is not None:
            limits.append((resource.RLIMIT_AS, int(_memory("virtual") + asked.megabytes) * 1_000_000))
        if asked.seconds is not None:  # also when nobody is left to stop it
            limits.append((resource.RLIMIT_CPU, int(asked.seconds) + 2))
        for kind, most in limits:
            now, last = resource.getrlimit(kind)
            resource.setrlimit(kind, (most if now == resource.RLIM_INFINITY else min(most, now), last))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries that run out of memory shout
        try:
            answer = (True, function())
        except MemoryError:
            return  # to the end below: no answer
        except Exception as error:
            error.__cause__ = error.__context__ = error.__traceback__ = None
            answer = (False, error)
        try:
            told = pickle.dumps(answer)
        except Exception:
            told = pickle.dumps((False, RuntimeError(f"no plain data: {traceback.format_exc(limit=1)}")))
        with open(target, "wb", closefd=False) as file:
            file.write(told)
    finally:
        os._exit(0)


def bounded(name: str, remedy: str = "", *, seconds: float | None = SECONDS) -> Callable[[F], F]:
    """The function, run under a budget.

    >>> @bounded("waiting", "Wait for less.", seconds=0.3)
    ... def wait():
    ...     while True:
    ...         pass
    >>> wait()
    Traceback (most recent call last):
    dalembert.errors.LimitError: waiting took longer than 0.3 s and was stopped. Wait for less. To allow more: ...
    """

    def wrapped(function: F) -> F:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() in _calls:
                return function(*args, **kwargs)
            try:
                with working(name, remedy, seconds=seconds):
                    return function(*args, **kwargs)
            except _Expired:  # once more, on the way out: what a large call held is given back for seconds
                over = "was over its budget"
                while call := _calls.get(threading.get_ident()):
                    over = call.over
                    with suppress(_Expired):
                        _leave()
            raise _stopped(name, over, remedy)

        run.bounded = True  # type: ignore[attr-defined]
        return run  # type: ignore[return-value]

    return wrapped


def guard(package: ModuleType, remedy: str, *, seconds: float | None = SECONDS, classes: bool = True) -> None:
    """Bound every public function of a package and, with `classes`, every public method and property of its classes."""
    for name in getattr(package, "__all__", [n for n in vars(package) if not n.startswith("_")]):
        thing = getattr(package, name)
        home = getattr(thing, "__module__", "") or ""
        if not home.startswith(package.__name__):
            continue
        if isinstance(thing, FunctionType):
            setattr(package, name, _once(f"{name}()", remedy, seconds, thing))
        elif classes and isinstance(thing, type) and not issubclass(thing, BaseException):
            _guard_class(thing, remedy, seconds)


def _once(name: str, remedy: str, seconds: float | None, function: Any) -> Any:
    return function if hasattr(function, "bounded") else bounded(name, remedy, seconds=seconds)(function)


def _guard_class(kind: type, remedy: str, seconds: float | None) -> None:
    for name, value in list(vars(kind).items()):
        label = f"{kind.__name__}.{name}"
        if name.startswith("_"):
            continue
        if isinstance(value, FunctionType):
            setattr(kind, name, _once(label, remedy, seconds, value))
        elif isinstance(value, property) and value.fget is not None:
            setattr(
                kind, name, property(_once(label, remedy, seconds, value.fget), value.fset, value.fdel, value.__doc__)
            )
        elif isinstance(value, cached_property):
            value.func = _once(label, remedy, seconds, value.func)
        elif isinstance(value, classmethod | staticmethod):
            setattr(kind, name, type(value)(_once(label, remedy, seconds, value.__func__)))
