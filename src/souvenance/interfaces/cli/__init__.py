"""The command line: one file per noun. Heavy imports are made inside the verbs, so that each starts quickly."""
