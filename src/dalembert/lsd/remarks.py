"""What comments say of declarations: the comment above one, or beside it in the line in which it ends."""

from __future__ import annotations

from bisect import bisect_left

from dalembert.lsd.lexer import Token, scan
from dalembert.lsd.source import Report, Source, Span, TooManyErrors

_HEADS = frozenset(("let", "package", "output", "and"))


class Remarks:
    """The comments of one text, to be asked by the places of declarations.

    >>> text = "(* a rod *) let rod = body mass = m end ; (* of steel *)"
    >>> Remarks(Source(text)).of((16, 19))
    'a rod; of steel'
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.read: list[Token] = []
        try:
            self.read += scan(source, Report()) if "(*" in source.text else ()
        except TooManyErrors:
            self.read.clear()
        self.starts = [x.start for x in self.read]

    def of(self, span: Span, *, title: bool = True) -> str:
        """What is said of the declaration of a name, or of the one that begins here; "" for nothing.

        The comment with which a text begins is its title too: without `title` it is said of no declaration.
        """
        if not self.read:
            return ""
        at = bisect_left(self.starts, span[0])
        said = [self._above(at, title), self._beside(at)]
        return "; ".join(" ".join(x.text[2:-2].split()) for x in said if x is not None)

    def _above(self, at: int, title: bool) -> Token | None:
        """The comment before a declaration, if it does not stand beside the one before."""
        while at > 0 and self.read[at - 1].text in _HEADS:
            at -= 1
        k = at - 1
        if k < (0 if title else 1) or self.read[k].type != "COMMENT":
            return None
        beside = (
            k > 0
            and self.read[k - 1].type != "COMMENT"
            and self._line(self.read[k - 1].end) == self._line(self.read[k].start)
        )
        return None if beside and self._line(self.read[at].start) != self._line(self.read[k].end) else self.read[k]

    def _beside(self, at: int) -> Token | None:
        """The comment behind the `;` of a declaration, in the same line and the last there."""
        ends = (k for k in range(at, len(self.read)) if self.read[k].text == ";")
        k = next(ends, len(self.read)) + 1
        if k >= len(self.read) or self.read[k].type != "COMMENT":
            return None
        line = self._line(self.read[k - 1].end)
        last = k + 1 == len(self.read) or self._line(self.read[k + 1].start) != self._line(self.read[k].end)
        return self.read[k] if last and line == self._line(self.read[k].start) else None

    def _line(self, offset: int) -> int:
        return self.source.place(offset)[0]
