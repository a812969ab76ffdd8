"""Files that nobody of this project wrote: whether each opens."""
