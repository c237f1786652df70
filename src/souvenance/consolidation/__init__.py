"""A pass over a quiet vault: what says the same thing, what disagrees. It proposes; people decide."""
