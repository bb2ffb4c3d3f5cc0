"""Runs on disk: their records, the store that holds them, queries and imports."""
