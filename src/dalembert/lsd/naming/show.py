"""The compiled table as text (the thesis's listing), plain data and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.lsd.naming import terms as t

if TYPE_CHECKING:
    from dalembert.lsd.naming.table import NamingTable


def as_text(table: NamingTable) -> str:
    bodies = table.indices.bodies[1:]
    lines = ["(* structure *)", f"> N := {len(bodies)} ;"]
    named = [f"S_{i} = '{body.name}'" for i, body in enumerate(bodies, 1)]
    lines.append("> BODIES := " + ",\n            ".join(named) + " ;")
    for link in table.indices.links:
        kind = "" if link.principal else ", complementary"
        count = len(link.coordinates)
        lines.append(
            f"(* L_{link.number} = '{link.name}' ({link.bodies[0]}-{link.bodies[1]}),"
            f" {count} parameter{'s' * (count != 1)}{kind} *)"
        )
    lines.append("(* variables *)")
    width = max((len(v.name) for v in table.variables), default=0)
    lines += [f"(* {v.name:<{width}}  {v.denotes} *)" for v in table.variables]
    lines.append("(* declared assignments *)")
    lines += [f"> {entry} ;" for entry in table.declared]
    lines.append("(* deduced assignments *)")
    lines += [f"> {entry} ;" for entry in table.deduced]
    if table.generic:
        lines.append("(* generic vectors and matrices, by their scalars *)")
        lines += [f"> {entry} ;" for entry in table.generic]
    return "\n".join(lines)


def as_dict(table: NamingTable) -> dict[str, object]:
    def listed(entries: tuple[object, ...]) -> list[dict[str, str]]:
        return [{"name": e.name, "operator": e.operator, "value": t.text(e.value)} for e in entries]  # type: ignore[attr-defined]

    return {
        "N": len(table.indices.bodies) - 1,
        "bodies": {f"S_{i}": b.name for i, b in enumerate(table.indices.bodies[1:], 1)},
        "links": [
            {
                "number": link.number,
                "name": link.name,
                "bodies": list(link.bodies),
                "frames": [link.first, link.second],
                "principal": link.principal,
                "coordinates": list(link.coordinates),
                "dof": link.dof,
            }
            for link in table.indices.links
        ],
        "variables": {v.name: v.denotes for v in table.variables},
        "declared": listed(table.declared),
        "deduced": listed(table.deduced),
        "generic": listed(table.generic),
    }


def as_latex(table: NamingTable) -> str:
    lines = [r"\begin{align*}", rf"N &:= {len(table.indices.bodies) - 1}\\"]
    for i, body in enumerate(table.indices.bodies[1:], 1):
        escaped = body.name.replace("_", r"\_")
        lines.append(rf"\mathcal{{S}}_{{{i}}} &= \text{{{escaped}}}\\")
    for entry in (*table.declared, *table.deduced, *table.generic):
        lines.append(rf"{t.latex_name(entry.name)} &{entry.operator} {t.latex(entry.value)}\\")
    return "\n".join([*lines, r"\end{align*}"])
