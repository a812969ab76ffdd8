"""What was measured: samples of several programs by round, the ratios between them, and how sure these are."""
