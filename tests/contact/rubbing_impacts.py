"""Random impacts with several contacts that rub: what every answer must obey, not by the solver's own measures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from dalembert.contact import Frictional, solve_frictional


@dataclass
class Audit:
    """The worst of what was asked for, as shares of what each is made of; `told` counts contacts by their states."""

    momentum: float = 0.0
    gain: float = -np.inf
    cone: float = 0.0
    law: float = 0.0
    unsolved: int = 0
    told: Counter = field(default_factory=Counter)


def audit(count: int, seed: int) -> Audit:
    """Metrics over six decades of mass, two to six contacts in the plane or in space, a third with dependent rows."""
    rng = np.random.default_rng(seed)
    found = Audit()
    for _ in range(count):
        freedoms, contacts, tangents = int(rng.integers(2, 9)), int(rng.integers(2, 7)), int(rng.integers(1, 3))
        scale = 10.0 ** rng.uniform(-3, 3, size=freedoms) if rng.random() < 0.5 else np.ones(freedoms)
        root = rng.normal(size=(freedoms, freedoms)) + 2 * np.eye(freedoms)
        mass = (root @ root.T) * np.sqrt(np.outer(scale, scale))
        rows = rng.normal(size=(contacts, 1 + tangents, freedoms)) * np.sqrt(scale)
        if rng.random() < 1 / 3:
            rows[-1] = rows[0]
        speeds = rng.normal(size=freedoms) / np.sqrt(scale)
        approach = rows[:, 0] @ speeds
        rows[approach > 0, 0] *= -1  # all of them approach
        mu, e = rng.uniform(0, 1, size=contacts), float(rng.choice([0.0, rng.uniform(0, 1), 1.0]))
        _one(found, mass, rows.reshape(-1, freedoms), speeds, mu, e, tangents)
    return found


def _one(found: Audit, mass, rows, speeds, mu, e, tangents) -> None:
    contacts = len(mu)
    before = rows @ speeds
    answers, _ = solve_frictional(
        Frictional(rows @ np.linalg.solve(mass, rows.T), (1 + e) * before, mu, (tangents,) * contacts)
    )
    if not answers:
        found.unsolved += 1
        return
    pulses = answers[0].impulses
    push = rows.T @ pulses
    after = speeds + np.linalg.solve(mass, push)
    kinetic = speeds @ mass @ speeds / 2
    made = np.abs(mass) @ (np.abs(after) + np.abs(speeds)) + np.abs(rows).T @ np.abs(pulses)
    found.momentum = max(found.momentum, float((np.abs(mass @ (after - speeds) - push) / made).max()))
    found.gain = max(found.gain, float((after @ mass @ after / 2 - kinetic) / kinetic))
    size = np.abs(rows) @ (np.abs(after) + np.abs(speeds))  # what the speeds of a contact are made of
    law = rows @ after + e * before
    for i, state in enumerate(answers[0].states):
        part = slice(i * (1 + tangents), (i + 1) * (1 + tangents))
        p, u = pulses[part], law[part] / size[part].max()
        strongest, along = np.abs(pulses).max(), float(np.linalg.norm(p[1:]))
        found.told[state] += 1
        found.cone = max(found.cone, -p[0] / strongest, (along - mu[i] * p[0]) / strongest)
        slip = float(np.linalg.norm(u[1:]))
        faults = [-u[0]]
        if p[0] > 1e-9 * strongest:
            faults.append(abs(u[0]))
            if along < (1 - 1e-6) * mu[i] * p[0]:
                faults.append(slip)  # inside its cone it sticks
            elif along > 0 and slip > 1e-9:
                faults.append(float(np.linalg.norm(p[1:] / along + u[1:] / slip)) * slip)  # against the slip
        found.law = max(found.law, *faults)
