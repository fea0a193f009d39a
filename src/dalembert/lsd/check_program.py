"""Typing of declarations: let, join, apply, package, and the extensions spring, constrain, given, start, gravity..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

from dalembert.lsd import syntax as s
from dalembert.lsd.captured import warn_defined_again, warn_of_coordinates, warn_replaced, warn_too_late
from dalembert.lsd.check_blocks import branch_action, home_for, loop_action, machine_thunk, parameters_action
from dalembert.lsd.check_calls import signature
from dalembert.lsd.check_constraints import constraint_action
from dalembert.lsd.check_contacts import contact_action
from dalembert.lsd.check_expressions import check, infer
from dalembert.lsd.check_numbers import given_action, initial_action, law_action
from dalembert.lsd.check_paths import Key, described, indices, label_of, structure_of
from dalembert.lsd.check_records import record_fields
from dalembert.lsd.checking import Context, Fact, Thunk
from dalembert.lsd.parser import parse_into
from dalembert.lsd.running import AppliedValue, BetweenValue, Fault, JoinValue, OutputValue, Run
from dalembert.lsd.scope import Bound, DefinitionBody, ListOf, Scope
from dalembert.lsd.source import Diagnostic, Report, Source, Span, TooManyErrors
from dalembert.lsd.syntax_contacts import Contact
from dalembert.lsd.types import BETWEEN, LAW_VARIABLES, Type
from dalembert.lsd.using import find_file, key_of
from dalembert.lsd.values import BodyValue, FrameValue

Action = Callable[[Run], None]
MAX_USES = 40


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
        warn_of_coordinates(ctx)
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
        self.open_files: list[str] = [key_of(program.source)]
        self.later: list[tuple[Source, s.Given, Scope]] = []

    def declarations(self, items: tuple[s.Declaration, ...], scope: Scope, package: str | None) -> None:
        for item in items:
            if package is not None and not isinstance(item, _DEFINING | s.Use):
                hint = f"a machine has parameters: `package {package}() = ... end ; let a = {package}() ;`"
                message = f"a package holds definitions only: `{_word(item)}` belongs outside"
                self.ctx.error(item.span, message, hint)
                continue
            if isinstance(item, s.Given | s.Use) and (scope.inside or scope.home is not None):
                self.ctx.error(item.span, f"`{_word(item)}` is for the whole program: it stands outside of this block")
                continue
            _DECLARE[type(item)](self, item, scope, package)

    def block(self, items: tuple[s.Declaration, ...], scope: Scope) -> list[Action]:
        """What the declarations of a block do, to be run as often as it asks."""
        outer, self.actions = self.actions, []
        try:
            self.declarations(items, scope, None)
            return self.actions
        finally:
            self.actions = outer

    def let(self, item: s.Let, scope: Scope, package: str | None) -> None:
        if not item.bindings:
            self.ctx.warning(item.span, "this `let` defines nothing")
        made: dict[str, Bound] = {}
        todo: list[tuple[Bound, Thunk, Callable[[Run], str | None], Callable[[Run], Key] | None, Span]] = []
        for binding in item.bindings:
            word = binding.word
            got, run = infer(self.ctx, binding.value, scope)
            label = label_of(self.ctx, s.Label(word.text, binding.indices, word.span), scope)
            if binding.indices:
                one, key = self._list(binding, got, scope), indices(self.ctx, binding.indices, scope)
                todo.append((one, run, label, key, word.span))
                continue
            warn_too_late(self.ctx, word)
            if word.text in made:
                self.ctx.error(word.span, f"{word.text} is defined twice in one `let`")
            else:
                warn_defined_again(self.ctx, word, scope)
            one = Bound(word.text, got, self.ctx.source, word.span, extra=structure_of(scope, binding.value, got))
            self.ctx.fact(word.span, described(one), one)
            made[word.text] = one
            todo.append((one, run, label, None, word.span))
        scope.names.update(made)
        source = self.ctx.source

        def action(state: Run) -> None:
            for one, run, label, key, span in todo:
                if one.type in (Type.DEFINITION, Type.PACKAGE):
                    continue
                name = label(state) or one.name
                state.naming = name
                value = run(state)
                state.naming = None
                if isinstance(value, BodyValue) and value.name is None:
                    value.name = state.unique_name(name, "body", package, (source, span))
                    value.named_at = source, span
                elif isinstance(value, FrameValue) and value.name is None:
                    unique = state.unique_name(name, "frame", package, (source, span))
                    value = replace(value, name=unique, place=(source, span))
                    state.frames.append(value)
                if key is None:
                    state.env[one.stamp] = value
                    continue
                held = state.env.setdefault(one.stamp, {})
                if key(state) in held:
                    raise state.fault(source, span, f"{name} is defined twice")
                held[key(state)] = value

        self.actions.append(action)

    def _list(self, binding: s.Binding, got: Type, scope: Scope) -> Bound:
        """The list that a binding fills; its elements have one type and one number of indices."""
        word, depth, extra = binding.word, len(binding.indices), structure_of(scope, binding.value, got)
        holder = scope.holder()
        one = holder.names.get(word.text)
        if got in (Type.DEFINITION, Type.PACKAGE, Type.LIST):
            self.ctx.error(word.span, f"the elements of a list are objects and formulas, not a {got}")
        if one is None or one.type is not Type.LIST:
            one = Bound(word.text, Type.LIST, self.ctx.source, word.span, extra=ListOf(got, depth, extra))
            holder.names[word.text] = one
            if holder.home is not None:
                holder.home.lists.append(one.stamp)
        elif one.extra.depth != depth:
            self.ctx.error(word.span, f"the elements of {word.text} have {one.extra.depth} indices, not {depth}")
        elif one.extra.type is Type.ERROR:
            one.extra = ListOf(got, depth, extra)
        elif got is not Type.ERROR and (one.extra.type is not got or one.extra.extra is not extra):
            kind = one.extra.type if one.extra.type is not got else "machine of another package"
            self.ctx.error(binding.value.span, f"an element of {word.text} is a {kind}, this is a {got}")
        self.ctx.fact(word.span, described(one), one)
        return one

    def definition(self, item: s.Definition, scope: Scope, _package: str | None) -> None:
        inner = Scope(scope)
        parameters, defaults = parameters_action(self.ctx, item.parameters, inner)
        result, run = infer(self.ctx, item.body, inner)
        self._defined(item.word, DefinitionBody(parameters, result, run, defaults), scope)

    def _defined(self, word: s.Word, body: DefinitionBody, scope: Scope) -> None:
        made = Bound(word.text, Type.DEFINITION, self.ctx.source, word.span, extra=body)
        self.ctx.fact(word.span, signature(made), made)
        warn_defined_again(self.ctx, word, scope)
        scope.names[made.name] = made

    def machine(self, item: s.Machine, scope: Scope, _package: str | None) -> None:
        inner = Scope(scope, home=home_for(item))
        parameters, defaults = parameters_action(self.ctx, item.parameters, inner)
        actions = self.block(item.declarations, inner)
        run = machine_thunk(self.ctx, item, inner, actions)
        self._defined(item.word, DefinitionBody(parameters, Type.MACHINE, run, defaults, inner.names), scope)

    def loop(self, item: s.Loop, scope: Scope, _package: str | None) -> None:
        self.actions.append(loop_action(self.ctx, item, scope, lambda inner: self.block(item.declarations, inner)))

    def branch(self, item: s.Branch, scope: Scope, _package: str | None) -> None:
        blocks = [lambda inner, items=items: self.block(items, inner) for items in (item.declarations, item.otherwise)]
        self.actions.append(branch_action(self.ctx, item, scope, *blocks))

    def package(self, item: s.Package, scope: Scope, _package: str | None) -> None:
        # A package body sees its own declarations, predefined names and other packages, nothing else.
        inner = Scope(Scope(None, scope.packages(), unseen=scope))
        self.declarations(item.declarations, inner, item.word.text)
        made = Bound(item.word.text, Type.PACKAGE, self.ctx.source, item.word.span, extra=inner.names)
        self.ctx.fact(item.word.span, f"{made.name} : package of {', '.join(inner.names) or 'nothing'}", made)
        warn_defined_again(self.ctx, item.word, scope)
        scope.names[made.name] = made

    def join(self, item: s.Join, scope: Scope, _package: str | None) -> None:
        if item.name is not None:
            self.ctx.link_names.add(item.name.text)
        first = check(self.ctx, item.first, Type.FRAME, scope, "invalid JOIN")
        second = check(self.ctx, item.second, Type.FRAME, scope, "invalid JOIN")
        link = check(self.ctx, item.link, Type.LINK, scope, "invalid JOIN")
        source = self.ctx.source
        name = label_of(self.ctx, item.name, scope)

        def action(state: Run) -> None:
            value = JoinValue(first(state), second(state), link(state), name(state), source, item.span)
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
        name = label_of(self.ctx, item.name, scope)
        self.actions.append(
            lambda state: state.applied.append(
                AppliedValue(effort(state), target(state), name(state), source, item.span)
            )
        )

    def between(self, item: s.Between, scope: Scope, _package: str | None) -> None:
        what = f"invalid {item.kind.upper()}"
        first = check(self.ctx, item.first, Type.FRAME, scope, what)
        second = check(self.ctx, item.second, Type.FRAME, scope, what)
        fields = record_fields(self.ctx, item.fields, BETWEEN[item.kind], scope, LAW_VARIABLES)
        source, name = self.ctx.source, label_of(self.ctx, item.name, scope)

        def action(state: Run) -> None:
            values = {field: run(state) for field, run in fields}
            ends = first(state), second(state)
            state.applied.append(BetweenValue(item.kind, *ends, values, name(state), source, item.span))

        self.actions.append(action)

    def constrain(self, item: s.Constrain | s.Drive | s.Contrivance, scope: Scope, _package: str | None) -> None:
        self.actions.append(constraint_action(self.ctx, item, scope))

    def contact(self, item: Contact, scope: Scope, _package: str | None) -> None:
        self.actions.append(contact_action(self.ctx, item, scope))

    def output(self, item: s.Output, scope: Scope, _package: str | None) -> None:
        self.ctx.asking = self.ctx.telling = True
        value = check(self.ctx, item.value, Type.SCALAR, scope, "invalid OUTPUT")
        self.ctx.asking = self.ctx.telling = False
        source, name = self.ctx.source, label_of(self.ctx, item.name, scope)
        self.actions.append(
            lambda state: state.outputs.append(OutputValue(str(name(state)), value(state), source, item.span))
        )

    def gravity(self, item: s.Gravity, scope: Scope, _package: str | None) -> None:
        value = check(self.ctx, item.value, Type.VECTOR, scope, "gravity")

        place = self.ctx.source, item.span

        def action(state: Run) -> None:
            warn_replaced(state.report, "gravity", state.gravity_place, place)
            state.gravity, state.gravity_place = value(state), place

        self.actions.append(action)

    def start(self, item: s.Start, scope: Scope, _package: str | None) -> None:
        for one in item.items:
            self.actions.append(initial_action(self.ctx, one, scope, item.span))

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
                    self.actions.extend(law_action(self.ctx, one, scope, item.span))
                else:
                    self.actions.extend(given_action(self.ctx, one, scope, item.span))

    def use(self, item: s.Use, scope: Scope, _package: str | None) -> None:
        source = find_file(self.ctx, item, self.root)
        if source is None:
            return
        key = key_of(source)
        if key in self.open_files:
            self.ctx.error(item.span, f'"{item.path}" uses itself', "break the circle of `use`")
            return
        if len(self.open_files) > MAX_USES:
            self.ctx.error(item.span, "files use each other too deeply")
            return
        if source.folder is None:
            self.ctx.used.add(item.path)
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


@cache
def _standard(source: Source) -> tuple[dict[str, Bound], set[str]]:
    """What a file of the standard library exports, and the parameters of its links.

    It holds definitions only, so one check serves every program.
    """
    checked = check_program(parse_into(source, Report()))
    checked.report.raise_if_failed()
    return dict(checked.scope.names), checked.context.link_parameters


_DEFINING = s.Let | s.Definition | s.Package | s.Machine


def _word(item: s.Declaration) -> str:
    """The word with which a declaration begins."""
    if isinstance(item, s.Between | s.Contrivance):
        return item.kind
    return {s.Loop: "for", s.Branch: "if"}.get(type(item), type(item).__name__.lower())


_DECLARE: dict[type, Callable[..., None]] = {
    s.Let: _Checker.let,
    s.Definition: _Checker.definition,
    s.Package: _Checker.package,
    s.Machine: _Checker.machine,
    s.Loop: _Checker.loop,
    s.Branch: _Checker.branch,
    s.Output: _Checker.output,
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


def evaluate(checked: CheckedProgram, *, dimensional: bool = False) -> Run:
    """Run the actions of a program without type faults; faults of evaluation go to its report."""
    state = Run(checked.report, checked.context.free, dimensional=dimensional)
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
