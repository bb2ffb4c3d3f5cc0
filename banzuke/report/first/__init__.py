"""The first part of a report: how good the machine is, what holds it back, how it compares, and what it is."""
