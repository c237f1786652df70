"""Keeping a memory sound: examined, repaired."""
