"""The operations that mdtest times, which its policy and its table share."""

WHAT = {"directory": ("create", "stat", "rename", "remove"), "file": ("create", "stat", "read", "remove")}
"""Calls of the system by what they are made on."""
