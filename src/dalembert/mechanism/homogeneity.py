"""Whether a model compares and adds like with like: dimensions of everything it says, found from units and from use.

A formula has as dimension a product of powers of known dimensions and of symbols; sums, comparisons and places of the
model (a mass, a torque) are equations between these products, linear in the exponents, and solved as they come. A bare
number takes the dimension of its place, except as a factor, where it is a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.mechanism.body import Frame
from dalembert.mechanism.check import Problem
from dalembert.mechanism.constraint import Along, Coulomb
from dalembert.mechanism.contact import Among, Gap, Pressed
from dalembert.mechanism.dimensions import (
    ACCELERATION,
    DAMPING,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    NONE,
    OF_QUANTITY,
    SPEED,
    STIFFNESS,
    TIME,
    TORQUE,
    UNITS,
    Dimension,
)
from dalembert.mechanism.displacement import Displacement, Turn
from dalembert.mechanism.effort import Bushing, Effort, Force, Spring, Torque, effort_kind
from dalembert.mechanism.link import Link
from dalembert.mechanism.model import Model
from dalembert.mechanism.quantities import RATE, VIRTUAL
from dalembert.mechanism.told import told_of

_ALIKE = frozenset(("add", "sub", "min", "max"))
_COMPARED = frozenset(("lt", "le", "eq", "atan2"))
_SAME = frozenset(("neg", "abs"))


@dataclass(frozen=True, slots=True)
class Form:
    """A known dimension times powers of symbols whose dimension may be open."""

    known: Dimension = NONE
    open: tuple[tuple[Expr, Fraction], ...] = ()

    def __mul__(self, other: Form) -> Form:
        if not self.open or not other.open:
            return Form(self.known * other.known, self.open or other.open)
        powers = dict(self.open)
        for symbol, power in other.open:
            powers[symbol] = powers.get(symbol, Fraction(0)) + power
        return Form(self.known * other.known, tuple((s, p) for s, p in powers.items() if p))

    def __pow__(self, power: Fraction | int) -> Form:
        if not power:
            return Form()
        return Form(self.known**power, tuple((s, p * power) for s, p in self.open))


class _Unlike(Exception):
    """Inner signal: two dimensions that should be one."""

    def __init__(self, first: Dimension, second: Dimension, what: str, partly: bool) -> None:
        self.first, self.second, self.what = first, second, what
        self.partly = partly  # both have a factor that is not known: only their quotient is


class Dimensions:
    """Dimensions of symbols, as far as they are known; None stands for a bare number, which fits everywhere."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.found: dict[Expr, Form] = {ex.TIME: Form(TIME)}
        self.found |= {unit: Form(one) for unit, one in zip(UNITS, (MASS, LENGTH, TIME, NONE), strict=True)}
        self.forms: dict[Expr, Form | None] = {}
        self.told: dict[str, dict[str, Dimension | None]] = {"": {}}  # of owners that were asked for
        for link in model.links.values():
            for speed in link.speeds:
                local = speed.rpartition(".")[2]
                if not local.endswith("'"):  # a component of a velocity in the moved base
                    self.found[ex.symbol(speed)] = Form(SPEED if local.startswith("v") else NONE / TIME)

    def reduced(self, form: Form) -> Form:
        """The same with everything put in that is known by now."""
        result = Form(form.known)
        for symbol, power in form.open:
            value = self.found.get(symbol)
            if value is None:
                result = result * Form(open=((symbol, power),))
                continue
            if value.open:
                value = self.found[symbol] = self.reduced(value)
            result = result * value**power
        return result

    def equate(self, first: Form | None, second: Form | None, what: str = "") -> None:
        if first is None or second is None:
            return
        rest = self.reduced(first * second**-1)
        if rest.open:
            (symbol, power), *others = rest.open
            self.found[symbol] = Form(rest.known, tuple(others)) ** (Fraction(-1) / power)
        elif rest.known != NONE:
            one = self.reduced(first)
            raise _Unlike(one.known, one.known / rest.known, what, bool(one.open))

    def of(self, e: Expr) -> Form | None:
        for node in ex.topological([e]):
            if node not in self.forms:
                self.forms[node] = self._node(node, [self.forms[a] for a in node.args])
        return self.forms[e]

    def _node(self, e: Expr, parts: list[Form | None]) -> Form | None:
        op = e.op
        if op in ("const", "pi"):
            return None
        if op == "symbol":
            return self._symbol(e)
        if op == "apply":
            return self._called(e, parts)
        if all(part is None for part in parts):
            return None
        if op in _ALIKE:
            self._alike(e.args, parts)
            return parts[1] if parts[0] is None else parts[0]
        if op in _COMPARED:
            self._alike(e.args, parts)
            return Form()
        if op in _SAME:
            return parts[0]
        if op == "mul":
            return (parts[0] or Form()) * (parts[1] or Form())
        if op == "div":
            return (parts[0] or Form()) * (parts[1] or Form()) ** -1
        if op == "sqrt":
            return (parts[0] or Form()) ** Fraction(1, 2)
        if op == "pow" and e.args[1].is_number:
            return (parts[0] or Form()) ** Fraction(e.args[1].value)
        if op == "where":
            self._alike(e.args[1:], parts[1:])
            return parts[2] if parts[1] is None else parts[1]
        if op != "sign":
            for part, argument in zip(parts, e.args, strict=True):
                self.equate(part, Form(), f"{op} is taken of '{_short(argument)}'")
        return Form()

    def _alike(self, args: Sequence[Expr], parts: Sequence[Form | None]) -> None:
        """Two things that are added or compared; told in the order of their texts, whatever order the sum has."""
        if parts[0] is None or parts[1] is None or self.reduced(parts[0] * parts[1] ** -1) == Form():
            return
        (a, first), (b, second) = sorted(zip(map(_short, args), parts, strict=True), key=lambda pair: pair[0])
        self.equate(first, second, f"'{a}' and '{b}'")

    def _symbol(self, e: Expr) -> Form:
        bare = e.name.rstrip("'")
        order = len(e.name) - len(bare)
        owner, _, what = bare.rpartition(".")
        if owner not in self.told:
            self.told[owner] = told_of(self.model, owner)
        if (told := self.told[owner].get(what)) is not None:
            return Form(told / TIME**order)
        if not order or e in self.found:
            return Form(open=((e, Fraction(1)),))
        return form_of(e.name)

    def _called(self, e: Expr, parts: Sequence[Form | None]) -> Form | None:
        """Quantities of frames, and unknown functions, whose arguments have one dimension each."""
        if e.name in OF_QUANTITY:
            return Form(OF_QUANTITY[e.name])
        if e.name == RATE:
            return None if parts[0] is None else parts[0] * Form(NONE / TIME)
        if e.name == VIRTUAL:
            return parts[0]
        for k, part in enumerate(parts):
            self.equate(part, _argument(e.name, k), f"argument {k + 1} of {e.name}")
        result = _value_of(e.name)
        for k, order in enumerate(e.orders):
            result = result * _argument(e.name, k) ** -order
        return result


