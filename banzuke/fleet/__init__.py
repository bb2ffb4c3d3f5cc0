"""Measures many nodes alike and judges which are slow, hung or dead, and why."""
