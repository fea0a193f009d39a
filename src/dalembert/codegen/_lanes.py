"""LLVM text that moves rows of states into vector lanes and back.

A square of `width` rows and columns is transposed in registers. Where the number of columns is not a multiple of the
width, the last square overlaps the one before: the same numbers are moved twice, which is quicker than one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.codegen._ir import Writer

_SINGLE = 2  # columns up to which numbers are moved one by one
_UNROLLED = 64  # columns up to which squares follow each other without a loop


def moving_code(width: int, sizes: Sequence[int], results: int) -> list[str]:
    """`gather.N` for each number of columns that comes in, `scatter.N` for the one that goes out."""
    return [*[_gather(width, n) for n in sorted(set(sizes))], _scatter(width, results)]


def _rows(w: Writer, base: str, stride: str) -> list[str]:
    """Addresses of the rows of one vector of states; rows past the end repeat the last one."""
    found = []
    for lane in range(w.width):
        row = w.emit(f"add i64 %row, {lane}")
        inside = w.emit(f"icmp slt i64 {row}, %last")
        row = w.emit(f"select i1 {inside}, i64 {row}, i64 %last")
        offset = w.emit(f"mul i64 {row}, {stride}")
        found.append(w.emit(f"getelementptr double, ptr {base}, i64 {offset}"))
    return found


def transposed(w: Writer, rows: list[str]) -> list[str]:
    """A square of lanes by log2(width) rounds of two-row shuffles."""
    n, half = w.width, w.width // 2
    while half:
        new = list(rows)
        for i in range(n):
            if i & half:
                continue
            low = [k if not k & half else n + k - half for k in range(n)]
            high = [k + half if not k & half else n + k for k in range(n)]
            for target, mask in ((i, low), (i + half, high)):
                listed = ", ".join(f"i32 {m}" for m in mask)
                pair = f"{w.real} {rows[i]}, {w.real} {rows[i + half]}"
                new[target] = w.emit(f"shufflevector {pair}, <{n} x i32> <{listed}>")
        rows = new
        half //= 2
    return rows


def _starts(width: int, columns: int) -> list[int]:
    """First columns of the squares that cover all columns."""
    starts = list(range(0, columns - width + 1, width))
    return starts if columns % width == 0 else [*starts, columns - width]


def _square_in(w: Writer, rows: list[str], column: str) -> None:
    loaded = []
    for row in rows:
        address = w.emit(f"getelementptr double, ptr {row}, i64 {column}")
        loaded.append(w.emit(f"load {w.real}, ptr {address}, align 8"))
    target = w.emit(f"getelementptr {w.real}, ptr %to, i64 {column}")
    for k, value in enumerate(transposed(w, loaded)):
        address = w.emit(f"getelementptr {w.real}, ptr {target}, i64 {k}")
        w.line(f"  store {w.real} {value}, ptr {address}, align {8 * w.width}")


def _square_out(w: Writer, rows: list[str], column: str) -> None:
    source = w.emit(f"getelementptr {w.real}, ptr %from, i64 {column}")
    loaded = []
    for k in range(w.width):
        address = w.emit(f"getelementptr {w.real}, ptr {source}, i64 {k}")
        loaded.append(w.emit(f"load {w.real}, ptr {address}, align {8 * w.width}"))
    for row, value in zip(rows, transposed(w, loaded), strict=True):
        address = w.emit(f"getelementptr double, ptr {row}, i64 {column}")
        w.line(f"  store {w.real} {value}, ptr {address}, align 8")


def _short_in(w: Writer, rows: list[str], columns: int) -> None:
    """Rows shorter than a vector: a square whose last columns stay where they are."""
    mask, nothing = _mask(w, columns), f"{w.real} zeroinitializer"
    loaded = [
        w.emit(f"call {w.real} @llvm.masked.load.{w.suffix}.p0(ptr {row}, i32 8, {mask}, {nothing})") for row in rows
    ]
    for k, value in enumerate(transposed(w, loaded)[:columns]):
        address = w.emit(f"getelementptr {w.real}, ptr %to, i64 {k}")
        w.line(f"  store {w.real} {value}, ptr {address}, align {8 * w.width}")


def _short_out(w: Writer, rows: list[str], columns: int) -> None:
    mask = _mask(w, columns)
    loaded = ["zeroinitializer"] * w.width
    for k in range(columns):
        address = w.emit(f"getelementptr {w.real}, ptr %from, i64 {k}")
        loaded[k] = w.emit(f"load {w.real}, ptr {address}, align {8 * w.width}")
    for row, value in zip(rows, transposed(w, loaded), strict=True):
        w.line(f"  call void @llvm.masked.store.{w.suffix}.p0({w.real} {value}, ptr {row}, i32 8, {mask})")


def _mask(w: Writer, columns: int) -> str:
    lanes = ", ".join(f"i1 {str(k < columns).lower()}" for k in range(w.width))
    return f"{w.truth} <{lanes}>"


def _single_in(w: Writer, rows: list[str], column: int) -> None:
    vector = "poison"
    for lane, row in enumerate(rows):
        address = w.emit(f"getelementptr double, ptr {row}, i64 {column}")
        value = w.emit(f"load double, ptr {address}, align 8")
        vector = w.emit(f"insertelement {w.real} {vector}, double {value}, i32 {lane}")
    address = w.emit(f"getelementptr {w.real}, ptr %to, i64 {column}")
    w.line(f"  store {w.real} {vector}, ptr {address}, align {8 * w.width}")


def _single_out(w: Writer, rows: list[str], column: int) -> None:
    address = w.emit(f"getelementptr {w.real}, ptr %from, i64 {column}")
    vector = w.emit(f"load {w.real}, ptr {address}, align {8 * w.width}")
    for lane, row in enumerate(rows):
        value = w.emit(f"extractelement {w.real} {vector}, i32 {lane}")
        address = w.emit(f"getelementptr double, ptr {row}, i64 {column}")
        w.line(f"  store double {value}, ptr {address}, align 8")


def _moved(w: Writer, rows: list[str], columns: int, inwards: bool) -> None:
    """The body: single columns when there are few, squares one after the other, or a loop over squares."""
    square, single = (_square_in, _single_in) if inwards else (_square_out, _single_out)
    if _SINGLE < columns < w.width:
        return (_short_in if inwards else _short_out)(w, rows, columns)
    if columns < w.width:
        for column in range(columns):
            single(w, rows, column)
        return
    starts = _starts(w.width, columns)
    if columns <= _UNROLLED:
        for start in starts:
            square(w, rows, str(start))
        return
    whole = columns // w.width * w.width
    w.line("  br label %squares")
    w.line("squares:")
    w.line("  %column = phi i64 [ 0, %0 ], [ %next, %squares ]")
    square(w, rows, "%column")
    w.line(f"  %next = add i64 %column, {w.width}")
    w.line(f"  %more = icmp slt i64 %next, {whole}")
    w.line("  br i1 %more, label %squares, label %rest")
    w.line("rest:")
    if columns % w.width:
        square(w, rows, str(columns - w.width))


def _gather(width: int, columns: int) -> str:
    """Rows of states into lanes."""
    w = Writer(width)
    _moved(w, _rows(w, "%from", "%stride"), columns, inwards=True)
    formal = "ptr noalias readonly %from, i64 %stride, i64 %row, i64 %last, ptr noalias %to"
    body = "\n".join([*w.lines, "  ret void"])
    return f"define internal void @gather.{columns}({formal}) noinline nounwind {{\n{body}\n}}\n"


def _scatter(width: int, columns: int) -> str:
    """Lanes back into rows; the rows that repeat the last state write the same numbers again."""
    w = Writer(width)
    _moved(w, _rows(w, "%to", str(columns)), columns, inwards=False)
    formal = "ptr noalias readonly %from, i64 %row, i64 %last, ptr noalias %to"
    body = "\n".join([*w.lines, "  ret void"])
    return f"define internal void @scatter.{columns}({formal}) noinline nounwind {{\n{body}\n}}\n"
