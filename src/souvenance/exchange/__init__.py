"""One question to a model, one answer."""
