"""Mutants of jaxprs, made from JAX's own objects: equations with other parameters, operands or types."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from random import Random
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend import core
from jax.extend.core import primitives as P

from tests.mutation.execution import ROUNDS, Ran, same, sample
from tests.mutation.internals import new_var, other_context
from tests.mutation.mutant import Mutant

#: Primitives that take the same operands and parameters.
SIBLINGS = tuple(
    tuple(getattr(P, f"{name}_p") for name in words.split())
    for words in (
        "sin cos tan tanh exp log sqrt rsqrt cbrt logistic expm1 log1p",
        "neg abs sign floor ceil",
        "add sub mul max min",
        "div rem atan2 pow",
        "and or xor",
        "lt le gt ge eq ne",
        "shift_left shift_right_logical shift_right_arithmetic",
        "clz population_count",
        "real imag",
        "reduce_sum reduce_prod",
        "reduce_max reduce_min",
        "argmax argmin",
        "cumsum cumprod cummax cummin",
    )
)
SYMMETRIC = frozenset(["add", "mul", "max", "min", "and", "or", "xor", "eq", "ne", "add_any", "mulhi"])
#: Parameters -> the class or rule that may set them aside; None where they only label or only served the tracing.
ASIDE: dict[tuple[str, str], str | None] = {
    ("jit", "name"): None, ("jit", "donated_invars"): "class:donation", ("jit", "inline"): "calls",
    ("jit", "keep_unused"): "calls", ("scan", "linear"): None, ("cond", "linear"): None,
    ("scan", "num_carry"): None, ("scan", "num_consts"): None, ("while", "cond_nconsts"): None,
    ("while", "body_nconsts"): None, ("reduce", "computation"): None, ("closed_call", "name"): None,
}  # fmt: skip
#: Parameters that are None by default and what they may be.
UNSAID = {
    "precision": (lax.Precision.HIGHEST, lax.Precision.HIGHEST), "preferred_element_type": np.dtype("float64"),
    "exact": True, "axis_index_groups": ((0, 1), (2, 3)),
}  # fmt: skip
Put = Callable[[Any], Any]


def jaxpr_mutants(closed: Any, random: Random) -> Iterator[Mutant]:
    """Mutants of a ClosedJaxpr, all kinds that apply."""
    for jaxpr, put, path in places(closed):
        live = _live(jaxpr)
        yield from _boundary(jaxpr, put, path)
        for index, eqn in enumerate(jaxpr.eqns):
            for kind, what, make, aside in _changes(jaxpr, index, random):
                if aside is None:
                    continue
                where = f"{path}/{eqn.primitive.name} {index}: {what}"[:300]
                yield Mutant(kind, where, lambda make=make, put=put: put(make()), aside, index not in live)
        yield from _order(jaxpr, put, path)
    yield from _constants(closed, lambda new: new, "main")


def places(closed: Any) -> Iterator[tuple[Any, Put, str]]:
    """All jaxprs in a closed one: each with the function that puts another in its place, and its path."""

    def around(outer: Any) -> Put:
        return lambda new: outer.replace(jaxpr=new)

    stack: list[tuple[Any, Put, str]] = [(closed.jaxpr, around(closed), "main")]
    while stack:
        jaxpr, put, path = stack.pop()
        yield jaxpr, put, path
        for index, eqn in enumerate(jaxpr.eqns):
            for key, value in eqn.params.items():
                for inner, place, number in _inner(value):
                    here = _within(jaxpr, index, key, place, put)
                    name = f"{path}/{eqn.primitive.name}{index}.{key}{number}"
                    if isinstance(inner, core.ClosedJaxpr):
                        stack.append((inner.jaxpr, lambda new, o=inner, h=here: h(o.replace(jaxpr=new)), name))
                    else:
                        stack.append((inner, here, name))


def _inner(value: Any) -> Iterator[tuple[Any, Put, str]]:
    if isinstance(value, (core.ClosedJaxpr, core.Jaxpr)):
        yield value, lambda new: new, ""
    elif isinstance(value, tuple):
        for k, item in enumerate(value):
            if isinstance(item, (core.ClosedJaxpr, core.Jaxpr)):
                yield item, lambda new, k=k: (*value[:k], new, *value[k + 1 :]), str(k)


def _within(jaxpr: Any, index: int, key: str, place: Put, put: Put) -> Put:
    def run(new: Any) -> Any:
        eqn = jaxpr.eqns[index]
        return put(_with(jaxpr, index, eqn.replace(params=eqn.params | {key: place(new)})))

    return run


def _with(jaxpr: Any, index: int, eqn: Any) -> Any:
    return jaxpr.replace(eqns=[*jaxpr.eqns[:index], eqn, *jaxpr.eqns[index + 1 :]])


def _is_var(atom: Any) -> bool:
    return not isinstance(atom, core.Literal)


def _live(jaxpr: Any) -> set[int]:
    wanted = {v for v in jaxpr.outvars if _is_var(v)}
    found = set()
    for index in reversed(range(len(jaxpr.eqns))):
        eqn = jaxpr.eqns[index]
        if eqn.effects or "rng_uniform" in eqn.primitive.name or wanted.intersection(eqn.outvars):
            found.add(index)
            wanted.update(v for v in eqn.invars if _is_var(v))
    return found


# -- equations ---------------------------------------------------------------------------------------------------------

Found = Iterator[tuple[str, str, Callable[[], Any], "str | None"]]


def _changes(jaxpr: Any, index: int, random: Random) -> Found:
    eqn = jaxpr.eqns[index]
    for family in SIBLINGS:
        if eqn.primitive in family:
            for step in (1, 2):
                other = family[(family.index(eqn.primitive) + step) % len(family)]
                if other is not eqn.primitive:
                    yield "opcode", other.name, lambda o=other: _with(jaxpr, index, eqn.replace(primitive=o)), ""
    name = eqn.primitive.name
    for key, value in eqn.params.items():
        aside = "weak-type" if key == "weak_type" else ASIDE.get((name, key), "")
        if value is None and key in UNSAID:
            new = UNSAID[key]
            yield f"{key}: said", str(new), _param(jaxpr, index, key, new), aside
        for what, new in other_values(value):
            yield f"{key}: {what}", f"{str(value)[:60]} -> {str(new)[:60]}", _param(jaxpr, index, key, new), aside
    yield from _operands(jaxpr, index, random)
    yield from _types(jaxpr, index)
    yield from _literals(jaxpr, index)
    yield "context", "threefry_partitionable", lambda: _with(jaxpr, index, eqn.replace(ctx=other_context())), ""


def _param(jaxpr: Any, index: int, key: str, new: Any) -> Callable[[], Any]:
    eqn = jaxpr.eqns[index]
    return lambda: _with(jaxpr, index, eqn.replace(params=eqn.params | {key: new}))


def other_values(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Other values of a parameter's own kind; nothing for what is not plain data."""
    if isinstance(value, (bool, np.bool_)):
        yield "flag", not value
    elif isinstance(value, enum.Enum):
        members = list(type(value))
        yield "word", members[(members.index(value) + 1) % len(members)]
        if len(members) > 2:
            yield "word", members[(members.index(value) + 2) % len(members)]
    elif isinstance(value, int):
        yield "number", value + 1
        if value > 0:
            yield "number", value - 1
    elif isinstance(value, float):
        yield "number", float(np.nextafter(value, np.inf))
        yield "number", -value
    elif isinstance(value, str):
        yield "text", value + "x"
    elif isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        dtype = np.dtype(value)
        others = {"float32": "float64", "float64": "float32", "int32": "uint32", "uint32": "int32", "bool": "int8"}
        yield "dtype", np.dtype(others.get(dtype.name, "float32"))
    elif type(value).__name__ == "PartitionSpec":
        yield "split", type(value)(*(None if part is not None else "d" for part in (tuple(value) or (None,))))
    elif isinstance(value, (set, frozenset)) and value:
        yield "fewer", type(value)(list(value)[1:])
    elif depth < 3:
        yield from _other_parts(value, depth)


