"""Code from the expression DAG: machine code through LLVM, source code in many languages."""

# machine code
from dalembert.codegen.function import Function
from dalembert.codegen.native import Library, NativeFunction, compile_functions

__all__ = ["Function", "Library", "NativeFunction", "compile_functions"]
