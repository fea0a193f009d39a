"""Results that are read as lines of text, also in a notebook."""

from __future__ import annotations

from html import escape


class Told:
    """What prints as lines: a notebook shows these as they stand, instead of the fields of a record."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
