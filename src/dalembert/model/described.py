"""The builder as people call it: a wrong argument of a verb of description is a sentence."""

from __future__ import annotations

from dalembert import mechanism as description
from dalembert.mechanism import contrivances, parts, sliding
from dalembert.verbs import verb


class Described(description.Mechanism):
    """What describes a machine: bodies, links, efforts, contacts, constraints, and contrivances made of them."""

    body = verb(description.Mechanism.body)
    join = verb(description.Mechanism.join)
    force = verb(description.Mechanism.force)
    torque = verb(description.Mechanism.torque)
    spring = verb(description.Mechanism.spring)
    torsion_spring = verb(description.Mechanism.torsion_spring)
    bushing = verb(description.Mechanism.bushing)
    frame = verb(description.Mechanism.frame)
    shape = verb(description.Mechanism.shape)
    contact = verb(description.Mechanism.contact)
    limit = verb(description.Mechanism.limit)
    rub = verb(sliding.rub)
    constrain = verb(description.Mechanism.constrain)
    drive = verb(description.Mechanism.drive)
    include = verb(parts.include)
    roll = verb(contrivances.roll)
    skate = verb(contrivances.skate)
    gear = verb(contrivances.gear)
    rack = verb(contrivances.rack)
    belt = verb(contrivances.belt)
    differential = verb(contrivances.differential)
    planetary = verb(contrivances.planetary)
    rope = verb(contrivances.rope)
    cam = verb(contrivances.cam)
    constant_velocity = verb(contrivances.constant_velocity)
    ackermann = verb(contrivances.ackermann)
