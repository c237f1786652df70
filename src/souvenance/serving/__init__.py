"""`souvenance serve`: the interfaces that speak HTTP as one application, and the process that runs it."""
