"""Where the threads of any program run, beside whom, and on which memory: read from /proc while it runs."""
