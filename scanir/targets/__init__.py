"""Targets: what a person names, made ready to trace."""

from __future__ import annotations

from scanir.targets.arguments import Arguments, parse_arguments
from scanir.targets.resolve import resolve
from scanir.targets.target import Target

__all__ = ["Arguments", "Target", "parse_arguments", "resolve"]
