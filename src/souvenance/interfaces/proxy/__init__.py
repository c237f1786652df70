"""The OpenAI-compatible proxy: any client gains this memory by changing its base URL (C4)."""
