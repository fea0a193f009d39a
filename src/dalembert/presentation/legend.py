"""What the names of a level stand for: every symbol that no line defines is said in the legend, kind by kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dalembert.presentation.lines import Line, escaped, plain
from dalembert.presentation.vocabulary import Vocabulary

#: kind of name -> (text, LaTeX, what it is); j counts bodies, i is the body before j, k counts cut links
KINDS: dict[str, tuple[str, str, str]] = {
    "r": ("r_j = O_iO_j", "r_j = \\overrightarrow{O_iO_j}", "from the body before to body j"),
    "rho": ("rho_j = O_jG_j", "\\rho_j = \\overrightarrow{O_jG_j}", "to the centre of mass"),
    "sigma": ("sigma_j", "\\sigma_j", "angular velocity relative to the body before"),
    "epsilon": ("epsilon_j", "\\epsilon_j", "rate of sigma_j in the base of the body before"),
    "w": ("w_j", "w_j", "velocity of O_j relative to the body before"),
    "a": ("a_j", "a_j", "acceleration of O_j relative to the body before"),
    "mu": ("mu_j", "\\mu_j", "mass"),
    "I": ("I_j", "I_j", "inertia at G_j"),
    "J": ("J_j", "J_j", "inertia at G_j in the base of body j"),
    "g": ("g", "g", "gravity"),
    "F": ("F_j", "F_j", "resultant of the known efforts on body j"),
    "f": ("f_j", "f_j", "resultant of the applied efforts on body j"),
    "h": ("h_j_c", "h_{j,c}", "force on body j of a unit of the multiplier c of the conditions"),
    "k": ("k_j_c", "k_{j,c}", "moment at G_j on body j of a unit of the multiplier c of the conditions"),
    "t": ("t_j", "t_j", "moment at G_j of the applied efforts on body j"),
    "C": ("C_j", "C_j", "moment at G_j of the known efforts on body j"),
    "s": ("s_j = O_jJ_j", "s_j = \\overrightarrow{O_jJ_j}", "to the joint J_j, from the second body of a cut link"),
    "R": ("R_j", "R_j", "force of link j on body j"),
    "K": ("K_j", "K_j", "moment of link j on body j, at the joint"),
    "theta": ("theta_j", "\\theta_j", "turn of link j for a unit of its speed"),
    "tau": ("tau_j", "\\tau_j", "slide of link j at the joint for a unit of its speed"),
    "Q": ("Q_j", "Q_j", "known effort of link j on its speed"),
    "n": ("n_k", "n_k", "force on the second body of a unit of each multiplier of the cut link k, at the joint"),
    "m": ("m_k", "m_k", "moment on the second body of a unit of each multiplier of the cut link k, at the joint"),
    "Gamma": ("Gamma_j = V_j' u", "\\Gamma_j = \\dot{V}_j u", "acceleration of G_j without u'"),
    "Phi": ("Phi_j = W_j' u", "\\Phi_j = \\dot{W}_j u", "angular acceleration without u'"),
    "Xi": ("Xi_j = U_j' u", "\\Xi_j = \\dot{U}_j u", "acceleration of O_j without u'"),
    "d": ("d_k", "d_k", "what time and other links move in the cut link k"),
    "X": ("X_k = dd_k/du", "X_k = \\partial d_k/\\partial u", "what other links move in the cut link k"),
    "E": ("E_k", "E_k", "force of the springs and motors in the cut link k"),
    "N": ("N_k", "N_k", "moment of the springs and motors in the cut link k"),
    "M": ("M_i_j", "M_{i,j}", "rotation from the base of body j to that of body i"),
    "A": ("A_j", "A_j", "slides of link j for a unit of each speed"),
    "B": ("B_j", "B_j", "turns of link j for a unit of each speed"),
    "T": ("T_0, b", "T_0, b", "kinetic energy and momenta that are left at u = 0"),
    "P": ("P_joints", "P_{joints}", "power of the motors and springs in joints"),
}
_POINTS = {"O": "origin of the frame of body j", "G": "centre of mass of body j"}
_LATER = {
    "_r": ("partial: for a unit of speed u_r", "sigma_r_j, w_r_j, Q_r", "\\sigma_{r,j}, w_{r,j}, Q_r"),
    "*": ("of the virtual motion", "sigma*_j, w*_j, Q*", "\\sigma^*_j, w^*_j, Q^*"),
}


def legend(words: Vocabulary, lines: Sequence[Line]) -> list[Line]:
    """Numbers of bodies, the points, and one line for each kind of name that the lines use and none of them defines."""
    names = undefined(lines)
    kinds, marks = {kind_of(name)[0] for name in names}, {kind_of(name)[1] for name in names}
    found = [_numbers(words)]
    more = ", and of conditions" if words.acting is not None and words.acting.found.joints else ""
    for kind, (text, latex, label) in KINDS.items():
        if kind in kinds:
            found.append(plain(label + (more if kind in "QP" else ""), text, latex))
    found += [plain(*_LATER[mark]) for mark in _LATER if mark in marks]
    seen = " ".join(f"{line.text} {line.label}" for line in (*lines, *found))
    points = [one for one in _POINTS if re.search(rf"(?<![A-Za-z]){one}(_[ij]|\d)", seen)]
    found += [plain(_POINTS[one], f"{one}_j", f"{one}_j") for one in points]
    if any(re.fullmatch(r"[A-Za-z]+\d+_\d+", name) for name in names):
        found.append(plain("column of r_j in the base of body i; all others in that of earth", "r_j_i", "r_j^{(i)}"))
    return found


def undefined(lines: Iterable[Line]) -> set[str]:
    """Names with numbers that stand in lines, and on the left of no `:=`."""
    used, defined = set[str](), set[str]()
    for line in lines:
        left, sign, right = line.text.partition(" := ")
        used |= set(_NUMBERED.findall(right if sign else line.text))
        if sign:
            defined |= set(_NUMBERED.findall(left))
    return {re.sub(r"^d(?=w|sigma)", "", name) for name in used} - defined


#: r3, r3_1, sigma_r_3, sigma*_3, n_4_1, n'4, gamma(G3); g and the powers of motors have no number
_NUMBERED = re.compile(
    r"(?<![\w.])(?:[A-Za-z]+(?:\*|')?(?:_r)?_?\d[\w]*|[a-z*]+\([OG]\d+\)|g|Q_r|Q\*|P_joints)(?![\w.(])"
)


def kind_of(name: str) -> tuple[str, str]:
    """`sigma_r_3` is a sigma of a partial motion; `r3_1` the column of r3 in the base of body 1."""
    found = re.match(r"([A-Za-z]+)", name)
    mark = "_r" if "_r" in name else "*" if "*" in name else ""
    return (found[1] if found else name), mark


def _numbers(words: Vocabulary) -> Line:
    layout = words.tree.layout
    bodies = ", ".join(f"{i} {body.name}" for i, body in enumerate(layout.bodies))
    closing = [f"{one.number} {one.link.name}" for one in layout.cuts]
    text = bodies + (f"; cut links: {', '.join(closing)}" if closing else "")
    return plain("numbers of bodies", text, f"\\text{{{escaped(text)}}}")
