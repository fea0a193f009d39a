"""The words of a mechanism at the vector and matrix levels: symbols, their definitions, and their components.

Bodies have the numbers of the layout. For body j on link j from body i:

    omega_j = omega_i + sigma_j                     sigma_j, epsilon_j: relative angular velocity and its rate
    gamma(O_j) = gamma(O_i) + alpha_i x r_j + omega_i x (omega_i x r_j) + 2 omega_i x w_j + a_j      r_j = O_iO_j
    gamma(G_j) = gamma(O_j) + alpha_j x rho_j + omega_j x (omega_j x rho_j)                          rho_j = O_jG_j

At the matrix level every vector is a column in the base of earth: r_j = M_0_i r_j_i, with M_0_j = M_0_i M_i_j.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra import Definitions, Term
from dalembert.constraints.rows import Rows
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import ZERO3, Vector3, add3, apply3, apply_transposed3, cross, is_zero3, sub3
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import known_actions
from dalembert.kinematics.bodies import acceleration_symbols, body_motions, in_time
from dalembert.kinematics.links import LinkMotion, joint_powers, link_motions_of, link_twist, total_powers
from dalembert.mechanism import Link
from dalembert.presentation.acting import Acting

NOTHING = al.zero(al.VECTOR)


@dataclass(frozen=True, slots=True)
class Cut:
    """A link that closes a loop: its number in the layout, its bodies, and the multipliers of its rows by name."""

    number: int
    link: str
    first: int
    second: int
    multipliers: tuple[str, ...]


@dataclass
class Vocabulary:
    """Symbols of one tree; `vectors` is the table of vector formulas, `columns` that of columns in the base of earth.

    `values` gives the components of every name that no table defines, as expressions in q, u, u'.
    """

    tree: Tree
    vectors: Definitions = field(default_factory=Definitions)
    columns: Definitions = field(default_factory=Definitions)
    values: dict[Term, list[list[Expr]] | Expr] = field(default_factory=dict)
    links: list[LinkMotion] = field(default_factory=list)
    rows: Rows | None = None
    cuts: list[Cut] = field(default_factory=list)  # named by `closing.close`
    motors: dict[str, dict[int, Expr]] = field(default_factory=dict)  # link -> speed -> power of its motors
    acting: Acting | None = None  # what multipliers of conditions do to bodies and joints

    @staticmethod
    def of(tree: Tree, acting: Acting | None = None) -> Vocabulary:
        """`acting`: what multipliers of conditions do to bodies and joints, where they are said of these."""
        words = Vocabulary(tree, acting=acting)
        words.links = link_motions_of(tree)
        words.motors = joint_powers(tree, words.links)
        for link, r, power in [] if acting is None else acting.joint_powers():
            words.motors[link][r] = words.motors[link].get(r, ZERO) + power
        _rotations(words)
        _motions(words)
        _matter(words)
        return words

    # --- names -----------------------------------------------------------------------------------------------------

    def mass(self, i: int) -> Term:
        return al.scalar(f"mu{i}")

    def inertia(self, i: int) -> Term:
        return al.matrix(f"I{i}", symmetric=True)

    def rotation(self, i: int, j: int) -> Term:
        return al.matrix(f"M_{i}_{j}", rotation=True)

    def vector(self, name: str) -> Term:
        """A vector that may be absent: zero unless it has a formula or components."""
        symbol = al.vector(name)
        return symbol if symbol in self.vectors or symbol in self.columns or symbol in self.values else NOTHING

    def applied(self, i: int) -> Term:
        """The force of all known efforts and conditions on a body, its weight apart."""
        if self.vector("g") == NOTHING:
            return self.vector(f"F{i}")
        return self.vector(f"f{i}") + self.vector(f"H{i}")

    def bodies(self) -> list[int]:
        return list(range(1, len(self.tree.layout.bodies)))

    def massive(self) -> list[int]:
        return [i for i in self.bodies() if self.tree.layout.bodies[i].mass is not ZERO]

    def rotating(self) -> list[int]:
        """Bodies with inertia about their centres."""
        return [i for i in self.bodies() if any(x is not ZERO for x in self.tree.layout.bodies[i].inertia.entries)]

    def children(self, i: int) -> list[int]:
        return [one.child for one in self.tree.layout.tree if one.parent == i]

    def beyond(self, j: int) -> list[int]:
        """Body j and all bodies that hang on it."""
        found = [j]
        for i in found:
            found += self.children(i)
        return sorted(found)

    def motor_column(self) -> list[Expr]:
        """Q: the known efforts in joints on every speed."""
        return total_powers(self.tree, self.motors)

    # --- making --------------------------------------------------------------------------------------------------

    def column(self, name: str, base: int, entries: Vector3) -> Term:
        """A vector given by its column in the base of a body; the zero vector gets no name."""
        if is_zero3(entries):
            return NOTHING
        symbol = al.vector(name)
        if base == 0:
            self.values[symbol] = [[x] for x in entries]
            return symbol
        local = al.vector(f"{name}_{base}")
        self.values[local] = [[x] for x in entries]
        return self.columns.define(symbol, self.rotation(0, base) * local)

    def formula(self, name: str, term: Term) -> Term:
        """A vector given by a formula; a formula that vanishes gets no name."""
        if term == NOTHING:
            return NOTHING
        return self.vectors.define(al.vector(name), term)

    def in_components(self, term: Term) -> Term:
        """Every name opened down to local columns and relative rotations."""
        opened = term
        while self.columns.used_by(opened) or self.vectors.used_by(opened):
            opened = self.columns.expand_all(self.vectors.expand_all(opened))
        return opened

    def evaluate(self, term: Term) -> list[Expr]:
        """Components in the base of earth, as expressions."""
        found = al.components(self.in_components(term), self.values)
        return [found] if isinstance(found, Expr) else list(found.entries)


def _rotations(words: Vocabulary) -> None:
    for one in words.links:
        i, j = one.link.parent, one.link.child
        relative = words.rotation(i, j)
        words.values[relative] = [list(row) for row in one.pose.rotation]
        if i != 0:
            words.columns.define(words.rotation(0, j), words.rotation(0, i) * relative)


def _motions(words: Vocabulary) -> None:
    """Relative motions of links as columns in the parent's base, then composition from earth outwards."""
    tree = words.tree
    along, later = in_time(tree), in_time(tree, acceleration_symbols(tree))
    for one in words.links:
        i, j = one.link.parent, one.link.child
        r = one.pose.position
        w = _three(ex.tangent(r, along))
        a = _three(ex.tangent(w, later))
        spin = apply3(one.pose.rotation, _relative_spin(words, one))
        rate = _three(ex.tangent(spin, later))
        words.column(f"r{j}", i, r)
        words.column(f"w{j}", i, w)
        words.column(f"a{j}", i, a)
        words.column(f"sigma{j}", i, spin)
        words.column(f"epsilon{j}", i, rate)
        words.column(f"rho{j}", j, tree.layout.bodies[j].centre)
        compose(words, i, j)


