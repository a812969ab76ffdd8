"""How a partitioned program's arguments and results are split over devices, which the text of its module does not say.

The same program for each device is another function when the pieces are put together in another way, so the splits
become attributes of the module, and nothing sets them aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scanir import _compat
from scanir.ir.attrs import Attr, Int, Seq, Text
from scanir.ir.graph import Module


def with_splits(module: Module, compiled: Any, kept: Sequence[int] | None) -> Module:
    """The module of a ``Compiled`` with its splits. ``kept``: the arguments that are its parameters, None if not
    known."""
    import jax

    partitions = dict(module.attributes).get("num_partitions")
    if not isinstance(partitions, Int) or partitions.value < 2:
        return module
    given = jax.tree.leaves(compiled.input_shardings, is_leaf=_is_sharding)
    returned = jax.tree.leaves(compiled.output_shardings, is_leaf=_is_sharding)
    avals = jax.tree.leaves(compiled.in_avals)
    if kept is not None and len(given) == len(avals):
        given, avals = [given[k] for k in kept], [avals[k] for k in kept]
    outs = jax.tree.leaves(_compat.output_types(compiled))
    splits = (
        ("split of arguments", Seq(tuple(_split(s, a) for s, a in zip(given, avals, strict=True)))),
        ("split of results", Seq(tuple(_split(s, a) for s, a in zip(returned, outs, strict=True)))),
    )
    return replace(module, attributes=tuple(sorted((*module.attributes, *splits), key=lambda item: item[0])))


def _is_sharding(leaf: Any) -> bool:
    return leaf is None or hasattr(leaf, "device_set")


def _split(sharding: Any, aval: Any) -> Attr:
    """Which part of a value each device holds."""
    if sharding is None:
        return Text("not said")
    parts = sharding.devices_indices_map(tuple(aval.shape)).items()
    held = sorted((device.id, str([(part.start, part.stop, part.step) for part in index])) for device, index in parts)
    return Text("; ".join(f"{device}: {index}" for device, index in held))
