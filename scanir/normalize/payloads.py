"""Known noise in known payloads: fields of custom calls that say nothing of the program.

Law: a host call is the same whatever address its descriptor has in this process. Holds where an operand is a constant
equal to the number in ``backend_config`` of a target that passes its descriptor so (JAX up to 0.5); which function is
called is decided elsewhere. Everything else of a payload is semantic.
"""

from __future__ import annotations

from scanir.ir.attrs import Text
from scanir.ir.graph import Op
from scanir.normalize.effects import calls_python
from scanir.normalize.numbers import constant_int
from scanir.normalize.values import Table


def without_pointer(table: Table, op: Op, operands: tuple[int, ...]) -> tuple[int, ...] | None:
    """The operands of a host call with the address taken out; None where there is none to take out."""
    if not operands or not calls_python(op):
        return None
    said = op.attribute("backend_config")
    address = constant_int(table, operands[0])
    if address is None or not isinstance(said, Text) or said.value != str(address):
        return None
    return (table.intern("op", ("address", (), (table.payload(operands[0])[1],), 0, "")), *operands[1:])
