"""How long tests wait for what must happen."""

PATIENCE = 600
"""Seconds. Only what fails waits so long; beside ten other jobs everything may take ten times as long as alone."""
