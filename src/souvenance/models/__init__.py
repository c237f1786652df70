"""What leaves for a model: here, what turns texts into vectors."""
