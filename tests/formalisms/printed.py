"""The satellite of chapter 2 in the compact notation of the corrected derivation, in expressions: an oracle by hand.

Everything is in the base R1. The names follow the thesis: X, Y, Z, d, a1, a4, h, and the residuals of its equations.
"""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.expr.space import AXES, add3, apply3, apply_transposed3, cross, dot3, scale3, sub3, turn_matrix

q7, q8, q9 = ex.symbols("s2.q7 s3.q8 s4.q9")
p7, p8, p9 = (ex.prime(q) for q in (q7, q8, q9))
a7, a8, a9 = (ex.prime(q, 2) for q in (q7, q8, q9))
v, w = ex.symbols("s1.vx s1.vy s1.vz"), ex.symbols("s1.wx s1.wy s1.wz")
dv, dw = tuple(map(ex.prime, v)), tuple(map(ex.prime, w))
ACCELERATION_SYMBOLS = [*dv, *dw, a7, a8, a9]
mu1, mu4, z12, z34 = ex.symbols("mu1 mu4 z12 z34")
I1 = ex.symbols("I1x I1y I1z")
F1, F4, C1 = (ex.symbols(f"{n}x {n}y {n}z") for n in ("F1", "F4", "C1"))
C12, F23, C34 = ex.symbols("C12 F23 C34")
s7, c7, s9, c9 = ex.sin(q7), ex.cos(q7), ex.sin(q9), ex.cos(q9)
RATES = {q7: p7, q8: p8, q9: p9}

d = (z34 * s9, q8 * c7 - z34 * s7 * c9, z12 + q8 * s7 + z34 * c7 * c9)
dd = tuple(ex.tangent(d, RATES))
ddd = tuple(ex.tangent(dd, {**RATES, p7: a7, p8: a8, p9: a9}))
a1 = add3(dv, cross(w, v))
v4 = add3(v, add3(dd, cross(w, d)))
a4 = add3(add3(a1, cross(dw, d)), add3(cross(w, cross(w, d)), add3(scale3(ex.TWO, cross(w, dd)), ddd)))
Iw = tuple(i * x for i, x in zip(I1, w, strict=True))
h = add3(tuple(i * x for i, x in zip(I1, dw, strict=True)), cross(w, Iw))
j2, k2, i4 = (ex.ZERO, c7, s7), (ex.ZERO, -s7, c7), (c9, s7 * s9, -c7 * s9)
M, mu = mu1 + mu4, mu1 * mu4 / (mu1 + mu4)
R12, R34 = turn_matrix(q7, AXES["x"]), turn_matrix(q9, AXES["y"])
arm = (ex.ZERO, ex.ZERO, z12)

#: forces on the whole system (N.8 = A.1), moments at G1 (A.2), moments at G (N.9)
N8 = sub3(add3(scale3(mu1, a1), scale3(mu4, a4)), add3(F1, F4))
A2 = sub3(add3(h, cross(d, sub3(scale3(mu4, a4), F4))), C1)
push = sub3(scale3(1 / mu4, F4), scale3(1 / mu1, F1))
N9 = sub3(add3(h, scale3(mu, cross(d, sub3(a4, a1)))), add3(C1, scale3(mu, cross(d, push))))
N12 = h[0] + z12 * (mu1 * a1[1] - F1[1]) - C1[0] + C12
N13b = mu4 * dot3(j2, a4) - F23 - dot3(j2, F4)
N17 = -c7 * (mu1 * a1[1] - F1[1]) - s7 * (mu1 * a1[2] - F1[2]) - F23
A5b = z34 * dot3(i4, sub3(F4, scale3(mu4, a4))) + C34
A6a = -h[0] + z12 * (F1[1] - mu1 * a1[1]) - C12 + C1[0]


def isolated():
    """The 18 equations N.10, N.11, N.13-N.16 in the accelerations and the reactions, and their unknown reactions."""
    r21, r34 = ex.symbols("r21x r21y r21z"), (ex.symbol("r34x"), F23, ex.symbol("r34z"))
    c21, c34 = (-C12, *ex.symbols("c21y c21z")), (ex.symbol("c34x"), C34, ex.symbol("c34z"))
    rows = list(sub3(scale3(mu1, a1), add3(r21, F1)))
    rows += list(sub3(h, add3(add3(cross(arm, r21), c21), C1)))
    rows += list(sub3(apply_transposed3(R12, sub3(scale3(mu4, a4), F4)), apply3(R34, r34)))
    rows += [z34 * r34[1] + c34[0], -z34 * r34[0] + c34[1], c34[2]]  # moments at G4 of the reactions at m43
    # S2 and S3 together, in R2: actions of S1 (-r21) and of S4 (-r34), moments at m21
    on3, turn3 = apply3(R34, r34), apply3(R34, c34)
    back, twist = apply_transposed3(R12, r21), apply_transposed3(R12, c21)
    rows += [-x - y for x, y in zip(back, on3, strict=True)]
    rows += [-x - y - z for x, y, z in zip(twist, turn3, cross((ex.ZERO, q8, ex.ZERO), on3), strict=True)]
    unknown = [*r21, *c21[1:], r34[0], r34[2], c34[0], c34[2]]
    return rows, unknown
