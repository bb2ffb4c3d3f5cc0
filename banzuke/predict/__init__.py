"""Models of figures at a scale that the machine does not have."""
