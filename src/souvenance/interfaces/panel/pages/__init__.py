"""One file per page: what it shows and what can be done on it; every rule is in the use cases it calls."""
