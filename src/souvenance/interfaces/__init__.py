"""Where people and programs come in: a request is parsed, a use case called, the answer rendered; nothing else."""
