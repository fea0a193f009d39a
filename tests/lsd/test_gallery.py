"""Every example checks without a warning, has a story, has every number it needs, and moves."""

import numpy as np
import pytest

import dalembert as da
from dalembert import lsd
from dalembert.mechanism import Mechanism
from lsd.mutations import GALLERY

CONSERVATIVE = ("pendulum", "double_pendulum", "spherical_pendulum", "gyroscope", "tennis_racket", "chain")


def path_of(name):
    return next(p for p in GALLERY if p.stem == name)


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


@pytest.mark.parametrize("path", GALLERY, ids=lambda p: p.stem)
def test_examples_run_from_given_and_start(path):
    motion = da.load(path).simulate((0, 0.2))
    assert motion.success
    assert np.isfinite(motion.y).all()
    assert not np.allclose(motion.y[:, 0], motion.y[:, -1])


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_examples_without_losses_keep_their_energy(name):
    energy = da.load(path_of(name)).simulate((0, 1), rtol=1e-10, atol=1e-12).energy()
    scale = max(1.0, float(np.abs(energy).max()))
    assert float(np.ptp(energy)) < 1e-6 * scale


def test_the_loops_of_the_gallery_are_closed_at_the_start():
    for name in ("four_bar", "slider_crank"):
        m = da.load(path_of(name))
        (closing,) = (link for link in lsd.names(m).indices.links if not link.principal)
        f = m.compile()
        q = np.array([m.start.get(x, 0.0) for x in f.coordinates])
        link = m.links[closing.name]
        ends = []
        for frame in (link.first, link.second):
            arm = np.array(
                [
                    float(da.expr.evaluate([c], {da.expr.symbol(k): v for k, v in m.given.items()})[0])
                    for c in frame.displacement.translation
                ]
            )
            ends.append(f.position(frame.body, q) + f.rotation(frame.body, q) @ arm)
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
