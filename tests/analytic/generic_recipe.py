"""Compute an entry from its keys alone: a generator gives a map, a map its tests, H and L their mechanics."""

from __future__ import annotations

from analytic import by_habit as an
from dalembert.errors import DalembertError

TYPES = {"F1": 1, "F2": 2, "F3": 3, "F4": 4}


def compute(entry: dict, out):
    given, coords = entry.get("given", {}), entry.get("coords", [])
    names = an.Names(coords, signs=["s"], positive=["P", "E"])
    found: dict = {}
    for key, formula in given.items():
        if key in TYPES:
            _generator(found, formula, TYPES[key], coords, names, out)
    if "Q" in given and "P" in given:
        _map(found, given, names, out)
    if "H" in given:
        _hamiltonian(found, an.System(coords, H=given["H"], momenta=_momenta(entry), positive="E", signs=["s"]))
    if "L" in given:
        _lagrangian(found, an.System(coords, L=given["L"], momenta=_momenta(entry), signs=["s"]))
    return found, names


def _momenta(entry: dict) -> list[str] | None:
    """Momenta as the entry writes them: p, p1, px or ptheta."""
    text = " ".join([*entry.get("given", {}).values(), *entry.get("result", {}).values(), *entry.get("result", {})])
    coords = entry["coords"]
    choices = [[f"p{c}" for c in coords], [f"p{c[1:]}" for c in coords], ["p"] * len(coords)]
    return next((c for c in choices if len(set(c)) == len(c) and all(p in text for p in c)), None)


def _generator(found: dict, F: str, kind: int, coords: list[str], names: an.Names, out) -> None:
    made = an.generate(F, kind, coords, names=names)
    for m in made.branches:
        out.fact(bool(m.canonicity()), "canonical")
        for name, value in m.new.items():
            found.setdefault(name, []).append(value)
    for m in made.backward:
        for name, value in m.old.items():
            found.setdefault(name, []).append(value)
    found["K_minus_H"] = made.time_part


def _map(found: dict, given: dict, names: an.Names, out) -> None:
    m = an.CanonicalMap("q", "p", "Q", "P", new={k: given[k] for k in "QP"}, names=names)
    out.fact(m.canonicity().agree, "the four tests agree")
    found["PB"] = an.poisson_bracket(given["Q"], given["P"], "q", "p", names)
    try:
        found |= m.old
        found["lagrange_bracket_QP"] = m.lagrange_bracket("Q", "P")
    except DalembertError:
        pass
    for key, kind in TYPES.items():
        try:
            found[key] = an.generator_of(m, kind)
        except DalembertError:
            continue


def _hamiltonian(found: dict, system: an.System) -> None:
    view = system.hamilton()
    found["H"] = view.H
    for q, rate in view.qdot.items():
        found[f"{q}dot"] = rate
    for p, rate in view.pdot.items():
        found[f"{p}dot"] = rate
    jacobi = system.hamilton_jacobi()
    if not jacobi.slopes:
        return
    n = system.names
    for c, slope in jacobi.slopes.items():
        found[f"dS0_d{c}"] = slope
    found |= {"S0": jacobi.S0, "S": jacobi.S}
    if "E" in jacobi.jacobi:
        found["beta_plus_t"] = jacobi.jacobi["E"] + n.time
    for c, motion in jacobi.motion().items():
        found[f"{c}_t"] = motion
        if len(system.coordinates) == 1:
            found["p_t"] = an.formula(view.momenta[c], along={c: motion}, names=n)


def _lagrangian(found: dict, system: an.System) -> None:
    view, hamilton = system.lagrange(), system.hamilton()
    found |= {"L": view.L, "H": hamilton.H, "E": view.energy}
    for c, a in view.accelerations.items():
        found[f"{c}dd"] = a
        found[f"{c}dot"] = hamilton.qdot[c]
    for p, momentum in zip(hamilton.p, hamilton.momenta.values()):
        found[p.name] = momentum
        found[f"{p.name}dot"] = hamilton.pdot[p.name]
