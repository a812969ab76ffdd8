"""Readers: one a dialect, from an artifact to a module."""
