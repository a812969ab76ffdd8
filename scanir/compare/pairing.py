"""How the arguments of two programs correspond: by position, what is left over by name, never by search."""

from __future__ import annotations

from dataclasses import dataclass, field

from scanir.ir.types import TensorType
from scanir.program import Argument, Program


@dataclass(frozen=True, slots=True)
class Pairing:
    """``pairs``: indices of arguments of a and b that correspond. ``left``, ``right``: arguments without a
    counterpart."""

    pairs: tuple[tuple[int, int], ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    renamed: tuple[str, ...]
    _numbers: dict[tuple[str, int], int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for number, (x, y) in enumerate(self.pairs):
            self._numbers["a", x] = self._numbers["b", y] = number
        alone = [*(("a", k) for k in self.left), *(("b", k) for k in self.right)]
        self._numbers.update((key, len(self.pairs) + k) for k, key in enumerate(alone))

    def index(self, side: str, argument: int) -> int:
        """The number of an argument in the common numbering: pairs first, then what is left over on either side."""
        return self._numbers[side, argument]


def _like(a: Argument, b: Argument) -> bool:
    """Same dtype and shape: what the two positions must have in common to correspond in signatures of unlike length."""
    if isinstance(a.type, TensorType) and isinstance(b.type, TensorType):
        return (a.type.dtype, a.type.shape) == (b.type.dtype, b.type.shape)
    return a.type == b.type


def pair_arguments(a: Program, b: Program) -> Pairing:
    """Pair the argument leaves of two programs.

    Equal numbers of leaves pair one to one. Otherwise positional leaves pair in order as long as dtype and shape fit;
    from the first that does not, and for keywords, leaves pair by name. What a transform added pairs in the same way,
    by itself: tangents with tangents.
    """
    left, right = a.interface.arguments, b.interface.arguments
    renamed = tuple(
        f"{x.name} / {y.name}"
        for x, y in zip(left, right, strict=False)
        if a.interface.input_tree and b.interface.input_tree  # a file has no pytrees
        if (x.keyword or y.keyword or x.path != y.path) and (x.name, x.path) != (y.name, y.path)
    )
    if len(left) == len(right):
        return Pairing(tuple((k, k) for k in range(len(left))), (), (), renamed)
    groups = dict.fromkeys(argument.group for argument in (*left, *right))
    pairs = sorted(
        pair
        for group in groups
        for pair in _paired(
            [(k, x) for k, x in enumerate(left) if x.group == group],
            [(k, y) for k, y in enumerate(right) if y.group == group],
        )
    )
    used = ({x for x, _ in pairs}, {y for _, y in pairs})
    return Pairing(
        tuple(pairs),
        tuple(k for k in range(len(left)) if k not in used[0]),
        tuple(k for k in range(len(right)) if k not in used[1]),
        (),
    )


def _paired(left: list[tuple[int, Argument]], right: list[tuple[int, Argument]]) -> list[tuple[int, int]]:
    """Pairs of arguments of one group, each given with its index."""
    pairs: list[tuple[int, int]] = []
    for (k, x), (other, y) in zip(left, right, strict=False):
        if x.keyword or y.keyword or not _like(x, y):
            break
        pairs.append((k, other))
    start = len(pairs)
    names = {y.name: (k, y) for k, y in right[start:]}
    for k, x in left[start:]:
        found = names.pop(x.name, None)
        if found is not None and _like(x, found[1]):
            pairs.append((k, found[0]))
    return pairs
