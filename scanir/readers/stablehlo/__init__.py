"""The reader of StableHLO: MLIR text, bytecode, portable artifacts, and the module objects of JAX's lowering.

`read_stablehlo` makes a `scanir.ir.graph.Module` (dialect ``stablehlo``) through the MLIR bindings in jaxlib. Ops
keep their full names (``stablehlo.add``) and all their attributes; an op or attribute of a dialect that nobody knows
is read like any other. What names something of the module (a function, a mesh) is replaced by what it names. Not part
of the module read: names of values, of the module, of functions and meshes, and locations. Refuses control flow
between blocks.
"""

from scanir.readers.stablehlo.assemble import read_stablehlo

__all__ = ["read_stablehlo"]
