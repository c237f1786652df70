"""Conversations with other assistants, each of which becomes a note."""
