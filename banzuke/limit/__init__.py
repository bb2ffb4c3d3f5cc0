"""Ceilings, fraction of limit, likely causes."""