def compose(words: Vocabulary, i: int, j: int) -> None:
    """The specific formulas of body j from body i (Papegay 1.3.1.i-ii, composition of motions)."""
    v: Callable[[str], Term] = words.vector
    w, r, c = v(f"omega{i}"), v(f"r{j}"), v(f"rho{j}")
    spin, speed = v(f"sigma{j}"), v(f"w{j}")
    omega = words.formula(f"omega{j}", w + spin)
    words.formula(f"alpha{j}", v(f"alpha{i}") + al.cross(w, spin) + v(f"epsilon{j}"))
    words.formula(f"v(O{j})", v(f"v(O{i})") + al.cross(w, r) + speed)
    turned = al.cross(v(f"alpha{i}"), r) + al.cross(w, al.cross(w, r))
    words.formula(f"gamma(O{j})", v(f"gamma(O{i})") + turned + 2 * al.cross(w, speed) + v(f"a{j}"))
    words.formula(f"v(G{j})", v(f"v(O{j})") + al.cross(omega, c))
    turned = al.cross(v(f"alpha{j}"), c) + al.cross(omega, al.cross(omega, c))
    words.formula(f"gamma(G{j})", v(f"gamma(O{j})") + turned)


def _relative_spin(words: Vocabulary, one: LinkMotion) -> Vector3:
    """Angular velocity of the child relative to the parent, in the child's base."""
    place = words.tree.place[one.link.child][1]
    return apply_transposed3(place.rotation, link_twist(words.tree, one.link.link.name).angular)


def _matter(words: Vocabulary) -> None:
    """Masses, inertias, and the known efforts on each body: resultant F_i, moment C_i at G_i (joints apart)."""
    tree = words.tree
    motions = body_motions(tree)
    gravity = tree.layout.model.gravity
    words.column("g", 0, gravity)
    for i in words.bodies():
        body = tree.layout.bodies[i]
        if body.mass is not ZERO:
            words.values[words.mass(i)] = body.mass
        if i in words.rotating():
            local = al.matrix(f"J{i}", symmetric=True)
            words.values[local] = [list(row) for row in motions[i].inertia]
            turned = words.rotation(0, i)
            words.columns.define(words.inertia(i), turned * local * turned.T)
    forces = dict.fromkeys(words.bodies(), ZERO3)
    moments = dict(forces)
    for action in known_actions(tree, gravity=False):
        if not isinstance(action.effort, Link):
            i = action.body
            arm = sub3(action.point, tree.layout.bodies[i].centre)
            forces[i] = add3(forces[i], action.force)
            moments[i] = add3(moments[i], add3(action.torque, cross(arm, action.force)))
    for i in words.bodies():
        held, turned = _of_conditions(words, i)
        if is_zero3(gravity) and held == NOTHING:
            words.column(f"F{i}", i, forces[i])
        else:
            weighs = i in words.massive() and not is_zero3(gravity)
            weight = words.mass(i) * al.vector("g") if weighs else NOTHING
            words.formula(f"F{i}", weight + words.column(f"f{i}", i, forces[i]) + held)
        if turned == NOTHING:
            words.column(f"C{i}", i, moments[i])
        else:
            words.formula(f"C{i}", words.column(f"t{i}", i, moments[i]) + turned)


def _of_conditions(words: Vocabulary, i: int) -> tuple[Term, Term]:
    """H_i and L_i: force and moment at G_i of the multipliers of conditions on body i."""
    force, moment = NOTHING, NOTHING
    for j, (weight, push, turn) in enumerate([] if words.acting is None else words.acting.units(i), 1):
        force = force + al.as_term(weight) * words.column(f"h_{i}_{j}", i, push)
        moment = moment + al.as_term(weight) * words.column(f"k_{i}_{j}", i, turn)
    return words.formula(f"H{i}", force), words.formula(f"L{i}", moment)


def _three(values: list[Expr]) -> Vector3:
    return Vector3(values[:3])
