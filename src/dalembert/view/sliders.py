"""One page with sliders: motions for values of parameters and starts, computed beforehand, played by our renderer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from dalembert.errors import ArgumentError, SimulationError
from dalembert.view.page import scripted
from dalembert.view.scene import Scene, scene_of

MOST = 400
"""Motions of one page: some megabytes."""

_SCRIPT = """<script>
const { names, values, scenes } = %DATA%;
document.body.style.cssText = "display: grid; grid-template-rows: 1fr auto; height: 100vh; font: 13px system-ui";
const box = document.createElement("div"), bar = document.createElement("div");
box.style.cssText = "position: relative; min-height: 0";
bar.style.cssText = "display: flex; flex-wrap: wrap; gap: .4em 1.4em; padding: .5em .8em; color: #7b8794";
document.body.append(box, bar);
const inner = document.createElement("div");
inner.style.cssText = "position: absolute; inset: 0"; box.append(inner);
const ranges = names.map((name, k) => {
  const [label, range, shown] = ["label", "input", "output"].map(tag => document.createElement(tag));
  label.style.cssText = "display: flex; gap: .5em; align-items: center"; shown.style.minWidth = "4em";
  Object.assign(range, { type: "range", min: 0, max: values[k].length - 1, step: 1, value: values[k].length >> 1 });
  range.setAttribute("aria-label", name); range.dataset.name = name;
  label.append(name, range, shown); bar.append(label);
  range.oninput = () => { show(); };
  return { range, shown };
});
const chosen = () => scenes[ranges.reduce((k, { range }, i) => k * values[i].length + +range.value, 0)];
const tell = () => ranges.forEach(({ range, shown }, i) => {
  shown.textContent = +values[i][range.value].toPrecision(5);
});
const view = DalembertView(inner, chosen(), {});
async function show() { tell(); await view.load(chosen(), { keepCamera: true }); if (!view.playing) view.play(); }
tell();
view.ready.then(() => { document.body.dataset.ready = "yes"; });
</script>
</body>
</html>
"""


@dataclass(frozen=True, eq=False)
class Sliders:
    """Motions for every combination of values: a notebook shows them with a slider for each name."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    scenes: tuple[Scene, ...] = field(repr=False)

    @property
    def page(self) -> str:
        """The whole as one self-contained page."""
        data = {"names": self.names, "values": self.values, "scenes": [scene.as_dict() for scene in self.scenes]}
        return scripted(self.scenes[0].name, _SCRIPT, data)

    def __str__(self) -> str:
        ranges = [f"{x} = {v[0]:g} ... {v[-1]:g}" for x, v in zip(self.names, self.values, strict=True)]
        return f"{len(self.scenes)} motions of {self.scenes[0].name}: {', '.join(ranges)}"

    def _repr_html_(self) -> str:
        from dalembert.view.report.html import framed

        return framed(self.page, self.scenes[0].name, "26rem;width:100%;border:0")


def sliders_of(
    machine: Any,
    values: Mapping[str, Sequence[float]],
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
) -> Sliders:
    """Motions of a machine for every combination of `values`, which are of parameters or of the start."""
    state = machine.layout().state
    starts = {*state.coordinates, *state.speeds}
    unknown = [name for name in values if name not in starts and name not in machine.parameters()]
    if unknown or not values:
        told = f"'{unknown[0]}' is neither a parameter nor a name of the state" if unknown else "there is no name"
        raise ArgumentError(f"{told}: sliders are of {', '.join([*machine.parameters(), *starts][:8])}.")
    grid = [tuple(float(x) for x in np.atleast_1d(np.asarray(held, float))) for held in values.values()]
    count = int(np.prod([len(one) for one in grid]))
    if not 0 < count <= MOST:
        raise ArgumentError(f"{count} motions: a page of sliders has between 1 and {MOST}, choose other values.")
    scenes = []
    for point in product(*grid):
        chosen = dict(zip(values, point, strict=True))
        first = {**(start or {}), **{name: x for name, x in chosen.items() if name in starts}}
        numbers = {**(given or {}), **{name: x for name, x in chosen.items() if name not in starts}}
        try:
            motion = machine.simulate(t_span, start=first, given=numbers, dense_output=True, progress=False)
        except SimulationError as error:  # what was computed before a fault can be seen
            if error.partial is None:
                raise
            motion = error.partial
        scenes.append(scene_of(motion=motion))
    return Sliders(tuple(values), tuple(grid), tuple(scenes))
