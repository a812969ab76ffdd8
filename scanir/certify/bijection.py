"""The certificate of IDENTICAL: for each pair of closed regions which op of b is which op of a."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scanir.checker.certificate import SideRecord, StageRecord
from scanir.checker.digest import artifact
from scanir.checker.identical import Bijection, ops_in
from scanir.compare.isomorphism import Isomorphism
from scanir.compare.pairing import pair_arguments
from scanir.ir.graph import Op, Region
from scanir.program import Program


def identical(a: Program, b: Program, host: str) -> StageRecord:
    """The record of a pair that is IDENTICAL, ``host`` settling its host functions (if not empty).

    Raises Rejected where the checker does not think so.
    """
    sides = [SideRecord(p.label, "", artifact(p.module), tuple(sorted(p.provenance)), (), (), ()) for p in (a, b)]
    pairs = pair_arguments(a, b).pairs
    record = StageRecord(a.stage, "", "IDENTICAL", (sides[0], sides[1]), pairs, (), (), (), (), (), (), host)
    return replace(record, bijection=arrays(a, b, settled=bool(host)))


def arrays(a: Program, b: Program, *, settled: bool = False) -> tuple[tuple[int, ...], ...]:
    """The bijection of two modules that are one graph. Raises Rejected where the checker does not think so."""
    pairing = Isomorphism(a, b, settled=settled)
    pairing.kept = {}
    pairing.holds()
    written = _Written(a, b, pairing.kept, settled=settled)
    written.check()
    return tuple(written.arrays)


class _Written(Bijection):
    """The check itself, which asks for the numbers of each pair of regions in its order."""

    def __init__(self, a: Program, b: Program, kept: dict[tuple[int, int], dict[int, Op]], *, settled: bool) -> None:
        super().__init__((), a.module, b.module, settled=settled)
        self._kept, self._nested = kept, a.module.dialect != "hlo"
        self.arrays: list[tuple[int, ...]] = []

    def array(self, used: int, x: Region, y: Region) -> Sequence[int]:
        numbers = {id(op): k for k, (op, _) in enumerate(ops_in(y, nested=self._nested))}
        ops = self._kept.get((id(x), id(y)), {})
        self.arrays.append(
            tuple(
                -1 if op.name == "constant" or id(op) not in ops else numbers[id(ops[id(op)])]
                for op, _ in ops_in(x, nested=self._nested)
            )
        )
        return self.arrays[-1]
