"""A search for a faster setting than the default, and what it found on this machine."""
