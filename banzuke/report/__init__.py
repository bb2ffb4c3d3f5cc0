"""Reports of runs: tables, charts, HTML."""