def form_of(name: str) -> Form:
    """The dimension of a symbol, by its name; of a rate, that of its coordinate in a second."""
    bare = name.rstrip("'")
    return Form(NONE / TIME ** (len(name) - len(bare)), ((ex.symbol(bare), Fraction(1)),))


def _argument(function: str, k: int) -> Form:
    return Form(open=((ex.symbol(f"{function} argument {k}"), Fraction(1)),))


def _value_of(function: str) -> Form:
    return Form(open=((ex.symbol(f"{function} value"), Fraction(1)),))


def _short(e: Expr) -> str:
    (bare,) = ex.substitute([e], dict.fromkeys(UNITS, 1))  # as numbers in metres, kilograms, seconds
    shown = ex.text(bare)
    return shown if len(shown) < 50 else shown[:47] + "..."


@dataclass(frozen=True, slots=True)
class Place:
    """Something that a model says: of what, which field, the formula and the dimension that it has to have."""

    kind: str
    name: str
    what: str
    value: Expr
    want: Dimension | Form | None = None


def unlike(model: Model, told: Iterable[Place] = (), *, known: Dimensions | None = None) -> Iterator[Problem]:
    """Every place of a model that has another dimension than it should; `told` are places beside the model's.

    What is found about symbols is left in `known`.
    """
    known = known or Dimensions(model)
    for place in (*_laws(model), *_places(model), *told):
        want = Form(place.want) if isinstance(place.want, Dimension) else place.want
        try:
            found = known.of(place.value)
            if want is not None:
                known.equate(found, want)
        except _Unlike as fault:
            yield Problem(place.kind, place.name, _sentence(place, fault))


