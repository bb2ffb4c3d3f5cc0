"""Acceptance of a machine: whether runs reach the figures that a centre and a vendor have agreed on in a file."""
