"""The machine: LLVM text to object code for the processor at hand, and object code to addresses."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

#: LLVM's effort in instruction selection and register allocation: chosen by measurement.
EFFORT = 1

compiling = threading.RLock()
"""Held while code is made: LLVM works for one thread at a time, and a process is forked between two works only."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=compiling.acquire, after_in_parent=compiling.release, after_in_child=compiling.release)
_serial = itertools.count()


@lru_cache(maxsize=1)
def _binding() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.check_jit_execution()
    return llvm


@lru_cache(maxsize=1)
def host() -> tuple[str, str, str]:
    """Triple, name and features of this processor."""
    llvm = _binding()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@lru_cache(maxsize=1)
def vector_width() -> int:
    """Doubles in the widest vector register."""
    features = set(host()[2].split(","))
    if "+avx512f" in features:
        return 8
    return 4 if "+avx" in features else 2


@lru_cache(maxsize=1)
def fuses() -> bool:
    """Whether a product and a sum are one instruction with one rounding."""
    triple, _, features = host()
    return "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))


def version(effort: int = EFFORT) -> str:
    """What object code depends on besides its source."""
    import llvmlite

    return "|".join((llvmlite.__version__, str(effort), *host()))


def _machine(effort: int) -> Any:
    llvm = _binding()
    triple, cpu, features = host()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(
        cpu=cpu, features=features, opt=effort, reloc="pic", codemodel="small", jit=True
    )


def assemble(text: str, effort: int = EFFORT) -> bytes:
    """Object code of a module of LLVM text."""
    llvm = _binding()
    with compiling:
        machine = _machine(effort)
        module = llvm.parse_assembly(f'target triple = "{host()[0]}"\n{text}')
        return bytes(machine.emit_object(module))


#: Libraries of one linker. It keeps 9 kB of each, whether that lives or not, until it goes itself with the last of
#: them; to make one takes a millisecond, half of what its 16 libraries take to link one by one.
_OF_A_LINKER = 16


@lru_cache(maxsize=1)
def _linker(number: int) -> Any:
    """The linker of that number, for as long as its libraries are made; then they alone hold it."""
    llvm = _binding()
    return llvm.create_lljit_compiler(_machine(EFFORT), use_jit_link=True)


class Loaded:
    """Object code in memory; it stays as long as this object lives."""

    def __init__(self, code: bytes, names: Sequence[str]) -> None:
        llvm = _binding()
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name in names:
            builder.export_symbol(name)
        with compiling:
            serial = next(_serial)
            self._linker = _linker(serial // _OF_A_LINKER)
            self._tracker = builder.link(self._linker, f"dalembert{serial}")
            self.addresses = {name: int(self._tracker[name]) for name in names}
