"""Notes: writing and editing them, and a category of facts seen as one."""
