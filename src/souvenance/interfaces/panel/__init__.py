"""The web panel: pages made on the server, live by one stream of changes, in French and English."""
