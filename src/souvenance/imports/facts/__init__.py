"""Facts out of files: JSON lines, tables, mem0, Markdown pages; known again, so that none comes twice."""
