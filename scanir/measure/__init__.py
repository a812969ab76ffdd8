"""Measuring: programs traced, lowered, compiled and run, in turns, in a process of their own."""
