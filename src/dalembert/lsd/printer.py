"""Mechanism -> LSD text that reads back to an equal mechanism, wherever the mechanism came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.expr.space import Vector3, is_zero3
from dalembert.lsd.types import BETWEEN, LAW_VARIABLES, writable
from dalembert.lsd.write_contacts import ContactWriter
from dalembert.lsd.write_scalars import ATOM, ScalarWriter, number, symbol_word, word
from dalembert.mechanism import (
    EARTH,
    Along,
    AnyTurn,
    Body,
    BodyShape,
    Bushing,
    Constraint,
    Coulomb,
    Displacement,
    Force,
    Frame,
    Link,
    Mechanism,
    QuaternionTurn,
    Spring,
    Torque,
    TorsionSpring,
    effort_kind,
)
from dalembert.mechanism.quantities import AXES, NAMES, quantity, virtual

if TYPE_CHECKING:
    from dalembert.mechanism.meshes import Mesh

IFRAME = "iframe"
MAX_STEPS = 6


def to_lsd(mechanism: Mechanism) -> str:
    """The program of a mechanism.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("swing")
    >>> rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    >>> pivot = m.join(earth, rod, revolute("x"), name="pivot")
    >>> print(to_lsd(m))
    (* swing *)
    let rod = body mass = m, iframe = [0, 0, -l], inertia = 0 end ;
    join earth and rod.frame with link(th) dof = th || [1, 0, 0] end as pivot ;
    """
    return "\n".join(_Printer(mechanism).lines())


class _Printer:
    def __init__(self, mechanism: Mechanism) -> None:
        self.m = mechanism
        self.write = ScalarWriter()
        self.package = self._package()

    def _package(self) -> str | None:
        """Bodies and frames go in a package when one of their names is also the name of a symbol or function."""
        model = self.m.freeze()
        asked = [*(x for one in model.constraints for x in one.formulas), *model.outputs.values()]
        taken = {*model.symbols, *(ex.unknown_functions([*model.scalars(), *asked]) - NAMES), *self.m.given}
        taken |= set(self.m.functions) | {"t", "pi"}
        for link in self.m.links.values():
            taken.update(link.joint.parameters)
        for arguments, formula in self.m.functions.values():
            taken |= {*arguments, *ex.unknown_functions([formula])}
        if any(not isinstance(effort, Force | Torque) for effort in self.m.efforts):
            taken |= set(LAW_VARIABLES.values())
        own = {*self.m.bodies, *self.m.frames} - {EARTH}
        if not own & taken:
            return None
        return next(name for name in ("parts", "solids", "objects", "parts_") if name not in own | taken)

    def lines(self) -> Iterator[str]:
        safe = self.m.name.replace("*)", "* )").replace("\n", " ")
        yield f"(* {safe} *)"
        bodies = [b for b in self.m.bodies.values() if b.name != EARTH]
        if self.package:
            inside = [*map(self._body, bodies), *(self._named_frame(f, inside=True) for f in self.m.frames.values())]
            yield f"package {self.package} ="
            yield from (f"  {line}" for line in inside)
            yield "end ;"
        else:
            yield from map(self._body, bodies)
            yield from (self._named_frame(f, inside=False) for f in self.m.frames.values())
        yield from map(self._link, self.m.links.values())
        yield from self._efforts()
        rolling = {one.name.removesuffix("_contact") for one in self.m.constraints if one.followed}
        for one in self.m.constraints:
            if one.followed:
                yield ContactWriter(self.write, self._frame).rolling(one)
            elif one.name not in rolling:
                yield self._constraint(one)
        yield from ContactWriter(_QuantityWriter(self._name), self._frame).lines(self.m.contacts)
        write = _QuantityWriter(self._name)
        for name, formula in self.m.freeze().outputs.items():
            yield f"output {word(name)} = {write.text(formula)} ;"
        if not is_zero3(self.m.gravity):
            yield f"gravity {self.write.vector(self.m.gravity)} ;"
        yield from self._numbers()

    def _body(self, body: Body) -> str:
        if body.inertia.is_diagonal:
            principal = body.inertia.entries[:3]
            inertia = "0" if is_zero3(principal) else self.write.vector(principal)  # type: ignore[arg-type]
        else:
            inertia = "[" + ", ".join(self.write.vector(row) for row in body.inertia.matrix) + "]"
        fields = f"mass = {self.write.text(body.mass)}, iframe = {displacement(self.write, body.iframe)}"
        shapes = "".join(
            self._shape(shape, str(k) if len(body.shapes) > 1 else "") for k, shape in enumerate(body.shapes, 1)
        )
        doubt = ", doubtful = 1" if body.doubtful else ""
        return f"let {word(body.name)} = body {fields}, inertia = {inertia}{doubt}{shapes} end ;"

    def _shape(self, shape: BodyShape, mark: str) -> str:
        """`, shape = place @ box(a, b, c), colour = [r, g, b]`."""
        if len(mark) > 1:
            raise ModelError("LSD writes at most nine shapes of a body.")
        at = "" if shape.place.is_identity else f"{displacement(self.write, shape.place)} @ "
        inside = ", ".join(map(self.write.text, shape.sizes))
        if shape.mesh is not None:
            inside = _mesh(shape.mesh)
        text = f", shape{mark} = {at}{shape.kind}({inside})"
        if shape.colour:
            parts = [f"{int(shape.colour[k : k + 2], 16) / 255:.3g}" for k in (1, 3, 5)]
            text += f", colour{mark} = [{', '.join(parts)}]"
        return text

    def _name(self, name: str, *, inside: bool = False) -> str:
        if name == EARTH:
            return EARTH
        return word(name) if inside or not self.package else f"{self.package}:{word(name)}"

    def _named_frame(self, frame: Frame, *, inside: bool) -> str:
        at = f"{displacement(self.write, frame.displacement)} @ {self._name(frame.body, inside=inside)}"
        return f"let {word(str(frame.name))} = {at} ;"

    def _frame(self, frame: Frame) -> str:
        body = self._name(frame.body)
        if frame.name is not None and self.m.frames.get(frame.name) == frame:
            return self._name(frame.name)
        if frame.name == IFRAME and frame.displacement == self.m.bodies[frame.body].iframe and frame.body != EARTH:
            return f"{body}.{IFRAME}"
        if frame.name is None and frame.displacement.is_identity:
            return EARTH if frame.body == EARTH else f"{body}.frame"
        at = f"{displacement(self.write, frame.displacement)} @ {body}"
        if frame.name is None:
            return at
        return f"local {word(frame.name)} = {at} in {word(frame.name)} end"

    def _link(self, link: Link) -> str:
        joint = link.joint
        if len(joint.steps) > MAX_STEPS:
            raise ModelError(f"link '{link.name}' has {len(joint.steps)} steps: LSD writes at most {MAX_STEPS}.")
        write = ScalarWriter(joint.parameters)
        fields: list[str] = []
        for k, step in enumerate(joint.steps, 1):
            mark = str(k) if len(joint.steps) > 1 else ""
            moved = displacement(write, step.displacement)
            fields.append(f"dof{mark} = " + (f"body_speeds({moved})" if step.speeds == "body" else moved))
            for name, value in (("force", step.force), ("torque", step.torque)):
                if not is_zero3(value):
                    fields.append(f"{name}{mark} = {write.vector(value)}")
        for parameter, effort in joint.efforts:
            mark = str(joint.parameters.index(parameter) + 1) if len(joint.parameters) > 1 else ""
            fields.append(f"effort{mark} = {write.text(effort)}")
        head = f"link({', '.join(map(word, joint.parameters))})" if joint.parameters else "link"
        text = f"{head} {', '.join(fields)} end" if fields else f"{head} end"
        return f"join {self._frame(link.first)} and {self._frame(link.second)} with {text} as {word(link.name)} ;"

    def _efforts(self) -> Iterator[str]:
        for effort in self.m.efforts:
            name = f" as {word(effort.name)} ;"
            if not isinstance(effort, Force | Torque):
                yield self._between(effort) + name
                continue
            value = "0" if is_zero3(effort.value) else self.write.vector(effort.value)
            record = f"value = {value}, body = {self._name(effort.base)} end"
            on = self._frame(effort.at) if isinstance(effort, Force) else self._name(effort.on)
            yield f"apply {effort_kind(effort)} {record} on {on}{name}"

    def _constraint(self, one: Constraint) -> str:
        """`constrain left = right, ... by form, ... as name`, sides where the formula is a difference."""
        write = _QuantityWriter(self._name)
        asked = ", ".join(f"{write.text(a)} = {write.text(b)}" for a, b in map(_sides, one.expressions))
        by = ""
        if isinstance(one.reaction, Along):
            told = _sides(one.expressions[0])[0]
            if one.reaction.forms == (virtual(told.name.rstrip("'") if told.op == "symbol" else ex.ZERO),):
                return f"drive {asked} as {word(one.name)} ;"
            by = " by " + ", ".join(write.text(form) for form in one.reaction.forms)
        elif isinstance(one.reaction, Coulomb):
            inside = ", ".join(write.text(x) for x in (one.reaction.friction, *one.reaction.slip))
            by = f" by coulomb({inside})"
        return f"constrain {asked}{by} as {word(one.name)} ;"

    def _between(self, effort: Spring | TorsionSpring | Bushing) -> str:
        """`spring FRAME and FRAME with stiffness = k, ...`: what is zero is left out."""
        fields = []
        for one in writable(BETWEEN[effort_kind(effort)]):
            value = getattr(effort, one)
            if isinstance(value, Vector3):
                fields += [] if is_zero3(value) else [f"{one} = {self.write.vector(value)}"]
            elif value is not ex.ZERO:
                write = ScalarWriter((LAW_VARIABLES[one],)) if one in LAW_VARIABLES else self.write
                fields.append(f"{one} = {write.text(value)}")
        inside = f" with {', '.join(fields)}" if fields else ""
        return f"{effort_kind(effort)} {self._frame(effort.first)} and {self._frame(effort.second)}{inside}"

    def _numbers(self) -> Iterator[str]:
        for name, (arguments, formula) in self.m.functions.items():
            head = f"{symbol_word(name)}({', '.join(map(word, arguments))})"
            yield f"given {head} = {ScalarWriter(arguments).text(formula)} ;"
        if self.m.given:
            yield "given " + ", ".join(f"{word(k)} = {number(v)}" for k, v in self.m.given.items()) + " ;"
        if self.m.start:
            yield "start " + ", ".join(f"{_state(k)} = {number(v)}" for k, v in self.m.start.items()) + " ;"


def _sides(e: Expr) -> tuple[Expr, Expr]:
    """Both sides of an equation whose difference is to be zero."""
    if e.op == "sub":
        return e.args[0], e.args[1]
    if e.op == "neg" and e.args[0].op == "sub":
        return e.args[0].args[1], e.args[0].args[0]
    return e, ex.ZERO


class _QuantityWriter(ScalarWriter):
    """Formulas of constraints, in which frames go by the names that they have in the program."""

    def __init__(self, name: Callable[[str], str]) -> None:
        super().__init__()
        self.name = name

    def _node(self, e: Expr, written: dict[Expr, tuple[str, int]]) -> tuple[str, int]:
        asked = quantity(e)
        if asked is not None:
            parts = [self.name(asked.frames[0]), *(AXES[k] for k in asked.axes), *map(self.name, asked.frames[1:])]
            return f"{e.name}({', '.join(parts)})", ATOM
        if e.op == "apply" and e.name in NAMES:
            return f"{e.name}({written[e.args[0]][0]})", ATOM
        return super()._node(e, written)


def _state(key: str) -> str:
    link, dot, local = key.rpartition(".")
    if not dot:
        raise ModelError(f"the start value '{key}' is not the name of a coordinate or speed, such as 'elbow.th'.")
    bare = local.rstrip("'")
    return f"{word(link)}.{word(bare)}{local[len(bare) :]}"


def displacement(write: ScalarWriter, value: Displacement) -> str:
    """`0`, `[x, y, z]`, `angle || axis` or `[x, y, z] ++ rotation`."""
    still = is_zero3(value.translation)
    if not value.turns:
        return "0" if still else write.vector(value.translation)
    rotation = " * ".join(_turn(write, t, alone=len(value.turns) == 1) for t in value.turns)
    return rotation if still else f"{write.vector(value.translation)} ++ {rotation}"


def _turn(write: ScalarWriter, turn: AnyTurn, *, alone: bool) -> str:
    if isinstance(turn, QuaternionTurn):
        return "quaternion(" + ", ".join(write.text(x) for x in turn.components) + ")"
    text = f"{write.text(turn.angle)} || {write.vector(turn.axis)}"
    return text if alone else f"({text})"


def _mesh(mesh: Mesh) -> str:
    """The file beside the program; of a file elsewhere its name."""
    path = PurePath(mesh.file)
    name = path.name if path.is_absolute() or ".." in path.parts else path.as_posix()
    if not name or "`" in name or "\n" in name:
        raise ModelError(f"a mesh without a file that LSD can name ({mesh.file!r}): write it to a file, and read that.")
    return f"`{name}`" if mesh.scale == 1 else f"`{name}`, {mesh.scale!r}"
