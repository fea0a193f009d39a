"""Every example checks without a warning, has a story, and has every number it needs."""

import pytest

from dalembert import lsd
from dalembert.mechanism import Mechanism
from lsd.mutations import GALLERY


def test_the_gallery_is_large_enough():
    assert len(GALLERY) >= 15


@pytest.mark.parametrize("path", GALLERY, ids=lambda p: p.stem)
def test_examples_are_clean_and_tell_a_story(path):
    text = path.read_text()
    assert text.startswith("(*")
    assert len(text.split("*)")[0]) > 60
    checked = lsd.check(lsd.reading.read_source(path))
    lsd.elaborate(checked, Mechanism())
    assert checked.diagnostics == ()
