"""The tools of agents, over stdio and streamable HTTP: parse, call, render; nothing else (N3)."""
