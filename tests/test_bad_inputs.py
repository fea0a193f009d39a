"""Damaged input of every kind gets an answer or a sentence, never a traceback: a sample of `benchmarks/fuzz.py`."""

from __future__ import annotations

import random
import zipfile
from collections import Counter

import numpy as np
import pytest

import dalembert as da
from bad_inputs import DOORS, damaged, seeds

COUNTS = {"LSD programs": 6, "expressions": 300, "command lines": 12, "server messages": 25, "archives": 60}


@pytest.mark.parametrize("kind", DOORS)
def test_damaged_input_gets_an_answer_or_a_sentence(kind: str) -> None:
    rng = random.Random(kind)
    told: Counter[str] = Counter()
    for _ in range(COUNTS.get(kind, 60)):
        data = damaged(rng, kind)
        try:
            told[DOORS[kind](data)] += 1
        except Exception as error:
            raise AssertionError(f"{kind}: {data!r}") from error
    assert not [word for word in told if word.startswith("FAULT")]
    assert set(told) != {"answered"}, told  # damage is seen


@pytest.mark.parametrize("kind", DOORS)
def test_what_is_right_is_answered(kind: str) -> None:
    one = seeds()[kind][0]
    assert DOORS[kind](one) in ("answered", "exit 0")


def test_an_archive_that_lacks_a_table_is_refused_or_does_without(tmp_path) -> None:
    whole, told = tmp_path / "whole.npz", Counter[str]()
    whole.write_bytes(seeds()["archives"][0])
    with np.load(whole) as stored:
        held = {name: stored[name] for name in stored.files}
    for name in held:
        np.savez(tmp_path / "less.npz", **{key: value for key, value in held.items() if key != name})
        told[DOORS["archives"]((tmp_path / "less.npz").read_bytes())] += 1
    assert told["SimulationError"] >= len(held) - 2


def test_an_archive_whose_header_ends_in_the_middle_is_refused(tmp_path):
    """NumPy reads old headers as Python's tokens: brackets that stay open end there in an error of their own."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (5L,"
    header += b" " * (117 - len(header)) + b"\n"
    broken = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    path = tmp_path / "motion.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("t.npy", broken)
        archive.writestr("about.npy", broken)
    with pytest.raises(da.SimulationError):
        da.Motion.load(path)