@lru_cache(maxsize=64)
def dimensions_of(model: Model) -> Mapping[str, Dimension]:
    """The dimension of each parameter and coordinate, as far as their use tells it; of two that contradict, the first.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), revolute("x"), name="pivot")
    >>> {name: str(one) for name, one in dimensions_of(m.freeze()).items()}
    {'l': 'a length', 'm': 'a mass', 'pivot.th': 'a number or an angle'}
    """
    known = Dimensions(model)
    for _ in unlike(model, known=known):
        pass
    names = sorted({*model.parameters(), *(x for link in model.links.values() for x in link.coordinates)})
    forms = {name: known.reduced(Form(open=((ex.symbol(name), Fraction(1)),))) for name in names}
    return MappingProxyType({name: form.known for name, form in forms.items() if not form.open})


def _sentence(place: Place, fault: _Unlike) -> str:
    if fault.partly:
        said = f"{fault.what} are unlike" if fault.what.startswith("'") else "this is unlike what is expected"
        return f"{place.what}: {said}, by a factor of {(fault.first / fault.second).unit}"
    if not fault.what:
        return f"{place.what}: {_told(fault.second)} is expected, this is {_told(fault.first)}"
    if fault.what.startswith("'"):
        return f"{place.what}: {fault.what} are unlike: {_told(fault.first)} and {_told(fault.second)}"
    return f"{place.what}: {fault.what}: this is {_told(fault.first)}, not {_told(fault.second)}"


def _told(dimension: Dimension) -> str:
    words = str(dimension)
    return words if words == dimension.unit or dimension == NONE else f"{words} ({dimension.unit})"


def _laws(model: Model) -> Iterator[Place]:
    for name, (arguments, formula) in model.functions.items():
        own = {ex.symbol(x): ex.symbol(f"{name} argument {k}") for k, x in enumerate(arguments)}
        rates = {ex.prime(a): b for a, b in own.items()}
        (value,) = ex.substitute([formula], {**own, **rates})
        yield Place("law", name, f"law of {name}", value, _value_of(name))


def _places(model: Model) -> Iterator[Place]:
    for body in model.bodies.values():
        owner = ("body", body.name)
        yield Place(*owner, f"mass of body '{body.name}'", body.mass, MASS)
        yield from _displaced(owner, f"centre or iframe of body '{body.name}'", body.iframe)
        for entry in body.inertia.entries:
            yield Place(*owner, f"inertia of body '{body.name}'", entry, INERTIA)
        for shape in body.shapes:
            for size in shape.sizes:
                yield Place(*owner, f"shape of body '{body.name}'", size, LENGTH)
            yield from _displaced(owner, f"shape of body '{body.name}'", shape.place)
    for name, frame in model.frames.items():
        yield from _displaced(("frame", name), f"frame '{name}'", frame.displacement)
    for link in model.links.values():
        yield from _link(link)
    for effort in model.efforts:
        yield from _effort(effort)
    for component in model.gravity:
        yield Place("gravity", "", "gravity", component, ACCELERATION)
    for one in model.constraints:
        said = [*one.expressions, *(one.reaction.forms if isinstance(one.reaction, Along) else ())]
        said += one.reaction.slip if isinstance(one.reaction, Coulomb) else ()
        for value in said:
            yield Place("constraint", one.name, f"constraint '{one.name}'", value)
        if isinstance(one.reaction, Coulomb):
            yield Place("constraint", one.name, f"friction of '{one.name}'", one.reaction.friction, NONE)
    yield from _contacts(model)
    for name, formula in model.outputs.items():
        yield Place("output", name, f"output '{name}'", formula, form_of(name))


