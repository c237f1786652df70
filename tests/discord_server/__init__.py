"""A Discord of one's own on loopback, for tests: its gateway and its REST API as its documentation describes them.

The real discord.py client connects to it. It keeps Discord's limits and refuses what Discord refuses, so that what a
bot sends is checked and not only recorded. Payloads carry the documented fields (`payloads`).
"""

from discord_server.server import DiscordServer, connected
from discord_server.world import Guild, Posted

__all__ = ["DiscordServer", "Guild", "Posted", "connected"]
