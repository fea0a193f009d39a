"""The compiled sparse solve, loaded as the integration loop is: as LLVM text that travels with the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from dalembert.codegen import _target, cache
from dalembert.codegen._borrowed import LIBRARY, given_back, slot, taken, workspace
from dalembert.simulate.loop.native import fingerprint_of, text_in
from dalembert.simulate.sparse.layout import COUNT, PROJECT, RATES

NAME = "dalembert_sparse"
SHIPPED = Path(__file__).with_name("sparse.ll.gz")
_SOURCES = (
    *(Path(__file__).with_name(f"{name}.py") for name in "layout choice elimination kernel translate".split()),
    *(Path(__file__).parents[1] / "loop" / f"{name}.py" for name in ("layout", "step", "translate")),
)


def stamp() -> str:
    """What the text is made of."""
    return fingerprint_of(_SOURCES)


def _assemble() -> bytes:
    text = text_in(SHIPPED, stamp())
    if text is not None:
        try:
            return _target.assemble(text, effort=2)
        except RuntimeError:
            pass  # the text of another LLVM; it is made again below
    from dalembert.simulate.sparse.translate import llvm_text

    return _target.assemble(llvm_text(), effort=2)


@lru_cache(maxsize=1)
def _kernel() -> tuple[int, Any]:
    with _target.compiling:
        code = cache.remember(f"sparse\n{_target.version()}\n{stamp()}", _assemble)
        loaded = _target.Loaded(code, [NAME])
        return loaded.addresses[NAME], loaded


@dataclass(frozen=True, slots=True)
class Entries:
    """Addresses: `void f(const double *t, const double *y, const double *p, double *out)` for rates and counts, and
    `void project(const double *t, double *y, const double *p)`."""

    rates: int
    project: int
    count: int
    owner: Any = field(repr=False)


def entries(block: int, work: int, rates: int, project: int) -> Entries:
    """The functions of a machine: its block, the bytes that a call works in, and who takes over where it fails.

    Calls at one time have memory of their own: threads do each other no harm.
    """
    kernel, owner = _kernel()
    memory = workspace(work)
    words = {"begin": taken("work", memory), "end": given_back("work", memory)}
    parts = [
        _TEXT.format(name=name, task=task, kernel=kernel, block=block, failed=failed, **words, **_WAYS[way])
        for name, task, failed, way in (
            ("rates", RATES, rates, "out"),
            ("project", PROJECT, project, "in place"),
            ("count", COUNT, rates, "out"),
        )
    ]
    text = LIBRARY + slot("work", memory) + "".join(parts)
    loaded = _target.Loaded(_target.assemble(text), ["rates", "project", "count"])
    found = loaded.addresses
    return Entries(found["rates"], found["project"], found["count"], (owner, loaded, memory))


_WAYS = {
    "out": {"formal": ", ptr %out", "passed": "ptrtoint ptr %out to i64", "actual": ", ptr %out"},
    "in place": {"formal": "", "passed": "add i64 0, 0", "actual": ""},
}
_TEXT = """
define void @{name}(ptr %t, ptr %y, ptr %p{formal}) {{
  %result = alloca i64
  %trouble = alloca i64
{begin}  %a = ptrtoint ptr %work to i64
  %b = ptrtoint ptr %t to i64
  %c = ptrtoint ptr %y to i64
  %d = ptrtoint ptr %p to i64
  %e = {passed}
  %kernel = inttoptr i64 {kernel} to ptr
  %status = call i32 %kernel(ptr %result, ptr %trouble, i64 {task}, i64 {block}, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e)
{end}  %done = load i64, ptr %result
  %failed = icmp eq i64 %done, 0
  br i1 %failed, label %other, label %end
other:
  %function = inttoptr i64 {failed} to ptr
  call void %function(ptr %t, ptr %y, ptr %p{actual})
  br label %end
end:
  ret void
}}
"""
