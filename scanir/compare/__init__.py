"""Differ: isomorphism, proofs, loops, verdicts."""
