"""Who answers and with what: scope, search, recall, and the trace that explains each answer."""
