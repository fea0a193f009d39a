"""What a file says and no reader asked for: a misspelt word, a law of a newer version, a word of another tool.

Elements know what they were asked (`Element.asked`), so that nothing has to be foreseen to be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from dalembert.io.assembly import Assembly
from dalembert.mechanism.xml import Element

Quiet = Mapping[str, Set[str]]  #: by tag, attributes and <tags> with nothing mechanical in them


def inside(element: Element) -> Iterator[Element]:
    """All elements of an element, itself first."""
    yield element
    for one in element.children:
        yield from inside(one)


def note_unread(elements: Iterable[Element], quiet: Quiet, a: Assembly, *, tags: bool = False) -> None:
    """Tell what was not asked of elements whose tags are in `quiet`; with `tags`, of their children too."""
    found: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for one in elements:
        if one.tag not in quiet:
            continue
        said = [*one.attributes, *(f"<{child.tag}>" for child in one.children if tags)]
        for name in dict.fromkeys(said):
            if name not in one.asked and name not in quiet[one.tag] and not name.startswith(("xmlns", "xml:")):
                found[one.tag, name] += 1
                first.setdefault((one.tag, name), one.where)
    for (tag, name), count in found.items():
        shown = name if name.startswith("<") else f"'{name}'"
        times = f" ({count} times)" if count > 1 else ""
        a.note(f"{first[tag, name]}: {shown} of <{tag}>{times} is left out.")
