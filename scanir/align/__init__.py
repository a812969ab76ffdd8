"""Alignment of two modules as they are written, and the edit script that leads from one to the other."""
