"""The command line. Imports neither jax nor rich before a command needs them."""

from __future__ import annotations

from scanir.cli.group import main

__all__ = ["main"]
