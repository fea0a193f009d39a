"""Random impacts with several contacts that rub: what every answer must obey, not by the solver's own measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
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


@dataclass(frozen=True)
class Blow:
    """Speeds of a machine before contacts with friction `mu` stop it, or throw it back with `e`."""

    mass: np.ndarray
    rows: np.ndarray
    speeds: np.ndarray
    mu: np.ndarray
    e: float
    tangents: int

    def problem(self) -> Frictional:
        root = np.linalg.solve(np.linalg.cholesky(self.mass), self.rows.T).T
        compliance = self.rows @ np.linalg.solve(self.mass, self.rows.T)
        right = (1 + self.e) * (self.rows @ self.speeds)
        return Frictional(compliance, right, self.mu, (self.tangents,) * len(self.mu), root=root)


def audit(count: int, seed: int) -> Audit:
    """Metrics over six decades of mass, two to six contacts in the plane or in space, a third with dependent rows."""
    return audited(blows(count, seed))


def audited(given: Iterable[Blow], before: Audit | None = None) -> Audit:
    found = before or Audit()
    for blow in given:
        _one(found, blow)
    return found


def blows(count: int, seed: int) -> Iterator[Blow]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        freedoms, contacts, tangents = int(rng.integers(2, 9)), int(rng.integers(2, 7)), int(rng.integers(1, 3))
        scale = 10.0 ** rng.uniform(-3, 3, size=freedoms) if rng.random() < 0.5 else np.ones(freedoms)
        root = rng.normal(size=(freedoms, freedoms)) + 2 * np.eye(freedoms)
        mass = (root @ root.T) * np.sqrt(np.outer(scale, scale))
        rows = rng.normal(size=(contacts, 1 + tangents, freedoms)) * np.sqrt(scale)
        if rng.random() < 1 / 3:
            rows[-1] = rows[0]
        speeds = rng.normal(size=freedoms) / np.sqrt(scale)
        yield _approaching(rng, mass, rows, speeds)


def soft_blows(count: int, seed: int, tangents: int) -> Iterator[Blow]:
    """Masses that are nearly nothing in a direction that all contacts push along: impulses grow by decades."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        freedoms, contacts = int(rng.integers(2, 6)), int(rng.integers(2, 5))
        axes = np.linalg.qr(rng.normal(size=(freedoms, freedoms)))[0]
        mass = (axes * np.logspace(0, -rng.uniform(4, 14), freedoms)) @ axes.T
        rows = rng.normal(size=(contacts, 1 + tangents, freedoms))
        yield _approaching(rng, (mass + mass.T) / 2, rows, rng.normal(size=freedoms))


def _approaching(rng: np.random.Generator, mass, rows, speeds) -> Blow:
    contacts, across, freedoms = rows.shape
    rows[rows[:, 0] @ speeds > 0, 0] *= -1
    mu, e = rng.uniform(0, 1, size=contacts), float(rng.choice([0.0, rng.uniform(0, 1), 1.0]))
    return Blow(mass, rows.reshape(-1, freedoms), speeds, mu, e, across - 1)


def _one(found: Audit, blow: Blow) -> None:
    mass, rows, speeds, mu, e, tangents = blow.mass, blow.rows, blow.speeds, blow.mu, blow.e, blow.tangents
    before = rows @ speeds
    answers, why = solve_frictional(blow.problem())
    if not answers:
        assert why
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
