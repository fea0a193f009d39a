"""Draws the picture of the README: python docs/picture.py (from the root of the repository)."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import sympy as sp

mpl.use("Agg")
mpl.rcParams["mathtext.fontset"] = "cm"
import matplotlib.pyplot as plt

import dalembert as da

HERE = Path(__file__).parent
NAMES = {
    "shoulder.th": r"\theta_1",
    "elbow.th": r"\theta_2",
    "shoulder.th'": r"\dot{\theta}_1",
    "elbow.th'": r"\dot{\theta}_2",
}
NAMES |= {f"{letter}{i}": f"{letter}_{i}" for letter in "ml" for i in (1, 2)}

m = da.load(HERE.parent / "examples" / "double_pendulum.lsd")
motion = m.simulate((0, 6), t_eval=np.linspace(0, 6, 601), rtol=1e-10, atol=1e-10)
m.gravity = [0, 0, "-g"]
equations = m.equations("recursive").to_sympy()


def written(expression):
    simple = sp.nsimplify(sp.simplify(sp.trigsimp(expression)), rational=True)
    symbols = {s: NAMES.get(s.name, s.name) for s in simple.free_symbols}
    return (
        sp.latex(sp.expand(simple), symbol_names=symbols)
        .replace(r"{\left(", "(")
        .replace(r"\right)}", ")")
        .replace("frac", "dfrac")
    )


figure, (picture, text) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=[1, 1.25])

first, second = motion["shoulder.th"], motion["shoulder.th"] + motion["elbow.th"]
elbow = np.array([np.sin(first), -np.cos(first)])
tip = elbow + 0.8 * np.array([np.sin(second), -np.cos(second)])
picture.plot(*tip, color="tab:orange", linewidth=1)
for k in range(0, 140, 7):
    joints = np.array([[0, 0], elbow[:, k], tip[:, k]]).T
    picture.plot(*joints, color="tab:blue", alpha=0.15 + 0.85 * k / 140, linewidth=2, marker="o", markersize=3)
picture.set_aspect("equal")
picture.axis("off")

matrix = equations["mass_matrix"]
bias, forces = equations["bias"], equations["forces"]
lines = [rf"$M_{{{i + 1}{j + 1}}} = {written(matrix[i, j])}$" for i, j in ((0, 0), (0, 1), (1, 1))]
lines += [rf"$S_{i + 1} = {written(bias[i])}$" for i in (0, 1)]
lines += [rf"$F_{i + 1} = {written(forces[i])}$" for i in (0, 1)]
text.text(0, 0.95, r"$M(q)\,\dot{u} = S(q, u) + F(q)$", fontsize=17)
for k, line in enumerate(lines):
    text.text(0, 0.82 - 0.135 * k, line, fontsize=13)
text.axis("off")

figure.tight_layout()
(HERE / "_static").mkdir(exist_ok=True)
figure.savefig(HERE / "_static" / "double_pendulum.png", dpi=110)
