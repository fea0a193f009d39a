"""Compiled steps loaded without numba: their LLVM text (`step.ll.gz`) travels with the package, as the crowd's does.

It carries a fingerprint of the files it was made from; when they have changed, or LLVM cannot read it, numba makes it
anew, which takes a minute.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from dalembert.contact.crowd import cone
from dalembert.contact.few import linear
from dalembert.simulate.contact.block import BlockCode, load, shipped
from dalembert.simulate.loop.native import fingerprint_of

NAME = "dalembert_steps"
SHIPPED = Path(__file__).with_name("step.ll.gz")


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """What the text is made of."""
    here, few = Path(__file__).parent, Path(linear.__file__).parent
    files = [here / f"{name}.py" for name in ("data", "impulses", "posture", "step", "translate")]
    files += [few / f"{name}.py" for name in ("complementary", "linear", "pattern", "rubbing")]
    return fingerprint_of([*files, Path(cone.__file__), here.parent / "read_block.py"])


@lru_cache(maxsize=1)
def code() -> BlockCode:
    """The compiled `advance` behind a block of arrays."""
    found = shipped(NAME, SHIPPED, fingerprint())
    if found is None:
        from dalembert.simulate.contact.step.translate import llvm_text

        found = load(NAME, llvm_text(), fingerprint())
    return found
