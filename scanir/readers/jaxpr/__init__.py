"""The jaxpr reader: from JAX's objects, never from their text, so that captured values and weak types are there."""

from scanir.readers.jaxpr.read import read_jaxpr

__all__ = ["read_jaxpr"]
