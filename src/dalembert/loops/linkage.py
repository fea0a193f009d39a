"""A mechanism as elementary turns and slides: the tree, the links that close loops, one variable for each freedom.

Every link is a chain of constant poses and atoms. An atom turns about, or slides along, an axis fixed in the frame
before it, by `factor` times one variable. What is not linear in the coordinates gets a variable of its own and an
equation; a unit quaternion becomes three turns after the rotation of the reference configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.numbers import resolve
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.expr.space import AXES, IDENTITY3, ZERO3, Vector3, is_zero3
from dalembert.kinematics import Pose
from dalembert.loops.arithmetic import exact, exact_form, spelled_out
from dalembert.loops.rotations import rational_rotation, rotation_of
from dalembert.mechanism import Displacement, Layout, Link, QuaternionTurn, Turn
from dalembert.mechanism.spelled import Spelled

if TYPE_CHECKING:
    pass

#: Parts of a quaternion to which the rotation is rounded that its turns begin with: these are small, never singular.
_COARSE = 8


@dataclass(frozen=True, slots=True)
class Atom:
    """An elementary displacement: `turn` about or `slide` along `axis`, by factor times a variable."""

    turn: bool
    axis: Vector3
    variable: int
    factor: Fraction

    def reversed(self) -> Atom:
        return Atom(self.turn, self.axis, self.variable, -self.factor)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A constant pose; `inverse` when it is run through backwards."""

    pose: Pose
    inverse: bool = False

    def reversed(self) -> Fixed:
        return Fixed(self.pose, not self.inverse)


Piece = Atom | Fixed


