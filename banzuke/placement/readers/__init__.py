"""Readers of topologies, one for each format that sites have; `read` tells by the text which one it is."""
