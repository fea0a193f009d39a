"""XML that cannot harm: no entities, no document types, no network, bounded in size, depth and number of elements.

Elements know the line they stand on, so that an error can say where.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from dalembert.errors import ModelError

#: Bytes of one file, elements of one file, elements inside each other: far beyond any robot, far below any memory.
MOST_BYTES, MOST_ELEMENTS, MOST_DEPTH = 64_000_000, 1_000_000, 200


@dataclass(eq=False)
class Element:
    """A tag with its attributes, its children and its text."""

    tag: str
    attributes: dict[str, str]
    where: str
    children: list[Element] = field(default_factory=list)
    text: str = ""
    asked: set[str] = field(default_factory=set, repr=False)  # attributes and <tags> that a reader looked for

    def all(self, *tags: str) -> Iterator[Element]:
        """Children with one of these tags, in order."""
        self.asked.update(f"<{tag}>" for tag in tags)
        return (one for one in self.children if one.tag in tags)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)

    def pass_over(self) -> None:
        """What is left out as a whole is not told again in parts."""
        self.asked.update(self.attributes, (f"<{one.tag}>" for one in self.children))

    def get(self, name: str, default: str = "") -> str:
        self.asked.add(name)
        return self.attributes.get(name, default)

    def need(self, name: str) -> str:
        """An attribute that must be there."""
        self.asked.add(name)
        if name not in self.attributes:
            raise ModelError(f"{self.where}: <{self.tag}> has no attribute '{name}'.")
        return self.attributes[name]

    def number(self, name: str, default: float) -> float:
        """An attribute that is one number."""
        return self.numbers(name, [default], exactly=1)[0]

    def numbers(self, name: str, default: Sequence[float], exactly: int | None = None) -> list[float]:
        """An attribute that is a row of finite numbers; the default where it is absent."""
        self.asked.add(name)
        if name not in self.attributes:
            return list(default)
        found = numbers_of(self.attributes[name], f"{self.where}: '{name}' of <{self.tag}>", exactly)
        if not found:
            raise ModelError(f"{self.where}: '{name}' of <{self.tag}> is empty: numbers are expected.")
        return found

    def content(self, tag: str, default: str = "") -> str:
        """The text of a child."""
        child = self.first(tag)
        return default if child is None else child.text.strip()

    def content_numbers(self, tag: str, default: Sequence[float], exactly: int | None = None) -> list[float]:
        """The text of a child as a row of finite numbers."""
        child = self.first(tag)
        if child is None or not child.text.strip():
            return list(default)
        return numbers_of(child.text, f"{child.where}: <{tag}>", exactly)


def numbers_of(text: str, what: str, exactly: int | None = None) -> list[float]:
    """Finite numbers between spaces."""
    found = []
    for word in text.split():
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in word:
            raise ModelError(f"{what} is '{text.strip()[:60]}': '{word[:30]}' is not a finite number.")
        found.append(value)
    if exactly is not None and len(found) != exactly:
        raise ModelError(f"{what} has {len(found)} numbers; it needs {exactly}.")
    return found


def read_xml(path: Path, root: str | Sequence[str]) -> Element:
    """The root element of a file, which must have one of the tags `root`."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ModelError(f"{path.name} is larger than {MOST_BYTES // 1_000_000} MB: no robot is.")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}.") from None
    return parse_xml(data, path.name, root)


def parse_xml(data: bytes | str, name: str, root: str | Sequence[str]) -> Element:
    """The root element of a text."""
    top = _parsed(data.encode() if isinstance(data, str) else data, name)
    tags = [root] if isinstance(root, str) else list(root)
    if top.tag not in tags:
        kinds = {"robot": "URDF", "mujoco": "MJCF", "sdf": "SDF"}
        known = kinds.get(top.tag)
        hint = f" It is {known}: read it with `da.read_{known.lower()}`." if known else ""
        raise ModelError(f"{name} begins with <{top.tag}>, not with <{tags[0]}>.{hint}")
    return top


def _parsed(data: bytes, name: str) -> Element:
    """The elements; blanks before the declaration and zeros at the end, which many robot files have, do no harm."""
    parser = expat.ParserCreate(namespace_separator=None)
    above = data[: len(data) - len(data.lstrip())].count(b"\n")
    data = data.strip().rstrip(b"\0").rstrip()
    parser.buffer_text, parser.buffer_size = True, 1 << 20
    stack: list[Element] = []
    texts: list[list[str]] = []  # joined at the end: a mesh has millions of lines
    roots: list[Element] = []
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        where = f"{name}:{above + parser.CurrentLineNumber}"
        if count > MOST_ELEMENTS or len(stack) >= MOST_DEPTH:
            raise ModelError(f"{where}: more than {MOST_ELEMENTS} elements, or {MOST_DEPTH} inside each other.")
        element = Element(tag, attributes, where)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)
        texts.append([])

    def end(tag: str) -> None:
        stack.pop().text = "".join(texts.pop())

    def words(text: str) -> None:
        if texts:
            texts[-1].append(text)

    def refuse(*_: object) -> None:
        raise ModelError(
            f"{name}:{above + parser.CurrentLineNumber}: a document type or an entity. Robot files need neither."
        )

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, words
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = parser.StartDoctypeDeclHandler = refuse  # type: ignore[assignment]
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, UnicodeError, ValueError, LookupError) as error:
        line = above + getattr(error, "lineno", 1)
        raise ModelError(f"{name}:{line}: not well-formed XML ({str(error)[:120]}).") from None
    if not roots:
        raise ModelError(f"{name}: no element.")
    return roots[0]
