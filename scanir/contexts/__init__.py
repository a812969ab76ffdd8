"""Contexts: settings of JAX, compiler options and environment under which a side is made, and where that happens."""

from __future__ import annotations

from scanir.contexts.context import Context, contexts
from scanir.contexts.sides import begin, is_remote, opened

__all__ = ["Context", "begin", "contexts", "is_remote", "opened"]
