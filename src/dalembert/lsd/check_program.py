"""Typing of declarations: let, join, apply, package, and the extensions spring, constrain, given, start, gravity..."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from dalembert.lsd import library
from dalembert.lsd import syntax as s
from dalembert.lsd.check_constraints import constraint_action
from dalembert.lsd.check_contacts import contact_action
from dalembert.lsd.check_expressions import check, infer
from dalembert.lsd.check_numbers import given_action, initial_action, law_action
from dalembert.lsd.check_records import record_fields
from dalembert.lsd.checking import Context, Fact, Thunk
from dalembert.lsd.parser import parse_into
from dalembert.lsd.running import AppliedValue, BetweenValue, Fault, JoinValue, Run
from dalembert.lsd.scope import Bound, DefinitionBody, Scope, similar
from dalembert.lsd.source import Diagnostic, Report, Source, Span, TooManyErrors
from dalembert.lsd.syntax_contacts import Contact
from dalembert.lsd.types import BETWEEN, LAW_VARIABLES, TYPE_NAMES, Type
from dalembert.lsd.values import BodyValue, FrameValue

Action = Callable[[Run], None]
MAX_USES = 40
#: Environment variable with folders, besides that of the program, whose files `use` may read.
ALLOWED = "DALEMBERT_USE"


@dataclass(slots=True)
class CheckedProgram:
    """A program without type faults: ready to evaluate, with what an editor wants to know."""

    program: s.Program
    report: Report
    actions: list[Action]
    context: Context
    scope: Scope
    used: dict[str, s.Program] = field(default_factory=dict)
    places: dict[tuple[str, str], tuple[Source, Span]] = field(
        default_factory=dict
    )  # of what was made, by kind and name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(self.report.items)

    @property
    def facts(self) -> list[Fact]:
        return self.context.facts or []

    @property
    def is_library(self) -> bool:
        """Without join or apply a program is a library: checked, with no mechanism of its own."""
        joined = (s.Join, s.Apply, s.Between, s.Constrain, s.Drive, s.Contrivance)
        return not any(isinstance(d, joined) for d in self.program.declarations)


def check_program(
    program: s.Program, *, report: Report | None = None, lenient: bool = False, facts: bool = False
) -> CheckedProgram:
    """Check every declaration; faults are collected in the report of the result.

    >>> from dalembert.lsd import parse
    >>> str(check_program(parse("let b = body masse = 1 end ;")).diagnostics[0].message)
    'wrong component: a body has no field masse'
    """
    report = report or Report()
    ctx = Context(report, program.source, lenient, facts=[] if facts else None)
    checker = _Checker(ctx, program)
    try:
        checker.declarations(program.declarations, checker.scope, None)
        checker.deferred()
    except TooManyErrors:
        pass
    return CheckedProgram(program, report, checker.actions, ctx, checker.scope, checker.used)


class _Checker:
    """Walks the declarations in order; what they do at run time is a list of actions."""

    def __init__(self, ctx: Context, program: s.Program) -> None:
        self.ctx = ctx
        self.scope = Scope()
        self.actions: list[Action] = []
        self.used: dict[str, s.Program] = {}
        self.exported: dict[str, dict[str, Bound]] = {}
        self.root = program.source.folder
        self.open_files: list[str] = [_key(program.source)]
        self.later: list[tuple[Source, s.Given, Scope]] = []

    def declarations(self, items: tuple[s.Declaration, ...], scope: Scope, package: str | None) -> None:
        for item in items:
            if package is not None and not isinstance(item, s.Let | s.Definition | s.Package | s.Use):
                word = item.kind if isinstance(item, s.Between | s.Contrivance) else type(item).__name__.lower()
                self.ctx.error(item.span, f"a package holds definitions only: `{word}` belongs outside")
                continue
            _DECLARE[type(item)](self, item, scope, package)

    def let(self, item: s.Let, scope: Scope, package: str | None) -> None:
        if not item.bindings:
            self.ctx.warning(item.span, "this `let` defines nothing")
        made: dict[str, Bound] = {}
        todo: list[tuple[Bound, Thunk]] = []
        for binding in item.bindings:
            word = binding.word
            got, run = infer(self.ctx, binding.value, scope)
            if word.text in made:
                self.ctx.error(word.span, f"{word.text} is defined twice in one `let`")
            one = Bound(word.text, got, self.ctx.source, word.span)
            if got in (Type.DEFINITION, Type.PACKAGE) and isinstance(binding.value, s.Name):
                one.extra = _aliased(scope, binding.value)
            self.ctx.fact(word.span, f"{word.text} : {got}", one)
            made[word.text] = one
            todo.append((one, run))
        scope.names.update(made)
        source = self.ctx.source

        def action(state: Run) -> None:
            for one, run in todo:
                if one.type in (Type.DEFINITION, Type.PACKAGE):
                    continue
                value = run(state)
                if isinstance(value, BodyValue) and value.name is None:
                    value.name = state.unique_name(one.name, "body", package, (source, one.span))
                elif isinstance(value, FrameValue) and value.name is None:
                    name = state.unique_name(one.name, "frame", package, (source, one.span))
                    value = replace(value, name=name, place=(source, one.span))
                    state.frames.append(value)
                state.env[one.stamp] = value

        self.actions.append(action)

    def definition(self, item: s.Definition, scope: Scope, _package: str | None) -> None:
        inner = Scope(scope)
        parameters: list[Bound] = []
        for typed in item.parameters:
            kind = TYPE_NAMES.get(typed.type.text)
            if kind is None:
                hint = similar(typed.type.text, list(TYPE_NAMES)) or f"types are {', '.join(TYPE_NAMES)}"
                self.ctx.error(typed.type.span, f"unknown type {typed.type.text}", hint)
                kind = Type.ERROR
            if typed.word.text in inner.names:
                self.ctx.error(typed.word.span, f"parameter {typed.word.text} is named twice")
            one = Bound(typed.word.text, kind, self.ctx.source, typed.word.span)
            self.ctx.fact(typed.word.span, f"{one.name} : {kind}", one)
            inner.names[one.name] = one
            parameters.append(one)
        result, run = infer(self.ctx, item.body, inner)
        made = Bound(item.word.text, Type.DEFINITION, self.ctx.source, item.word.span)
        made.extra = DefinitionBody(tuple(parameters), result, run)
        inside = ", ".join(f"{p.name} : {p.type}" for p in parameters)
        self.ctx.fact(item.word.span, f"{made.name}({inside}) : {result}", made)
        scope.names[made.name] = made

    def package(self, item: s.Package, scope: Scope, _package: str | None) -> None:
        # A package body sees its own declarations, predefined names and other packages, nothing else.
        inner = Scope(Scope(None, scope.packages()))
        self.declarations(item.declarations, inner, item.word.text)
        made = Bound(item.word.text, Type.PACKAGE, self.ctx.source, item.word.span, extra=inner.names)
        self.ctx.fact(item.word.span, f"{made.name} : package of {', '.join(inner.names) or 'nothing'}", made)
        scope.names[made.name] = made

    def join(self, item: s.Join, scope: Scope, _package: str | None) -> None:
        first = check(self.ctx, item.first, Type.FRAME, scope, "invalid JOIN")
        second = check(self.ctx, item.second, Type.FRAME, scope, "invalid JOIN")
        link = check(self.ctx, item.link, Type.LINK, scope, "invalid JOIN")
        source = self.ctx.source
        name = item.name.text if item.name else None

        def action(state: Run) -> None:
            value = JoinValue(first(state), second(state), link(state), name, source, item.span)
            if value.first.body is value.second.body:
                who = value.first.body.name or "a body"
                raise state.fault(
                    source, item.span, f"invalid JOIN: {who} is joined to itself", "a link needs two different bodies"
                )
            state.joins.append(value)

        self.actions.append(action)

    def apply(self, item: s.Apply, scope: Scope, _package: str | None) -> None:
        got, effort = infer(self.ctx, item.effort, scope, Type.FORCE)
        if got not in (Type.FORCE, Type.TORQUE, Type.ERROR):
            hint = "write: apply force value = ... end on ..." if got is Type.VECTOR else None
            self.ctx.error(item.effort.span, f"invalid FORCE: expected a force or a torque, this is a {got}", hint)
        kind, where = (Type.BODY, "invalid TORQUE") if got is Type.TORQUE else (Type.FRAME, "invalid FORCE")
        target = check(self.ctx, item.target, kind, scope, where)
        source = self.ctx.source
        name = item.name.text if item.name else None
        self.actions.append(
            lambda state: state.applied.append(AppliedValue(effort(state), target(state), name, source, item.span))
        )

    def between(self, item: s.Between, scope: Scope, _package: str | None) -> None:
        what = f"invalid {item.kind.upper()}"
        first = check(self.ctx, item.first, Type.FRAME, scope, what)
        second = check(self.ctx, item.second, Type.FRAME, scope, what)
        fields = record_fields(self.ctx, item.fields, BETWEEN[item.kind], scope, LAW_VARIABLES)
        source, name = self.ctx.source, item.name.text if item.name else None

        def action(state: Run) -> None:
            values = {field: run(state) for field, run in fields}
            state.applied.append(BetweenValue(item.kind, first(state), second(state), values, name, source, item.span))

        self.actions.append(action)

    def constrain(self, item: s.Constrain | s.Drive | s.Contrivance, scope: Scope, _package: str | None) -> None:
        self.actions.append(constraint_action(self.ctx, item, scope))

    def contact(self, item: Contact, scope: Scope, _package: str | None) -> None:
        self.actions.append(contact_action(self.ctx, item, scope))

    def gravity(self, item: s.Gravity, scope: Scope, _package: str | None) -> None:
        value = check(self.ctx, item.value, Type.VECTOR, scope, "gravity")

        def action(state: Run) -> None:
            state.gravity = value(state)

        self.actions.append(action)

    def start(self, item: s.Start, scope: Scope, _package: str | None) -> None:
        for one in item.items:
            self.actions.append(initial_action(self.ctx, one, scope))

    def given(self, item: s.Given, scope: Scope, _package: str | None) -> None:
        # The type of a given name is known once every use has been seen.
        self.later.append((self.ctx.source, item, scope))

    def deferred(self) -> None:
        for look in self.ctx.later:
            look()
        for source, item, scope in self.later:
            self.ctx.source = source
            for one in item.items:
                if isinstance(one, s.GivenLaw):
                    self.actions.extend(law_action(self.ctx, one, scope))
                else:
                    self.actions.extend(given_action(self.ctx, one, scope))

    def use(self, item: s.Use, scope: Scope, _package: str | None) -> None:
        source = self._find(item)
        if source is None:
            return
        key = _key(source)
        if key in self.open_files:
            self.ctx.error(item.span, f'"{item.path}" uses itself', "break the circle of `use`")
            return
        if len(self.open_files) > MAX_USES:
            self.ctx.error(item.span, "files use each other too deeply")
            return
        if source.folder is None:
            self.exported[key], parameters = _standard(source)
            self.ctx.link_parameters |= parameters
        elif key not in self.exported:
            outer = self.ctx.source
            inner = Scope()
            self.ctx.source = source
            self.open_files.append(key)
            program = parse_into(source, self.ctx.report)
            self.used[key] = program
            self.declarations(program.declarations, inner, None)
            self.open_files.pop()
            self.ctx.source = outer
            self.exported[key] = inner.names
        self.ctx.fact(item.span, f"{item.path}: {', '.join(self.exported[key])}")
        scope.names.update(self.exported[key])

    def _find(self, item: s.Use) -> Source | None:
        """The file beside the program, else the one of the standard library."""
        if not item.path.endswith(".lsd"):
            self.ctx.error(item.span, f'"{item.path}" is not an .lsd file', 'write use "joints.lsd" ;')
            return None
        folder = self.ctx.source.folder
        path = None if folder is None and not Path(item.path).is_absolute() else (folder or Path()) / item.path
        if path is not None and not _inside(path, self.root):
            self.ctx.error(
                item.span,
                f'"{item.path}" leads out of the folder of this program',
                f"put the file beside the program, or name its folder in {ALLOWED}",
            )
            return None
        try:
            if path is not None and path.is_file():
                text = path.read_text(encoding="utf-8-sig")
                return Source(text, str(path), path.parent)
        except (OSError, UnicodeDecodeError, ValueError) as error:
            self.ctx.error(item.span, f'cannot read "{item.path}": {error}')
            return None
        if item.path in library.files():
            return Source(library.files()[item.path], f"library/{item.path}")
        hint = similar(item.path, list(library.files())) or f"the library has {', '.join(sorted(library.files()))}"
        self.ctx.error(item.span, f'there is no file "{item.path}"', hint)
        return None


def _inside(path: Path, root: Path | None) -> bool:
    """Whether a file lies in the folder of the program or in one that the user allows, links followed."""
    allowed = [Path(x) for x in os.environ.get(ALLOWED, "").split(os.pathsep) if x.strip()]
    roots = [os.path.realpath(x) for x in (*allowed, *([] if root is None else [root]))]
    return any(Path(os.path.realpath(path)).is_relative_to(x) for x in roots)


@cache
def _standard(source: Source) -> tuple[dict[str, Bound], set[str]]:
    """What a file of the standard library exports, and the parameters of its links.

    It holds definitions only, so one check serves every program.
    """
    checked = check_program(parse_into(source, Report()))
    checked.report.raise_if_failed()
    return dict(checked.scope.names), checked.context.link_parameters


def _key(source: Source) -> str:
    return str(source.folder / Path(source.name).name) if source.folder else source.name


def _aliased(scope: Scope, node: s.Name) -> Any:
    if node.package is not None:
        package = scope.find(node.package.text)
        found = package.extra.get(node.word.text) if package is not None else None
    else:
        found = scope.find(node.word.text)
    return found.extra if found is not None else None


_DECLARE: dict[type, Callable[..., None]] = {
    s.Let: _Checker.let,
    s.Definition: _Checker.definition,
    s.Package: _Checker.package,
    s.Join: _Checker.join,
    s.Apply: _Checker.apply,
    s.Between: _Checker.between,
    s.Constrain: _Checker.constrain,
    s.Drive: _Checker.constrain,
    s.Contrivance: _Checker.constrain,
    Contact: _Checker.contact,
    s.Gravity: _Checker.gravity,
    s.Start: _Checker.start,
    s.Given: _Checker.given,
    s.Use: _Checker.use,
}


def evaluate(checked: CheckedProgram) -> Run:
    """Run the actions of a program without type faults; faults of evaluation go to its report."""
    state = Run(checked.report, checked.context.free)
    try:
        for action in checked.actions:
            try:
                action(state)
            except Fault:
                continue
            except KeyError:
                # A value that an earlier fault left undefined: told already.
                if not checked.report.failed:
                    raise
    except TooManyErrors:
        pass
    return state
