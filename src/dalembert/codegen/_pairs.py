"""LLVM text of the derivatives themselves: directions at `width` neighbouring joints side by side, along all joints.

A direction is there three times: by the coordinate, the speed and the effort of its joint. From its joint it goes
outwards, a dozen products at each joint; joints that it does not move along with it answer by reciprocity, from the
accelerations that a unit of their own effort gives. Where no branches part at or before the last of these joints, all
this begins at the first of them; elsewhere efforts are felt inwards first.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen._ir import Writer
from dalembert.codegen._lanes import transposed
from dalembert.codegen._passes import FOUNDS, GIVENS, place

#: By effort, coordinate and speed: the acceleration and u' that a direction begins with at its own joint.
_BEGIN = (("pushed", "pushes"), ("by_place", "place"), ("by_speed", "fast"))
_SETS = len(_BEGIN)
_State = list[list[str]]


class _Pairs(Writer):
    """Writes loops over joints; `%p0` is the first joint of the vector of directions."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.shift = width.bit_length() - 1

    # --- addresses -------------------------------------------------------------------------------------------------

    def at(self, base: str, kind: str, index: str) -> str:
        return self.emit(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def load(self, kind: str, base: str, index: str, align: int = 8) -> str:
        return self.emit(f"load {kind}, ptr {self.at(base, kind, index)}, align {align}")

    def table(self, name: str, index: str) -> str:
        return self.load("i64", name, index)

    def joint(self, k: str) -> tuple[str, str]:
        """Where the numbers of a joint begin."""
        block, lane = self.emit(f"lshr i64 {k}, {self.shift}"), self.emit(f"and i64 {k}, {self.width - 1}")
        found = []
        for base, count in (("%given", GIVENS), ("%found", FOUNDS)):
            first = self.emit(f"mul i64 {block}, {count * self.width}")
            found.append(self.at(base, "double", self.emit(f"add i64 {first}, {lane}")))
        return found[0], found[1]

    def shared(self, base: str, name: str, i: int = 0) -> str:
        """A number of one joint, for all directions."""
        return self.spread(self.load("double", base, str(place(name, i) * self.width)))

    def lanes(self, name: str, i: int = 0) -> str:
        """A number of the joints of the directions."""
        return self.load(self.real, "%mine", str(place(name, i)), 8 * self.width)

    def vector(self, base: str, index: str) -> str:
        return self.load(self.real, base, index, 8 * self.width)

    def keep(self, value: str, base: str, index: str) -> None:
        self.line(f"  store {self.real} {value}, ptr {self.at(base, self.real, index)}, align {8 * self.width}")

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def dot(self, a: Sequence[str], b: Sequence[str], first: str | None = None) -> str:
        """Two sums side by side: one product does not wait for the one before."""
        half = len(a) // 2
        parts = []
        for one, two, start in ((a[:half], b[:half], first), (a[half:], b[half:], None)):
            total = start
            for x, y in zip(one, two, strict=True):
                total = self.mul(x, y) if total is None else self.fused(x, y, total)
            parts.append(total)
        assert parts[0] is not None
        assert parts[1] is not None
        return self.add(parts[0], parts[1])

    def spread_whole(self, value: str) -> str:
        lane = self.emit(f"insertelement {self.integer} poison, i64 {value}, i32 0")
        mask = f"<{self.width} x i32> zeroinitializer"
        return self.emit(f"shufflevector {self.integer} {lane}, {self.integer} poison, {mask}")

    def compare_whole(self, relation: str, a: str, b: str) -> str:
        return self.emit(f"icmp {relation} {self.integer} {a}, {b}")

    def both(self, a: str, b: str, how: str = "and") -> str:
        return self.emit(f"{how} {self.truth} {a}, {b}")

    def descends(self, k: str, end: str) -> str:
        """Which directions are at joint k or beyond it."""
        after = self.compare_whole("sle", self.spread_whole(k), "%places")
        return self.both(after, self.compare_whole("slt", "%places", self.spread_whole(end)))

    # --- loops -----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """What the directions are, and whether efforts have to be felt inwards first."""
        block = self.emit(f"lshr i64 %p0, {self.shift}")
        first = self.emit(f"mul i64 {block}, {FOUNDS * self.width}")
        self.line(f"  %mine = getelementptr double, ptr %found, i64 {first}")
        steps = ", ".join(f"i64 {i}" for i in range(self.width))
        self.line(f"  %places = add {self.integer} {self.spread_whole('%p0')}, <{steps}>")
        self.line(f"  %after = add i64 %p0, {self.width}")
        self.line("  %short = icmp slt i64 %after, %joints")
        self.line("  %stop = select i1 %short, i64 %after, i64 %joints")
        self.line("  %last = sub i64 %stop, 1")
        self.line("  %some = icmp ne i64 %p0, 0")
        for lane in range(self.width):  # nothing is left of efforts where they are not felt inwards
            self.keep(self.constant(0.0), "%left", self.emit(f"add i64 %p0, {lane}"))
        earth = self.at("%slots", self.real, self.emit(f"mul i64 %joints, {6 * _SETS}"))
        for i in range(6 * _SETS):
            self.keep(self.constant(0.0), earth, str(i))
        whole = self.emit(f"icmp ne i64 {self.table('%parted', block)}, 0")
        self.line(f"  br i1 {whole}, label %inwards, label %own.enter")

    def inwards(self) -> None:
        """What the joints before a direction feel of a unit of effort: felt' = felt + eased left, left = -S felt."""
        names = [f"%felt{i}" for i in range(6)]
        self.line("inwards:")
        self.line("  %in.k = phi i64 [ %last, %begin ], [ %in.next, %inwards ]")
        later = len(self.lines)
        given, found = self.joint("%in.k")
        column = [self.shared(given, "twist", i) for i in range(6)]
        own = self.compare_whole("eq", self.spread_whole("%in.k"), "%places")
        left = self.select(own, self.constant(1.0), self.neg(self.dot(column, names)))
        left = self.select(self.descends("%in.k", self.table("%ends", "%in.k")), left, self.constant(0.0))
        self.keep(left, "%left", "%in.k")
        more = [self.fused(self.shared(found, "eased", i), left, name) for i, name in enumerate(names)]
        self.lines[later:later] = [
            f"  {name} = phi {self.real} [ zeroinitializer, %begin ], [ {x}, %inwards ]"
            for name, x in zip(names, more, strict=True)
        ]
        self.line("  %in.next = sub i64 %in.k, 1")
        self.line("  %in.more = icmp sge i64 %in.next, 0")
        self.line("  br i1 %in.more, label %inwards, label %felt")
        self.line("felt:\n  br i1 %some, label %before, label %own.enter")

    def outwards(self, name: str, start: str, stop: str, entry: str, came: _State, then: str) -> _State:
        """From joint to joint: `before` those of the directions efforts alone, `own` these, `rest` all others."""
        sets = len(came)
        state = [[f"%{name}.m{s}.{i}" for i in range(6)] for s in range(sets)]
        k, parent = f"%{name}.k", f"%{name}.parent"
        self.line(f"{name}:")
        self.line(f"  {k} = phi i64 [ {start}, %{entry} ], [ %{name}.next, %{name}.end ]")
        later = len(self.lines)
        self.line(f"  {parent} = load i64, ptr {self.at('%above', 'i64', k)}, align 8")
        self.line(f"  %{name}.last = sub i64 {k}, 1")
        self.line(f"  %{name}.follows = icmp eq i64 {parent}, %{name}.last")
        self.line(f"  br i1 %{name}.follows, label %{name}.work, label %{name}.fetch")
        self.line(f"{name}.fetch:")
        slot = self.at("%slots", self.real, self.emit(f"mul i64 {parent}, {6 * _SETS}"))
        fetched = [[self.vector(slot, str(6 * s + i)) for i in range(6)] for s in range(sets)]
        self.line(f"  br label %{name}.work")
        self.line(f"{name}.work:")
        known = [[f"%{name}.w{s}.{i}" for i in range(6)] for s in range(sets)]
        for one, two, three in zip(known, state, fetched, strict=True):
            for x, a, b in zip(one, two, three, strict=True):
                self.line(f"  {x} = phi {self.real} [ {a}, %{name} ], [ {b}, %{name}.fetch ]")
        new, rates = self.step(name, k, known)
        self.answers(name, k, new[0], rates)
        self.line(f"  %{name}.keep = icmp ne i64 {self.table('%forks', k)}, 0")
        self.line(f"  br i1 %{name}.keep, label %{name}.save, label %{name}.end")
        self.line(f"{name}.save:")
        slot = self.at("%slots", self.real, self.emit(f"mul i64 {k}, {6 * _SETS}"))
        for s, some in enumerate(new):
            for i, x in enumerate(some):
                self.keep(x, slot, str(6 * s + i))
        self.line(f"  br label %{name}.end")
        self.line(f"{name}.end:")
        self.line(f"  %{name}.next = add i64 {k}, 1")
        self.line(f"  %{name}.more = icmp slt i64 %{name}.next, {stop}")
        self.line(f"  br i1 %{name}.more, label %{name}, label %{then}")
        self.lines[later:later] = [
            f"  {x} = phi {self.real} [ {a}, %{entry} ], [ {b}, %{name}.end ]"
            for one, two, three in zip(state, came, new, strict=True)
            for x, a, b in zip(one, two, three, strict=True)
        ]
        return new

    def step(self, name: str, k: str, m: _State) -> tuple[_State, list[str]]:
        """Accelerations of joint k and its u', from those of the joint that carries it."""
        given, found = self.joint(k)
        eased = [self.shared(found, "eased", i) for i in range(6)]
        column = [self.shared(given, "twist", i) for i in range(6)]
        rates = []
        for s, above in enumerate(m):
            first = None
            if s == 0 and name != "rest":
                first = self.neg(self.mul(self.vector("%left", k), self.shared(found, "inverse")))
            elif s > 0:
                swept = [self.shared(found, "swept", i) for i in range(3)]
                turning = [self.lanes("turning", 3 * (s - 1) + i) for i in range(3)]
                first = self.neg(self.dot(swept, turning))
            rates.append(self.neg(self.dot(eased, above, first)))
        new = [
            [self.fused(x, r, a) for x, a in zip(column, above, strict=True)] for r, above in zip(rates, m, strict=True)
        ]
        if name == "own":  # at its own joint a direction begins
            here = self.compare_whole("eq", self.spread_whole(k), "%places")
            for s, (moves, rate) in enumerate(_BEGIN):
                rates[s] = self.select(here, self.lanes(rate), rates[s])
                new[s] = [self.select(here, self.lanes(moves, i), x) for i, x in enumerate(new[s])]
        if name != "before":
            base = self.emit(f"mul i64 {k}, {_SETS}")
            for s, rate in enumerate(rates):
                self.keep(rate, "%rows", self.emit(f"add i64 {base}, {s}"))
        return new, rates

    def answers(self, name: str, k: str, pushed: list[str], rates: list[str]) -> None:
        """What the joints of the directions answer to those of joint k, by reciprocity: own effort less W . pushed."""
        given, found = self.joint(k)
        values = [rates[0]]
        for effort, load in (("spring", "place_load"), ("damper", "speed_load")):
            own = self.neg(self.mul(self.shared(given, effort), rates[0]))
            values.append(self.neg(self.dot([self.shared(found, load, i) for i in range(6)], pushed, own)))
        row = self.emit(f"mul i64 {k}, %joints")
        place = self.emit(f"add i64 {row}, %p0")
        mask = ""
        if name != "rest":
            end = self.spread_whole(self.table("%ends", k))
            apart = self.compare_whole("slt", "%places", self.spread_whole(k))
            mask = self.both(apart, self.compare_whole("sge", "%places", end), "or")
            mask = self.both(mask, self.compare_whole("slt", "%places", self.spread_whole("%joints")))
        for out, value in zip(("%out.e", "%out.q", "%out.u"), values, strict=True):
            address = self.at(out, "double", place)
            self.put(value, address, mask)

    def put(self, value: str, address: str, mask: str) -> None:
        if mask:
            where = f"ptr {address}, i32 8, {self.truth} {mask}"
            self.line(f"  call void @llvm.masked.store.{self.suffix}.p0({self.real} {value}, {where})")
        else:
            self.line(f"  store {self.real} {value}, ptr {address}, align 8")

    def turned(self) -> None:
        """The rows of the directions, from what was found side by side: a square of them at a time."""
        self.line("turned:\n  br label %turn\nturn:")
        self.line("  %turn.k = phi i64 [ %p0, %turned ], [ %turn.next, %turn ]")
        steps = ", ".join(f"i64 {i}" for i in range(self.width))
        columns = self.emit(f"add {self.integer} {self.spread_whole('%turn.k')}, <{steps}>")
        base = self.emit(f"mul i64 %turn.k, {_SETS}")
        squares = []
        for s in range(_SETS):
            own = [self.emit(f"add i64 {base}, {_SETS * lane + s}") for lane in range(self.width)]
            squares.append(transposed(self, [self.vector("%rows", x) for x in own]))
        for lane in range(self.width):
            p = self.emit(f"add i64 %p0, {lane}")
            end = self.spread_whole(self.table("%ends", p))
            from_here = self.compare_whole("sge", columns, self.spread_whole(p))
            mask = self.both(from_here, self.compare_whole("slt", columns, end))
            row = self.emit(f"mul i64 {p}, %joints")
            place = self.emit(f"add i64 {row}, %turn.k")
            for out, square in zip(("%out.e", "%out.q", "%out.u"), squares, strict=True):
                self.put(square[lane], self.at(out, "double", place), mask)
        self.line(f"  %turn.next = add i64 %turn.k, {self.width}")
        self.line("  %turn.more = icmp slt i64 %turn.next, %joints")
        self.line("  br i1 %turn.more, label %turn, label %over")


def _directions(width: int) -> str:
    """`void directions(i64 p0, ...)`: all about the directions of one vector of joints."""
    w, none = _Pairs(width), ["zeroinitializer"] * 6
    w.line("begin:")
    w.begin()
    w.inwards()
    (before,) = w.outwards("before", "0", "%p0", "felt", [none], "own.enter")
    w.line("own.enter:")
    came = [f"%came{i}" for i in range(6)]
    for x, b in zip(came, before, strict=True):
        w.line(f"  {x} = phi {w.real} [ zeroinitializer, %begin ], [ zeroinitializer, %felt ], [ {b}, %before.end ]")
    w.line("  br label %own")
    own = w.outwards("own", "%p0", "%stop", "own.enter", [came, none, none], "own.left")
    w.line("own.left:\n  br i1 %short, label %rest, label %turned")
    w.outwards("rest", "%after", "%joints", "own.left", own, "turned")
    w.turned()
    body = "\n".join([*w.lines, "over:", "  ret void"])
    return f"define internal void @directions(i64 %p0, {_FORMAL}) noinline nounwind {{\n{body}\n}}\n"


_POINTERS = "given found above ends forks parted left rows slots out.q out.u out.e".split()
_FORMAL = "i64 %joints, " + ", ".join(f"ptr %{x}" for x in _POINTERS)


def pair_code(width: int) -> str:
    """`void pairs(i64 joints, tables, memory, results)`: derivatives by coordinates, speeds and efforts.

    Tables tell of each joint what carries it, where its branch ends and whether joints after it begin there; of each
    vector of joints whether branches part at or before its last. A row of results belongs to a direction.
    """
    return _directions(width) + (
        f"define internal void @pairs({_FORMAL}) nounwind {{\n  br label %loop\nloop:\n"
        "  %p0 = phi i64 [ 0, %0 ], [ %next, %loop ]\n"
        f"  call void @directions(i64 %p0, {_FORMAL})\n"
        f"  %next = add i64 %p0, {width}\n  %more = icmp slt i64 %next, %joints\n"
        "  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}\n"
    )
