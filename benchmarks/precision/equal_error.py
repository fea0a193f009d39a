"""What the same accuracy costs: for each run of a peer, the cheapest of ours whose error is no larger."""

from __future__ import annotations

from collections.abc import Iterator

from equations import Point, curve
from exudyn_peer import exudyn
from machines import mujoco
from problems import Case
from rows import tell

TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)


def ours(case: Case) -> Iterator[Point]:
    for method in ("DOPRI5", "DOP853"):
        yield from curve(method, case, TOLERANCES, lambda t, m=method: lambda: case.end(m, t, t))


def equal_error(case: Case, links: int) -> None:
    """One line for each run of a peer: its error, its CPU time, ours at an error no larger, the ratio."""
    mine = list(ours(case))
    tell("reference", machine=case.name, links=links, seconds=case.seconds, doubt=case.doubt)
    for point in mine:
        told = {"machine": case.name, "links": links, "method": point.curve, "tolerance": point.accuracy}
        tell("our runs", **told, error=point.error, **{"CPU s": point.seconds})
    for peer in (mujoco, exudyn):
        try:
            for one in peer(case):
                good = [p for p in mine if p.error <= max(one.error, case.doubt)]
                best = min(good, key=lambda p: p.seconds) if good else None
                told = {"machine": case.name, "links": links, "peer": one.curve, "step": one.accuracy}
                told |= {"error": one.error, "peer s": one.seconds}
                if best is not None:
                    told |= {"ours": f"{best.curve} {best.accuracy}", "our error": best.error}
                    told |= {"our s": best.seconds, "ratio": best.seconds / one.seconds}
                tell("at equal error", **told)
        except Exception as error:  # a peer that fails is a result
            tell("at equal error, failed", machine=case.name, peer=peer.__name__, reason=str(error)[:200])
