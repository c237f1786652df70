"""Where memory is kept: one schema, two engines, and the indexes derived from it."""
