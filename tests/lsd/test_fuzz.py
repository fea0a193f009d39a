"""Damaged programs: an `LsdError` or a mechanism, nothing else, and never a wait."""

import itertools
import random
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd.lexer import scan
from dalembert.lsd.source import Report, Source
from lsd.mutations import POOL, mutate, programs

TEXTS = programs()
PATIENCE = 10.0  # seconds of CPU; a thousand times what these programs need, so only a runaway fails


def survive(text):
    before = time.process_time()
    with suppress(LsdError):
        lsd.loads(text)
    assert time.process_time() - before < PATIENCE, text


def survive_seeds(seeds):
    for seed in seeds:
        survive(mutate(random.Random(seed), TEXTS))


def test_a_thousand_damaged_programs():
    survive_seeds(range(1_000))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(1, 5))
def test_eight_thousand_more(block):
    survive_seeds(range(2_000 * block, 2_000 * (block + 1)))


@given(st.lists(st.sampled_from(POOL), max_size=40))
def test_random_words_are_survived(words):
    survive(" ".join(words))


@given(st.text(max_size=200))
def test_random_text_is_survived(text):
    survive(text)


@given(st.text(alphabet="let a=1;(*)\n '`\"x", max_size=80))
def test_lexemes_cover_the_text(text):
    report = Report(limit=10_000)
    found = list(scan(Source(text), report))
    assert all(text[t.start : t.end] == t.text for t in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


@pytest.mark.parametrize(
    "text",
    [
        "let a = " + "f(" * 10_000,
        "let a = " + "local b = " * 10_000,
        "let a = " + "body mass = " * 10_000,
        "package p = " * 10_000,
        "let a = " + "1+(" * 10_000,
        "(" * 100_000,
        "let a = " + "x'" * 10_000 + ";",
        "let a = " + "[0,0," * 5_000,
        "(*" * 50_000,
        "let " + "a = 1 and " * 20_000 + ";",
        "join " * 20_000,
    ],
)
def test_depth_and_length_are_survived(text):
    survive(text)
