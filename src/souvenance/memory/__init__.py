"""What is written to memory and corrected there."""
