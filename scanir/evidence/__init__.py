"""Evidence: both sides run on inputs, in a process of their own with a time limit.

Only StableHLO's reference interpreter, both sides in it, refutes or contradicts a verdict; what differs between two
pieces of generated code is reported as rounding, with its size. Evidence never makes an EQUIVALENT.
"""
