"""Draws the sheets of docs/constraints-gallery.md: python docs/constraints_pictures.py (from the root)."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import dalembert as da
from dalembert.view.theme import style

HERE = Path(__file__).parent
#: A panel: file, until, what is drawn to the right and what upward, and a word for each.
PATH = ("x [m]", "y [m]")
SHEETS = {
    "skates": [
        ("sleigh", 6, "p.x", "p.y", *PATH),
        ("knife_edge", 10, "p.y", "-p.x", "across the slope [m]", "up [m]"),
        ("skater_1", 12, "p.x", "p.y", *PATH),
        ("skater_2", 12, "p.x", "p.y", *PATH),
        ("car", 12, "p.x", "p.y", *PATH),
        ("snakeboard", 12, "p.x", "p.y", *PATH),
        ("roller_racer", 12, "p.x", "p.y", *PATH),
        ("appell", 1, "p.x", "p.z", "x [m]", "z [m]"),
    ],
    "rolling": [
        ("rolling_disc", 5, "c.x", "c.y", *PATH),
        ("../bicycle", 3, "t", "ride.lean", "t [s]", "lean [rad]"),
        ("ball_on_turntable", 11, "f.x", "f.y", *PATH),
        ("ellipsoid_on_turntable", 4, "pebble.X", "pebble.Y", *PATH),
        ("chaplygin_sphere", 20, "f.wx", "f.wy", "w1 in the ball [rad/s]", "w2"),
        ("rattleback", 10, "t", "f.al'*sin(f.be) + f.ga'", "t [s]", "spin [rad/s]"),
        ("walker_wheel", 12, "t", "p.x", "t [s]", "x [m]"),
        ("walker_ball", 12, "ball.X", "ball.Y", *PATH),
    ],
    "servos": [
        ("servo_discs", 8, "t", "servo.power", "t [s]", "power [W]"),
        ("sperry", 8, "t", "roll_of.th", "t [s]", "roll [rad]"),
        ("foucault", 25, "wire.x", "wire.y", "x east [m]", "y north [m]"),
        ("swing", 16, "t", "swing.th", "t [s]", "angle [rad]"),
        ("falling_cat", 6, "t", "p.th", "t [s]", "turn of the body [rad]"),
        ("satellite_rotors", 4, "t", "2*acos(turn.e0)", "t [s]", "turn of the hull [rad]"),
        ("satellite_mast", 12, "t", "motor_1.lambda", "t [s]", "torque [N m]"),
        ("crane_path", 6.3, "load.X", "load.Z", "x [m]", "z [m]"),
    ],
    "gears_ropes_friction": [
        ("planetary", 0.1, "t", "s.th'", "t [s]", "sun [rad/s]"),
        ("atwood", 1, "t", "a.x", "t [s]", "heavy weight, down [m]"),
        ("pulley_block", 1, "t", "two.x", "t [s]", "block, down [m]"),
        ("cam", 0.4, "t", "profile.lambda", "t [s]", "contact force [N]"),
        ("spring_servo", 4, "t", "law.lambda", "t [s]", "force of the motor [N]"),
        ("sliding_point", 1.69, "t", "sqrt(p.x'^2 + p.y'^2)", "t [s]", "speed [m/s]"),
        ("billiard", 0.8, "t", "ball.X'", "t [s]", "x' [m/s]"),
        ("tippe_top", 3, "t", "1 - 2*(f.e1^2 + f.e2^2)", "t [s]", "axis, upward part"),
    ],
}


def draw(axis, file, until, x, y, right, up):
    m = da.load(HERE.parent / "examples" / "constraints" / f"{file}.lsd")
    mo = m.simulate((0, until), t_eval=np.linspace(0, until, 801))
    a, b = (mo.t if name == "t" else mo[name] for name in (x, y))
    axis.plot(a, b, lw=1.2)
    axis.plot(a[:1], b[:1], "o", ms=4, color="0.5")
    axis.set_title(Path(file).stem.replace("_", " "), fontsize=9)
    axis.set_xlabel(right, fontsize=7)
    axis.set_ylabel(up, fontsize=7)
    axis.tick_params(labelsize=6)
    if x != "t":
        axis.set_aspect("equal", adjustable="datalim")


if __name__ == "__main__":
    for sheet, panels in SHEETS.items():
        with mpl.rc_context(style()):
            figure, axes = plt.subplots(2, 4, figsize=(10, 5), layout="constrained")
            for axis, panel in zip(axes.flat, panels, strict=True):
                draw(axis, *panel)
            figure.savefig(HERE / "_static" / f"constraints_{sheet}.png", dpi=90)
            plt.close(figure)
