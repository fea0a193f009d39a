"""Another representation of rotations for the same mechanism: any three-turn sequence, or a quaternion.

A chart is a choice of coordinates, not of mechanics: bodies, frames and efforts stay, the joints that turn freely get
other coordinates for their rotation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr.space import ZERO3, is_zero3
from dalembert.mechanism import (
    Displacement,
    Joint,
    Link,
    Mechanism,
    Model,
    QuaternionTurn,
    Speeds,
    Step,
    Turn,
    spherical,
)


def recharted(
    mechanism: Mechanism | Model, chart: str, speeds: Speeds | None = None, links: Collection[str] | None = None
) -> Model:
    """The mechanism with its free rotations (of the named links, or of all) in another chart.

    `chart` is "euler", "bryant", "quaternion" or one of the twelve sequences; `speeds` "rates" or "body".

    >>> from dalembert.mechanism import earth, free
    >>> m = Mechanism("stone")
    >>> link = m.join(earth, m.body("stone", mass=1), free("bryant"), name="s")
    >>> recharted(m, "euler").links["s"].coordinates
    ('s.x', 's.y', 's.z', 's.ps', 's.th', 's.ph')
    """
    model = mechanism.freeze()
    joints: dict[str, Joint] = {}
    for link in model.links.values():
        if links is None or link.name in links:
            if rotation_steps(link.joint) is not None:
                joints[link.name] = _rebuilt(link, chart, speeds)
            elif links is not None:
                raise ModelError(f"link '{link.name}' has no free rotation by three turns or a quaternion.")
    if not joints:
        raise ModelError(f"no joint of '{model.name}' turns freely about a point: there is no chart to choose.")
    return with_joints(model, joints)


def with_body_speeds(mechanism: Mechanism | Model) -> Model:
    """The same coordinates, with body components of velocities as speeds wherever a joint gives all of them.

    Free rotations get the angular velocity, and free translations before them the velocity, in the base of the second
    frame: the choice that makes equations short (Papegay 2.1, quasi-velocities).
    """
    model = mechanism.freeze()
    joints: dict[str, Joint] = {}
    for link in model.links.values():
        place = rotation_steps(link.joint)
        if place is None or place[1] - place[0] != 3:
            continue
        kept, turned = list(link.joint.steps[: place[0]]), link.joint.steps[place[0] :]
        translation = ZERO3
        symbols = {ex.symbol(x) for x in link.joint.parameters}
        if kept and not kept[-1].displacement.turns and not kept[-1].is_loaded:
            moved = kept[-1].displacement.translation
            if set(moved) <= symbols and len(set(moved)) == 3:
                translation = kept.pop().displacement.translation
        turns = tuple(one for step in turned for one in step.displacement.turns)
        merged = Step(Displacement(translation, turns), speeds="body")
        joints[link.name] = Joint(link.joint.parameters, (*kept, merged), link.joint.efforts, kind=link.joint.kind)
    return with_joints(model, joints) if joints else model


def with_joints(model: Model, joints: Mapping[str, Joint]) -> Model:
    """The same model with other joints in some of its links; what its start says of coordinates that go is dropped."""
    links = {name: replace(link, joint=joints.get(name, link.joint)) for name, link in model.links.items()}
    known = {x for link in links.values() for x in (*link.coordinates, *link.speeds)}
    return replace(model, links=links, start={x: v for x, v in model.start.items() if x in known})


def rotation_steps(joint: Joint) -> tuple[int, int] | None:
    """Places (first, last + 1) of the steps that make a free rotation: three turns by coordinates, or one step."""
    symbols = {ex.symbol(x) for x in joint.parameters}

    def turns(step: Step) -> list[Turn | QuaternionTurn] | None:
        own = list(step.displacement.turns)
        return None if step.is_loaded else own

    last = len(joint.steps)
    if last and joint.steps[-1].speeds == "body" and not joint.steps[-1].is_loaded:
        return last - 1, last
    if last >= 3:
        tail = joint.steps[-3:]
        found = [turns(step) for step in tail]
        plain = all(
            own is not None and len(own) == 1 and isinstance(own[0], Turn) and own[0].angle in symbols for own in found
        )
        if plain and all(is_zero3(step.displacement.translation) for step in tail):
            axes = [own[0].axis for own in found if own and isinstance(own[0], Turn)]
            if axes[0] != axes[1] and axes[1] != axes[2]:
                return last - 3, last
    return None


def _rebuilt(link: Link, chart: str, speeds: Speeds | None) -> Joint:
    joint = link.joint
    place = rotation_steps(joint)
    assert place is not None
    kept, turned = joint.steps[: place[0]], joint.steps[place[0] : place[1]]
    old = {x.name for step in turned for one in step.displacement.turns for x in ex.free_symbols(one.scalars)}
    loaded = [x for x, _ in joint.efforts if x in old]
    if loaded:
        raise ModelError(
            f"link '{link.name}' has an effort on '{loaded[0]}', an angle of its chart. Keep the chart, or write the "
            "effort as a torque."
        )
    fresh = spherical(chart, speeds)
    position: tuple[str, ...] = tuple(x for x in joint.parameters if x not in old)
    taken = set(position)
    names = tuple(x if x not in taken else f"{x}_r" for x in fresh.parameters)
    fresh = fresh.renamed(*names)
    steps = list(kept)
    translation = turned[0].displacement.translation
    if not is_zero3(translation):
        if fresh.steps[0].speeds == "body":
            own = fresh.steps[0]
            merged = Step(Displacement(translation, own.displacement.turns), speeds="body")
            return Joint((*position, *names), (*steps, merged), joint.efforts, kind=joint.kind)
        steps.append(Step(Displacement(translation)))
    return Joint((*position, *names), (*steps, *fresh.steps), joint.efforts, kind=joint.kind)