def _displaced(owner: tuple[str, str], what: str, value: Displacement) -> Iterator[Place]:
    for x in value.translation:
        yield Place(*owner, what, x, LENGTH)
    for turn in value.turns:
        for x in (turn.angle,) if isinstance(turn, Turn) else turn.components:
            yield Place(*owner, f"angle of {what}", x, NONE)


def _link(link: Link) -> Iterator[Place]:
    owner = ("link", link.name)
    for frame in (link.first, link.second):
        yield from _displaced(owner, f"a frame of link '{link.name}'", frame.displacement)
    for step in link.placed_steps():
        yield from _displaced(owner, f"dof of link '{link.name}'", step.displacement)
        for x in step.force:
            yield Place(*owner, f"force of link '{link.name}'", x, FORCE)
        for x in step.torque:
            yield Place(*owner, f"torque of link '{link.name}'", x, TORQUE)
    for coordinate, effort in link.placed_efforts().items():
        energy = Form(TORQUE) * Form(open=((ex.symbol(coordinate), Fraction(-1)),))
        yield Place(*owner, f"effort on '{coordinate}'", effort, energy)


_ELASTIC: Mapping[str, Dimension] = {"stiffness": STIFFNESS, "damping": DAMPING, "length": LENGTH, "force": FORCE}
_TURNING: Mapping[str, Dimension] = {"stiffness": TORQUE, "damping": TORQUE * TIME, "angle": NONE, "torque": TORQUE}
_SIXFOLD: Mapping[str, Dimension] = {**_ELASTIC, "turning": TORQUE, "turning_damping": TORQUE * TIME}


def _effort(effort: Effort) -> Iterator[Place]:
    kind = effort_kind(effort)
    owner, called = ("effort", effort.name), f"{kind} '{effort.name}'"
    for frame in effort.frames:
        yield from _displaced(owner, f"a frame of {called}", frame.displacement)
    if isinstance(effort, Force | Torque):
        for x in effort.value:
            yield Place(*owner, called, x, FORCE if isinstance(effort, Force) else TORQUE)
        return
    table = _SIXFOLD if isinstance(effort, Bushing) else _ELASTIC if isinstance(effort, Spring) else _TURNING
    for one in fields(effort):
        value = getattr(effort, one.name)
        if one.name not in table or isinstance(value, Frame):
            continue
        for x in value if isinstance(value, tuple) else (value,):
            if one.name in ("force", "torque") and not isinstance(effort, Bushing):  # a law in l and l', or th and th'
                variable = effort.VARIABLE
                measure = ex.symbol("one m") if isinstance(effort, Spring) else ex.ONE
                (x,) = ex.substitute([x], {variable: measure, ex.prime(variable): measure / ex.symbol("one s")})
            yield Place(*owner, f"{one.name} of {called}", x, table[one.name])


def _contacts(model: Model) -> Iterator[Place]:
    for contact in model.contacts:
        owner, called, place = ("contact", contact.name), f"contact '{contact.name}'", contact.place
        if isinstance(place, Gap):
            for value in (place.gap, *place.slip):
                yield Place(*owner, called, value)
        elif isinstance(place, Pressed):
            for value in contact.scalars:
                yield Place(*owner, called, value)
            continue
        else:
            for shape in place.shapes if isinstance(place, Among) else (place.first, place.second):
                yield from _displaced(owner, f"a frame of {called}", shape.frame.displacement)
                for value in _sizes(shape):
                    yield Place(*owner, f"size of a shape of {called}", value, LENGTH)
        numbers = (contact.restitution, contact.friction, contact.static)
        for law in (x for x in numbers if x is not None):
            yield Place(*owner, f"law of {called}", law, NONE)
        for law in (contact.rolling, contact.drilling):
            yield Place(*owner, f"rolling or drilling of {called}", law, LENGTH)


def _sizes(shape: object) -> Iterator[Expr]:
    """Every formula among the fields of a shape that is not a frame."""
    for one in fields(shape):  # type: ignore[arg-type]
        held = [getattr(shape, one.name)]
        while held:
            value = held.pop()
            if isinstance(value, Expr):
                yield value
            elif isinstance(value, tuple):
                held += value
