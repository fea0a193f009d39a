"""The reference of the library tells every public name; notebooks become pages with their outputs."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import library


@pytest.mark.parametrize("room", library.ROOMS)
def test_every_public_name_has_a_sentence(room):
    module, text = import_module(room), library.page()
    names = library.names_of(room)
    assert len(names) > 15
    for name in names:
        assert f"\n### {name}\n" in text
        value = getattr(module, name)
        told = library.sentence(value.__doc__ or "") if callable(value) else library._plain(value)
        assert told.split(), f"{room}.{name} has no docstring"
        assert not told.startswith(f"{name}("), f"{room}.{name} has only the docstring that dataclasses make"


def test_verbs_are_told_with_their_arguments_and_examples():
    text = library.page()
    assert "| `simulate(t_span," in text
    assert "| `mobility(" in text
    assert "```pycon\n>>> " in text


def test_a_notebook_is_a_page_with_what_it_prints_sets_and_draws():
    pytest.importorskip("myst_parser", reason="the manual's packages are not installed")
    from notebook_pages import markdown

    def shown(**data):
        return {"output_type": "display_data", "data": data}

    outputs = [{"output_type": "stream", "text": ["two\n"]}, shown(**{"text/latex": "$$x^2$$", "text/plain": "x"})]
    outputs.append(shown(**{"image/png": "aGk=", "text/plain": "<Figure>"}))
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["print('two')"], "outputs": outputs},
    ]
    text = markdown({"cells": cells})
    assert text.startswith("# Title\n\n````python\nprint('two')\n````\n\n````text\ntwo\n````")
    assert "$$\nx^2\n$$" in text
    assert "base64,aGk=" in text
    with pytest.raises(ValueError, match="stops"):
        markdown({"cells": [{**cells[1], "outputs": [{"output_type": "error", "ename": "E", "evalue": "x"}]}]})
