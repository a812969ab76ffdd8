"""What programs cost, counted from their ops: work, bytes, and the copies a loop makes of its carries."""
