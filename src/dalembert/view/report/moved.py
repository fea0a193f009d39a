"""What the motion tells: curves, the moving picture, contacts, reactions, and how good the numbers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import DalembertError
from dalembert.view.report.blocks import Block, Film, Note, Picture, Table, Text
from dalembert.view.report.figures import saver, strip

if TYPE_CHECKING:
    from dalembert.view.motion import Motion
    from dalembert.view.report.study import Answer, Study

_COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
_MOST_LINKS = 40
"""Links whose reactions are told: two pages."""
_MOST_EVENTS = 60


def _motion(study: Study) -> Motion:
    found = study.motion
    if isinstance(found, DalembertError):
        raise found
    return found


def motion(study: Study) -> Answer:
    """The moving picture, curves of the states, energies."""
    mo = _motion(study)
    blocks: list[Block] = []
    if not mo.success:
        blocks.append(Note(f"The motion ends at t = {mo.t[-1]:.6g}: {mo.message}"))
    try:
        blocks.append(_film(mo))
    except DalembertError as error:
        blocks.append(Note(str(error)))
    blocks.append(Picture(saver(mo.plot()), "Coordinates and speeds over time."))
    try:
        blocks.append(Picture(saver(mo.plot_energy()), "Energies, and the drift of their sum."))
    except DalembertError as error:
        blocks.append(Note(f"No curve of energies: {error}"))
    jumps = f", {len(mo.jumps)} jumps" if mo.jumps else ""
    about = f"{mo.method}, {mo.accepted} steps, {mo.nfev} evaluations{jumps}"
    blocks.append(Text(f"Simulated from t = {mo.t[0]:g} to {mo.t[-1]:.6g} by {about}."))
    for name, times in mo.events.items():
        blocks.append(Text(f"Event {name}: " + (", ".join(f"{t:.6g}" for t in times[:20]) or "never") + "."))
    return blocks, f"Simulated to t = {mo.t[-1]:.6g} by {mo.method} in {mo.accepted} steps."


def _film(mo: Motion) -> Film:
    """The page of the animation, inside this one; on paper four moments of it."""
    from dalembert.view.page import page
    from dalembert.view.scene import scene_of

    scene = scene_of(motion=mo)
    last = len(scene.times) - 1
    frames = sorted({round(last * k / 3) for k in range(4)})
    told = ", ".join(f"{scene.times[k]:.3g}" for k in frames)
    still = Picture(lambda kind: strip(scene, frames, kind), f"The motion at t = {told}.")
    return Film(page(scene), "The motion: space plays and pauses, the mouse turns.", still)


def contacts(study: Study) -> Answer:
    """What touched, when, and how hard."""
    model = study.model
    if not model.contacts:
        return [Note("Nothing can touch: the machine has no contacts and no stops.")], ""
    rows = tuple((c.name, _plain(c.restitution), _plain(c.friction)) for c in model.contacts)
    blocks: list[Block] = [Table(("contact", "restitution", "friction"), rows, "Contacts.", frozenset({1, 2}))]
    mo = _motion(study)
    log = mo.contacts
    if log is None:
        return [*blocks, Note("The motion kept no log of its contacts.")], ""
    counted: dict[tuple[str, str], list[float]] = {}
    for t, contact, what in log.events:
        counted.setdefault((contact, what), []).append(t)
    told = tuple((name, what, str(len(ts)), f"{ts[0]:.5g}", f"{ts[-1]:.5g}") for (name, what), ts in counted.items())
    if told:
        head = ("contact", "event", "times", "first at t", "last at t")
        blocks.append(Table(head, told[:_MOST_EVENTS], "What happened.", frozenset({2, 3, 4})))
    strongest = max(log.strikes, key=lambda one: abs(one.normal), default=None)
    if strongest is not None and strongest.step == 0:
        blocks.append(
            Text(f"The hardest impact: {strongest.contact} at t = {strongest.t:.5g}, impulse {strongest.normal:.5g}.")
        )
    blocks += [Note(text) for text in log.remarks]
    impacts = sum(what == "impact" for _, _, what in log.events)
    return blocks, f"{len(model.contacts)} contacts; {impacts} impacts during the motion."


def _plain(value: Any) -> str:
    from dalembert import expr as ex

    return ex.text(value)


def reactions(study: Study) -> Answer:
    """Efforts in links at the start, and the largest along the motion."""
    from dalembert.analysis import reactions

    found = reactions(study.mechanism, dict(study.start), given=study.given, t=0.0, cut=study.cut)
    largest = _largest(study)
    digits = _digits([one.wrench for one in found.values()])
    rows, worst = [], ("", 0.0)
    for name, one in list(found.items())[:_MOST_LINKS]:
        values = [float(v) + 0.0 for v in np.round([*one.force, *one.moment], digits)]
        known = [*one.determined[3:], *one.determined[:3]]
        rows.append(
            (
                name,
                *(f"{v:.4g}" if k else f"{v:.4g}*" for v, k in zip(values, known, strict=True)),
                largest.get(name, ("", 0))[0],
            )
        )
        if name in largest and largest[name][1] > worst[1]:
            worst = name, largest[name][1]
    head = ("link", *_COMPONENTS, "largest force")
    caption = (
        "On the second body, at and in the base of the second frame, at the start; the largest force along the motion."
    )
    if any("*" in cell for row in rows for cell in row):
        caption += (
            " * left open by redundant constraints: that of least norm; of the largest force, without what is open."
        )
    blocks: list[Block] = [Table(head, tuple(rows), caption, frozenset(range(1, 8)))]
    if len(found) > len(rows):
        blocks.append(Note(f"{len(found) - len(rows)} more links carry efforts."))
    return blocks, f"The largest force in a link is {worst[1]:.4g}, in {worst[0]}." if worst[0] else ""


def _digits(wrenches: Any) -> int:
    """Decimals behind which a component is rounding: all come out of one solve, of sixteen digits."""
    size = float(np.max(np.abs(wrenches), initial=0.0))
    return 12 - int(np.floor(np.log10(size))) if size > 0 else 12


def _largest(study: Study) -> dict[str, tuple[str, float]]:
    """The largest force of each link along the motion, with its time."""
    mo = study.motion
    found: dict[str, tuple[str, float]] = {}
    if isinstance(mo, DalembertError):
        return found
    for name in list(study.model.links)[:_MOST_LINKS]:
        try:
            parts = np.array([mo[f"{name}.{axis}"] for axis in ("Fx", "Fy", "Fz")])
        except DalembertError:  # what redundant constraints leave open has no curve
            continue
        size, mark = np.sqrt(np.nansum(parts**2, axis=0)), "*" if np.isnan(parts).any() else ""
        k = int(np.argmax(size))
        found[name] = f"{size[k]:.4g}{mark} at t = {mo.t[k]:.4g}", float(size[k])
    return found


def quality(study: Study) -> Answer:
    """What should be kept, and how well it is."""
    mo = _motion(study)
    found = mo.quality
    rows = [
        ("loops and constraints", found.closure, "gap in parts of the motions that must cancel"),
        ("energy balance", found.energy, "E(t) - E(0) - work in parts of the largest energy exchanged"),
        ("unit quaternions", found.norm, "distance from the unit sphere"),
        *((f"{name} is constant", drift, "drift in parts of its size") for name, drift in found.integrals.items()),
    ]
    told = tuple((what, f"{value:.1e}", meaning) for what, value, meaning in rows if value is not None)
    blocks: list[Block] = []
    if told:
        blocks.append(
            Table(("kept", "worst fault", "what it is"), told, "Largest faults along the motion.", frozenset({1}))
        )
    for what, value, _ in rows:
        if value is None:
            blocks.append(Note(_absent(what, bool(study.model.contacts))))
    remarks = [remark[:1].upper() + remark[1:] + "." for remark in found.remarks]
    blocks += [Note(remark) for remark in remarks] or [Text("Nothing is out of tolerance.")]
    worst = max((value for _, value, _ in rows if value is not None), default=None)
    return blocks, "" if worst is None else f"What should be kept is kept to {worst:.0e}."


def _absent(what: str, contacts: bool) -> str:
    if what == "energy balance":
        return (
            "The energy is not balanced here, because contacts take and give energy that efforts do not show."
            if contacts
            else "The energy balance cannot be judged: the energies or the work of this machine are not known."
        )
    return (
        "No loop has to stay closed." if what == "loops and constraints" else "No rotation is written as a quaternion."
    )
