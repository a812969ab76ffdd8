"""Facts on demand: tables about one program, as data. Imports neither jax nor click."""
