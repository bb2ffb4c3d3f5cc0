"""The compiled programs: which are installed, and what they report about themselves and about a call."""
