"""Quantities in the axes of earth: direction cosines of all axes with their rates, inertias, and arms.

Formalisms that work there (mixed, d'Alembert), conditions and loops are made of them. M_0_4_xy is the y axis of body 4
along the x axis of earth, dM_0_4_xy its rate, ddM_0_4_xy what is left of its second rate when u' = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert import expr as ex
from dalembert.expr.space import Matrix3, Vector3, apply3, product3, transpose3, turned_symmetric
from dalembert.kinematics import Tree
from dalembert.kinematics.bodies import BodyMotion, body_motions, in_time
from dalembert.presentation.axes import AXES, Base, Quantity, bases_of, components
from dalembert.presentation.carried import about_origin


def turning_quantities(tree: Tree) -> Iterator[Quantity]:
    """Direction cosines of the axes between displacements, and the rates of all of them."""
    along, known = ex.Along(in_time(tree)), set[str]()
    for one in body_motions(tree)[1:]:
        bases = bases_of(tree, one.number)
        earth = next(base for base in bases if base.tag == "_0")
        told = f"the direction cosines of {one.body.name} in"
        for base in bases[1:]:
            yield from _rates(f"M{base.tag}_{one.number}", base.turn, f"{told} {base.told}", along)
        yield from _rates(f"dM_0_{one.number}", _rate(earth.turn, along), f"the rates of {told} {earth.told}", along)
        for base in bases[1:]:
            if base.tag[-1:].isalpha() and base.tag not in known:
                known.add(base.tag)
                turn = product3(earth.turn, transpose3(base.turn))
                words = f"the direction cosines of {base.told} in those of earth"
                yield from _entries(f"M_0{base.tag}", turn, words.removeprefix("the "))
                yield from _rates(f"M_0{base.tag}", turn, words, along)


def _rate(turn: Matrix3, along: ex.Along) -> Matrix3:
    rows = [Vector3(along.of(row)) for row in turn]
    return rows[0], rows[1], rows[2]


def _rates(family: str, turn: Matrix3, told: str, along: ex.Along) -> Iterator[Quantity]:
    yield from _entries(f"d{family}", _rate(turn, along), f"rates of {told}")


def _entries(family: str, turn: Matrix3, told: str, half: bool = False) -> Iterator[Quantity]:
    for i, (a, row) in enumerate(zip(AXES, turn, strict=True)):
        for k, (b, x) in enumerate(zip(AXES, row, strict=True)):
            if x.args and (k >= i or not half):
                yield Quantity(f"{family}_{a}{b}", x, family, told)


def absolute_quantities(tree: Tree) -> Iterator[Quantity]:
    """What a free body has in the axes of earth: inertias, arms, and what they do with its angular velocity."""
    yield from turning_quantities(tree)
    along, motions = ex.Along(in_time(tree)), body_motions(tree)
    slopes = ex.jacobian([x for one in motions for x in (*one.spin, *one.velocity)], tree.speeds)
    for one in motions[1:]:
        earth = next(base for base in bases_of(tree, one.number) if base.tag == "_0")
        yield from _matter(one, earth)
        own = slopes[6 * one.number : 6 * one.number + 6]
        yield from _columns(tree, one, earth, own, along)


def _matter(one: BodyMotion, earth: Base) -> Iterator[Quantity]:
    j, name, where = one.number, one.body.name, "in the axes of earth"
    spin = apply3(earth.turn, one.spin)
    centre = turned_symmetric(earth.turn, one.inertia)
    origin = turned_symmetric(earth.turn, about_origin(one))
    for tag, inertia, point in (("G", centre, "centre"), ("O", origin, "origin")):
        about = f"of {name} about its {point}, {where}"
        yield from _entries(f"J_{tag}{j}_0", inertia, f"inertia {about}", half=True)
        momentum = apply3(inertia, spin)
        yield from components(f"kappa_{tag}{j}_0", momentum, f"inertia times angular velocity {about}")
        moment = f"angular velocity x inertia times angular velocity {about}"
        yield from components(f"beta_{tag}{j}_0", spin.cross(momentum), moment)
    arm = apply3(earth.turn, one.body.centre)
    yield from components(f"rho{j}_0", arm, f"from the origin to the centre of {name}, {where}")
    turned = spin.cross(arm)
    yield from components(f"w_G{j}_0", turned, f"velocity of the centre of {name} beside its origin, {where}")
    yield from components(f"a_G{j}_0", spin.cross(turned), f"acceleration towards the axis of the centre, {where}")


def _columns(
    tree: Tree, one: BodyMotion, earth: Base, own: Sequence[Sequence[ex.Expr]], along: ex.Along
) -> Iterator[Quantity]:
    """Rates of the partial velocities, and how the momenta of a free body answer to a unit of each speed."""
    j, name, where = one.number, one.body.name, "in the axes of earth"
    inertia, mass = about_origin(one), one.body.mass
    for r, speed in enumerate(tree.speeds, 1):
        turn, slide = (Vector3(row[r - 1] for row in own[i : i + 3]) for i in (0, 3))
        words = f"of {name} for {speed.name}, {where}"
        for letter, vector, told in (("W", turn, "angular velocity"), ("U", slide, "velocity of the origin")):
            moved = Vector3(along.of(apply3(earth.turn, vector)))
            yield from components(f"d{letter}{j}_0", moved, f"rates of the partial {told} {words}", f"_{r}")
        push = mass * (slide + turn.cross(one.body.centre))
        bend = apply3(inertia, turn) + (mass * one.body.centre).cross(slide)
        for letter, vector, told in (("p", push, "momentum"), ("h", bend, "angular momentum about the origin")):
            yield from components(f"{letter}{j}_0", apply3(earth.turn, vector), f"{told} {words}", f"_{r}")