@dataclass(frozen=True, slots=True)
class Chain:
    """A link from the frame of its first body to the frame of its second."""

    link: str
    first: int
    second: int
    body: tuple[Piece, ...]  # up to the joint's second frame
    tail: tuple[Piece, ...]  # from there to the second body
    variables: tuple[int, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.body + self.tail

    def walk(self, forward: bool) -> tuple[Piece, ...]:
        return self.pieces if forward else tuple(one.reversed() for one in reversed(self.pieces))


@dataclass(frozen=True, slots=True)
class Linkage:
    """Chains of all links. Variables of tree links come first, those of links that close loops after them.

    `equations` are further conditions between variables, zero when they hold; `own` counts the variables that are
    freedoms of a link (the others, and as many equations, only rename a nonlinear displacement).
    """

    layout: Layout
    given: Mapping[str, Any]
    variables: tuple[str, ...]
    chains: Mapping[str, Chain]
    tree: tuple[tuple[str, bool], ...]  # link, forward when the parent is its first body
    cuts: tuple[str, ...]
    equations: tuple[Expr, ...]
    tree_variables: int
    auxiliary: tuple[int, ...]
    turns: Mapping[str, tuple[tuple[str, ...], tuple[Fraction, ...]]] = field(default_factory=dict)
    unit: Fraction = Fraction(1)  # lengths of poses and of `lengths` are in this unit
    lengths: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        return len(self.variables)

    @property
    def cut_dof(self) -> int:
        """Freedoms of the links that close loops."""
        extra = sum(1 for i in self.auxiliary if i >= self.tree_variables)
        return self.size - self.tree_variables - extra

    def start(self, values: Mapping[str, float]) -> list[float]:
        """Variables from coordinates by name; what is not named is zero."""
        found = [float(values.get(name, 0.0)) for name in self.variables]
        for i in self.lengths:
            found[i] /= float(self.unit)
        for link, (names, held) in self.turns.items():
            named = [values.get(f"{link}.{x}") for x in self.layout_names(link)]
            if None not in named and any(named):
                turned = rotation_of(held).inv() * rotation_of(named)
                for name, angle in zip(names, turned.as_euler("XYZ"), strict=True):
                    found[self.variables.index(name)] = float(angle)
        if self.auxiliary:
            known = {ex.symbol(n): v for n, v in zip(self.variables, found, strict=True)}
            known |= {ex.symbol(k): float(v) for k, v in self.given.items()}
            for i, equation in zip(self.auxiliary, self.equations, strict=False):
                found[i] = -float(ex.evaluate([equation], {**known, ex.symbol(self.variables[i]): 0.0})[0])
        return found

    def coordinates(self, x: Any) -> dict[str, float]:
        """Values of the mechanism's coordinates by name."""
        from scipy.spatial.transform import Rotation

        hidden = set(self.auxiliary) | {self.variables.index(v) for names, _ in self.turns.values() for v in names}
        x = self.in_machine_units(x)
        found = {name: float(x[i]) for i, name in enumerate(self.variables) if i not in hidden}
        for link, (names, start) in self.turns.items():
            turned = Rotation.from_euler("XYZ", [float(x[self.variables.index(v)]) for v in names])
            q = (rotation_of(start) * turned).as_quat(canonical=True)[[3, 0, 1, 2]]
            found |= {f"{link}.{n}": float(v) for n, v in zip(self.layout_names(link), q, strict=True)}
        return found

    @property
    def units(self) -> Any:
        """What one of each variable is in the units of the description."""
        return np.array([float(self.unit) if i in self.lengths else 1.0 for i in range(self.size)])

    def in_machine_units(self, x: Any) -> list[float]:
        """Variables with lengths in the units of the description."""
        return [float(v) for v in np.asarray(x, dtype=float) * self.units]

    def layout_names(self, link: str) -> list[str]:
        """Local names of the quaternion of a link."""
        for step in self.layout.model.links[link].joint.steps:
            for one in step.displacement.turns:
                if isinstance(one, QuaternionTurn):
                    return [c.name for c in one.components]
        raise ModelError(f"link '{link}' has no quaternion.")


def only_loops(layout: Layout, verb: str) -> None:
    """Refuse a machine with further conditions where only its loops would be answered for."""
    if layout.further:
        raise ModelError(
            f"{verb} speaks of loops only, and '{layout.model.name}' has constraint '{layout.further[0].name}' beside "
            "them, which would be left out. Ask `mobility`, which counts it, or ask without it."
        )


def build_linkage(
    layout: Layout,
    given: Mapping[str, Any] | None = None,
    at: Mapping[str, float] | None = None,
    equations: Sequence[Expr | str] = (),
    *,
    exactly: bool = False,
) -> Linkage:
    """Take every link apart; `equations` are further conditions between coordinates (links given by equations).

    With `exactly`, given names are put in as formulas and decimals as the rationals that they spell.
    """
    written = {**layout.model.given, **(given or {})}
    known = {k: float(v) for k, v in resolve(written, "given").items() if np.ndim(v) == 0}
    formulas = formulas_of(written) if exactly else None
    coordinates = {ex.symbol(x) for link in layout.model.links.values() for x in link.coordinates}
    maker = _Maker(dict(at or layout.model.start), {ex.symbol(k): v for k, v in known.items()}, coordinates, formulas)
    tree, numbers = [], {body.name: i for i, body in enumerate(layout.bodies)}
    chains: dict[str, Chain] = {}
    for one in layout.tree:
        chains[one.link.name] = maker.chain(one.link, numbers)
        tree.append((one.link.name, not one.reversed))
    tree_variables = len(maker.variables)
    for cut in layout.cuts:
        chains[cut.link.name] = maker.chain(cut.link, numbers)
    extra = tuple(maker.exactly([ex.parse(e) if isinstance(e, str) else e for e in equations]))
    return Linkage(
        layout,
        known,
        tuple(maker.variables),
        chains,
        tuple(tree),
        tuple(cut.link.name for cut in layout.cuts),
        tuple(maker.equations) + extra,
        tree_variables,
        tuple(maker.auxiliary),
        maker.turns,
    )


class _Maker:
    """Collects variables and equations while links are taken apart."""

    def __init__(
        self,
        at: Mapping[str, float],
        given: Mapping[Expr, Any],
        coordinates: set[Expr],
        formulas: Mapping[Expr, Expr] | None,
    ) -> None:
        self.at = at
        self.formulas = formulas
        self.given = given
        self.coordinates = coordinates  # of every link: what a displacement uses of another link is an equation
        self.variables: list[str] = []
        self.equations: list[Expr] = []
        self.auxiliary: list[int] = []
        self.turns: dict[str, tuple[tuple[str, ...], tuple[Fraction, ...]]] = {}

    def exactly(self, exprs: Sequence[Expr]) -> list[Expr]:
        return list(exprs) if self.formulas is None else exact_form(exprs, self.formulas)

    def _exact(self, displacement: Displacement) -> Displacement:
        """Exact angles and directions; directions that were rounded to unit length get it exactly."""
        if self.formulas is None:
            return displacement
        turns: list[Turn | QuaternionTurn] = []
        for one in displacement.turns:
            exact_one = one.with_scalars(self.exactly(one.scalars))
            if isinstance(exact_one, Turn) and not ex.free_symbols(exact_one.axis):
                exact_one = Turn(exact_one.angle, _unit(exact_one.axis))
            turns.append(exact_one)
        return Displacement(Vector3(tuple(self.exactly(displacement.translation))), tuple(turns))

    def chain(self, link: Link, numbers: Mapping[str, int]) -> Chain:
        begin = len(self.variables)
        quaternion = {
            c.name
            for step in link.placed_steps()
            for one in step.displacement.turns
            if isinstance(one, QuaternionTurn)
            for c in one.components
        }
        self.variables += [x for x in link.coordinates if x not in quaternion]
        own = {ex.symbol(x): self.variables.index(x) for x in link.coordinates if x not in quaternion}
        pieces: list[Piece] = [Fixed(Pose.of(self._exact(link.first.displacement)))]
        for step in link.placed_steps():
            pieces += self._displacement(step.displacement, own, link.name)
        tail = Fixed(Pose.of(self._exact(link.second.displacement)), inverse=True)
        kept = tuple(p for p in pieces if isinstance(p, Atom) or not _is_identity(p.pose))
        end = () if _is_identity(tail.pose) else (tail,)
        first, second = numbers[link.first.body], numbers[link.second.body]
        return Chain(link.name, first, second, kept, end, tuple(range(begin, len(self.variables))))

    def _displacement(self, displacement: Displacement, own: Mapping[Expr, int], link: str) -> list[Piece]:
        still = ex.substitute(displacement.scalars, {ex.TIME: 0})
        placed = displacement.substitute({ex.TIME: 0}) if list(still) != list(displacement.scalars) else displacement
        placed = self._exact(placed)
        pieces = self._slides(placed.translation, own, link)
        for one in placed.turns:
            pieces += self._turn(one, own, link)
        return pieces

    def _slides(self, translation: Vector3, own: Mapping[Expr, int], link: str) -> list[Piece]:
        """One slide for each coordinate that moves the origin at a constant rate, and what is left."""
        directions: dict[int, list[Expr]] = {}
        offset = list(ZERO3)
        for k in range(3):
            value = translation[k]
            moving = sorted((x for x in ex.free_symbols([value]) if x in own), key=lambda s: own[s])
            slopes = [ex.derivative(value, x) for x in moving]
            if ex.free_symbols(slopes) & set(own) or self._others(value, own):
                directions.setdefault(self._auxiliary(value, link), list(ZERO3))[k] = ex.ONE
                continue
            for x, slope in zip(moving, slopes, strict=True):
                directions.setdefault(own[x], list(ZERO3))[k] = slope
            offset[k] = ex.substitute([value], dict.fromkeys(moving, 0))[0]
        pieces: list[Piece] = [Atom(False, Vector3(d[:3]), i, Fraction(1)) for i, d in directions.items()]
        if not is_zero3(Vector3(offset[:3])):
            pieces.append(Fixed(Pose(IDENTITY3, Vector3(offset[:3]))))
        return pieces

    def _turn(self, one: Turn | QuaternionTurn, own: Mapping[Expr, int], link: str) -> list[Piece]:
        fixed = one.scalars if isinstance(one, QuaternionTurn) else one.axis
        if coupled := {x for e in fixed for x in self._others(e, own)} - set(one.scalars):
            raise ModelError(
                f"link '{link}' turns about a direction that depends on '{min(x.name for x in coupled)}' of another "
                "link: mobility treats couplings of angles and translations. Write the turn about fixed axes."
            )
        if isinstance(one, QuaternionTurn):
            return self._quaternion(one, link)
        slopes, rest = self._linear(one.angle, own, link)
        pieces: list[Piece] = [Atom(True, one.axis, i, f) for i, f in slopes]
        if rest is not ex.ZERO:
            pieces.append(Fixed(Pose.of(Displacement(ZERO3, (Turn(rest, one.axis),)))))
        return pieces

    def _linear(self, value: Expr, own: Mapping[Expr, int], link: str) -> tuple[list[tuple[int, Fraction]], Expr]:
        """Rational slopes and the constant of an affine formula; a variable of its own for anything else."""
        if self._others(value, own):
            return [(self._auxiliary(value, link), Fraction(1))], ex.ZERO
        moving = [x for x in ex.free_symbols([value]) if x in own]
        if not moving:
            return [], value
        slopes = []
        for x in sorted(moving, key=lambda s: own[s]):
            slope = ex.substitute([ex.derivative(value, x)], self.given)[0]
            if slope.op != "const":
                return [(self._auxiliary(value, link), Fraction(1))], ex.ZERO
            slopes.append((own[x], exact(slope.data)))
        rest = ex.substitute([value], dict.fromkeys(moving, 0))[0]
        return slopes, rest

    def _others(self, value: Expr, own: Mapping[Expr, int]) -> set[Expr]:
        """Coordinates of other links in a formula."""
        return (ex.free_symbols([value]) & self.coordinates) - set(own)

    def _auxiliary(self, value: Expr, link: str) -> int:
        name = f"{link}.~{len(self.auxiliary) + 1}"
        self.variables.append(name)
        self.auxiliary.append(len(self.variables) - 1)
        self.equations.append(ex.symbol(name) - value)
        return len(self.variables) - 1

    def _quaternion(self, one: QuaternionTurn, link: str) -> list[Piece]:
        if all(c.op == "const" for c in one.components):
            return [Fixed(Pose.of(Displacement(ZERO3, (one,))))]
        start = tuple(exact(float(self.at.get(c.name, float(i == 0)))) for i, c in enumerate(one.components))
        if not any(start):
            start = (Fraction(1), Fraction(0), Fraction(0), Fraction(0))
        if sum(x * x for x in start) != 1:  # rounded: one near it whose exact zeros are zeros, the turns do the rest
            size = max(map(abs, start))
            start = tuple(Fraction(round(_COARSE * x / size), _COARSE) for x in start)
        names = tuple(f"{link}.~{axis}" for axis in "xyz")
        self.turns[link] = (names, start)
        begin = len(self.variables)
        self.variables += names
        rotation = Pose(rational_rotation(start))
        return [Fixed(rotation), *(Atom(True, AXES[a], begin + k, Fraction(1)) for k, a in enumerate("xyz"))]


def formulas_of(written: Mapping[str, Any]) -> dict[Expr, Expr]:
    """What each given name stands for, names in formulas put in: text, `Spelled` numbers, expressions, numbers."""
    found = {
        ex.symbol(k): ex.parse(v) if isinstance(v, str) else v.formula if isinstance(v, Spelled) else ex.as_expr(v)
        for k, v in written.items()
        if np.ndim(v) == 0
    }
    found = dict(zip(found, spelled_out(list(found.values())), strict=True))
    for _ in found:
        if not ex.free_symbols(list(found.values())) & found.keys():
            break
        found = dict(zip(found, ex.substitute(list(found.values()), found), strict=True))
    return found


def _unit(axis: Vector3) -> Vector3:
    if all(x.op == "const" for x in axis):
        square = sum(Fraction(x.data) ** 2 for x in axis)
        return axis if square == 1 else Vector3(tuple(x / ex.sqrt(ex.const(square)) for x in axis))
    return axis


def _is_identity(pose: Pose) -> bool:
    return pose.rotation == IDENTITY3 and is_zero3(pose.position)


def geometry_of(linkage: Linkage) -> list[Expr]:
    """All scalars of axes and constant poses."""
    scalars: list[Expr] = []
    for chain in linkage.chains.values():
        for piece in chain.pieces:
            if isinstance(piece, Atom):
                scalars += piece.axis
            else:
                scalars += [x for row in piece.pose.rotation for x in row] + list(piece.pose.position)
    return scalars
