"""The six systems of chapter 11, each stated once by its particles."""

from __future__ import annotations

from analytic import by_habit as an

SYSTEMS = {
    "11.A": lambda q: {
        "particles": [
            an.Particle("m1", [f"-{q}*cos(alpha1)", f"-{q}*sin(alpha1)"]),
            an.Particle("m2", [f"-{q}*cos(alpha2)", f"{q}*sin(alpha2)"]),
        ],
        "gravity": ["0", "-g"],
    },
    "11.B": lambda phi: {
        "particles": [an.Particle("m1", [f"-R1*{phi}"]), an.Particle("m2", [f"R2*{phi}"])],
        "gravity": ["-g"],
    },
    "11.C": lambda q1, q2: {
        "particles": [
            an.Particle("M", [q1, "0"], name="wedge"),
            an.Particle("m", [f"{q1}+{q2}*cos(alpha)", f"-{q2}*sin(alpha)"], name="mass"),
        ],
        "gravity": ["0", "-g"],
    },
    "11.D": lambda theta: {
        "particles": [an.Particle("m", [f"rho*sin({theta})", f"-rho*cos({theta})"])],
        "gravity": ["0", "-g"],
    },
    "11.E": lambda rho, theta: {
        "particles": [an.Particle("m", [f"{rho}*sin({theta})", f"-{rho}*cos({theta})"])],
        "gravity": ["0", "-g"],
        "V": f"k*({rho}-rho0)**2/2",
    },
    "11.F": lambda theta, phi: {
        "particles": [
            an.Particle("m", [f"r*sin({theta})*cos({phi})", f"r*sin({theta})*sin({phi})", f"-r*cos({theta})"])
        ],
        "gravity": ["0", "0", "-g"],
    },
}


def system(letter: str, *coordinates: str, **options) -> an.System:
    return an.System(list(coordinates), **SYSTEMS[letter](*coordinates), **options)
