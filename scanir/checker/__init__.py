"""The checker: replays a certificate on two modules as read, in one pass, and trusts nothing that made it."""
