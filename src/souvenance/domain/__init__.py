"""What the words mean: vaults, facts, notes, attention, access. Standard library only."""
