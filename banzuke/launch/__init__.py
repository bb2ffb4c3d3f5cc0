"""Renders a case's command, runs it, reads its output, and makes a record of it."""
