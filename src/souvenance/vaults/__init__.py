"""Vaults as their users handle them: made, described, protected, weighed."""
