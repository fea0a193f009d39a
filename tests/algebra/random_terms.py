"""Random well-typed terms over a fixed set of symbols with properties, and a judge modulo a prime."""

from __future__ import annotations

import random
from typing import Any

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra.values.evaluate import evaluate
from dalembert.algebra.values.fields import PRIMES, Residues
from dalembert.algebra.values.sample import BadPoint

a, b, c = al.vectors("a b c")
u = al.vector("u", unit=True)
n = al.vector("n", orthogonal_to=u)
x0, y0, z0 = al.orthonormal_basis("X0 Y0 Z0")
A, B = al.matrices("A B")
S = al.matrix("S", symmetric=True)
W = al.matrix("W", antisymmetric=True)
K = al.matrix("K", orthogonal=True)
R, Q = al.matrix("R", rotation=True), al.matrix("Q", rotation=True)
P = al.matrix("P", positive_definite=True)
p = al.quaternion("p")
q = al.quaternion("q", unit=True)
k, m = al.scalar("k"), al.scalar("m")
th = al.scalar("th")

SCALARS = (k, m, al.number(2), al.number(-1), al.scalar(ex.sin(ex.symbol("th"))), al.scalar(ex.cos(ex.symbol("th"))))
VECTORS = (a, b, c, u, n, x0, y0, z0)
MATRICES = (A, B, S, W, K, R, Q, P)
QUATERNIONS = (p, q)


def scalar(rng: random.Random, depth: int) -> al.Term:
    if depth <= 0:
        return rng.choice(SCALARS)
    d = depth - 1
    pick = rng.randrange(8)
    if pick == 0:
        return scalar(rng, d) + scalar(rng, d)
    if pick == 1:
        return scalar(rng, d) * scalar(rng, d)
    if pick in (2, 3):
        return al.dot(vector(rng, d), vector(rng, d))
    if pick == 4:
        return al.triple(vector(rng, d), vector(rng, d), vector(rng, d))
    if pick == 5:
        return al.trace(matrix(rng, d))
    if pick == 6:
        return vector(rng, d).T * matrix(rng, d) * vector(rng, d)
    return al.squared_norm(quaternion(rng, d)) if rng.random() < 0.5 else al.scalar_part(quaternion(rng, d))


def vector(rng: random.Random, depth: int) -> al.Term:
    if depth <= 0:
        return rng.choice(VECTORS)
    d = depth - 1
    pick = rng.randrange(8)
    if pick in (0, 1):
        return vector(rng, d) + vector(rng, d) if rng.random() < 0.5 else vector(rng, d) - vector(rng, d)
    if pick == 2:
        return scalar(rng, d) * vector(rng, d)
    if pick in (3, 4):
        return al.cross(vector(rng, d), vector(rng, d))
    if pick in (5, 6):
        return matrix(rng, d) * vector(rng, d)
    return al.vector_part(quaternion(rng, d))


def matrix(rng: random.Random, depth: int) -> al.Term:
    if depth <= 0:
        return rng.choice(MATRICES)
    d = depth - 1
    pick = rng.randrange(10)
    if pick == 0:
        return matrix(rng, d) + matrix(rng, d)
    if pick == 1:
        return scalar(rng, d) * matrix(rng, d)
    if pick in (2, 3, 4):
        return matrix(rng, d) * matrix(rng, d)
    if pick == 5:
        return matrix(rng, d).T
    if pick == 6:
        return ~vector(rng, d)
    if pick == 7:
        return al.dyad(vector(rng, d), vector(rng, d))
    if pick == 8:
        return rng.choice((A, R, K, P)) ** rng.choice((-1, 2, -2))
    return al.rotation(u, th) if rng.random() < 0.3 else al.matrix_of(q)


def quaternion(rng: random.Random, depth: int) -> al.Term:
    if depth <= 0:
        return rng.choice(QUATERNIONS)
    d = depth - 1
    pick = rng.randrange(6)
    if pick == 0:
        return quaternion(rng, d) + quaternion(rng, d)
    if pick == 1:
        return scalar(rng, d) * quaternion(rng, d)
    if pick == 2:
        return quaternion(rng, d) * quaternion(rng, d)
    if pick == 3:
        return al.conjugate(quaternion(rng, d))
    if pick == 4:
        return rng.choice((p, q)) ** rng.choice((-1, 2))
    return al.pair(scalar(rng, d), vector(rng, d))


MAKERS = (scalar, vector, matrix, quaternion)


def term(rng: random.Random, depth: int) -> al.Term:
    return rng.choice(MAKERS)(rng, depth)


def values(terms: list[al.Term], seed: int, prime: int = PRIMES[0]) -> list[Any] | None:
    """Components of several terms at one random typed point modulo a prime; None outside their domain."""
    field = Residues(prime, seed)
    try:
        return [plain(evaluate(t, field)) for t in terms]
    except (BadPoint, ZeroDivisionError):
        return None


def plain(value: Any) -> Any:
    return [plain(x) for x in value] if isinstance(value, list) else int(value)
