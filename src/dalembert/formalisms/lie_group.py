"""Mechanics in the group of displacements: twists, brackets, and the inertia of each body as one operator.

Papegay 1.3.4.iii-vi. Every speed u_r moves body k by a screw X_r, so that V = sum X_r u_r + (what time moves). A link
adds its own twist W to that of the body below it, seen in its own frame:

    V_j = Ad V_i + W_j                  V'_j = Ad V'_i + [Ad V_i, W_j] + W'_j
    H_k(V'_k) + [V_k, H_k(V_k)] = F_k + (motors) + (reactions, which have no power in the X_r)

Along X_r:  sum_k <X_r, H_k(X_s)> u'_s = - sum_k <X_r, H_k(V'_k at u' = 0) + B_k(V_k, V_k)> + <X_r, F_k>. Where screws
are constant in their links, B and C say the whole: S_r = - sum_k <X_r, sum_s B(X_s, X_s) u_s^2 + sum_{s<t} C(X_s, X_t)
u_s u_t>, t further out than s.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import ZERO, Matrix
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.kinematics import EARTH_NODE, RigidInertia, Tree, Twist, Wrench, node_inertias
from dalembert.kinematics.actions import coordinate_efforts, known_actions
from dalembert.kinematics.lie import b_of, bracket, c_of, momentum
from dalembert.kinematics.motion import relative_twist
from dalembert.presentation.jacobians import projection
from dalembert.presentation.lines import equation, plain
from dalembert.presentation.statements import Statements
from dalembert.presentation.theorems import powers
from dalembert.presentation.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Screws:
    """What moves: for each node of the tree (a frame with all that is welded to it) its twist, screws and inertia."""

    tree: Tree
    twists: tuple[Twist, ...]
    biases: tuple[Twist, ...]  # V' at u' = 0
    screws: tuple[dict[int, Twist], ...]  # speed -> X_r, in the node's own frame
    inertias: tuple[RigidInertia, ...]

    def of(self, body: str) -> dict[str, Twist]:
        """The screws of a body by the names of speeds, at its origin and in its base."""
        node, place = self.tree.place[self.tree.layout.number(body)]
        if node == EARTH_NODE:
            return {}
        return {self.tree.speeds[r].name: x.at(place) for r, x in self.screws[node].items()}

    def products(self, r: int) -> Matrix:
        """What products of speeds ask along u_r: <X_r, B(X_s, X_s)> on the diagonal, <X_r, C(X_s, X_t)> above it.

        With screws that are constant in their links, speeds numbered outwards, S_r = - sum_{s<=t} products_st u_s u_t.
        """
        n = len(self.tree.speeds)
        total = [[ZERO] * n for _ in range(n)]
        for own, h in zip(self.screws, self.inertias, strict=True):
            if r not in own:
                continue
            for s, x in own.items():
                total[s][s] = total[s][s] + b_of(h, x, x).power(own[r])
                for t, y in own.items():
                    if s < t:
                        total[s][t] = total[s][t] + c_of(h, x, y).power(own[r])
        flat = ex.reduce([x for row in total for x in row])
        return Matrix([flat[s * n : s * n + n] for s in range(n)], (n, n))


def screws_of(tree: Tree) -> Screws:
    """Twists, accelerations without u' and screws of all nodes, from earth outwards."""
    twists, biases, screws = list[Twist](), list[Twist](), list[dict[int, Twist]]()
    for node in tree.nodes:
        held, own = node.parent == EARTH_NODE, relative_twist(tree, node)
        carried = Twist() if held else twists[node.parent].at(node.pose)
        before = Twist() if held else biases[node.parent].at(node.pose)
        twists.append(carried + own)
        biases.append(before + bracket(carried, own) + node.rate)
        found = {} if held else {r: x.at(node.pose) for r, x in screws[node.parent].items()}
        for r, x in node.columns:
            found[r] = found[r] + x if r in found else x
        screws.append(found)
    return Screws(tree, tuple(twists), tuple(biases), tuple(screws), tuple(node_inertias(tree)))


def derive(tree: Tree) -> Equations:
    """The balance of every body in the algebra, along each screw."""
    found, n = screws_of(tree), len(tree.speeds)
    mass = [[ZERO] * n for _ in range(n)]
    bias, forces = [ZERO] * n, [ZERO] * n
    efforts = _torsors(tree)
    for k, own in enumerate(found.screws):
        h = found.inertias[k]
        asked = momentum(h, found.biases[k]) + b_of(h, found.twists[k], found.twists[k])
        for r, x in own.items():
            bias[r] = bias[r] - asked.power(x)
            forces[r] = forces[r] + efforts[k].power(x)
            carried = momentum(h, x)
            for s, y in own.items():
                if s >= r:
                    mass[r][s] = mass[r][s] + carried.power(y)
    for effort in coordinate_efforts(tree):
        slopes = ex.gradient(tree.rates[effort.coordinate], tree.speeds)
        forces = [f + effort.effort * x for f, x in zip(forces, slopes, strict=True)]
    whole = Matrix([[mass[min(r, s)][max(r, s)] for s in range(n)] for r in range(n)], (n, n))
    return Equations("lie-group", tree, whole, tuple(bias), tuple(forces), detail=found)


def _torsors(tree: Tree) -> list[Wrench]:
    """Known efforts on each node, in its frame."""
    total = [Wrench() for _ in tree.nodes]
    for action in known_actions(tree):
        node, place = tree.place[action.body]
        if node == EARTH_NODE:
            continue
        total[node] = total[node] + action.wrench.seen_from(place)
    return total


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    """The balance in the algebra, for every body and along every screw; then the same in vectors."""
    bodies = ", ".join(f"{i} ({words.tree.layout.bodies[i].name})" for i in words.bodies())
    lines = [
        plain(
            f"in the algebra of the group, k = {bodies}",
            "H_k(V'_k) + [V_k, H_k(V_k)] = F_k + R_k + N_k",
            "H_k(\\dot{V}_k) + [V_k, H_k(V_k)] = F_k + R_k + N_k",
        ),
        plain(
            f"r = 1..{len(words.tree.speeds)}: the reactions N_k have no power in the screws X_r = dV/du_r",
            "sum_k <X_r, H_k(V'_k) + B_k(V_k, V_k) - F_k - R_k> = 0",
            "\\sum_k \\langle X_r, H_k(\\dot{V}_k) + B_k(V_k, V_k) - F_k - R_k \\rangle = 0",
        ),
    ]
    left, right = powers(words, "star")
    lines.append(equation("the same for every virtual motion, in vectors", left, right))
    heads = [
        plain(
            "twists of links, from earth outwards",
            "V_j = Ad*V_i + W_j,  V'_j = Ad*V'_i + [Ad*V_i, W_j] + W'_j",
            "V_j = \\mathrm{Ad}\\, V_i + W_j,\\quad \\dot{V}_j = \\mathrm{Ad}\\, \\dot{V}_i + "
            "[\\mathrm{Ad}\\, V_i, W_j] + \\dot{W}_j",
        ),
        plain(
            "brackets with momenta",
            "B(X, Y) = [X, H(Y)],  C(X, Y) = [X, H(Y)] + [Y, H(X)] + H([X, Y])",
            "B(X, Y) = [X, H(Y)],\\quad C(X, Y) = [X, H(Y)] + [Y, H(X)] + H([X, Y])",
        ),
    ]
    return Statements(lines, heads, [left, right])


FORMALISM = Formalism(
    name="lie-group", title="Lie group of displacements", derive=derive, vector=vector_level, matrix=projection
)
