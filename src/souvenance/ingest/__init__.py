"""What comes in from outside: readers, and cutting text into passages."""
