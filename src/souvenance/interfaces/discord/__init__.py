"""The Discord bot: it parses what is said in servers, calls the use cases, and renders what they answer (D1 to D4)."""
