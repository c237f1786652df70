"""Discord servers as the memory knows them: their settings, their members, and what members may ask."""
