"""Formats of an answer, one file a format."""
