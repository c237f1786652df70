"""Bringing in what stands elsewhere: Markdown folders, facts of other memories, conversations (R4)."""
