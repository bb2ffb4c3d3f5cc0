"""A run in formats of other programs: JUnit XML, OpenMetrics text, and ReFrame's performance log."""
