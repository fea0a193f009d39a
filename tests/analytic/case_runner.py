"""Run the worked examples of chapters 1-4 (by kind) and 5-11 (by recipe) through the public interface only."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from analytic import by_habit as an

SEEDS = Path(__file__).parents[1] / "seeds"
SIGNS = ["s"]


def load(name: str) -> dict:
    return tomllib.loads((SEEDS / name).read_text())


@dataclass
class Outcome:
    """What was shown for one entry: results with their kind of proof, printed errors rejected, facts computed."""

    id: str
    proofs: list[str] = field(default_factory=list)
    rejected: int = 0
    facts: int = 0

    def confirm(self, report, what: str = "") -> None:
        assert report, f"{self.id} {what}: {report}"
        self.proofs.append(getattr(report, "proof", "symbolic"))

    def reject(self, report, what: str = "") -> None:
        assert not report, f"{self.id} {what}: the printed form is accepted: {report}"
        self.rejected += 1

    def fact(self, truth: bool, what: str = "") -> None:
        assert truth, f"{self.id}: {what}"
        self.facts += 1

    @property
    def kind(self) -> str:
        if not self.proofs:
            return "fact only"
        return "numeric proof" if "numeric" in self.proofs else "symbolic proof"


# -- chapters 1-4: one runner for each kind ------------------------------------------------------------------------


def released(item: dict) -> dict:
    """Coordinates frozen in the motion: those that `at` fixes (their derivatives follow)."""
    return {k: v for k, v in item.get("at", {}).items() if k in item["coords"]}


def run_vw(item: dict, out: Outcome) -> an.VirtualWork:
    points = [an.Particle(0, p["r"], p["F"]) for p in item["points"]]
    view = an.System(item["coords"], particles=points, released=released(item)).virtual_work()
    out.confirm(view.check_solution(item["solve"]), "solve")
    found = view.solve(*item["solve"])
    for name, value in item["solve"].items():
        out.confirm(an.check(value, found[view.names.canonical(name)], names=view.names), name)
    for name, values in item.get("instances", {}).items():
        for value in values:
            for c in view.balances:
                claim = view.check(f"Q_{c} == 0", where=item["solve"], at={name: value})
                out.fact(bool(claim), f"{name} = {value}")
    return view


def run_potential(item: dict, out: Outcome) -> an.VirtualWork:
    view = an.System(item["coords"], V=item["V"]).virtual_work()
    n = view.names
    out.confirm(view.check_solution(item["solve"]), "equilibrium")
    point = {c: item["solve"].get(c, 0) for c in item["coords"]}
    V = an.formula(item["V"], at={k: v for k, v in item["solve"].items() if k not in point}, names=n)
    nature = an.nature_of_equilibrium(V, point, names=n)
    for pair, value in item["second"].items():
        i, j = (item["coords"].index(c) for c in pair.split(","))
        out.confirm(an.check(value, nature.hessian[i, j], names=n), f"second {pair}")
    out.fact(item["nature"].startswith(nature.kind), f"nature {nature.kind}")
    return view


def _bodies(item: dict) -> dict:
    return {
        "particles": [an.Particle(b["m"], b["r"], b.get("F")) for b in item.get("bodies", [])],
        "rotors": [an.Rotor(r["I"], r["phi"]) for r in item.get("rot", [])],
        "given": item.get("given", []),
    }


def run_dalembert(item: dict, out: Outcome) -> an.DAlembert:
    view = an.System(item["coords"], released=released(item), **_bodies(item)).dalembert()
    n = view.names
    if "solve" in item:
        found = view.solve(*item["solve"])
        for name, value in item["solve"].items():
            out.confirm(an.check(value, found[n.canonical(name)], names=n), name)
    for c, claim in zip(item["coords"], item.get("eom", [])):
        out.confirm(view.check_equation(claim, c), f"equation of {c}")
    return view


def lagrange_system(item: dict) -> an.System:
    options = {k: item[k] for k in ("constraints",) if k in item}
    if "pfaff" in item:
        options["rolling"] = item["pfaff"]
    if "Qnc" in item:
        options["Q"] = item["Qnc"]
    if item.get("bodies") or item.get("rot"):
        return an.System(item["coords"], V=item.get("V", "0"), **_bodies(item), **options)
    return an.System(item["coords"], L=item["L"], given=item.get("given", []), **options)


def run_lagrange(item: dict, out: Outcome) -> an.Lagrange:
    view = lagrange_system(item).lagrange()
    n = view.names
    if "L" in item:
        out.confirm(an.check(item["L"], view.L, names=n), "L")
    for c, claim in zip(item["coords"], item.get("eom", [])):
        if claim == "0":
            out.confirm(an.is_zero(view.equations[item["coords"].index(c)]), f"equation of {c}")
        else:
            out.confirm(view.check_equation(claim, c), f"equation of {c}")
    for name, value in item.get("accel", {}).items():
        out.confirm(view.check(f"{name} == {value}"), name)
    for name, value in zip(view.multipliers, item.get("mult", [])):
        out.confirm(view.check(f"{name} == {value}"), name)
    out.fact(len(view.steps) > 2 and "\\begin{aligned}" in view.steps.latex, "the steps are written out")
    return view


def run_hamilton(item: dict, out: Outcome) -> an.Hamilton:
    system = an.System(item["coords"], L=item["L"], momenta=item["momenta"], given=item.get("given", []))
    view = system.hamilton()
    n = view.names
    for c, claim in zip(item["coords"], item["p_of"]):
        out.confirm(an.check(claim, view.momenta[c], names=n), f"momentum of {c}")
    out.confirm(view.check(f"H == {item['H']}"), "H")
    for p, claim in zip(item["momenta"], item["pdot"]):
        out.confirm(an.check(claim, view.pdot[p], names=n), f"rate of {p}")
    for c, claim in zip(item["coords"], item["qdot"]):
        out.confirm(an.check(claim, view.qdot[c], names=n), f"rate of {c}")
    out.confirm(an.check(item["E"], view.energy.energy, names=n), "E")
    out.confirm(an.check(item["E_minus_H"], view.energy.energy_minus_H, names=n), "E - H")
    lagrange = system.lagrange().accelerations
    for c, a in view.accelerations.items():
        out.confirm(an.check(a, lagrange[c], names=n), f"same motion as Lagrange for {c}")
    return view


def run_check(item: dict, out: Outcome) -> None:
    for line in item["eq"]:
        out.confirm(an.check(line), line)


KINDS = {
    "vw": run_vw,
    "potential": run_potential,
    "dalembert": run_dalembert,
    "lagrange": run_lagrange,
    "hamilton": run_hamilton,
    "check": run_check,
    "fact": lambda item, out: None,
}


def judge_printed(item: dict, out: Outcome, view) -> None:
    """A printed form written as `name = formula` is judged by the view itself; words need a judge of their own."""
    match = re.fullmatch(r"\s*(\w+)\s*=\s*([^=].*)", item["printed"])
    assert match, f"{item['id']}: the printed form is in words and has no judge"
    name, formula = match.groups()
    if hasattr(view, "check_solution"):
        out.reject(view.check_solution({name: formula}), name)
    else:
        out.reject(view.check(f"{name} == {formula}"), name)


def run_item(item: dict, facts: dict, printed: dict) -> Outcome:
    """One entry of chapters 1-4: its kind, then its facts and printed errors."""
    out = Outcome(item["id"])
    view = KINDS[item["kind"]](item, out)
    if item["id"] in facts:
        facts[item["id"]](out, view)
    if item["id"] in printed:
        before = out.rejected
        printed[item["id"]](out, view)
        assert out.rejected > before
    elif "printed" in item:
        judge_printed(item, out, view)
    assert out.proofs or out.facts, f"{item['id']}: nothing was computed"
    return out


# -- chapters 5-11: a recipe computes, one comparison judges --------------------------------------------------------


def matches(claim: str, computed, names: an.Names):
    """A claim against a computed value, or against the branches of one."""
    reports = [
        an.check(claim, c, names=names, signs=SIGNS) for c in (computed if isinstance(computed, list) else [computed])
    ]
    return next((r for r in reports if r), reports[0])


def run_entry(entry: dict, recipes: dict) -> Outcome:
    """One entry of chapters 5-11: every result and extension equals what the recipe computes; printed forms do not."""
    out = Outcome(entry["id"])
    computed, names = recipes.get(entry["id"], by_keys)(entry, out)
    names.signs |= set(SIGNS)
    wanted = {**entry.get("result", {}), **{k: v for k, v in entry.get("extension", {}).items() if k != "case"}}
    for key, claim in wanted.items():
        if key.startswith("note"):
            continue
        assert key in computed, f"{entry['id']}: {key} is not computed"
        if callable(computed[key]):
            out.confirm(computed[key](claim), key)
        else:
            out.confirm(matches(claim, computed[key], names), key)
    for key, claim in entry.get("printed", {}).items():
        judge = computed[key]
        out.reject(judge(claim) if callable(judge) else matches(claim, judge, names), key)
    assert out.proofs or out.facts, f"{entry['id']}: nothing was computed"
    return out


def by_keys(entry: dict, out: Outcome):
    """Without a recipe of its own, an entry is computed from what its keys say: generator, map, H or L."""
    from analytic.generic_recipe import compute

    return compute(entry, out)


def zero(expression) -> bool:
    return bool(an.is_zero(an.formula(expression)))


def worst(*verdicts):
    """The first line that fails, else one that rests on numbers, else any."""
    return next((v for v in verdicts if not v), next((v for v in verdicts if v.proof == "numeric"), verdicts[0]))
