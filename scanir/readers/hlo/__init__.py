"""The reader of HLO text: any XLA version and backend, no JAX and no XLA needed.

`read_hlo` makes a `scanir.ir.graph.Module` (dialect ``hlo``) from text; `read_hlo_proto_literals` gives the values of
constants that the text elides. What the reader does not know it carries along as it is written; it drops names,
``metadata`` (which becomes locations) and signatures of computations (which repeat parameters and roots), and nothing
else.
"""

from scanir.readers.hlo.assemble import read_hlo
from scanir.readers.hlo.literals import read_hlo_proto_literals

__all__ = ["read_hlo", "read_hlo_proto_literals"]
