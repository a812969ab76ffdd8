"""A call of a function that JAX had to trace, and a compile: what tells one from another, as plain data.

Everything is text and numbers, so that another process can send it. Values are told by their text, arrays by their
digest; what has no text that tells it apart has a number that no other object of the process has.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """A line of Python. ``column`` tells functions of one line apart."""

    file: str
    line: int
    function: str = ""
    column: int = 0


@dataclass(frozen=True, slots=True)
class Leaf:
    """One array of the arguments. ``name``: what a person writes for it (``state['w']``). ``type``: ``f32[8]``.

    ``weak``: whether it is weakly typed, as Python's numbers are. ``python``: ``float``, ``int`` and so on where it is
    a number of Python. ``sharding``: where it is committed to, empty where it is not.
    """

    name: str
    type: str
    weak: bool = False
    python: str = ""
    sharding: str = ""
    donated: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """What JAX tells calls of a function apart by.

    ``name``: of the function, as JAX has it. ``source``: where it is written, None where that is unknown.
    ``owner``: ``user``, ``package``, or ``jax`` for JAX's own. ``function``: a number that only this function
    object has, 0 where it is unknown; ``wrapped``: it is made around the one at ``source`` (by ``jax.grad``, say).
    ``tree``: the pytree of the arguments. ``statics``, ``closure`` (values that the function closes over, defaults
    and what a partial binds), ``options`` (of jit) and ``settings``: (name, text of the value). ``under``: the
    transforms that it is called under, outside of any jit. ``context``: what of JAX's settings its caches are keyed
    by.
    """

    name: str
    source: Place | None = None
    owner: str = "user"
    function: int = 0
    wrapped: bool = False
    leaves: tuple[Leaf, ...] = ()
    tree: str = ""
    statics: tuple[tuple[str, str], ...] = ()
    closure: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    under: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class Compile:
    """One program that XLA compiled (or that was read from JAX's persistent cache: ``cached``).

    ``call``: the call it was made for; ``call_number`` tells calls apart. ``site``: the person's line that called.
    ``parameters``: types of the compiled module's parameters, which under a transform are not those of the call.
    ``trace``, ``lower`` and ``compile`` are seconds.
    """

    call: Call
    call_number: int
    site: Place | None
    parameters: tuple[str, ...]
    trace: float = 0.0
    lower: float = 0.0
    compile: float = 0.0
    cached: bool = False


def as_data(compile: Compile) -> dict[str, Any]:
    """A compile as JSON has it."""
    return dataclasses.asdict(compile)


def from_data(data: dict[str, Any]) -> Compile:
    """The inverse of `as_data`."""
    call = data["call"]
    fields = {
        **call,
        "source": _place(call["source"]),
        "leaves": tuple(Leaf(**leaf) for leaf in call["leaves"]),
    }
    fields |= {name: tuple((key, text) for key, text in call[name]) for name in _PAIRS}
    more = {**data, "call": Call(**fields), "site": _place(data["site"]), "parameters": tuple(data["parameters"])}
    return Compile(**more)


_PAIRS = ("statics", "closure", "options", "settings")


def _place(data: dict[str, Any] | None) -> Place | None:
    return None if data is None else Place(**data)
