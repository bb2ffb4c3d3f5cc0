"""Judges each figure against its limit: its share of the limit, what likely holds it back, and what else matters."""
