"""Views: each judges and shows one shape of data that records of several benchmarks have.

A benchmark's policy names its views. Every command imports views, so charts are drawn by separate modules, which are
imported only when a report is written.
"""
