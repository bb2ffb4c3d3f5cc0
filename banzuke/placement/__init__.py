"""Placement of ranks on a network: topologies, the load of each link in a benchmark's phases, and orders
that spread it.
"""
