"""Colours: numbers that depend on structure only, by which slots and exchangeable operands are put in order.

Colours order, they never decide: two terms of one colour are compared by id all the same, so a collision costs a missed
equivalence at worst. A slot starts with the colour of its type and initial value and is refined by its next value, as
states are in DFA minimization; the whole history is the sort key, so that more rounds never change an order, only
complete it. Strings and constants are hashed by content, so no order depends on the hash seed.
"""

from __future__ import annotations

import hashlib
from typing import Any

from scanir.ir.attrs import Array
from scanir.normalize.binders import Loop, State
from scanir.normalize.values import Table


class Colours:
    """Colours of ``terms`` (each after what it is made of: `Reach.ordered`) of one evaluation; ``live``: ranks of loops
    in use."""

    def __init__(self, table: Table, state: State, terms: list[int], live: dict[int, dict[int, None]]) -> None:
        self._table, self._state, self._terms, self._live = table, state, terms, live
        self._payloads: dict[Any, int] = {}
        self._rounds: list[dict[int, int]] = []
        self._slots: list[dict[tuple[int, int], int]] = [{}]
        self._rounds.append(self._paint(self._slots[0]))
        ties = self._ties()
        while ties:
            self._slots.append(self._refined())
            self._rounds.append(self._paint(self._slots[-1]))
            left = self._ties()
            if left >= ties:
                break
            ties = left

    def slot(self, loop: int, rank: int) -> tuple[int, ...]:
        """The sort key of a slot."""
        return tuple(slots[loop, rank] for slots in self._slots)

    def term(self, term: int) -> tuple[int, ...]:
        """The sort key of a term."""
        return tuple(colours[term] for colours in self._rounds)

    def _ties(self) -> int:
        slots = self._slots[-1]
        return sum(len(ranks) - len({slots[loop, rank] for rank in ranks}) for loop, ranks in self._live.items())

    def _refined(self) -> dict[tuple[int, int], int]:
        before, colours = self._slots[-1], self._rounds[-1]
        return {
            (loop, rank): hash((before[loop, rank], colours[self._state.loops[loop].steps[rank]]))
            for loop, ranks in self._live.items()
            for rank in ranks
        }

    def _paint(self, slots: dict[tuple[int, int], int]) -> dict[int, int]:
        """The colours of all terms, given those of the slots (which the first round fills in)."""
        of: dict[int, int] = {}
        for term in self._terms:
            kind, payload, children = self._table.keys[term]
            match kind:
                case "leaf":
                    of[term] = self._leaf(payload, slots, of)
                case "elem":
                    of[term] = hash((self._content("elem", payload[2]), of[children[0]]))
                case "loop":
                    of[term] = self._loop(term, slots, of)
                case "res" if isinstance(payload, int):
                    of[term] = hash((of[children[0]], slots[children[0], payload]))
                case "ys":
                    of[term] = hash((self._content(kind, payload[1]), of[children[0]], of[self._state.ys[term][0]]))
                case "fun":
                    results = self._state.funs[term].results
                    of[term] = hash((self._content(kind, payload[1:]), *[of[result] for result in results]))
                case _:
                    below = [of[child] for child in children]
                    if kind == "op" and payload[4] == "exchange":
                        below.sort()
                    of[term] = hash((self._content(kind, payload), *below))
        return of

    def _leaf(self, payload: Any, slots: dict[tuple[int, int], int], of: dict[int, int]) -> int:
        scope, k, type, _ = payload
        owner = self._state.owner.get(scope)
        if not isinstance(owner, Loop) or k == "trip":
            return self._content("leaf", (k, type))
        found = slots.get((owner.term, k))
        if found is None:
            loop = self._state.loops[owner.term]
            found = slots[owner.term, k] = hash((self._content("slot", type), of[loop.inits[k]]))
        return found

    def _loop(self, term: int, slots: dict[tuple[int, int], int], of: dict[int, int]) -> int:
        loop = self._state.loops[term]
        for rank in self._live[term]:
            if (term, rank) not in slots:  # a slot whose parameter is never read
                slots[term, rank] = hash((self._content("slot", loop.types[rank]), of[loop.inits[rank]]))
        bodies = sorted(hash((slots[term, rank], of[loop.steps[rank]])) for rank in self._live[term])
        condition = 0 if loop.condition is None else of[loop.condition]
        return hash((self._content("loop", loop.payload), condition, *bodies))

    def _content(self, kind: str, payload: Any) -> int:
        """A hash of what a key holds besides its children, by content."""
        if kind == "const" and isinstance(payload[0], Array):
            # Large, and met once a term: hashed by its bytes, and not kept.
            value, type = payload
            return content_hash(kind, (value.dtype, value.shape, type)) ^ content_hash(kind, value.data)
        found = self._payloads.get((kind, payload))
        if found is None:
            found = self._payloads[kind, payload] = content_hash(kind, payload)
        return found


def content_hash(kind: str, payload: Any) -> int:
    """64 bits that depend on content only, not on the hash seed of the process."""
    text = hashlib.blake2b(kind.encode(), digest_size=8)
    text.update(payload if isinstance(payload, bytes) else repr(payload).encode())
    return int.from_bytes(text.digest(), "big", signed=True)
