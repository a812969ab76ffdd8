"""The gate for CI: the checks that a file lists, each made in a process of its own kind, and their answers in order."""
