"""Public lists of machines: the editions that Banzuke knows, and list files that the user has."""
