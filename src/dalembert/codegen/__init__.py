"""Code from the expression DAG: machine code through LLVM, source code in many languages."""

# exchange
from dalembert.codegen.fmu import export_fmu

# machine code of functions
from dalembert.codegen.function import Function

# maps done many times over
from dalembert.codegen.iteration import NativeIteration

# source code
from dalembert.codegen.languages import LANGUAGES, source

# machine code of mechanisms
from dalembert.codegen.mechanism import CompiledMechanism, Derivatives, Energy, compile_mechanism
from dalembert.codegen.minimal import CompiledMinimal, compile_minimal
from dalembert.codegen.native import Library, NativeFunction, compile_functions
from dalembert.codegen.program import write_header, write_model, write_program

__all__ = [
    "LANGUAGES",
    "CompiledMechanism",
    "CompiledMinimal",
    "Derivatives",
    "Energy",
    "Function",
    "Library",
    "NativeFunction",
    "NativeIteration",
    "compile_functions",
    "compile_mechanism",
    "compile_minimal",
    "export_fmu",
    "source",
    "write_header",
    "write_model",
    "write_program",
]
