"""Who answers and with what: scope, search, recall, ranking."""
