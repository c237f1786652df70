"""One schema, two engines. The only code that opens the database."""
