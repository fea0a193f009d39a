"""A vector of reals as a type of numba: arithmetic in LLVM's own vectors, said operation by operation. Loads numba."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.core.datamodel import models
from numba.core.extending import register_model
from numba.extending import intrinsic

REAL, WORD, POINTER = ir.DoubleType(), ir.IntType(64), types.CPointer(types.float64)


class Vector(types.Type):  # type: ignore[misc]
    """So many reals side by side."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Vector({width})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(REAL, kind.width))


@lru_cache(maxsize=4)
def vectors_of(width: int) -> SimpleNamespace:
    """Operations on vectors of `width` reals, for functions that numba compiles."""
    kind, shape, whole = Vector(width), ir.VectorType(REAL, width), ir.VectorType(WORD, width)

    def place(builder: Any, pointer: Any, index: Any, of: Any) -> Any:
        return builder.gep(builder.bitcast(pointer, of.as_pointer()), [index])

    @intrinsic
    def load(typing_context: Any, pointer: Any, index: Any) -> Any:
        """The vector of that number in an array."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(place(builder, args[0], args[1], shape), align=8 * width)

        return kind(pointer, index), build

    @intrinsic
    def store(typing_context: Any, value: Any, pointer: Any, index: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store(args[0], place(builder, args[1], args[2], shape), align=8 * width)
            return context.get_dummy_value()

        return types.void(kind, pointer, index), build

    @intrinsic
    def spread(typing_context: Any, value: Any) -> Any:
        """One number in all lanes."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            nothing, zero = ir.Constant(shape, ir.Undefined), ir.Constant(ir.IntType(32), 0)
            one = builder.insert_element(nothing, args[0], zero)
            return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), width), None))

        return kind(types.float64), build

    @intrinsic
    def fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
        """a b + c, rounded once where the processor can."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            name, of = f"llvm.fmuladd.v{width}f64", ir.FunctionType(shape, [shape] * 3)
            return builder.call(get_or_insert_function(builder.module, of, name), args)

        return kind(kind, kind, kind), build

    def binary(operation: str) -> Any:
        @intrinsic
        def act(typing_context: Any, a: Any, b: Any) -> Any:
            def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return getattr(builder, operation)(*args)

            return kind(kind, kind), build

        return act

    @intrinsic
    def larger(typing_context: Any, a: Any, b: Any) -> Any:
        """a > b ? a : b, as of numbers one by one."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.select(builder.fcmp_ordered(">", *args), *args)

        return kind(kind, kind), build

    @intrinsic
    def size(typing_context: Any, a: Any) -> Any:
        """Absolute values."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            name, of = f"llvm.fabs.v{width}f64", ir.FunctionType(shape, [shape])
            return builder.call(get_or_insert_function(builder.module, of, name), args)

        return kind(kind), build

    @intrinsic
    def keep(typing_context: Any, mask: Any, new: Any, old: Any) -> Any:
        """The new numbers in lanes where the whole numbers at `mask` are not zero, the old ones elsewhere."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            bits = builder.load(builder.bitcast(args[0], whole.as_pointer()), align=8 * width)
            return builder.select(builder.icmp_signed("!=", bits, ir.Constant(whole, None)), args[1], args[2])

        return kind(mask, kind, kind), build

    return SimpleNamespace(
        load=load,
        store=store,
        spread=spread,
        fused=fused,
        plus=binary("fadd"),
        minus=binary("fsub"),
        times=binary("fmul"),
        over=binary("fdiv"),
        larger=larger,
        size=size,
        keep=keep,
    )
