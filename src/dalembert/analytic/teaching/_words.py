"""What a teacher says, in the languages of `sentences.toml`: each sentence by its key, with places for formulas."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from dalembert.errors import ModelError

LANGUAGES = ("en", "fr")


@cache
def _sentences() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("sentences.toml").read_text(encoding="utf-8"))


def say(key: str, language: str, **places: object) -> str:
    """The sentence of a key in a language."""
    if language not in LANGUAGES:
        raise ModelError(f"the language is one of {', '.join(LANGUAGES)}, not {language!r}")
    return _sentences()[key][language].format(**{k: str(v) for k, v in places.items()})
