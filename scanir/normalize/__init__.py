"""Normalizer: rules, evaluation into interned terms, canonical form."""
