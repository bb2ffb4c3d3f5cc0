"""Each figure against its limit: what it reaches, what likely holds it back, and what is to be known of it."""
