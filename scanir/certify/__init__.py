"""Certificates: what a proof found, written down so that the checker can replay it."""
