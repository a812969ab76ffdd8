"""Large constants: what a program has baked in, how large, and where it enters.

Promises a digest that is equal for constants of equal bits, on every machine. An array that counts up, or has
one value everywhere, is said to be so: the program could make it itself. What an artifact does not show is a row, too.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scanir.costs.copies import size_of
from scanir.facts.places import Place, Places
from scanir.facts.values import Values
from scanir.ir.attrs import Array, Attr, Hidden
from scanir.ir.elements import elements
from scanir.ir.graph import Value
from scanir.ir.structure import LoopView, view
from scanir.ir.types import TensorType, Type
from scanir.ir.walk import Use, uses

#: Constants of more bytes than this are listed by default: smaller ones are numbers that a person wrote down.
LARGE = 1024
#: Elements and uses shown of each.
FIRST, USES = 4, 4
_FORMATS = {
    "i8": "<i1", "u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8",
    "f16": "<f2", "f32": "<f4", "f64": "<f8",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConstantRow:
    """``bytes`` counts all elements, ``stored`` those that the module holds (one, where all are alike). ``looks``:
    ``splat``, ``iota`` (0, 1, 2 ... along the last dimension), or empty. ``enters``: paths of the ops that use it.
    ``argument``: the parameter through which JAX passes it, -1 where it stands in the program. ``elided``: why its
    value is not known."""

    type: str
    elements: int
    bytes: int
    stored: int
    digest: str
    first: tuple[str, ...]
    low: str
    high: str
    looks: str
    enters: tuple[str, ...]
    uses: int
    path: str
    argument: int
    elided: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ConstantTable:
    """``rows`` larger than ``over`` bytes, the largest first; ``total`` bytes of those, ``rest`` of the ``smaller``
    ones."""

    over: int
    rows: tuple[ConstantRow, ...]
    total: int
    smaller: int
    rest: int
    notes: tuple[str, ...] = ()


def constants(places: Places, over: int = LARGE) -> ConstantTable:
    """The constants of more than ``over`` bytes; elided ones always."""
    users = _users(places)
    values = Values(places)
    rows = [_row(place.op.attribute("value"), place.op.results[0], place, users, values) for place in _made(places)]
    entry = places.program.module.function(places.program.module.entry).body
    for index, value in places.program.interface.constants:
        rows.append(_row(value, entry.params[index], None, users, values, index))
    rows.sort(key=lambda row: (-row.bytes, row.path, row.argument))
    large = tuple(row for row in rows if row.bytes > over or row.elided)
    small = [row for row in rows if not (row.bytes > over or row.elided)]
    return ConstantTable(over, large, sum(row.bytes for row in large), len(small), sum(row.bytes for row in small))


def _made(places: Places) -> Iterator[Place]:
    return (place for place in places.all if place.op.name == "constant")


def _users(places: Places) -> dict[Value, list[str]]:
    """Where each constant is used; an op that only hands it to a loop names the slot, also through HLO's tuple."""
    wanted = {place.op.results[0] for place in _made(places)}
    entry = places.program.module.function(places.program.module.entry).body
    wanted.update(entry.params[index] for index, _ in places.program.interface.constants)
    found: dict[Value, list[str]] = {}
    for name, frame in places.bodies.items():
        used = uses(frame.region)
        for value in used.keys() & wanted:
            for use in used[value]:
                found.setdefault(value, []).extend(_use(places, name, use, used))
    return found


def _use(places: Places, name: str, use: Use, used: dict[Value, tuple[Use, ...]]) -> list[str]:
    if use.op is None:
        return [f"{name} returns it"]
    place = places.of.get(id(use.op))
    if place is None:  # in a region that several ops share
        return [f"{name}/.../{use.op.name}"]
    loop = view(place.op)
    if isinstance(loop, LoopView):
        carried = use.index < len(loop.inits)
        return [f"{place.path}, {'slot' if carried else 'scanned input'} {use.index - (not carried) * len(loop.inits)}"]
    if place.op.name.endswith("tuple"):
        owners = [other.op for other in used.get(place.op.results[0], ()) if other.op is not None]
        loops = [places.of[id(op)].path for op in owners if isinstance(view(op), LoopView) and id(op) in places.of]
        if loops:
            return [f"{path}, slot {use.index}" for path in loops]
    return [place.path]


def _row(
    value: Attr | None, result: Value, place: Place | None, users: dict[Value, list[str]], values: Values,
    argument: int = -1,
) -> ConstantRow:  # fmt: skip
    entering = tuple(dict.fromkeys(users.get(result, ())))
    where = None if place is None else place.location
    size = size_of(result.type)
    array = value if isinstance(value, Array) else None
    if array is not None and size is None:
        size = len(array.data)
    elided = ""
    if array is None:
        elided = f"{value.what}: {value.remedy}" if isinstance(value, Hidden) else "its value is not shown"
    low, high = ("", "") if array is None else extremes(array)
    return ConstantRow(
        str(result.type), _count(result.type), size or 0, 0 if array is None else len(array.data),
        "" if array is None else digest(array),
        () if array is None else elements(array, FIRST),
        low, high, "" if array is None else looks(array), entering[:USES], len(entering),
        values.argument(argument) if place is None else place.path, argument, elided,
        "" if where is None else where.file, 0 if where is None else where.line,
    )  # fmt: skip


def _count(type: Type) -> int:
    """Elements of an array; symbolic dimensions count as one."""
    shape = type.shape if isinstance(type, TensorType) else ()
    return math.prod(dim for dim in shape if isinstance(dim, int))


def digest(array: Array) -> str:
    """The beginning of the sha256 of the elements (of the one element, where all are alike), as all reports give it."""
    return hashlib.sha256(array.data).hexdigest()[:16]


def looks(array: Array) -> str:
    """``splat``, ``iota``, ``2 + 3*iota`` (integers), or empty."""
    if array.splat:
        return "splat"
    numbers = _numbers(array)
    row = int(array.shape[-1]) if array.shape else 0
    if numbers is None or row < 2:
        return ""
    rows = numbers.reshape(-1, row)
    start, step = rows[0, 0], rows[0, 1] - rows[0, 0]
    if array.dtype[0] not in "iu" and (start, step) != (0, 1):
        return ""
    wanted = start + step * _count_up(row, numbers.dtype)
    if not step or not (rows == wanted).all():
        return ""
    if (start, step) == (0, 1):
        return "iota"
    return f"{start} + {step}*iota" if start else f"{step}*iota"


def extremes(array: Array) -> tuple[str, str]:
    """The smallest and the largest element (NaN left out), as text; empty where elements have no order."""
    numbers = _numbers(array)
    if numbers is None or not numbers.size:
        return "", ""
    known = numbers[numbers == numbers]
    if not known.size:
        return "nan", "nan"
    low, high = (_shown(array, int(k)) for k in ((numbers != known.min()).argmin(), (numbers != known.max()).argmin()))
    return low, high


def _shown(array: Array, index: int) -> str:
    width = len(array.data) // (1 if array.splat else math.prod(int(dim) for dim in array.shape))
    return elements(Array(array.dtype, (), array.data[index * width : (index + 1) * width]), 1)[0]


def _count_up(count: int, dtype: Any) -> Any:
    import numpy as np

    return np.arange(count).astype(dtype)


def _numbers(array: Array) -> Any:
    """The elements as numbers, None where they have no order."""
    import numpy as np

    if array.dtype in _FORMATS:
        return np.frombuffer(array.data, _FORMATS[array.dtype])
    if array.dtype == "bf16":
        return (np.frombuffer(array.data, "<u2").astype("<u4") << 16).view("<f4")
    return None
