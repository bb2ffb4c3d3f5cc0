"""The time for which tests wait for what must happen."""

PATIENCE = 600
"""Seconds; only failures take this long, but beside ten other jobs everything may take ten times as long as alone."""
