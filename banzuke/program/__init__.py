"""The compiled programs: which are installed, and what they say of themselves and of a call."""
