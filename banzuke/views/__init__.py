"""Views of shapes that records of several benchmarks have: each judges a shape and shows it.

A benchmark's policy names those that it has. Every command imports them, so charts are drawn by modules of their own,
which are imported when a report is written.
"""
