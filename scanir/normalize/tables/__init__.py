"""Tables of what is known of the ops of each dialect: pure, commutative, reading the device's place, opaque.

An op that no table lists is unknown: it threads the effect token, is never shared, dropped or moved, and compared
exactly.
"""

from __future__ import annotations

from importlib import import_module


def _table(dialect: str, name: str) -> frozenset[str]:
    found: frozenset[str] = getattr(import_module(f"{__name__}.{dialect}"), name, frozenset())
    return found


def pure_ops(dialect: str) -> frozenset[str]:
    """Ops that are pure, total functions of their operands and attributes."""
    return _table(dialect, "PURE")


def commutative_ops(dialect: str) -> frozenset[str]:
    """Ops with two operands that may exchange, on integers and bool."""
    return _table(dialect, "COMMUTATIVE")


def device_reads(dialect: str) -> frozenset[str]:
    """Ops whose result is fixed on a device, though not on all alike (partition-id, axis_index)."""
    return _table(dialect, "DEVICE")


def opaque_ops(dialect: str) -> frozenset[str]:
    """Ops with regions that are never looked through, and are as pure as their regions."""
    return _table(dialect, "OPAQUE")
