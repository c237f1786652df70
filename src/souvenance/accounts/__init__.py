"""Who the users are and what their tokens may do."""
