"""Recursion without a call stack: generators that yield the steps they need, run on a list.

Nesting in a module or a text can be as deep as its author likes; Python's stack cannot.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar, cast

T = TypeVar("T")
Steps: TypeAlias = "Generator[Steps[Any], Any, T]"


def run(steps: Steps[T]) -> T:
    """What a generator returns, when every generator that it yields is run and its value sent back."""
    stack: list[Steps[Any]] = [steps]
    answer: Any = None
    while stack:
        try:
            stack.append(stack[-1].send(answer))
            answer = None
        except StopIteration as done:
            stack.pop()
            answer = done.value
    return cast(T, answer)
