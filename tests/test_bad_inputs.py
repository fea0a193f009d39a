"""Damaged input of every kind gets an answer or a sentence, never a traceback: a sample of `benchmarks/fuzz.py`."""

from __future__ import annotations

import random
from collections import Counter

import pytest

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
