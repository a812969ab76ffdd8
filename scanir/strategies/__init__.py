"""Strategies: named ways of writing a program, with example arguments. One module a family, one registry."""

from __future__ import annotations

from scanir.strategies.registry import Strategy, find, near_names, register, registered, strategies

__all__ = ["Strategy", "find", "near_names", "register", "registered", "strategies"]
