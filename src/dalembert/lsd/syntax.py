"""Abstract syntax of LSD (annex B.1, `absyn`), every node with its span in the text.

Spans do not count in comparisons: two programs are equal when they say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dalembert.lsd.source import Source, Span
from dalembert.lsd.syntax_blocks import Branch, Loop, Machine, Package
from dalembert.lsd.syntax_constraints import Constrain, Contrivance, Drive
from dalembert.lsd.syntax_contacts import Contact


def _span() -> Span:
    return field(compare=False, repr=False, default=(0, 0))


@dataclass(frozen=True, slots=True)
class Word:
    """An identifier where it is written; quoted words never mean something predefined."""

    text: str
    span: Span = _span()
    quoted: bool = field(compare=False, repr=False, default=False)


@dataclass(frozen=True, slots=True)
class Label:
    """The name that a declaration gives: `tip`, or `tip[i]` for one of many."""

    text: str
    indices: tuple[Expression, ...] = ()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Name:
    """`a`, or `p:a` in package `p`, `p:q:a` in its package `q`."""

    word: Word
    package: tuple[Word, ...] = ()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Select:
    """`a.field`, or `p:a.field`; `hinge.th'` with `order` primes."""

    word: Word
    field: Word
    package: tuple[Word, ...] = ()
    span: Span = _span()
    order: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """`b[i]`, `leg[2].knee.th'`: a name with indices (expressions) and selections (words) after it, in order."""

    word: Word
    steps: tuple[Word | Expression, ...]
    package: tuple[Word, ...] = ()
    span: Span = _span()
    order: int = 0


@dataclass(frozen=True, slots=True)
class Prime:
    """`x'`: time derivative of a link parameter; `order` counts the primes."""

    word: Word
    order: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Number:
    """A literal; 0 and 1 take the type that their place expects."""

    text: str
    exact: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Measure:
    """`30 cm`: a number with its unit."""

    number: Number
    unit: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Unknown:
    """`?s`, or `?fs(x, x')` when it has arguments."""

    name: str
    arguments: tuple[Expression, ...] | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Vector:
    """`[a, b, c]`: a vector, or a matrix when the three entries are its rows."""

    entries: tuple[Expression, Expression, Expression]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Binary:
    """`left op right` with op one of `+ - * / ^`."""

    operator: str
    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Negative:
    """`-operand`."""

    operand: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Rotation:
    """`angle || axis`."""

    angle: Expression
    axis: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Displacement:
    """`translation ++ rotation`."""

    translation: Expression
    rotation: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FrameAt:
    """`displacement @ body`."""

    displacement: Expression
    body: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Binding:
    """`name = value`, in `let`, `local`, a record or an instantiation; `name[i] = value` in `let`."""

    word: Word
    value: Expression
    span: Span = _span()
    indices: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Local:
    """`local a = e and b = f in g end`."""

    bindings: tuple[Binding, ...]
    body: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Call:
    """`f(a, b)` or `p:f(a, b)`: positional application."""

    word: Word
    arguments: tuple[Expression, ...]
    package: tuple[Word, ...] = ()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Instance:
    """`f(x = a)`, `p:f(x = a)`, `f(a, y = b)`: instantiation with named arguments, those without a name first."""

    word: Word
    arguments: tuple[Binding, ...]
    package: tuple[Word, ...] = ()
    span: Span = _span()
    positional: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """`body ... end`, `link(x) ... end`, `force ... end`, `torque ... end`."""

    kind: str
    fields: tuple[Binding, ...]
    parameters: tuple[Word, ...] = ()
    span: Span = _span()


Expression = (
    Name
    | Select
    | Path
    | Prime
    | Number
    | Measure
    | Unknown
    | Vector
    | Binary
    | Negative
    | Rotation
    | Displacement
    | FrameAt
    | Local
    | Call
    | Instance
    | Record
)


@dataclass(frozen=True, slots=True)
class Let:
    bindings: tuple[Binding, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Typed:
    """`x : type`, or `x : type = default`, in the head of a definition or of a package."""

    word: Word
    type: Word
    default: Expression | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Definition:
    """`let f(x : scalar, ...) = e`."""

    word: Word
    parameters: tuple[Typed, ...]
    body: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Output:
    """`output name = formula`: what a motion is asked for."""

    name: Label
    value: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Join:
    first: Expression
    second: Expression
    link: Expression
    name: Label | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Apply:
    effort: Expression
    target: Expression
    name: Label | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Between:
    """`spring a and b with stiffness = k as strut`: an effort of the kind spring, torsion or bushing."""

    kind: str
    first: Expression
    second: Expression
    fields: tuple[Binding, ...]
    name: Label | None = None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class GivenValue:
    """`m = 2`, or `arm.mass = 2` for a value that the program left generic."""

    target: Name | Select | Path
    value: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class GivenLaw:
    """`f(x, v) = -k*x - c*v`: what an unknown function is."""

    word: Word
    parameters: tuple[Word, ...]
    value: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Given:
    items: tuple[GivenValue | GivenLaw, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Initial:
    """`elbow.th = 0.3` or `elbow.th' = 0`."""

    target: Select | Path
    value: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Start:
    items: tuple[Initial, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Gravity:
    value: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Use:
    path: str
    span: Span = _span()


Declaration = (
    Let
    | Definition
    | Package
    | Machine
    | Loop
    | Branch
    | Output
    | Join
    | Apply
    | Between
    | Constrain
    | Drive
    | Contrivance
    | Contact
    | Given
    | Start
    | Gravity
    | Use
)


@dataclass(frozen=True, slots=True)
class Program:
    """A text that has been read: its declarations in order."""

    declarations: tuple[Declaration, ...]
    source: Source = field(compare=False, repr=False)
    strict: bool = field(compare=False, default=False)