def _other_parts(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            for what, new in other_values(getattr(value, field.name), depth + 1):
                if type(value).__module__.startswith("jax._src.lax"):
                    yield f"{field.name} {what}", dataclasses.replace(value, **{field.name: new})
    elif isinstance(value, tuple):
        make = type(value)._make if hasattr(value, "_fields") else tuple
        named = getattr(value, "_fields", None)
        for k, item in enumerate(value):
            if named or k in (0, len(value) - 1):
                for what, new in other_values(item, depth + 1):
                    label = f"{named[k]} {what}" if named else what
                    yield label, make((*value[:k], new, *value[k + 1 :]))
        if len(value) > 1 and not named and any(a is not b and a != b for a, b in zip(value, value[::-1], strict=True)):
            yield "order", value[::-1]
        if value and not named and not isinstance(value[0], (core.ClosedJaxpr, core.Jaxpr)):
            yield "fewer", value[:-1]


def _operands(jaxpr: Any, index: int, random: Random) -> Found:
    eqn = jaxpr.eqns[index]
    atoms = list(eqn.invars)
    kind_of = {"scan": "initial value", "while": "initial value"}.get(eqn.primitive.name, "")
    for i, j in combinations(range(len(atoms)), 2):
        a, b = atoms[i], atoms[j]
        if eqn.primitive.name in SYMMETRIC or j > i + 2 or _same_type(a, b) is False or _one(a, b):
            continue
        new = [*atoms[:i], b, *atoms[i + 1 : j], a, *atoms[j + 1 :]]
        yield kind_of or "operand order", f"{i} <-> {j}", _invars(jaxpr, index, new), ""
    scope = [*jaxpr.constvars, *jaxpr.invars]
    for earlier in jaxpr.eqns[:index]:
        scope += [v for v in earlier.outvars if type(v).__name__ != "DropVar"]
    for place, atom in enumerate(atoms):
        others = [v for v in scope if v is not atom and _same_type(v, atom)]
        for other in random.sample(others, min(2, len(others))):
            new = [*atoms[:place], other, *atoms[place + 1 :]]
            yield kind_of or "operand rewired", f"operand {place}", _invars(jaxpr, index, new), ""


def _invars(jaxpr: Any, index: int, new: list[Any]) -> Callable[[], Any]:
    return lambda: _with(jaxpr, index, jaxpr.eqns[index].replace(invars=new))


def _same_type(a: Any, b: Any) -> bool:
    return bool(a.aval == b.aval)


def _one(a: Any, b: Any) -> bool:
    """Whether two operands are one value: the same variable or literals of equal bits."""
    if _is_var(a) or _is_var(b):
        return a is b
    return bool(np.asarray(a.val).tobytes() == np.asarray(b.val).tobytes())


def _types(jaxpr: Any, index: int) -> Found:
    eqn = jaxpr.eqns[index]
    for k, var in enumerate(eqn.outvars):
        aval = var.aval
        if type(var).__name__ == "DropVar" or not hasattr(aval, "dtype") or type(aval).__name__ != "ShapedArray":
            continue
        for _, dtype in other_values(aval.dtype) if isinstance(aval.dtype, np.dtype) else ():
            yield "dtype", f"result {k}: {dtype}", _retyped(jaxpr, var, aval.update(dtype=dtype)), ""
        if aval.shape:
            shape = (aval.shape[0] + 1, *aval.shape[1:])
            yield "shape", f"result {k}: {shape}", _retyped(jaxpr, var, aval.update(shape=shape, sharding=None)), ""
        weak = aval.update(weak_type=not aval.weak_type)
        yield "weak type", f"result {k}", _retyped(jaxpr, var, weak), "weak-type"


def _retyped(jaxpr: Any, var: Any, aval: Any) -> Callable[[], Any]:
    """A variable of another type, wherever it stands in this jaxpr."""

    def make() -> Any:
        new = new_var(aval)

        def swap(atoms: Any) -> list[Any]:
            return [new if atom is var else atom for atom in atoms]

        eqns = [eqn.replace(invars=swap(eqn.invars), outvars=swap(eqn.outvars)) for eqn in jaxpr.eqns]
        return jaxpr.replace(eqns=eqns, outvars=swap(jaxpr.outvars))

    return make


def _literals(jaxpr: Any, index: int) -> Found:
    eqn = jaxpr.eqns[index]
    for place, atom in enumerate(eqn.invars):
        if _is_var(atom) or not hasattr(atom.aval, "dtype"):
            continue
        for kind, new in other_elements(np.asarray(atom.val, atom.aval.dtype)):
            literal = core.Literal(new[()], atom.aval)
            new_invars = [*eqn.invars[:place], literal, *eqn.invars[place + 1 :]]
            yield kind, f"{atom.val} -> {new}", _invars(jaxpr, index, new_invars), ""


def other_elements(value: Any) -> Iterator[tuple[str, Any]]:
    """An array with one element changed by the least that can be changed."""
    flat = value.reshape(-1)
    if not flat.size:
        return
    place = flat.size // 2
    if value.dtype == bool:
        yield "constant: one element", _put(value, place, not flat[place])
    elif value.dtype.kind in "iu":
        yield "constant: one element", _put(value, place, flat[place] ^ 1)
    elif value.dtype.kind == "f" or value.dtype.name == "bfloat16":
        bits = flat.view(np.dtype(f"u{value.dtype.itemsize}"))
        sign = np.array(1, bits.dtype) << np.array(8 * value.dtype.itemsize - 1, bits.dtype)
        nan = np.flatnonzero(np.isnan(flat))
        zero = np.flatnonzero(flat == 0)
        finite = np.flatnonzero(np.isfinite(flat) & (flat != 0))
        if zero.size:
            yield "constant: sign of zero", _bits(value, zero[-1], bits[zero[-1]] ^ sign)
        if nan.size:
            yield "constant: NaN payload", _bits(value, nan[-1], bits[nan[-1]] ^ np.array(1, bits.dtype))
        at = finite[-1] if finite.size else place
        if not np.isnan(flat[at]):
            yield "constant: one ulp", _bits(value, at, bits[at] ^ np.array(1, bits.dtype))


def _put(value: Any, place: int, new: Any) -> Any:
    flat = value.reshape(-1).copy()
    flat[place] = new
    return flat.reshape(value.shape)


def _bits(value: Any, place: int, new: Any) -> Any:
    flat = value.reshape(-1).copy()
    flat.view(np.dtype(f"u{value.dtype.itemsize}"))[place] = new
    return flat.reshape(value.shape)


# -- around equations --------------------------------------------------------------------------------------------------


def _boundary(jaxpr: Any, put: Put, path: str) -> Iterator[Mutant]:
    """Results and parameters of a jaxpr in another order; a result that is another value."""
    outs = list(jaxpr.outvars)
    for i, j in combinations(range(len(outs)), 2):
        if j <= i + 2 and not _one(outs[i], outs[j]) and _same_type(outs[i], outs[j]):
            new = [*outs[:i], outs[j], *outs[i + 1 : j], outs[i], *outs[j + 1 :]]
            yield Mutant("result order", f"{path}: {i} <-> {j}", lambda n=new: put(jaxpr.replace(outvars=n)))
    scope = [*jaxpr.invars, *(v for eqn in jaxpr.eqns for v in eqn.outvars if type(v).__name__ != "DropVar")]
    for i, out in enumerate(outs):
        others = [v for v in scope if v is not out and _same_type(v, out)]
        for other in others[-2:]:
            new = [*outs[:i], other, *outs[i + 1 :]]
            yield Mutant("result", f"{path}: result {i}", lambda n=new: put(jaxpr.replace(outvars=n)))
    used = {v for eqn in jaxpr.eqns for v in eqn.invars if _is_var(v)} | {v for v in outs if _is_var(v)}
    ins = list(jaxpr.invars)
    for i, j in zip(range(len(ins)), range(1, len(ins)), strict=False):
        if _same_type(ins[i], ins[j]) and {ins[i], ins[j]} & used:
            new = [*ins[:i], ins[j], ins[i], *ins[j + 1 :]]
            yield Mutant("parameter order", f"{path}: {i} <-> {j}", lambda n=new: put(jaxpr.replace(invars=n)))


def _order(jaxpr: Any, put: Put, path: str) -> Iterator[Mutant]:
    """Two equations with effects in the other order; one of them left out."""
    doing = [k for k, eqn in enumerate(jaxpr.eqns) if eqn.effects or eqn.primitive.name == "rng_uniform"]
    doing = [k for k in doing if jaxpr.eqns[k].primitive.name != "axis_index"]  # it only says that it names an axis
    for i, j in pairwise(doing):
        between = jaxpr.eqns[i + 1 : j + 1]
        made = {v for eqn in jaxpr.eqns[i:j] for v in eqn.outvars}
        if made.intersection(v for v in jaxpr.eqns[j].invars if _is_var(v)):
            continue
        eqns = [*jaxpr.eqns[:i], jaxpr.eqns[j], *between[:-1], jaxpr.eqns[i], *jaxpr.eqns[j + 1 :]]
        if any(v in jaxpr.eqns[i].outvars for eqn in between for v in eqn.invars if _is_var(v)):
            eqns = [*jaxpr.eqns[:i], jaxpr.eqns[j], jaxpr.eqns[i], *between[:-1], *jaxpr.eqns[j + 1 :]]
        yield Mutant("order of effects", f"{path}: {i} <-> {j}", lambda n=eqns: put(jaxpr.replace(eqns=n)))
    for i in doing:
        if not any(v in {w for e in jaxpr.eqns for w in e.invars if _is_var(w)} for v in jaxpr.eqns[i].outvars):
            if not any(v in jaxpr.outvars for v in jaxpr.eqns[i].outvars):
                eqns = [*jaxpr.eqns[:i], *jaxpr.eqns[i + 1 :]]
                yield Mutant("effect left out", f"{path}: {i}", lambda n=eqns: put(jaxpr.replace(eqns=n)))


def _constants(closed: Any, put: Put, path: str) -> Iterator[Mutant]:
    """Captured arrays of the outermost jaxpr with one element changed."""
    for k, const in enumerate(closed.consts):
        if not hasattr(const, "dtype") or not isinstance(getattr(const, "dtype", None), np.dtype):
            continue
        for kind, new in other_elements(np.asarray(const)):
            consts = [*closed.consts[:k], new, *closed.consts[k + 1 :]]
            yield Mutant(kind, f"{path}: captured array {k}", lambda c=consts: put(closed.replace(consts=c)))


# -- execution ---------------------------------------------------------------------------------------------------------


def run_both(a: Any, b: Any) -> Ran:
    """Both jaxprs evaluated, equation by equation, on a few inputs."""
    ran = 0
    try:
        for number in range(ROUNDS):
            args = [_argument(v.aval, number, k) for k, v in enumerate(a.jaxpr.invars)]
            results = [core.jaxpr_as_fun(side)(*args) for side in (a, b)]
            if len(results[0]) != len(results[1]) or not all(
                same(np.asarray(x), np.asarray(y)) for x, y in zip(*results, strict=True)
            ):
                return Ran("unequal", ran)
            ran += 1
    except Exception as problem:  # noqa: BLE001 -- whatever it is, the pair was not run
        return Ran("not run", ran, f"{type(problem).__name__}: {problem}"[:200])
    return Ran("equal", ran)


def _argument(aval: Any, number: int, position: int) -> Any:
    if str(aval.dtype).startswith("key<"):
        return jax.random.split(jax.random.key(number + position), aval.shape) if aval.shape else jax.random.key(number)
    dtype = np.dtype("float32") if aval.dtype.name == "bfloat16" else aval.dtype
    return sample(dtype, aval.shape, number, position).astype(aval.dtype)
