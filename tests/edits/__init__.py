"""The edit campaign: real modules with a known number of edits planted, which the edit script must tell, no more."""
