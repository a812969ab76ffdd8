"""The mutation campaign: real modules with one thing changed, which must never be called equal."""
