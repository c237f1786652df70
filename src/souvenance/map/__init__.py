"""The neural map: vaults, notes and facts as nodes, their links and likeness as edges."""
