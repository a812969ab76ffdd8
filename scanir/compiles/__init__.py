"""Compiles as they were recorded: calls of functions, why each was compiled again, and the log of all of them.

Neutral data and what follows from it; imports neither jax nor click. What records is `scanir.recording`.
"""

from scanir.compiles.call import Call, Compile, Leaf, Place
from scanir.compiles.log import Group, Log, Row
from scanir.compiles.reasons import Reason

__all__ = ["Call", "Compile", "Group", "Leaf", "Log", "Place", "Reason", "Row"]
