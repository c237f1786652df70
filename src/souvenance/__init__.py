"""Souvenance: a memory for AI assistants that people can read, correct, weigh and trust."""

__version__ = "0.1.0"
