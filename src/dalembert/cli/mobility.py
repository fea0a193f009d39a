"""`dalembert mobility`: how many degrees of freedom a mechanism with loops really has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.options import File, Format, FormatOption, Settings
from dalembert.cli.output import show_json
from dalembert.cli.settings import apply_settings


def command(
    file: File,
    set_: Settings = None,
    cut: Annotated[list[str] | None, typer.Option(help="Link that closes a loop instead of carrying the tree.")] = None,
    digits: Annotated[int, typer.Option(min=30, help="Decimal digits of the certificates.")] = 50,
    branches: Annotated[bool, typer.Option(help="All branches through the posture, with directions.")] = False,
    components: Annotated[bool, typer.Option(help="All pieces of the configuration space.")] = False,
    postures: Annotated[bool, typer.Option(help="Dead centres and crossings on the curve (one freedom).")] = False,
    release: Annotated[bool, typer.Option(help="Other joints that end redundancy, verified.")] = False,
    check: Annotated[bool, typer.Option(help="Prove the verdict again, by an independent checker.")] = False,
    ranks: Annotated[bool, typer.Option(help="Ranks by every method, loop by loop; regularity.")] = False,
    letter: Annotated[list[str] | None, typer.Option(help="Length to leave indeterminate: freedoms by cases.")] = None,
    curve: Annotated[Path | None, typer.Option(help="Picture of the configuration curve (one freedom).")] = None,
    picture: Annotated[Path | None, typer.Option(help="Picture of the mechanism, redundant links in colour.")] = None,
    format: FormatOption = Format.text,
) -> None:
    """Judge the mobility near the configuration of `start`: degrees of freedom, what proves them, what is redundant.

    Example: dalembert mobility examples/loops/bennett.lsd --curve bennett.png

    Example: dalembert mobility examples/loops/slider_crank.lsd --postures --release
    """
    import dalembert
    from dalembert.loops import draw_curve, draw_mechanism, mobility, mobility_cases

    mechanism = dalembert.load(file)
    apply_settings(mechanism, set_)
    if letter:
        cases = mobility_cases(mechanism, letter, cut=cut or ())
        if format is Format.json:
            every = [*cases.special, *([cases.generic] if cases.generic else [])]
            told = [{"if": list(c.condition), "dof": c.dof, "proved": c.proved} for c in every]
            flat = [{"if": list(c.condition), "singular": c.verdict.at} for c in cases.meeting]
            show_json({"cases": told, "flat": flat, "looked_for": list(cases.looked_for)})
        else:
            typer.echo(str(cases))
            print(f"looked for: {'; '.join(cases.looked_for) or 'freedoms of almost all lengths'}", file=sys.stderr)
        return
    verdict = mobility(mechanism, cut=cut or (), digits=digits)
    if curve is not None:
        draw_curve(mechanism, verdict, curve, cut=cut or ())
        print(f"{curve}: configuration curve", file=sys.stderr)
    if picture is not None:
        draw_mechanism(mechanism, verdict, picture, cut=cut or ())
        print(f"{picture}: mechanism", file=sys.stderr)
    asked = {"branches": branches, "components": components, "postures": postures, "release": release, "ranks": ranks}
    parts = {name: _part(name, mechanism, cut or (), verdict) for name, wanted in asked.items() if wanted}
    if check:
        parts["check"] = [(line, line) for line in str(verdict.certificate.check()).splitlines()]
    if format is Format.json:
        show_json(
            {
                **verdict.to_json(),
                **{name: [one for _, one in lines if not isinstance(one, _Beside)] for name, lines in parts.items()},
                **{
                    f"{name}_{key}": value
                    for name, lines in parts.items()
                    for _, one in lines
                    if isinstance(one, _Beside)
                    for key, value in one.items()
                },
            }
        )
        return
    typer.echo(str(verdict))
    for name, lines in parts.items():
        typer.echo(f"\n{name}:" if lines else f"\n{name}: none")
        for text, _ in lines:
            typer.echo(f"  {text}")


class _Beside(dict[str, Any]):
    """What is said of a whole list: in JSON it stands beside it, as `branches_complete`."""


def _part(name: str, mechanism: Any, cut: Any, verdict: Any) -> list[tuple[str, Any]]:
    """Lines of text with the same as plain data."""
    from dalembert import loops

    if name == "branches":
        met = loops.branches_through(mechanism, verdict.at, cut=cut)
        lines: list[tuple[str, Any]] = [
            (str(b), {"dof": b.dof, "proved": b.proved, "rank": b.rank, "directions": b.directions}) for b in met
        ]
        return [*lines, (str(met).splitlines()[-1], _Beside({"complete": met.complete, "why": met.why}))]
    if name == "components":
        pieces = loops.configuration_components(mechanism, cut=cut)
        return [
            (str(p), {"dof": p.dof, "proved": p.proved, "rank": p.rank, "dimension": p.dimension, "equations": p.words})
            for p in pieces
        ]
    if name == "postures":
        special = loops.special_postures(mechanism, verdict.at, cut=cut)
        return [(str(p), {"kind": p.kind, "coordinate": p.coordinate, "at": p.at, "words": p.words}) for p in special]
    if name == "release":
        offers = loops.proposals(mechanism, verdict.at, cut=cut)
        return [
            (str(p), {"changes": [str(c) for c in p.changes], "verified": p.verified, "dof": p.verdict.dof})
            for p in offers
        ]
    return _ranks(mechanism, cut)


def _ranks(mechanism: Any, cut: Any) -> list[tuple[str, Any]]:
    from dalembert import loops
    from dalembert.loops.genericrank import METHODS
    from dalembert.mechanism import Layout

    linkage = loops.build_linkage(Layout.of(mechanism, cut))
    if not linkage.cuts:
        return []
    lines: list[tuple[str, Any]] = []
    size = len(linkage.variables)
    # minors beyond twelve columns and letters beyond twenty swell out of reach: residues stay quick
    if size <= 20:
        closure = loops.polynomial_closure(linkage)
        ranks = {method: loops.rank_by(closure, method) for method in METHODS[size > 12 :]}
    else:
        ranks = {METHODS[-1]: loops.rank_off(linkage)}
    for method, rank in ranks.items():
        lines.append((f"off the closure, {method}: {rank}", {"method": method, "rank": rank}))
    for g in loops.rank_growth(mechanism, cut=cut):
        text = (
            f"with the loop of {g.link}: {g.on} on the closure (adds {g.adds_on}), {g.off} off it (adds {g.adds_off})"
        )
        lines.append((text, {"link": g.link, "on": g.on, "off": g.off}))
    if len(linkage.cuts) > 2:  # sets of loops grow like 2^loops: `loops.regularity` takes its time
        return lines
    found = loops.regularity(mechanism, cut=cut)
    lines.append((str(found), {"regular": found.regular, "clean": found.clean, "sets": found.sets}))
    return lines
